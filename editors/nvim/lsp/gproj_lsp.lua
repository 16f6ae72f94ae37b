--- How Neovim starts the server; `vim.lsp.config("gproj_lsp", {…})` changes it. See |gproj-server|.

local handlers = {
  ["gproj/status"] = function(...)
    return require("gproj.status").on_status(...)
  end,
  ["gproj/stream"] = function(...)
    return require("gproj.stream").on_stream(...)
  end,
  ["workspace/applyEdit"] = function(...)
    return require("gproj.undo").on_apply_edit(...)
  end,
}

---@type vim.lsp.Config
return {
  cmd = { "gproj-lsp", "serve" },
  filetypes = { "sql", "mysql" },
  root_markers = { "gproj.toml", ".git" },
  capabilities = {
    experimental = { gproj = { status = true, stream = true } },
    textDocument = { inlineCompletion = { dynamicRegistration = false } },
    workspace = { diagnostics = { refreshSupport = true } },
  },
  handlers = vim.tbl_extend("force", handlers, require("gproj.diagnostics").handlers()),
}
