if vim.g.loaded_gproj then
  return
end
vim.g.loaded_gproj = true

if vim.fn.has("nvim-0.11") == 0 then
  vim.notify("gproj needs Neovim 0.11 or newer", vim.log.levels.ERROR)
  return
end

require("gproj.highlights").define()
require("gproj.commands").define()
require("gproj.attach").watch()
if require("gproj.config").get().enable then
  vim.lsp.enable(require("gproj.client").NAME)
end
