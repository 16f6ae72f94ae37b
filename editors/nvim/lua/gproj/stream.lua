--- `gproj/stream`: what is written, shown while it grows: in holes, or where somebody asked for ghost text. The edit or
--- the ghost text that follows is what counts.
local virtual = require("gproj.virtual")

local M = {}

local namespace = vim.api.nvim_create_namespace("gproj.stream")

--- So many candidates are shown behind a hole while they are compared.
local SHOWN = 3

---@class gproj.Stream
---@field bufnr integer
---@field marks integer[] Everything that is shown.
---@field place? gproj.Place Where text is shown now: behind the hole that has its turn, or where it is written on.
---@field group string How.

---@type table<string, gproj.Stream> By client and number.
local streams = {}

---@param stream gproj.Stream
local function clear(stream)
  if vim.api.nvim_buf_is_valid(stream.bufnr) then
    for _, id in ipairs(stream.marks) do
      vim.api.nvim_buf_del_extmark(stream.bufnr, namespace, id)
    end
  end
  stream.marks, stream.place = {}, nil
end

---@param stream gproj.Stream
---@param text string
local function show(stream, text)
  local place = stream.place
  if not place then
    return
  end
  local id = virtual.show(place, text:gsub("\r", ""), stream.group)
  if not place.id then
    place.id = id
    table.insert(stream.marks, id)
  end
end

---@param bufnr integer
---@param position lsp.Position
---@param encoding string
---@return gproj.Place
local function place_of(bufnr, position, encoding)
  local row = math.min(position.line, vim.api.nvim_buf_line_count(bufnr) - 1)
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
  local col = vim.str_byteindex(line, encoding, position.character, false)
  return { bufnr = bufnr, namespace = namespace, row = row, col = col }
end

---@type table<string, fun(stream: gproj.Stream, told: table, encoding: string)>
local kinds = {}

function kinds.begin(stream, told, encoding)
  clear(stream)
  if told.range then
    stream.place, stream.group = place_of(stream.bufnr, told.range.start, encoding), "GprojGhost"
  end
end

function kinds.hole(stream, told, encoding)
  local start = place_of(stream.bufnr, told.range.start, encoding)
  local behind = place_of(stream.bufnr, told.range["end"], encoding)
  local mark = { end_row = behind.row, end_col = behind.col, hl_group = "GprojPending" }
  table.insert(stream.marks, vim.api.nvim_buf_set_extmark(stream.bufnr, namespace, start.row, start.col, mark))
  stream.place, stream.group = behind, "GprojPreview"
end

function kinds.text(stream, told)
  show(stream, told.text)
end

kinds.filled = kinds.text

function kinds.candidates(stream, told)
  local names = vim.tbl_map(function(each)
    return each.text
  end, told.candidates)
  show(stream, table.concat(vim.list_slice(names, 1, SHOWN), ", "))
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
  local stream = streams[key] or { bufnr = bufnr, marks = {}, group = "GprojPreview" }
  streams[key] = told.kind ~= "end" and stream or nil
  if told.kind == "end" or told.version ~= vim.lsp.util.buf_versions[bufnr] then
    clear(stream) -- places in another text are void
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
