--- `gproj/status`: how the model, the folders and the documents are, for statuslines and for mending.
local client = require("gproj.client")

local M = {}

--- What is said of each state, worst last; of `ready` nothing is said.
local STATES = { "loading", "excluded", "schemaStale", "untrusted", "noModel", "failed" }
local NAMES = {
  loading = "loading",
  excluded = "left out",
  schemaStale = "schema stale",
  untrusted = "not trusted",
  noModel = "no model",
  failed = "failed",
}

---@class gproj.Status
---@field uri string A folder, a document, or "" for the model.
---@field state string
---@field cause string
---@field command string The command that mends it, or "".

---@type table<integer, table<string, gproj.Status>> By client and URI; what is ready is not kept.
local known = {}

--- Handler of `gproj/status`.
---@param told gproj.Status
---@param context lsp.HandlerContext
function M.on_status(_, told, context)
  local board = known[context.client_id] or {}
  known[context.client_id] = board
  board[told.uri] = told.state ~= "ready" and told or nil
  vim.api.nvim_exec_autocmds("User", { pattern = "GprojStatus", modeline = false, data = told })
  vim.cmd.redrawstatus({ bang = true })
end

--- Forget a client that is gone.
---@param client_id integer
function M.forget(client_id)
  known[client_id] = nil
end

--- Whether a status is about a document: the model's, a folder's that it lies in, or its own.
---@param uri string
---@param document string
---@return boolean
local function concerns(uri, document)
  return uri == "" or uri == document or vim.startswith(document, uri:gsub("/*$", "/"))
end

---@param status gproj.Status
---@return integer
local function weight(status)
  for number, state in ipairs(STATES) do
    if state == status.state then
      return number
    end
  end
  return 0
end

--- Everything that is not as it should be for a buffer, worst first.
---@param bufnr? integer
---@return gproj.Status[]
function M.problems(bufnr)
  local server = client.of(bufnr)
  local document = vim.uri_from_bufnr(vim._resolve_bufnr(bufnr))
  local found = vim.tbl_filter(function(status)
    return concerns(status.uri, document)
  end, vim.tbl_values(server and known[server.id] or {}))
  table.sort(found, function(one, other)
    return weight(one) > weight(other)
  end)
  return found
end

--- For a statusline: "gproj" where all is well, "gproj: no model" and the like else, "" without a server.
---@param bufnr? integer
---@return string
function M.line(bufnr)
  if not client.of(bufnr) then
    return ""
  end
  local worst = M.problems(bufnr)[1]
  return worst and ("gproj: " .. (NAMES[worst.state] or worst.state)) or "gproj"
end

--- Run the command that mends the worst of what is wrong here.
function M.mend()
  for _, status in ipairs(M.problems(0)) do
    if status.command == "gproj.chooseModel" then
      return require("gproj.model").choose()
    elseif status.command ~= "" then
      client.command(status.command, status.uri ~= "" and status.uri or nil)
      return
    end
  end
  local worst = M.problems(0)[1]
  client.tell(worst and worst.cause or "all is well")
end

return M
