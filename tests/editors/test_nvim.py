"""The Neovim plugin, driven in a real headless Neovim with the real server and the embedded model.

`GPROJ_NVIM=/path/to/nvim pytest tests/editors` runs the same with another Neovim.
"""

from __future__ import annotations

import pytest

HOLES = "SELECT ?? FROM customers;\nSELECT ??, ?? FROM orders;"
QUERY = "SELECT name, email FROM "


def ghosts(editor):
    """The names that are told to be ghosts."""
    return [text for code, text in editor.diagnostics() if code == "ghost-reference"]


def watch_previews(editor):
    """Note what is shown in holes whenever the server tells something."""
    editor.lua(
        "PREVIEWS = {}; vim.api.nvim_create_autocmd('User', {pattern = 'GprojStream', callback = function(told)"
        "  local space = vim.api.nvim_create_namespace('gproj.stream')"
        "  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, {details = true})) do"
        "    if mark[4].virt_text then table.insert(PREVIEWS, mark[4].virt_text[1][1]) end"
        "  end end})"
    )


def suggested(editor):
    """Wait for ghost text and give it."""
    return editor.until(editor.ghost, "ghost text is shown")


def test_a_ghost_is_told_and_its_fix_applied(editor):
    editor.open("a.sql", "SELECT nmae FROM customers;")
    editor.until(lambda: ghosts(editor) == ["nmae"], "the ghost is told")
    editor.at("SELECT ")
    editor.lua("vim.lsp.buf.code_action({apply = true, filter = function(each) return each.isPreferred end})")
    editor.until(lambda: editor.text == "SELECT name FROM customers;", "the fix is applied")
    editor.until(lambda: not ghosts(editor), "nothing is told any more")


def test_holes_are_gone_round_and_filled_each_in_one_step(editor):
    editor.open("a.sql", HOLES)
    watch_previews(editor)
    for key, place in ("]h", (1, 7)), ("]h", (2, 7)), ("]h", (2, 11)), ("]h", (1, 7)), ("[h", (2, 11)):
        editor.keys(key)
        editor.until(lambda: editor.cursor == place, f"{key} goes to {place}")  # noqa: B023 - within the turn
    editor.at("SELECT ")
    editor.command("GprojFill")
    editor.until(lambda: editor.text.count("??") == 2, "one hole is filled")
    (name,) = [line.split()[1] for line in editor.text.splitlines()[:1]]
    assert name in {"id", "name", "email", "country"}
    editor.until(lambda: editor.cursor == (2, 7), "the cursor goes to the next hole")
    assert name in editor.lua("return PREVIEWS")
    editor.until(lambda: not editor.shown("gproj.stream"), "the preview is gone")
    editor.keys("u")
    assert editor.text == HOLES
    editor.command("GprojFillAll")
    editor.until(lambda: "??" not in editor.text, "all holes are filled")
    editor.keys("u")
    assert editor.text == HOLES


def test_edits_hold_where_characters_take_several_bytes_and_lines_end_as_on_windows(editor):
    path = editor.open(
        "a.sql", "SELECT 'ö😀', ??, nmae FROM customers;\r\n-- 😀\r\nSELECT '😀' || ?? FROM orders;\r\n"
    )
    assert editor.lua("return vim.bo.fileformat") == "dos"
    editor.until(lambda: ghosts(editor) == ["nmae"], "the ghost is told")
    editor.keys("]h")
    editor.until(lambda: editor.cursor == (1, len("SELECT 'ö😀', ".encode())), "the hole is found")
    editor.command("GprojFillAll")
    editor.until(lambda: "??" not in editor.text, "the holes are filled")
    first, comment, last = editor.text.splitlines()
    assert first.startswith("SELECT 'ö😀', ")
    assert first.endswith(", nmae FROM customers;")
    assert comment == "-- 😀"
    assert last.startswith("SELECT '😀' || ")
    assert last.endswith(" FROM orders;")
    editor.command("write")
    assert path.read_bytes().count(b"\r\n") == 3


def accepts_whole(editor):
    """Write a query behind characters of several bytes, accept what is suggested, and undo that alone."""
    written = f"SELECT '😀ö', {QUERY.removeprefix('SELECT ')}"
    editor.open("a.sql", "-- 😀")
    editor.keys("o" + written)
    ghost = suggested(editor)
    assert not ghost.startswith(" ")
    editor.keys("<Tab>")
    assert editor.text == f"-- 😀\n{written}{ghost}"
    assert editor.mode == "i"
    editor.keys("<Esc>u")
    assert editor.text == f"-- 😀\n{written}"


def test_ghost_text_is_accepted_whole(editor):
    accepts_whole(editor)


def test_ghost_text_is_accepted_whole_where_characters_are_counted_in_utf_16(start):
    editor = start(
        "vim.lsp.config('gproj_lsp', {capabilities = {general = {positionEncodings = {'utf-16'}}}})"
    )
    accepts_whole(editor)
    assert editor.lua("return vim.lsp.get_clients()[1].offset_encoding") == "utf-16"


def test_ghost_text_is_accepted_by_word_and_by_line(editor):
    editor.open("a.sql", "")
    editor.keys("i" + QUERY)
    ghost = suggested(editor)
    word = editor.lua("return require('gproj.suggestion').part(..., 'word')", ghost)
    editor.keys("<M-Right>")
    assert editor.text == QUERY + word
    if word != ghost:
        assert editor.ghost() == ghost.removeprefix(word)
    editor.keys("<M-C-Right>")
    assert editor.text == QUERY + ghost.partition("\n")[0]


def test_ghost_text_stays_while_it_is_typed_and_goes_with_anything_else(editor):
    editor.open("a.sql", "")
    editor.keys("i" + QUERY)
    ghost = suggested(editor)
    asked = "return vim.tbl_map(function(each) return each.method end, vim.tbl_values(vim.lsp.get_clients()[1].requests))"
    editor.keys(ghost[0])
    assert editor.ghost() == ghost[1:]
    assert "textDocument/inlineCompletion" not in editor.lua(asked)
    editor.keys("~")
    assert editor.ghost() == ""
    editor.keys("<BS>")
    editor.keys("<Esc>")
    assert editor.ghost() == ""


def test_ghost_text_can_be_asked_for_gone_round_and_dismissed(editor):
    editor.lua("require('gproj').setup{ghost = {debounce = 60000}}")
    editor.open("a.sql", "")
    watch_previews(editor)
    editor.keys("i" + QUERY)
    assert editor.ghost() == ""
    editor.keys(r"<M-\>")
    first = suggested(editor)
    grown = [text for text in editor.lua("return PREVIEWS") if text]
    assert any(first.startswith(text) for text in grown), (first, grown)
    assert editor.shown("gproj.stream") == ""
    editor.keys("<M-]>")
    second = editor.ghost()
    assert second != first or " 1/" not in first
    editor.keys("<M-[>")
    assert editor.ghost() == first
    editor.keys("<C-]>")
    assert editor.ghost() == ""
    assert editor.text == QUERY


LATE = """
local asking, real = require('gproj.asking'), require('gproj.asking').ask
ASKED, RESTORE = 0, function() asking.ask = real end
asking.ask = function(bufnr, method, given)
  ASKED = ASKED + 1
  local cursor = require('gproj.suggestion').cursor()
  local found = { row = cursor.row, col = cursor.col, text = 'orders', behind = '', replaced = 0 }
  given(ASKED == 3 and { found } or {})
end
"""


def test_ghost_text_that_took_too_long_is_asked_for_again(editor, request):
    editor.open("a.sql", "")
    editor.lua(
        LATE
    )  # stands for a server that is not ready twice: how long a real one takes is the machine's affair
    request.addfinalizer(lambda: editor.lua("RESTORE()"))
    editor.keys("i" + QUERY)
    assert suggested(editor) == "orders"
    assert editor.lua("return ASKED") == 3


@pytest.mark.parametrize(
    ("text", "word", "line"),
    [
        ("name, email", "name", "name, email"),
        ("  AS größe;\nSELECT", "  AS", "  AS größe;"),
        (", email", ",", ", email"),
        ("\n  WHERE x", "\n  WHERE", "\n  WHERE x"),
        ("  ", "  ", "  "),
        ("ünïcode_1 = 2", "ünïcode_1", "ünïcode_1 = 2"),
    ],
)
def test_words_and_lines_of_ghost_text(editor, text, word, line):
    part = "return require('gproj.suggestion').part(...)"
    assert [editor.lua(part, text, each) for each in ("word", "line", "all")] == [word, line, text]


def test_a_fill_is_stopped_by_its_user_and_by_an_edit(editor):
    editor.open("a.sql", HOLES)
    pending = (
        "return vim.tbl_contains(vim.tbl_values(vim.lsp.get_clients()[1].requests), function(each)"
        "  return each.method == 'workspace/executeCommand' end, {predicate = true})"
    )
    for stop in (lambda: editor.command("GprojCancel"), lambda: editor.keys("Onew<Esc>")):
        editor.command("GprojFillAll")
        stop()
        editor.until(lambda: not editor.lua(pending), "the fill is answered")
        assert editor.text.removeprefix("new\n") == HOLES
        assert editor.shown("gproj.stream") == ""


BUILTIN = """
CALLS = {}
local item = { insert_text = 'FROM customers', range = { start = { row = 0, col = 12 } } }
vim.lsp.inline_completion = {
  enable = function(on, filter) table.insert(CALLS, { 'enable', on, filter.bufnr }) end,
  get = function(options)
    if options.on_accept then vim.schedule(function() options.on_accept(item) end) end
    table.insert(CALLS, { 'get', options.on_accept ~= nil })
    return true
  end,
}
"""


def test_neovim_shows_ghost_text_where_it_can(start):
    """Neovim 0.12 does. Here it only notes what it is told to do; what it shows is its own business."""
    editor = start(BUILTIN)
    editor.open("a.sql", "")
    here = editor.lua("return vim.api.nvim_get_current_buf()")
    assert editor.lua("return CALLS") == [["enable", True, here]]
    editor.keys("iSELECT name FR<M-Right>")
    editor.until(lambda: editor.text == "SELECT name FROM", "a word is accepted")
    editor.keys("<Tab>")
    assert editor.lua("return CALLS")[1:] == [["get", True], ["get", False]]
    assert editor.ghost() == ""
    editor.keys(r" <M-\>")
    suggested(editor)  # what is asked for is shown by us, and Neovim shows nothing meanwhile
    assert editor.lua("return CALLS[#CALLS]") == ["enable", False, here]
    editor.keys("<C-]>")
    assert editor.lua("return CALLS[#CALLS]") == ["enable", True, here]


def test_health_tells_that_all_is_well(editor):
    editor.open("a.sql", "SELECT name FROM customers;")
    editor.command("checkhealth gproj")
    told = editor.text
    assert told.count("OK") == 5, told
    assert "WARNING" not in told
    assert "ERROR" not in told


def test_health_tells_what_is_missing_and_what_to_do(start):
    editor = start("vim.lsp.config('gproj_lsp', {cmd = {'gproj-nowhere', 'serve'}})")
    editor.open("a.sql", "SELECT name FROM customers;", ready=False)
    editor.command("checkhealth gproj")
    assert "gproj-nowhere is not executable" in editor.text
    assert "pip install" in editor.text
    assert "No buffer has the server" in editor.text


def test_what_a_folder_asks_for_waits_until_the_user_trusts_it(start):
    editor = start("vim.ui.select = function(_, _, chosen) chosen(nil) end", trusted=False)
    editor.open("a.sql", "SELECT nmae FROM customers;")
    line = "return require('gproj').statusline()"
    editor.until(lambda: editor.lua(line) == "gproj: not trusted", "the statusline tells it")
    editor.command("checkhealth gproj")
    assert ":GprojTrust" in editor.text
    editor.command("close")
    editor.command("GprojMend")
    editor.until(lambda: editor.lua(line) == "gproj", "the folder is trusted")
    editor.until(lambda: ghosts(editor) == ["nmae"], "its schema is read")


def test_gamma_is_shown_in_a_window(editor):
    editor.open("a.sql", "SELECT name FROM customers;")
    editor.at("SELECT ")
    editor.command("GprojGamma")
    editor.until(lambda: "customers.name" in editor.text, "Γ is shown")
    editor.keys("q")
    assert editor.text == "SELECT name FROM customers;"


def test_a_candidate_is_chosen_from_a_list(editor, request):
    editor.lua("SELECT = vim.ui.select")
    request.addfinalizer(lambda: editor.lua("vim.ui.select = SELECT"))
    editor.lua(
        "vim.ui.select = function(items, options, chosen)"
        "  TOLD = options.format_item(items[2]); chosen(items[2]) end"
    )
    editor.open("a.sql", "SELECT ?? FROM customers;")
    editor.at("SELECT ")
    editor.command("GprojChoose")
    editor.until(lambda: "??" not in editor.text, "the candidate is written")
    name = editor.text.split()[1]
    assert editor.lua("return TOLD").startswith(f"{name}  ")


def test_keys_that_are_mapped_are_left_alone(start):
    editor = start("vim.keymap.set('i', '<Tab>', 'mine'); vim.keymap.set('n', ']h', 'ione<Esc>')")
    editor.open("a.sql", "SELECT name FROM customers;")
    editor.keys("]h")
    assert editor.text.startswith("one")
    editor.keys("u0i<Tab><Esc>")
    assert editor.text.startswith("mine")
    editor.command("checkhealth gproj")
    assert "<Plug>(gproj-accept)" in editor.text


def test_other_keys_can_be_chosen_at_any_time(editor):
    editor.open("a.sql", HOLES)
    editor.lua("require('gproj').setup{keys = {next_hole = 'gh', previous_hole = false}}")
    assert editor.lua("return {vim.fn.maparg(']h', 'n'), vim.fn.maparg('[h', 'n')}") == ["", ""]
    editor.keys("gh")
    editor.until(lambda: editor.cursor == (1, 7), "the cursor goes to the next hole")
    wrong = editor.lua("return {pcall(require('gproj').setup, {keys = {accept = 3}})}")
    assert "keys.accept" in wrong[1]
    unknown = editor.lua("return {pcall(require('gproj').setup, {ghots = {}})}")
    assert unknown == [False, "gproj: there is no option ghots"]


def test_the_help_is_found(editor):
    for tag in ("gproj", "gproj-options", "gproj-keys", ":GprojFill", "gproj.setup()"):
        editor.command(f"help {tag}")
        assert editor.lua("return vim.bo.buftype") == "help"
    defined = set(editor.lua("return vim.tbl_keys(vim.api.nvim_get_commands({}))"))
    told = editor.text
    assert [each for each in defined if each.startswith("Gproj") and f"*:{each}*" not in told] == []
