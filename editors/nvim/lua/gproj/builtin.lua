--- Neovim's own ghost text (`vim.lsp.inline_completion`, from 0.12 on).
local suggestions = require("gproj.suggestion")

local M = {}

--- Whether this Neovim has it.
---@return boolean
function M.has()
  return vim.lsp.inline_completion ~= nil
end

---@param bufnr integer
function M.show(bufnr)
  vim.lsp.inline_completion.enable(true, { bufnr = bufnr })
end

---@param bufnr integer
function M.hide(bufnr)
  vim.lsp.inline_completion.enable(false, { bufnr = bufnr })
end

--- Write the beginning of an accepted item at the cursor; the rest comes again when the server is asked.
---@param item table Its `insert_text` begins at its `range`, which holds what was typed of it.
---@param part "line"|"word"
local function write(item, part)
  local bufnr, cursor = vim.api.nvim_get_current_buf(), suggestions.cursor()
  local text = type(item.insert_text) == "table" and item.insert_text.value or item.insert_text
  local range = item.range
  local start = range and (range.start or { row = range.start_row, col = range.start_col }) or cursor
  local suggestion = {
    row = start.row,
    col = start.col,
    text = text,
    behind = vim.api.nvim_get_current_line():sub(cursor.col + 1),
    replaced = 0,
  }
  local left = suggestions.left(suggestion, bufnr, cursor)
  if left then
    vim.api.nvim_paste(suggestions.part(left, part), false, -1)
  end
end

--- Accept what Neovim shows.
---@param bufnr integer
---@param part "all"|"line"|"word"
---@return boolean accepted Whether it shows something.
function M.accept(bufnr, part)
  local options = { bufnr = bufnr }
  if part ~= "all" then
    options.on_accept = function(item)
      write(item, part)
    end
  end
  return vim.lsp.inline_completion.get(options) or false
end

return M
