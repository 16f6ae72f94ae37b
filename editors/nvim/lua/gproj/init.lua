--- What users and their configuration call. All of it works without `setup`; see |gproj|.
local M = {}

--- Change the options; see |gproj-options|. May be called at any time, and again.
---@param options? table
function M.setup(options)
  local enabled = require("gproj.config").get().enable
  local config = require("gproj.config").set(options)
  if vim.g.loaded_gproj and config.enable ~= enabled then
    vim.lsp.enable(require("gproj.client").NAME, config.enable)
  end
  require("gproj.attach").again()
end

--- For a statusline: how the server is for a buffer, or "" where it is not attached.
---@param bufnr? integer
---@return string
function M.statusline(bufnr)
  return require("gproj.status").line(bufnr)
end

--- Go to the next hole; from the last one to the first.
function M.next_hole()
  require("gproj.holes").go("gproj.nextHole")
end

--- Go to the previous hole; from the first one to the last.
function M.previous_hole()
  require("gproj.holes").go("gproj.previousHole")
end

--- Fill holes: the one at the cursor or the next one, those of the statement, or all of the file.
---@param scope? "hole"|"statement"|"file"
function M.fill(scope)
  require("gproj.holes").fill(scope or "hole")
end

--- Stop the fill that runs.
function M.cancel()
  require("gproj.holes").cancel()
end

--- Accept ghost text.
---@param part? "all"|"line"|"word"
---@return boolean accepted Whether there was any.
function M.accept(part)
  return require("gproj.ghost").accept(part or "all")
end

--- Ask for ghost text here and now, for up to three candidates.
function M.suggest()
  require("gproj.ghost").suggest()
end

--- Show the next candidate, or the one `count` further.
---@param count? integer
function M.cycle(count)
  require("gproj.ghost").cycle(count or 1)
end

--- Take ghost text away.
---@return boolean dismissed Whether there was any.
function M.dismiss()
  return require("gproj.ghost").dismiss()
end

return M
