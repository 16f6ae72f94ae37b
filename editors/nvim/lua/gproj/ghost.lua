--- Ghost text: what could follow the cursor, shown as virtual text in insert mode.
---
--- It is asked for when typing pauses. What is shown stays while exactly that is typed, and goes with anything else.
--- Where Neovim shows it by itself (0.12), this module only shows what a user asks for.
local asking = require("gproj.asking")
local builtin = require("gproj.builtin")
local client = require("gproj.client")
local config = require("gproj.config")
local suggestions = require("gproj.suggestion")
local undo = require("gproj.undo")
local virtual = require("gproj.virtual")

local M = {}

--- Milliseconds after which what the server did not write in time is asked for again, at first and at last: it goes on
--- writing meanwhile.
local LATER, LATEST = 500, 8000

local namespace = vim.api.nvim_create_namespace("gproj.ghost")

---@class gproj.Shown
---@field items gproj.Suggestion[]
---@field index integer
---@field explicit boolean Whether the user asked, so that these are all that there are.

---@class gproj.GhostState
---@field builtin boolean Whether Neovim shows what is not asked for.
---@field tick integer The text that was seen last.
---@field shown? gproj.Shown

---@type table<integer, gproj.GhostState> By buffer.
local states = {}

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

--- Ask because somebody types.
---@param bufnr integer
---@param later? integer Milliseconds after which to ask again if nothing comes.
local function automatic(bufnr, later)
  later = later or LATER
  asking.ask(bufnr, asking.AUTOMATIC, function(found)
    show(bufnr, found, false, 1)
    if #found == 0 and later <= LATEST then
      asking.after(bufnr, later, function()
        automatic(bufnr, 2 * later)
      end)
    end
  end)
end

--- Ask because somebody wants it.
---@param bufnr integer
---@param first fun(found: gproj.Suggestion[]): integer Which one to show first.
local function explicit(bufnr, first)
  states[bufnr].tick = vim.api.nvim_buf_get_changedtick(bufnr) -- what was typed until now is no reason to ask anew
  asking.ask(bufnr, asking.EXPLICIT, function(found, reason)
    show(bufnr, found, true, first(found))
    if #found == 0 then
      client.tell(reason and reason ~= "" and reason or "nothing follows here")
    end
  end)
end

---@param bufnr integer
local function schedule(bufnr)
  asking.cancel(bufnr)
  if not states[bufnr].builtin then
    asking.after(bufnr, config.get().ghost.debounce, function()
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
  local left = asking.is_typing(bufnr) and remaining(bufnr)
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
  asking.cancel(bufnr)
  hide(bufnr)
end

---@type table<string, fun(bufnr: integer)>
local EVENTS = {
  TextChangedI = update,
  TextChangedP = update,
  CursorMovedI = update,
  InsertEnter = schedule,
  InsertLeave = stop,
  BufLeave = stop,
}

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
  local id = vim.api.nvim_create_augroup(group(bufnr), {})
  for event, work in pairs(EVENTS) do
    vim.api.nvim_create_autocmd(event, {
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
    asking.cancel(bufnr)
    states[bufnr] = nil
    vim.api.nvim_del_augroup_by_name(group(bufnr))
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
      if state.builtin then
        builtin.hide(bufnr)
      end
    end
  end
end

--- Whether the current buffer shows some by this module.
---@return boolean
function M.visible()
  local state = states[vim.api.nvim_get_current_buf()]
  return state ~= nil and state.shown ~= nil
end

--- Write text at the cursor, as a step of its own to undo, and go behind it.
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

--- All of a suggestion was accepted.
---@param bufnr integer
---@param suggestion gproj.Suggestion
local function finish(bufnr, suggestion)
  local server = client.of(bufnr)
  if suggestion.command and server then
    server:exec_cmd(suggestion.command, { bufnr = bufnr })
  end
  if not states[bufnr].builtin then
    automatic(bufnr)
  end
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
  if whole then
    finish(bufnr, suggestion)
  else
    update(bufnr)
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
    local current = shown.items[shown.index]
    local fitting = vim.tbl_filter(function(each)
      return suggestions.left(each, bufnr, suggestions.cursor()) ~= nil
    end, shown.items)
    for index, each in ipairs(fitting) do
      if each == current then
        show(bufnr, fitting, true, index + count)
        return
      end
    end
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
