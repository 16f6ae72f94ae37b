--- Findings are asked for again when the server says that they may be others; Neovim does so by itself from 0.12 on.
local M = {}

local METHOD = "workspace/diagnostic/refresh"

--- Handler of `workspace/diagnostic/refresh`.
---@param context lsp.HandlerContext
local function on_refresh(_, _, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  for bufnr in pairs(client and client.attached_buffers or {}) do
    local document = vim.lsp.util.make_text_document_params(bufnr)
    client:request("textDocument/diagnostic", { textDocument = document }, nil, bufnr)
  end
  return vim.NIL
end

--- The handlers that Neovim lacks.
---@return table<string, lsp.Handler>
function M.handlers()
  return vim.lsp.handlers[METHOD] and {} or { [METHOD] = on_refresh }
end

return M
