--- Keys: `<Plug>` mappings for everything, and the configured keys in buffers that the server reads.
---
--- A key that somebody mapped already is left alone (`taken` tells which). In insert mode a key does what it did before
--- where there is no ghost text.
local config = require("gproj.config")

local M = {}

---@class gproj.Action
---@field mode string
---@field plug string
---@field desc string
---@field call string What it calls of `require("gproj")`.
---@field wants? fun(): boolean|"done" Whether there is something for it to do here; "done": it was done.

---@param part string
local function wants_ghost(part)
  return function()
    if require("gproj.ghost").visible() then
      return true
    end
    return require("gproj.ghost").accept(part) and "done" -- what Neovim shows is accepted by Neovim
  end
end

---@type table<string, gproj.Action>
local ACTIONS = {
  accept = {
    mode = "i",
    plug = "accept",
    desc = "accept ghost text",
    call = 'accept("all")',
    wants = wants_ghost("all"),
  },
  accept_word = {
    mode = "i",
    plug = "accept-word",
    desc = "accept a word",
    call = 'accept("word")',
    wants = wants_ghost("word"),
  },
  accept_line = {
    mode = "i",
    plug = "accept-line",
    desc = "accept a line",
    call = 'accept("line")',
    wants = wants_ghost("line"),
  },
  dismiss = {
    mode = "i",
    plug = "dismiss",
    desc = "dismiss ghost text",
    call = "dismiss()",
    wants = function()
      return require("gproj.ghost").visible()
    end,
  },
  next = { mode = "i", plug = "next", desc = "next candidate", call = "cycle(1)" },
  previous = { mode = "i", plug = "previous", desc = "previous candidate", call = "cycle(-1)" },
  suggest = { mode = "i", plug = "suggest", desc = "ask for ghost text", call = "suggest()" },
  next_hole = { mode = "n", plug = "next-hole", desc = "next hole", call = "next_hole()" },
  previous_hole = { mode = "n", plug = "previous-hole", desc = "previous hole", call = "previous_hole()" },
  fill = { mode = "n", plug = "fill", desc = "fill the hole", call = "fill()" },
}

--- What our mappings' descriptions begin with.
local MARK = "gproj: "

---@type table<integer, {mode: string, lhs: string}[]>
local mapped = {}
---@type table<integer, table<string, string>>
local taken = {}

--- What a key gives: the action, or what it did before.
---@param action gproj.Action
---@param otherwise fun(): string
---@return string
local function keys_of(action, otherwise)
  local wanted = not action.wants or action.wants()
  if wanted == "done" then
    return ""
  end
  return wanted and ('<Cmd>lua require("gproj").%s<CR>'):format(action.call) or otherwise()
end

---@param action gproj.Action
---@param lhs string
---@param otherwise fun(): string
---@param bufnr? integer
local function map(action, lhs, otherwise, bufnr)
  vim.keymap.set(action.mode, lhs, function()
    return keys_of(action, otherwise)
  end, { expr = true, silent = true, buffer = bufnr, desc = MARK .. action.desc })
end

--- Define the `<Plug>` mappings.
function M.define()
  for _, action in pairs(ACTIONS) do
    map(action, ("<Plug>(gproj-%s)"):format(action.plug), function()
      return ""
    end)
  end
end

--- What a key does now where it is Neovim's own mapping or none; nil where somebody wants it otherwise.
---@param action gproj.Action
---@param lhs string
---@param bufnr integer
---@return (fun(): string)?
local function before(action, lhs, bufnr)
  local found = vim.api.nvim_buf_call(bufnr, function()
    return vim.fn.maparg(lhs, action.mode, false, true)
  end)
  if vim.tbl_isempty(found) then
    return function()
      return lhs
    end
  end
  local own = found.callback and found.expr == 1 and vim.startswith(found.desc or "", "vim.snippet.")
  return own and found.callback or nil
end

--- Take our keys away again.
---@param bufnr integer
function M.unmap(bufnr)
  for _, each in ipairs(mapped[bufnr] or {}) do
    local found = vim.api.nvim_buf_is_valid(bufnr)
      and vim.api.nvim_buf_call(bufnr, function()
        return vim.fn.maparg(each.lhs, each.mode, false, true)
      end)
    if found and found.buffer == 1 and vim.startswith(found.desc or "", MARK) then
      vim.keymap.del(each.mode, each.lhs, { buffer = bufnr })
    end
  end
  mapped[bufnr], taken[bufnr] = nil, nil
end

--- Map the configured keys in a buffer.
---@param bufnr integer
function M.map(bufnr)
  M.unmap(bufnr)
  mapped[bufnr], taken[bufnr] = {}, {}
  for name, action in pairs(ACTIONS) do
    local lhs = config.get().keys[name]
    local otherwise = lhs and before(action, lhs, bufnr)
    if otherwise then
      map(action, lhs, otherwise, bufnr)
      table.insert(mapped[bufnr], { mode = action.mode, lhs = lhs })
    elseif lhs then
      taken[bufnr][name] = lhs
    end
  end
end

--- The keys that were mapped already, by what they would do.
---@param bufnr integer
---@return table<string, {lhs: string, plug: string}>
function M.taken(bufnr)
  local found = {}
  for name, lhs in pairs(taken[bufnr] or {}) do
    found[name] = { lhs = lhs, plug = ("<Plug>(gproj-%s)"):format(ACTIONS[name].plug) }
  end
  return found
end

return M
