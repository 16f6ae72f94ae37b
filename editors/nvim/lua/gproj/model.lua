--- Which model fills holes.
local client = require("gproj.client")

local M = {}

--- Use a model until the settings say otherwise; without a name, ask which of those at hand.
---@param name? string
function M.choose(name)
  if name then
    client.command("gproj.chooseModel", name, function(found)
      client.tell("the model is " .. found.model)
    end)
    return
  end
  client.command("gproj.chooseModel", nil, function(found)
    vim.ui.select(found.models, { prompt = ("Model (now %s)"):format(found.model), kind = "gproj" }, function(chosen)
      if chosen then
        M.choose(chosen)
      end
    end)
  end)
end

return M
