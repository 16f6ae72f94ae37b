"""Changes of a text, as values: which bytes are replaced by what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gproj_lsp.decode.draft import Draft
from gproj_lsp.text import Span, encode

__all__ = ["Edit", "applied", "origin", "shifted"]


@dataclass(frozen=True, order=True)
class Edit:
    """One replacement.

    Attributes:
        span: The bytes that go, of the text as it was; empty where something is only put in.
        text: What stands there instead.
    """

    span: Span
    text: str


def applied(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits made, all at once; their spans must not overlap."""
    draft = Draft(text)
    for edit in edits:
        draft = draft.filled(edit.span, edit.text)
    return draft.text


def shifted(offset: int, edits: Iterable[Edit]) -> int:
    """Where a byte of a text is after edits: behind what was put in at its place."""
    return offset + sum(len(encode(edit.text)) - len(edit.span) for edit in edits if edit.span.end <= offset)


def origin(span: Span, edits: Sequence[Edit]) -> Span:
    """The bytes of a text that became a span of the text after edits: those of the edit that wrote it, or those that stayed.

    Args:
        span: What one edit wrote, or outside of all of them.
        edits: Of the text as it was; not overlapping.
    """
    by = 0
    for edit in sorted(edits):
        start = edit.span.start + by
        if start >= span.end and start > span.start:
            break
        if start == span.start and len(encode(edit.text)) == len(span):
            return edit.span
        by += len(encode(edit.text)) - len(edit.span)
    return span.shift(-by)
