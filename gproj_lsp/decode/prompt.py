"""What a model is shown before a hole: a stable head, then the text up to the hole.

Tokens meet text at the hole. Where the text's last token could have merged with what comes next, that token is
taken back and its bytes become the beginning of what is decoded (token healing), so that the model sees the tokens
it was trained on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Vocabulary

__all__ = ["Seam", "between", "seam", "window"]

_LAST_WORD = re.compile(rb"\s*\S*\Z")
_LONGEST_TAIL = 64
_RIGHT = 400
"""Bytes of the text after a hole that a fill-in-the-middle prompt shows."""


@dataclass(frozen=True)
class Seam:
    """A text cut where the tokens before the cut no longer depend on what follows.

    Attributes:
        ids: The tokens before the cut.
        tail: The bytes after it: to be decoded again, together with what follows.
    """

    ids: tuple[int, ...]
    tail: bytes


def seam(vocabulary: Vocabulary, text: bytes) -> Seam:
    """Cut a text before its last word with the blanks before it: tokenizers merge within such a piece, not across."""
    ids = vocabulary.encode(text)
    found = _LAST_WORD.search(text, max(0, len(text) - _LONGEST_TAIL))
    cut = found.start() if found else len(text)
    size = len(text)
    kept = len(ids)
    while kept and (size > cut or not _is_boundary(text, size)):
        kept -= 1
        size -= len(vocabulary.tokens[ids[kept]])
    return Seam((*vocabulary.opening, *ids[:kept]), text[size:])


def between(vocabulary: Vocabulary, before: bytes, after: bytes, head: int) -> tuple[int, ...]:
    """What a model with fill-in-the-middle tokens is shown of a hole; the head stands before the frame, so that it is kept.

    Raises:
        ValueError: The vocabulary has no such tokens.
    """
    fim = vocabulary.fim
    if fim is None:
        raise ValueError(f"{vocabulary.name} has no fill-in-the-middle tokens")
    right = window(after, _RIGHT)
    return (
        *vocabulary.opening,
        *vocabulary.encode(before[:head]),
        fim.prefix,
        *vocabulary.encode(before[head:]),
        fim.suffix,
        *vocabulary.encode(right),
        fim.middle,
    )


def window(right: bytes, least: int) -> bytes:
    """The beginning of the text after a hole, of at least so many bytes, cut before a blank: there tokenizers cut too."""
    if len(right) <= least:
        return right
    found = re.compile(rb"(?<=\S)\s").search(right, least)
    return right[: found.start()] if found else right


def _is_boundary(text: bytes, at: int) -> bool:
    """Whether a character begins here."""
    return at >= len(text) or text[at] & 0xC0 != 0x80
