--- The server's client of a buffer, and what is asked of it.
local M = {}

--- The name of the configuration in `lsp/`.
M.NAME = "gproj_lsp"

--- Answers that nobody wants to read: the text changed meanwhile, or the user stopped it.
local QUIET = {
  [vim.lsp.protocol.ErrorCodes.ContentModified] = true,
  [vim.lsp.protocol.ErrorCodes.RequestCancelled] = true,
  [vim.lsp.protocol.ErrorCodes.ServerCancelled] = true,
}

---@param bufnr? integer 0 or nil for the current buffer
---@return vim.lsp.Client?
function M.of(bufnr)
  return vim.lsp.get_clients({ name = M.NAME, bufnr = vim._resolve_bufnr(bufnr) })[1]
end

--- Say something to the user.
---@param message string
---@param level? integer
function M.tell(message, level)
  vim.notify("gproj: " .. message, level or vim.log.levels.INFO)
end

--- The cursor of the current window as commands take it: `{uri, position}`.
---@param client vim.lsp.Client
---@return table
function M.place(client)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  return { uri = params.textDocument.uri, position = params.position }
end

--- Run one of the server's commands for the current buffer. What goes wrong is told.
---@param name string
---@param argument? table|string|fun(client: vim.lsp.Client): table
---@param done? fun(result: any, client: vim.lsp.Client) Called unless it failed.
---@return {client: vim.lsp.Client, id: integer}? request That can be cancelled; nil where there is no server.
function M.command(name, argument, done)
  local client = M.of(0)
  if not client then
    M.tell("no server is attached to this buffer; see :checkhealth gproj", vim.log.levels.WARN)
    return nil
  end
  if type(argument) == "function" then
    argument = argument(client)
  end
  local params = { command = name, arguments = argument ~= nil and { argument } or {} }
  local bufnr = vim.api.nvim_get_current_buf() -- with 0, Neovim would not send the last changes first
  local sent, id = client:request("workspace/executeCommand", params, function(err, result)
    if err then
      if not QUIET[err.code] then
        M.tell(err.message, vim.log.levels.WARN)
      end
    elseif done then
      done(result ~= vim.NIL and result or nil, client)
    end
  end, bufnr)
  return sent and id and { client = client, id = id } or nil
end

return M
