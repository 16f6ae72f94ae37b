--- What the server suggests at the cursor, and what is left of it once some of it is typed.
local M = {}

---@class gproj.Suggestion
---@field row integer Where its text begins, 0-based.
---@field col integer In bytes.
---@field text string All of it; lines end in "\n".
---@field behind string What stood behind the cursor in its line.
---@field replaced integer So many bytes of that go when it is accepted.
---@field command? lsp.Command Run when it is accepted.

---@class gproj.Cursor
---@field row integer 0-based
---@field col integer in bytes

--- The cursor of the current window.
---@return gproj.Cursor
function M.cursor()
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  return { row = row - 1, col = col }
end

---@param bufnr integer
---@param row integer
---@return string
local function line_at(bufnr, row)
  return vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
end

--- An item of `textDocument/inlineCompletion` at the cursor; nil where it can't be shown there.
---@param item lsp.InlineCompletionItem
---@param bufnr integer
---@param cursor gproj.Cursor Where it was asked for.
---@param encoding string
---@return gproj.Suggestion?
function M.read(item, bufnr, cursor, encoding)
  local text = type(item.insertText) == "table" and item.insertText.value or item.insertText
  local line = line_at(bufnr, cursor.row)
  local first, last = cursor.col, cursor.col
  if item.range then
    if item.range.start.line ~= cursor.row or item.range["end"].line ~= cursor.row then
      return nil
    end
    first = vim.str_byteindex(line, encoding, item.range.start.character, false)
    last = vim.str_byteindex(line, encoding, item.range["end"].character, false)
  end
  if first > cursor.col or last < cursor.col then
    return nil
  end
  local suggestion = {
    row = cursor.row,
    col = first,
    text = text:gsub("\r\n?", "\n"),
    behind = line:sub(cursor.col + 1),
    replaced = last - cursor.col,
    command = item.command,
  }
  return M.left(suggestion, bufnr, cursor) and suggestion
end

--- What of a suggestion is not typed yet; nil where it does not fit what was typed, or nothing is left.
---@param suggestion gproj.Suggestion
---@param bufnr integer
---@param cursor gproj.Cursor
---@return string?
function M.left(suggestion, bufnr, cursor)
  local row, col = suggestion.row, suggestion.col
  if cursor.row < row or (cursor.row == row and cursor.col < col) then
    return nil
  end
  if line_at(bufnr, cursor.row):sub(cursor.col + 1) ~= suggestion.behind or #line_at(bufnr, row) < col then
    return nil
  end
  local typed = table.concat(vim.api.nvim_buf_get_text(bufnr, row, col, cursor.row, cursor.col, {}), "\n")
  local fits = #typed < #suggestion.text and vim.startswith(suggestion.text, typed)
  return fits and suggestion.text:sub(#typed + 1) or nil
end

--- The beginning of a text that is accepted. A word is what `iskeyword` says, or a run of other marks, with the space
--- before it.
---@param text string
---@param part "all"|"line"|"word"
---@return string
function M.part(text, part)
  local found = ""
  if part == "word" then
    found = vim.fn.matchstr(text, [[^\_s*\%(\k\+\|\%(\k\@!\S\)\+\)]])
  elseif part == "line" then
    found = text:match("^\n?[^\n]*")
  end
  return found ~= "" and found or text
end

return M
