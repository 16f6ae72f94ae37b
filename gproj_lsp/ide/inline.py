"""Text offered at a cursor while somebody types: where any is wanted, and what of it is worth showing."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gproj_lsp.syntax import TokenKind
from gproj_lsp.text import decode

if TYPE_CHECKING:
    from gproj_lsp.ide.analysis import Analysis
    from gproj_lsp.surface import CompletionSpec

__all__ = ["Spot", "is_wanted", "worth_showing"]

_LEAST = 2
"""So many characters, or there is nothing to gain by accepting them."""
_NEAR = 20_000
"""Bytes behind a cursor that are held against what is offered there."""
_CLOSING = ")]}\"'`"
_BREAK = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, eq=False)
class Spot:
    """Where text is wanted.

    Attributes:
        analysis: The document.
        offset: The cursor, in bytes.
        asked: Whether somebody asked for it; else it is shown to somebody who types.
        deleted: Whether the last edit, at the cursor, only took text away.
    """

    analysis: Analysis
    offset: int
    asked: bool = False
    deleted: bool = False

    @property
    def right(self) -> str:
        """The rest of the cursor's line."""
        return _BREAK.split(self.after, maxsplit=1)[0]

    @property
    def after(self) -> str:
        """What is near behind the cursor."""
        near = self.analysis.source.data[self.offset : self.offset + _NEAR]
        return near.decode(errors="ignore")


def is_wanted(spot: Spot, spec: CompletionSpec) -> bool:
    """Whether to write anything at a cursor.

    Never in comments and strings, unless the surface says so. Somebody who only types is shown nothing that would
    push aside what stands right of the cursor, and nothing where they just took text away.
    """
    inside = _inside(spot.analysis, spot.offset)
    open_to = {TokenKind.COMMENT: spec.in_comments, TokenKind.STRING: spec.in_strings}
    if inside is not None and not open_to.get(inside, False):
        return False
    closing = _CLOSING + spot.analysis.source.lexer.spec.terminator
    return spot.asked or not (spot.deleted or spot.right.strip().strip(closing))


def worth_showing(text: str, spot: Spot) -> str:
    """What of a text is worth showing at a cursor: nothing that stands behind it anyway; empty where too little is left."""
    rest = spot.right.strip()
    if rest and text.rstrip().endswith(rest):
        text = text.rstrip().removesuffix(rest)
    lines = text.split("\n")
    text = "\n".join(lines[: _repeated(lines, spot.after)])
    closing = _CLOSING + spot.analysis.source.lexer.spec.terminator
    useful = sum(not (char.isspace() or char in closing) for char in text)
    return text if useful >= _LEAST else ""


def _repeated(lines: list[str], after: str) -> int:
    """The first of some lines from which on they are the lines that follow anyway; their number where there is none."""
    following = [line.strip() for line in _BREAK.split(after)[1:]]
    following = [line for line in following if line][: len(lines)]
    said = [line.strip() for line in lines]
    for at in range(len(said)):
        tail = [line for line in said[at:] if line]
        if tail and tail == following[: len(tail)]:
            return at
    return len(lines)


def _inside(analysis: Analysis, offset: int) -> TokenKind | None:
    """What a cursor is inside of, where text would be a part of that; None among the words of a statement."""
    source = analysis.source
    start = source.edges[max(bisect_left(source.edges, offset) - 1, 0)]
    text = decode(source.data[start:offset])
    tokens = source.lexer.statement(f"{text} ", complete=False).tokens
    last = tokens[-1] if tokens else None
    if last is None or last.span.end <= offset - start:
        return None
    return last.kind if last.kind in (TokenKind.COMMENT, TokenKind.STRING, TokenKind.OPAQUE) else None
