"""Changes of a text, as values: which bytes are replaced by what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gproj_lsp.decode.draft import Draft
from gproj_lsp.text import Span, encode

__all__ = ["Edit", "applied", "shifted"]


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


def shifted(offset: int, edits: Sequence[Edit]) -> int:
    """Where a byte of a text is after edits: behind what was put in at its place."""
    return offset + sum(len(encode(edit.text)) - len(edit.span) for edit in edits if edit.span.end <= offset)
