"""What of a long document a model is shown: as much of its end as there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Vocabulary

__all__ = ["latest"]

_WIDEST = 16
"""Bytes that no tokenizer's tokens have on average; what lies further back need not be counted."""


def latest(vocabulary: Vocabulary, text: bytes, room: int) -> bytes:
    """The end of a text that takes at most so many tokens, cut where a line begins.

    The cut moves in steps of half the room, so that texts which grow at their end keep their beginning for a while, and with it
    what a context holds of them.

    Args:
        vocabulary: What counts the tokens.
        text: The text before a place.
        room: The most tokens to give; at least 2.
    """
    text = _bounded(text, room * _WIDEST)
    ids = vocabulary.encode(text)
    step = room // 2
    dropped = -(-max(0, len(ids) - room) // step) * step
    cut = len(vocabulary.decode(ids[:dropped]))
    return text[_line_start(text, cut) :] if cut else text


def _bounded(text: bytes, step: int) -> bytes:
    """Between one step and two of a long text's end."""
    cut = max(0, len(text) // step - 1) * step
    return text[_line_start(text, cut) :] if cut else text


def _line_start(text: bytes, at: int) -> int:
    """Where the next line begins; within a line that is all there is, the next character."""
    found = text.find(b"\n", at)
    if 0 <= found < len(text) - 1:
        return found + 1
    while at < len(text) and text[at] & 0xC0 == 0x80:
        at += 1
    return at
