"""Places in text: byte spans inside, lines and encoded characters outside.

Everything inside the package counts bytes of UTF-8. Editors count lines and UTF-8, UTF-16 or UTF-32 units (LSP 3.17,
`PositionEncodingKind`); people count 1-based lines and characters. `LineIndex` converts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

__all__ = ["Encoding", "LineIndex", "Offsets", "Position", "Range", "Span", "decode", "encode"]

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_BREAK = re.compile(rb"\r\n?|\n")
_LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """A half-open range of bytes, `start <= end`."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def shift(self, by: int) -> Span:
        """The same range, `by` bytes further on."""
        return Span(self.start + by, self.end + by)

    def contains(self, other: Span) -> bool:
        """Whether `other` lies inside."""
        return self.start <= other.start and other.end <= self.end

    def touches(self, offset: int) -> bool:
        """Whether a cursor at `offset` is inside or at either edge."""
        return self.start <= offset <= self.end


@dataclass(frozen=True, order=True)
class Position:
    """A 0-based line and the number of units before the place in it."""

    line: int
    character: int


@dataclass(frozen=True, order=True)
class Range:
    """Two positions, as in LSP."""

    start: Position
    end: Position


@dataclass(frozen=True)
class LineIndex:
    r"""Converts between byte offsets and positions of one text.

    Lines end with `\n`, `\r\n` or `\r`, as LSP says. Offsets outside the text are clamped; an offset inside a character
    counts as that character's start.
    """

    data: bytes
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", _line_starts(self.data))

    @property
    def lines(self) -> int:
        """How many lines there are; an empty text has one."""
        return len(self._starts)

    def line_span(self, line: int) -> Span:
        """The bytes of a 0-based line without its line break."""
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.data)
        while end > start and self.data[end - 1] in b"\r\n":
            end -= 1
        return Span(start, end)

    def position(self, offset: int, encoding: Encoding = "utf-16") -> Position:
        """The position of a byte offset."""
        offset = min(max(offset, 0), len(self.data))
        line = bisect_right(self._starts, offset) - 1
        before = self.data[self._starts[line] : offset]
        return Position(line, _units(before, encoding))

    def offset(self, position: Position, encoding: Encoding = "utf-16") -> int:
        """The byte offset of a position; past the line's end is the line's end."""
        if position.line >= len(self._starts):
            return len(self.data)
        span = self.line_span(position.line)
        text = self.data[span.start : span.end]
        if encoding == "utf-8":
            return span.start + min(position.character, len(text))
        if text.isascii():
            return span.start + min(position.character, len(text))
        units = 0
        at = 0
        for char in text.decode("utf-8", "surrogateescape"):
            units += 2 if encoding == "utf-16" and ord(char) > 0xFFFF else 1
            if units > position.character:
                break
            at += len(char.encode("utf-8", "surrogateescape"))
        return span.start + at

    def range(self, span: Span, encoding: Encoding = "utf-16") -> Range:
        """The range of a byte span."""
        return Range(self.position(span.start, encoding), self.position(span.end, encoding))

    def place(self, offset: int) -> str:
        """`line:column`, both 1-based and in characters, for people."""
        at = self.position(offset, "utf-32")
        return f"{at.line + 1}:{at.character + 1}"


def _line_starts(data: bytes) -> tuple[int, ...]:
    return (0, *(match.end() for match in _BREAK.finditer(data)))


def _units(text: bytes, encoding: Encoding) -> int:
    if encoding == "utf-8" or text.isascii():
        return len(text)
    chars = text.decode("utf-8", "surrogateescape")
    if encoding == "utf-32":
        return len(chars)
    return len(chars) + sum(ord(char) > 0xFFFF for char in chars)


def encode(text: str) -> bytes:
    r"""The UTF-8 of a text that may hold lone surrogates.

    Bytes that were no UTF-8 come back as they were (`surrogateescape`); any other lone surrogate, as JSON may carry, becomes
    U+FFFD, which is as long in bytes and in UTF-16.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _LONE.sub("�", text).encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """The text of bytes that need not be UTF-8; `encode` gives them back."""
    return data.decode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class Offsets:
    """Converts between characters and bytes of one text; both directions clamp.

    Args:
        text: The text.
    """

    text: str
    _bytes: tuple[int, ...] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_bytes", None if self.text.isascii() else _byte_offsets(self.text))

    def byte(self, char: int) -> int:
        """The byte offset at which a character starts."""
        char = min(max(char, 0), len(self.text))
        return char if self._bytes is None else self._bytes[char]

    def char(self, byte: int) -> int:
        """The character at or around a byte offset."""
        if self._bytes is None:
            return min(max(byte, 0), len(self.text))
        return max(bisect_right(self._bytes, byte) - 1, 0)

    def span(self, start: int, end: int) -> Span:
        """The bytes of a range of characters."""
        return Span(self.byte(start), self.byte(end))


def _byte_offsets(text: str) -> tuple[int, ...]:
    widths = (len(encode(char)) for char in text)
    return (0, *accumulate(widths))
