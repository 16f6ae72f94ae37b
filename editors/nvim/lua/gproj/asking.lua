--- Asks the server what could follow the cursor, one question a buffer at a time: now, or when some time has passed.
local client = require("gproj.client")
local suggestions = require("gproj.suggestion")

local M = {}

--- The requests: while somebody types, and by somebody; the latter streams.
M.AUTOMATIC, M.EXPLICIT = "textDocument/inlineCompletion", "gproj/complete"

--- `InlineCompletionTriggerKind` of the former.
local AUTOMATICALLY = 2

---@class gproj.Asking What a buffer waits for.
---@field timer? uv.uv_timer_t
---@field request? {client: vim.lsp.Client, id?: integer}

---@type table<integer, gproj.Asking> By buffer.
local pending = {}

--- Whether somebody types in a buffer, and no menu is in the way.
---@param bufnr integer
---@return boolean
function M.is_typing(bufnr)
  return bufnr == vim.api.nvim_get_current_buf()
    and vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
    and vim.fn.pumvisible() == 0
end

--- Wait for nothing any more.
---@param bufnr integer
function M.cancel(bufnr)
  local asking = pending[bufnr] or {}
  pending[bufnr] = nil
  if asking.timer then
    asking.timer:stop()
    asking.timer:close()
  end
  local request = asking.request
  if request and request.id and request.client.requests[request.id] then
    request.client:cancel_request(request.id)
  end
end

--- Do something after a while, unless something else is asked for or `cancel` comes first.
---@param bufnr integer
---@param milliseconds integer
---@param work fun()
function M.after(bufnr, milliseconds, work)
  M.cancel(bufnr)
  local asking = {}
  pending[bufnr] = asking
  asking.timer = vim.defer_fn(function()
    asking.timer = nil
    if pending[bufnr] == asking then
      pending[bufnr] = nil
      work()
    end
  end, milliseconds)
end

---@param result any What the server answered.
---@param bufnr integer
---@param cursor gproj.Cursor
---@param encoding string
---@return gproj.Suggestion[]
local function read(result, bufnr, cursor, encoding)
  local found = {}
  for _, item in ipairs(type(result) == "table" and (result.items or result) or {}) do
    found[#found + 1] = suggestions.read(item, bufnr, cursor, encoding)
  end
  return found
end

--- Ask, and tell what comes if the text and the cursor are still the same. What was asked before is cancelled.
---@param bufnr integer
---@param method string `AUTOMATIC` or `EXPLICIT`.
---@param given fun(found: gproj.Suggestion[], reason?: string)
function M.ask(bufnr, method, given)
  M.cancel(bufnr)
  local server = client.of(bufnr)
  if not server or not M.is_typing(bufnr) then
    return
  end
  local tick, cursor = vim.api.nvim_buf_get_changedtick(bufnr), suggestions.cursor()
  local params = vim.lsp.util.make_position_params(0, server.offset_encoding)
  params.context = method == M.AUTOMATIC and { triggerKind = AUTOMATICALLY } or nil
  local asking = { request = { client = server } }
  pending[bufnr] = asking
  local _, id = server:request(method, params, function(_, result)
    if pending[bufnr] ~= asking then
      return
    end
    pending[bufnr] = nil
    local same = M.is_typing(bufnr)
      and tick == vim.api.nvim_buf_get_changedtick(bufnr)
      and vim.deep_equal(cursor, suggestions.cursor())
    if same then
      local reason = type(result) == "table" and result.reason or nil
      given(read(result, bufnr, cursor, server.offset_encoding), reason)
    end
  end, bufnr)
  asking.request.id = id
end

return M
