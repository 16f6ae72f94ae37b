"""Draws the README's picture of Neovim from what a real one shows: `python tests/editors/picture.py`.

Two moments of one session with the real server and the embedded model: holes while they are filled, and ghost text.
"""

from __future__ import annotations

import io
import sys
import tempfile
from itertools import groupby
from operator import itemgetter
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e"), str(HERE.parents[1])]

from real_nvim import Neovim  # noqa: E402 - beside this script
from rich.console import Console  # noqa: E402
from rich.style import Style  # noqa: E402
from rich.text import Text  # noqa: E402

TARGET = HERE.parents[1] / "editors" / "nvim" / "picture.svg"
WIDTH, HEIGHT = 98, 7

INIT = """
vim.o.termguicolors = true
vim.o.number = true
vim.o.signcolumn = 'no'
vim.o.laststatus = 2
vim.o.ruler = false
vim.o.showmode = false
vim.opt.fillchars:append{eob = ' '}
vim.o.statusline = " %t%=%{v:lua.require'gproj'.statusline()} "
vim.diagnostic.config{virtual_text = {severity = {min = 'ERROR'}}}
"""

HOLES = """\
-- customers in France
SELECT nmae, ??
FROM customers
WHERE ?? = 'France' ORDER BY ??;
"""
QUERY = "SELECT name, email FROM "


SHOW = "vim.cmd.redraw(); vim.rpcnotify(vim.api.nvim_list_uis()[1].chan, 'shown')"


class Screen:
    """The grid of a Neovim, as its UI protocol tells it (`:help ui-linegrid`)."""

    def __init__(self, rpc):
        self._rpc = rpc
        self._cells = [[(" ", 0)] * WIDTH for _ in range(HEIGHT)]
        self._styles = {0: {}}
        self._cursor = (0, 0)
        self._default = Style()
        rpc.ui_attach(WIDTH, HEIGHT, rgb=True, ext_linegrid=True)

    def lines(self):
        """What is shown when it says so next (`SHOW`)."""
        while (message := self._rpc.next_message())[1] != "shown":
            for name, *calls in message[2] if message[1] == "redraw" else ():
                for arguments in calls:
                    getattr(self, f"_{name}", lambda *_: None)(*arguments)
        return [self._line(row) for row in range(HEIGHT)]

    def _line(self, row):
        line = Text()
        cells = [
            (style, (row, column) == self._cursor, char)
            for column, (char, style) in enumerate(self._cells[row])
        ]
        for (style, cursor), run in groupby(cells, itemgetter(0, 1)):
            line.append(
                "".join(char for _, _, char in run), self._style(style) + Style(reverse=cursor or None)
            )
        return line

    def _style(self, number):
        has = self._styles.get(number, {})
        given = Style(
            color=_colour(has.get("foreground")),
            bgcolor=_colour(has.get("background")),
            bold=has.get("bold"),
            italic=has.get("italic"),
            underline=has.get("underline") or has.get("undercurl"),
            reverse=has.get("reverse"),
        )
        return self._default + given

    def _default_colors_set(self, foreground, background, *_):
        self._default = Style(color=_colour(foreground), bgcolor=_colour(background))

    def _hl_attr_define(self, number, rgb, *_):
        self._styles[number] = rgb

    def _grid_clear(self, *_):
        self._cells = [[(" ", 0)] * WIDTH for _ in range(HEIGHT)]

    def _grid_cursor_goto(self, _, row, column):
        self._cursor = (row, column)

    def _grid_line(self, _, row, column, cells, *__):
        style = 0
        for char, *more in cells:
            style = more[0] if more else style
            for _ in range(more[1] if len(more) > 1 else 1):
                self._cells[row][column] = (char, style)
                column += 1

    def _grid_scroll(self, _, top, bottom, left, right, rows, __):
        moved = range(top, bottom - rows) if rows > 0 else range(bottom - 1, top - rows - 1, -1)
        for row in moved:
            self._cells[row][left:right] = self._cells[row + rows][left:right]


def _colour(number):
    return None if number in (None, -1) else f"#{number:06x}"


def filling(editor, screen):
    """The screen in the middle of a fill: two holes have their text, the third has its turn."""
    editor.open("france.sql", HOLES)
    editor.until(editor.diagnostics, "findings are told")
    editor.at("WHERE ")
    editor.lua(
        "local filled = 0; vim.api.nvim_create_autocmd('User', {pattern = 'GprojStream', callback = function(told)"
        "  if told.data.kind == 'filled' then filled = filled + 1 end"
        f"  if told.data.kind == 'hole' and filled == 2 then filled = 3; {SHOW} end end}})"
    )
    editor.command("GprojFillAll")
    return screen.lines()


def suggesting(editor, screen):
    """The screen with ghost text."""
    editor.open("orders.sql", "")
    editor.keys("i" + QUERY)
    editor.until(editor.ghost, "ghost text is shown")
    editor.lua(SHOW)
    return screen.lines()


def main():
    """Drive Neovim and write the picture."""
    with tempfile.TemporaryDirectory() as home:
        editor = Neovim(Path(home) / "home", INIT)
        try:
            screen = Screen(editor.rpc)
            lines = filling(editor, screen) + suggesting(editor, screen)
        finally:
            editor.close()
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    for line in lines:
        console.print(line, no_wrap=True, crop=True, soft_wrap=True)
    console.save_svg(str(TARGET), title="Neovim", unique_id="nvim")


if __name__ == "__main__":
    main()
