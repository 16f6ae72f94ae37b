--- The user commands.
local M = {}

--- Show what a command of the server answers as Markdown.
---@param command string
---@param name string
---@param nothing string Said where there is no answer.
local function looks_at(command, name, nothing)
  return function()
    local client = require("gproj.client")
    client.command(command, client.place, function(found)
      if found then
        require("gproj.view").show(name, found.markdown)
      else
        client.tell(nothing)
      end
    end)
  end
end

local function fills(scope)
  return function()
    require("gproj").fill(scope)
  end
end

---@type table<string, {[1]: string, [2]: fun(given: vim.api.keyset.create_user_command.command_args), [3]?: table}>
local COMMANDS = {
  GprojFill = { "Fill the hole at the cursor, or the next one", fills("hole") },
  GprojFillStatement = { "Fill the holes of the statement", fills("statement") },
  GprojFillAll = { "Fill the holes of the file", fills("file") },
  GprojCancel = {
    "Stop the fill that runs",
    function()
      require("gproj").cancel()
    end,
  },
  GprojChoose = {
    "Choose among what may stand in the hole, likeliest first",
    function()
      require("gproj.holes").choose()
    end,
  },
  GprojGamma = {
    "Show which names may be written here",
    looks_at("gproj.showEnvironment", "gamma", "nothing is declared"),
  },
  GprojGrammar = { "Show the grammar of the hole", looks_at("gproj.showGrammar", "grammar", "there is no hole") },
  GprojExplain = {
    "Show how the last fill came about",
    looks_at("gproj.explainFill", "fill", "nothing was filled yet"),
  },
  GprojModel = {
    "Choose the model",
    function(given)
      require("gproj.model").choose(given.args ~= "" and given.args or nil)
    end,
    { nargs = "?", complete = "file" },
  },
  GprojMend = {
    "Run the command that mends what the statusline says",
    function()
      require("gproj.status").mend()
    end,
  },
  GprojTrust = {
    "Trust the folder: its gproj.toml holds from now on",
    function()
      local client = require("gproj.client")
      client.command("gproj.trust", nil, function(folders)
        client.tell(#folders > 0 and "trusted: " .. table.concat(folders, ", ") or "nothing asks for trust")
      end)
    end,
  },
  GprojRefresh = {
    "Read settings and schema anew",
    function()
      require("gproj.client").command("gproj.refreshEnvironment")
    end,
  },
}

function M.define()
  for name, each in pairs(COMMANDS) do
    vim.api.nvim_create_user_command(name, each[2], vim.tbl_extend("force", { desc = each[1] }, each[3] or {}))
  end
end

return M
