--- Markdown that the server wrote, in a window of its own; `q` closes it.
local M = {}

--- Lines that a window takes at most.
local HEIGHT = 15

--- Show a text; one of the same name is replaced.
---@param name string
---@param markdown string
function M.show(name, markdown)
  local lines = vim.split(vim.trim(markdown), "\r?\n")
  local title = "gproj://" .. name
  local bufnr = vim.fn.bufadd(title)
  vim.fn.bufload(bufnr)
  vim.bo[bufnr].buftype = "nofile"
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = "markdown"
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = bufnr, nowait = true, desc = "Close" })
  local window = vim.fn.bufwinid(bufnr)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
  else
    vim.api.nvim_open_win(bufnr, true, { split = "below", height = math.min(#lines, HEIGHT) })
  end
end

return M
