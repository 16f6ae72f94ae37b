"""A document with some of its holes filled; every place is told in bytes of the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from gproj_lsp.text import Span, decode, encode

__all__ = ["Draft"]


@dataclass(frozen=True)
class Draft:
    """The original and what replaces parts of it.

    Attributes:
        original: The text as it was.
        edits: What stands in a span's place; spans do not overlap.
    """

    original: str
    edits: Mapping[Span, str] = field(default_factory=lambda: MappingProxyType({}))

    def filled(self, span: Span, text: str) -> Draft:
        """The draft with one more span replaced."""
        return Draft(self.original, MappingProxyType({**self.edits, span: text}))

    @property
    def text(self) -> str:
        """The text as it is now, all edits applied at once; what lies between them is kept as it is, be it text or not."""
        data = encode(self.original)
        parts: list[str] = []
        byte = char = 0
        for span in sorted(self.edits):
            start = char + len(decode(data[byte : span.start]))
            parts += (self.original[char:start], self.edits[span])
            byte, char = span.end, start + len(decode(data[span.start : span.end]))
        return "".join((*parts, self.original[char:]))

    def now(self, offset: int) -> int:
        """Where a byte of the original outside of all edits is now."""
        return offset + sum(
            len(encode(text)) - len(span) for span, text in self.edits.items() if span.end <= offset
        )
