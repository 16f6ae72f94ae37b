"""A change to one file as a unified diff that `patch -p1` and `git apply` read."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from rich.console import Console
from rich.text import Text

from gproj_lsp.report.terminal import printable

__all__ = ["print_diff", "unified"]

_COLOURS = {"-": "red", "+": "green", "@": "cyan"}
_UNENDED = "\\ No newline at end of file"


def unified(path: str, before: str, after: str) -> Iterator[str]:
    """The lines of the diff, without line ends; a carriage return stays."""
    name = path.lstrip("/")
    lines = unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}", lineterm="\n")
    for line in lines:
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield _UNENDED


def print_diff(path: str, before: str, after: str, console: Console) -> None:
    """The diff in colours on a terminal; as it is, for `patch`, elsewhere."""
    for number, line in enumerate(unified(path, before, after)):
        if not console.is_terminal:
            console.file.write(f"{line}\n")
            continue
        colour = "bold" if number < 2 else _COLOURS.get(line[:1], "")
        console.print(Text(printable(line), colour), soft_wrap=True)


def _lines(text: str) -> list[str]:
    """Lines that end at line feeds only: what else breaks a line for Python is part of one for `patch`."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
