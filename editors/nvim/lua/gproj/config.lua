--- The options: what users may set, and what holds where they say nothing.
local M = {}

---@class gproj.Keys A key, or false for none. Keys that are mapped already are left alone.
---@field accept string|false
---@field accept_word string|false
---@field accept_line string|false
---@field next string|false
---@field previous string|false
---@field suggest string|false
---@field dismiss string|false
---@field next_hole string|false
---@field previous_hole string|false
---@field fill string|false

---@class gproj.Ghost
---@field enable boolean Show ghost text while you type.
---@field builtin boolean Leave showing it to Neovim where it can (0.12).
---@field debounce integer Milliseconds without a key after which it is asked for.

---@class gproj.Config
---@field enable boolean Start the server for the files that it reads.
---@field ghost gproj.Ghost
---@field keys gproj.Keys

---@type gproj.Config
local DEFAULTS = {
  enable = true,
  ghost = { enable = true, builtin = true, debounce = 60 },
  keys = {
    accept = "<Tab>",
    accept_word = "<M-Right>",
    accept_line = "<M-C-Right>",
    next = "<M-]>",
    previous = "<M-[>",
    suggest = [[<M-\>]],
    dismiss = "<C-]>",
    next_hole = "]h",
    previous_hole = "[h",
    fill = false,
  },
}

local current = DEFAULTS

---@param where string
---@param given any
---@param default any
local function check(where, given, default)
  if where:match("^keys%.") then
    vim.validate(where, given, function(value)
      return value == false or (type(value) == "string" and value ~= "")
    end, "a key, or false")
  elseif where == "ghost.debounce" then
    vim.validate(where, given, function(value)
      return type(value) == "number" and value >= 0
    end, "milliseconds")
  else
    vim.validate(where, given, type(default))
  end
end

---@param given table
---@param defaults table
---@param above string
local function validate(given, defaults, above)
  for name, value in pairs(given) do
    local where = above .. tostring(name)
    if defaults[name] == nil then
      error(("gproj: there is no option %s"):format(where), 0)
    end
    check(where, value, defaults[name])
    if type(defaults[name]) == "table" then
      validate(value, defaults[name], where .. ".")
    end
  end
end

---@return gproj.Config
function M.get()
  return current
end

--- Make options hold; what they do not name is as it is by default. An error leaves everything as it was.
---@param options? table
---@return gproj.Config
function M.set(options)
  vim.validate("options", options, "table", true)
  validate(options or {}, DEFAULTS, "")
  current = vim.tbl_deep_extend("force", DEFAULTS, options or {})
  return current
end

return M
