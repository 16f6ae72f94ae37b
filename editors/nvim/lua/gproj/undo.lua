--- Every edit that the server makes is one step to undo.
local M = {}

--- End the step that is being made: what comes now is undone by itself.
---@param bufnr? integer
function M.seal(bufnr)
  vim.api.nvim_buf_call(vim._resolve_bufnr(bufnr), function()
    vim.cmd([[let &l:undolevels = &l:undolevels]])
  end)
end

--- The documents of a workspace edit.
---@param edit lsp.WorkspaceEdit
---@return string[] uris
local function documents(edit)
  local uris = vim.tbl_keys(edit.changes or {})
  for _, change in ipairs(edit.documentChanges or {}) do
    uris[#uris + 1] = change.textDocument and change.textDocument.uri
  end
  return uris
end

--- Handler of `workspace/applyEdit`: as Neovim does it, in a step of its own and without a word.
function M.on_apply_edit(err, params, context)
  if params then
    params.label = nil
    for _, uri in ipairs(documents(params.edit)) do
      local bufnr = vim.uri_to_bufnr(uri)
      if vim.api.nvim_buf_is_loaded(bufnr) then
        M.seal(bufnr)
      end
    end
  end
  return vim.lsp.handlers["workspace/applyEdit"](err, params, context)
end

return M
