--- Ghost text: what could follow the cursor, shown as virtual text in insert mode.
---
--- It is asked for when typing pauses. What is shown stays while exactly that is typed, and goes with anything else. Where Neovim
--- shows it by itself (0.12), this module only shows what a user asks for.
local builtin = require("gproj.builtin")
local client = require("gproj.client")
local config = require("gproj.config")
local suggestions = require("gproj.suggestion")
local undo = require("gproj.undo")
local virtual = require("gproj.virtual")

local M = {}

--- How it is asked for: while somebody types, and by somebody; the latter streams.
local AUTOMATIC, ASKED = "textDocument/inlineCompletion", "gproj/complete"
local AUTOMATICALLY = 2

--- Milliseconds after which what the server did not write in time is asked for once more: it goes on writing.
local LATER = 500

local namespace = vim.api.nvim_create_namespace("gproj.ghost")

---@class gproj.Shown
---@field items gproj.Suggestion[]
---@field index integer
---@field explicit boolean Whether the user asked, so that these are all that there are.

---@class gproj.GhostState
---@field builtin boolean Whether Neovim shows what is not asked for.
---@field tick integer The text that was seen last.
---@field timer? uv.uv_timer_t
---@field request? {client: vim.lsp.Client, id?: integer}
---@field shown? gproj.Shown

---@type table<integer, gproj.GhostState> By buffer.
local states = {}

---@param bufnr integer
---@return boolean
local function is_typing(bufnr)
  return bufnr == vim.api.nvim_get_current_buf()
    and vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
    and vim.fn.pumvisible() == 0
end

---@param bufnr integer
---@return string? left What is left to show of the current suggestion; nil where there is none that fits.
local function remaining(bufnr)
  local shown = states[bufnr].shown
  return shown and suggestions.left(shown.items[shown.index], bufnr, suggestions.cursor())
end

---@param bufnr integer
---@param left string
local function render(bufnr, left)
  local shown, cursor = states[bufnr].shown, suggestions.cursor()
  local count = shown.explicit and #shown.items > 1 and (" %d/%d"):format(shown.index, #shown.items)
  local place = { bufnr = bufnr, namespace = namespace, row = cursor.row, col = cursor.col, id = 1 }
  virtual.show(place, left, "GprojGhost", { virt_text = count and { { count, "GprojGhostCount" } } or nil })
end

---@param bufnr integer
local function hide(bufnr)
  local state = states[bufnr]
  if state.shown then
    state.shown = nil
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    if state.builtin then
      builtin.show(bufnr)
    end
  end
end

---@param state gproj.GhostState
local function cancel(state)
  if state.timer then
    state.timer:stop()
    state.timer:close()
    state.timer = nil
  end
  local request = state.request
  state.request = nil
  if request and request.id and request.client.requests[request.id] then
    request.client:cancel_request(request.id)
  end
end

--- Show what came for a cursor that has not moved since.
---@param bufnr integer
---@param found gproj.Suggestion[]
---@param explicit boolean
---@param index integer
local function show(bufnr, found, explicit, index)
  hide(bufnr)
  if #found == 0 then
    return
  end
  local state = states[bufnr]
  state.shown = { items = found, index = (index - 1) % #found + 1, explicit = explicit }
  if state.builtin then
    builtin.hide(bufnr)
  end
  render(bufnr, remaining(bufnr))
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

---@param bufnr integer
---@param milliseconds integer
---@param work fun()
local function after(bufnr, milliseconds, work)
  local state = states[bufnr]
  cancel(state)
  state.timer = vim.defer_fn(function()
    state.timer = nil
    if states[bufnr] == state then
      work()
    end
  end, milliseconds)
end

--- Ask the server for what could follow, and tell what it gives if nothing changed meanwhile.
---@param bufnr integer
---@param method string
---@param given fun(found: gproj.Suggestion[], reason?: string)
local function request(bufnr, method, given)
  local state, server = states[bufnr], client.of(bufnr)
  cancel(state)
  if not server or not is_typing(bufnr) then
    return
  end
  local tick, cursor = vim.api.nvim_buf_get_changedtick(bufnr), suggestions.cursor()
  local params = vim.lsp.util.make_position_params(0, server.offset_encoding)
  params.context = method == AUTOMATIC and { triggerKind = AUTOMATICALLY } or nil
  local asked = { client = server }
  state.request = asked
  local _, id = server:request(method, params, function(_, result)
    if state.request ~= asked or states[bufnr] ~= state then
      return
    end
    state.request = nil
    local same = is_typing(bufnr)
      and tick == vim.api.nvim_buf_get_changedtick(bufnr)
      and vim.deep_equal(cursor, suggestions.cursor())
    if same then
      local reason = type(result) == "table" and result.reason or nil
      given(read(result, bufnr, cursor, server.offset_encoding), reason)
    end
  end, bufnr)
  asked.id = id
end

--- Ask because somebody types.
---@param bufnr integer
---@param again? boolean Whether it was asked for already.
local function automatic(bufnr, again)
  request(bufnr, AUTOMATIC, function(found)
    show(bufnr, found, false, 1)
    if #found == 0 and not again then
      after(bufnr, LATER, function()
        automatic(bufnr, true)
      end)
    end
  end)
end

--- Ask because somebody wants it.
---@param bufnr integer
---@param first fun(found: gproj.Suggestion[]): integer Which one to show first.
local function explicit(bufnr, first)
  request(bufnr, ASKED, function(found, reason)
    show(bufnr, found, true, first(found))
    if #found == 0 then
      client.tell(reason and reason ~= "" and reason or "nothing follows here")
    end
  end)
end

---@param bufnr integer
local function schedule(bufnr)
  cancel(states[bufnr])
  if not states[bufnr].builtin then
    after(bufnr, config.get().ghost.debounce, function()
      automatic(bufnr)
    end)
  end
end

--- The text or the cursor changed: what is shown stays if it still fits.
---@param bufnr integer
local function update(bufnr)
  local state = states[bufnr]
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local changed = tick ~= state.tick
  state.tick = tick
  local left = is_typing(bufnr) and remaining(bufnr)
  if left then
    render(bufnr, left)
    return
  end
  hide(bufnr)
  if changed then
    schedule(bufnr)
  end
end

---@param bufnr integer
local function stop(bufnr)
  cancel(states[bufnr])
  hide(bufnr)
end

---@param bufnr integer
---@return string
local function group(bufnr)
  return "gproj.ghost." .. bufnr
end

--- Show ghost text in a buffer from now on.
---@param bufnr integer
function M.attach(bufnr)
  if states[bufnr] then
    return
  end
  local shows = builtin.has() and config.get().ghost.builtin
  states[bufnr] = { builtin = shows, tick = vim.api.nvim_buf_get_changedtick(bufnr) }
  local events = {
    [{ "TextChangedI", "TextChangedP", "CursorMovedI" }] = update,
    [{ "InsertEnter" }] = schedule,
    [{ "InsertLeave", "BufLeave" }] = stop,
  }
  local id = vim.api.nvim_create_augroup(group(bufnr), {})
  for names, work in pairs(events) do
    vim.api.nvim_create_autocmd(names, {
      group = id,
      buffer = bufnr,
      callback = function()
        work(bufnr)
      end,
    })
  end
  if shows then
    builtin.show(bufnr)
  end
end

--- Show none any more.
---@param bufnr integer
function M.detach(bufnr)
  local state = states[bufnr]
  if state then
    stop(bufnr)
    if state.builtin then
      builtin.hide(bufnr)
    end
    vim.api.nvim_del_augroup_by_name(group(bufnr))
    states[bufnr] = nil
  end
end

--- Whether the current buffer shows some by this module.
---@return boolean
function M.visible()
  local state = states[vim.api.nvim_get_current_buf()]
  return state ~= nil and state.shown ~= nil
end

--- Write text at the cursor and go behind it.
---@param bufnr integer
---@param text string
---@param replaced integer So many bytes behind the cursor go.
local function write(bufnr, text, replaced)
  local cursor = suggestions.cursor()
  local lines = vim.split(text, "\n", { plain = true })
  undo.seal(bufnr)
  vim.api.nvim_buf_set_text(bufnr, cursor.row, cursor.col, cursor.row, cursor.col + replaced, lines)
  local col = #lines == 1 and cursor.col + #text or #lines[#lines]
  vim.api.nvim_win_set_cursor(0, { cursor.row + #lines, col })
end

--- Accept what is shown, or its first line or word; the rest stays.
---@param part "all"|"line"|"word"
---@return boolean accepted
function M.accept(part)
  local bufnr = vim.api.nvim_get_current_buf()
  local state = states[bufnr]
  if not state then
    return false
  elseif not state.shown then
    return state.builtin and builtin.accept(bufnr, part)
  end
  local left = remaining(bufnr)
  if not left then
    hide(bufnr)
    return false
  end
  local suggestion = state.shown.items[state.shown.index]
  local accepted = suggestions.part(left, part)
  local whole = accepted == left
  if whole then
    hide(bufnr)
  end
  write(bufnr, accepted, whole and suggestion.replaced or 0)
  state.tick = vim.api.nvim_buf_get_changedtick(bufnr)
  if not whole then
    update(bufnr)
    return true
  end
  local server = client.of(bufnr)
  if suggestion.command and server then
    server:exec_cmd(suggestion.command, { bufnr = bufnr })
  end
  if not state.builtin then
    automatic(bufnr)
  end
  return true
end

--- Ask for some now.
function M.suggest()
  local bufnr = vim.api.nvim_get_current_buf()
  if states[bufnr] then
    explicit(bufnr, function()
      return 1
    end)
  end
end

--- Show another candidate; where only one was asked for, ask for more first.
---@param count integer
function M.cycle(count)
  local bufnr = vim.api.nvim_get_current_buf()
  local state = states[bufnr]
  if not state then
    return
  end
  local shown = state.shown
  if shown and shown.explicit then
    show(bufnr, shown.items, true, shown.index + count)
    return
  end
  local before = shown and remaining(bufnr)
  explicit(bufnr, function(found)
    local first = found[1] and suggestions.left(found[1], bufnr, suggestions.cursor())
    return before and first == before and 1 + count or 1
  end)
end

--- Take it away until the text changes.
---@return boolean dismissed
function M.dismiss()
  local bufnr = vim.api.nvim_get_current_buf()
  local state = states[bufnr]
  if not state then
    return false
  end
  local visible = state.shown ~= nil
  stop(bufnr)
  return visible
end

return M
