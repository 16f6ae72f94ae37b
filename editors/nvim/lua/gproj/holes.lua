--- Holes: going to them and filling them. The server moves the cursor and makes the edit.
local client = require("gproj.client")

local M = {}

---@type {client: vim.lsp.Client, id: integer}?
local running

--- Go to a hole.
---@param command "gproj.nextHole"|"gproj.previousHole"
function M.go(command)
  client.command(command, client.place, function(found)
    if not found then
      client.tell("there is no hole")
    end
  end)
end

--- Fill holes. A fill that runs in this document is replaced.
---@param scope "hole"|"statement"|"file"
function M.fill(scope)
  running = client.command("gproj.fill", function(server)
    return vim.tbl_extend("error", client.place(server), { scope = scope })
  end)
end

--- Stop the last fill, if it still runs; nothing of it is written.
function M.cancel()
  if running and running.client.requests[running.id] then
    running.client:cancel_request(running.id)
  end
  running = nil
end

---@param item {text: string, probability: number}
---@return string
local function told(item)
  return ("%s  %.0f %%"):format(item.text, 100 * item.probability)
end

--- Choose among what may stand in the hole at the cursor, likeliest first.
function M.choose()
  local bufnr = vim.api.nvim_get_current_buf()
  local uri, version
  client.command("gproj.candidates", function(server)
    uri, version = vim.uri_from_bufnr(bufnr), vim.lsp.util.buf_versions[bufnr]
    return client.place(server)
  end, function(found)
    vim.ui.select(found.candidates, { prompt = found.sort, kind = "gproj", format_item = told }, function(item)
      if item then
        local change = { uri = uri, deed = "change", range = found.range, text = item.text, version = version }
        client.command("gproj.apply", change)
      end
    end)
  end)
end

return M
