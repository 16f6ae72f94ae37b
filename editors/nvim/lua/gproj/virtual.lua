--- Text that is shown and not there: its first line at a place, the others below.
local M = {}

--- One line as it can be shown: virtual text knows no tabs.
---@param line string
---@param bufnr integer
---@return string
local function shown(line, bufnr)
  return (line:gsub("\t", (" "):rep(vim.bo[bufnr].tabstop)))
end

---@class gproj.Place
---@field bufnr integer
---@field namespace integer
---@field row integer 0-based
---@field col integer in bytes
---@field id? integer The extmark that is replaced.

--- Show text at a place.
---@param place gproj.Place
---@param text string
---@param group string Its highlight group.
---@param more? vim.api.keyset.set_extmark What else the extmark is; `virt_text` comes behind the first line.
---@return integer id The extmark.
function M.show(place, text, group, more)
  local lines = vim.split(text, "\n", { plain = true })
  local options = vim.tbl_extend("force", { id = place.id, virt_text_pos = "inline", hl_mode = "combine" }, more or {})
  local chunks = { { shown(table.remove(lines, 1), place.bufnr), group } }
  options.virt_text = vim.list_extend(chunks, options.virt_text or {})
  options.virt_lines = vim.tbl_map(function(line)
    return { { shown(line, place.bufnr), group } }
  end, lines)
  return vim.api.nvim_buf_set_extmark(place.bufnr, place.namespace, place.row, place.col, options)
end

return M
