--- What a buffer gets when the server is attached to it, and loses when it goes.
local client = require("gproj.client")
local config = require("gproj.config")
local keys = require("gproj.keys")

local M = {}

---@param server vim.lsp.Client
---@param bufnr integer
local function attach(server, bufnr)
  keys.map(bufnr)
  if config.get().ghost.enable and server:supports_method("textDocument/inlineCompletion", bufnr) then
    require("gproj.ghost").attach(bufnr)
  end
end

---@param bufnr integer
local function detach(bufnr)
  require("gproj.ghost").detach(bufnr)
  keys.unmap(bufnr)
end

--- Call something for every client of ours that comes or goes.
---@param event "LspAttach"|"LspDetach"
---@param work fun(server: vim.lsp.Client, bufnr: integer)
local function on(event, work)
  vim.api.nvim_create_autocmd(event, {
    group = vim.api.nvim_create_augroup("gproj." .. event, {}),
    callback = function(args)
      local server = vim.lsp.get_client_by_id(args.data.client_id)
      if server and server.name == client.NAME then
        work(server, args.buf)
      end
    end,
  })
end

--- Begin to watch for the server.
function M.watch()
  keys.define()
  on("LspAttach", attach)
  on("LspDetach", function(server, bufnr)
    detach(bufnr)
    local others = vim.tbl_filter(function(each)
      return each ~= bufnr
    end, vim.tbl_keys(server.attached_buffers))
    if #others == 0 then
      require("gproj.status").forget(server.id)
      require("gproj.stream").forget(server.id)
    end
  end)
end

--- Attach everywhere anew: the options changed.
function M.again()
  for _, server in ipairs(vim.lsp.get_clients({ name = client.NAME })) do
    for bufnr in pairs(server.attached_buffers) do
      detach(bufnr)
      attach(server, bufnr)
    end
  end
end

return M
