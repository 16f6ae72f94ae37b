"""`LINE:COLUMN` as people say it: both count from 1, columns in characters."""

from __future__ import annotations

import re

from gproj_lsp.document import Document
from gproj_lsp.errors import InputError
from gproj_lsp.text import LineIndex, Position

__all__ = ["offset_of"]

_PLACE = re.compile(r"(?P<line>\d{1,9}):(?P<column>\d{1,9})")


def offset_of(document: Document, lines: LineIndex, at: str) -> int:
    """The byte offset of a place in a document.

    Raises:
        InputError: It is not a place, or lies outside the text.
    """
    found = _PLACE.fullmatch(at.strip())
    if found is None:
        raise InputError(f'"{at}" is not a place', place="--at", mend="write LINE:COLUMN, as in 3:8")
    line, column = int(found["line"]), int(found["column"])
    where = f"{document.label}:{line}:{column}"
    if not 1 <= line <= lines.lines:
        raise InputError(f"outside the file, which has {lines.lines:,} lines", place=where)
    span = lines.line_span(line - 1)
    width = lines.position(span.end, "utf-32").character
    if not 1 <= column <= width + 1:
        raise InputError(f"outside the line, which has {width:,} characters", place=where)
    return lines.offset(Position(line - 1, column - 1), "utf-32")
