--- `gproj/stream`: what is written, shown while it grows: in holes, or at the cursor of who asked for ghost text. The edit or the
--- ghost text that follows is what counts.
local suggestions = require("gproj.suggestion")
local virtual = require("gproj.virtual")

local M = {}

local namespace = vim.api.nvim_create_namespace("gproj.stream")

---@class gproj.Stream
---@field bufnr integer
---@field marks integer[] Everything that is shown.
---@field hole? gproj.Place Behind the hole that has its turn.

---@type table<string, gproj.Stream> By client and number.
local streams = {}

--- So many candidates are shown behind a hole while they are compared.
local SHOWN = 3

---@param stream gproj.Stream
local function clear(stream)
  if vim.api.nvim_buf_is_valid(stream.bufnr) then
    for _, id in ipairs(stream.marks) do
      vim.api.nvim_buf_del_extmark(stream.bufnr, namespace, id)
    end
  end
  stream.marks, stream.hole = {}, nil
end

--- Where text is shown that is not written in a hole; nil where nobody types.
---@param bufnr integer
---@return gproj.Place?
local function at_cursor(bufnr)
  local here = bufnr == vim.api.nvim_get_current_buf() and vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
  return here and vim.tbl_extend("error", suggestions.cursor(), { bufnr = bufnr, namespace = namespace }) or nil
end

---@param stream gproj.Stream
---@param text string
local function show(stream, text)
  local place = stream.hole or at_cursor(stream.bufnr)
  if not place then
    return
  end
  if not stream.hole then
    place.id = stream.marks[1] -- all that it has
  end
  local id = virtual.show(place, text:gsub("\r", ""), stream.hole and "GprojPreview" or "GprojGhost")
  if not vim.list_contains(stream.marks, id) then
    table.insert(stream.marks, id)
  end
  place.id = id
end

---@param bufnr integer
---@param position lsp.Position
---@param encoding string
---@return integer row
---@return integer col
local function place(bufnr, position, encoding)
  local row = math.min(position.line, vim.api.nvim_buf_line_count(bufnr) - 1)
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
  return row, vim.str_byteindex(line, encoding, position.character, false)
end

---@type table<string, fun(stream: gproj.Stream, told: table, encoding: string)>
local kinds = {}

function kinds.begin(stream)
  clear(stream)
end

function kinds.hole(stream, told, encoding)
  local row, col = place(stream.bufnr, told.range.start, encoding)
  local end_row, end_col = place(stream.bufnr, told.range["end"], encoding)
  local mark = { end_row = end_row, end_col = end_col, hl_group = "GprojPending" }
  table.insert(stream.marks, vim.api.nvim_buf_set_extmark(stream.bufnr, namespace, row, col, mark))
  stream.hole = { bufnr = stream.bufnr, namespace = namespace, row = end_row, col = end_col }
end

function kinds.text(stream, told)
  show(stream, told.text)
end

kinds.filled = kinds.text

function kinds.candidates(stream, told)
  local best = vim.list_slice(told.candidates, 1, SHOWN)
  show(stream, table.concat(
    vim.tbl_map(function(each)
      return each.text
    end, best),
    ", "
  ))
end

function kinds.left(stream)
  show(stream, "")
end

--- Handler of `gproj/stream`.
---@param told table
---@param context lsp.HandlerContext
function M.on_stream(_, told, context)
  local bufnr = vim.uri_to_bufnr(told.uri)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local key = ("%d.%d"):format(context.client_id, told.stream)
  local stream = streams[key] or { bufnr = bufnr, marks = {} }
  streams[key] = stream
  if told.kind == "end" then
    clear(stream)
    streams[key] = nil
  elseif told.version ~= vim.lsp.util.buf_versions[bufnr] then
    clear(stream) -- of a text that is not there any more: its places are void
  elseif kinds[told.kind] then
    kinds[told.kind](stream, told, client.offset_encoding)
  end
  vim.api.nvim_exec_autocmds("User", { pattern = "GprojStream", modeline = false, data = told })
end

--- Forget what a client that is gone did not end.
---@param client_id integer
function M.forget(client_id)
  for key, stream in pairs(streams) do
    if vim.startswith(key, client_id .. ".") then
      clear(stream)
      streams[key] = nil
    end
  end
end

return M
