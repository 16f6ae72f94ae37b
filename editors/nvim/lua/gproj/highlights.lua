--- Highlight groups; colour schemes and users may define them otherwise.
local M = {}

local LINKS = {
  GprojGhost = "NonText", -- ghost text
  GprojGhostCount = "Title", -- which of how many candidates it is
  GprojPending = "DiffText", -- a hole that is being filled
  GprojPreview = "DiffAdd", -- what is written in it so far
}

function M.define()
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

return M
