"""A vocabulary looked up by bytes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Vocabulary

__all__ = ["Spelling", "spelling"]

_KNOWN: WeakKeyDictionary[Vocabulary, Spelling] = WeakKeyDictionary()


class Spelling:
    """Which tokens spell what."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Index a vocabulary; its end and control ids spell nothing.

        Args:
            vocabulary: Not kept.
        """
        self._ids: dict[bytes, tuple[int, ...]] = {}
        for token, text in enumerate(vocabulary.tokens):
            if text and token not in vocabulary.end:
                self._ids[text] = (*self._ids.get(text, ()), token)
        self._longest = max(map(len, self._ids), default=0)

    @cached_property
    def beginnings(self) -> dict[bytes, tuple[int, ...]]:
        """Every beginning of a token's text, and the ids of tokens that are just that; none for a mere beginning."""
        found: dict[bytes, tuple[int, ...]] = {}
        for text in self._ids:
            for length in range(1, len(text)):
                found.setdefault(text[:length], ())
        return {**found, **self._ids}

    def ids(self, text: bytes) -> list[int]:
        """Ids that spell the text, long tokens preferred; none where no ids do."""
        size = len(text)
        step = [0] * size + [1]
        for at in range(size - 1, -1, -1):
            lengths = range(min(self._longest, size - at), 0, -1)
            step[at] = next((n for n in lengths if step[at + n] and text[at : at + n] in self._ids), 0)
        found: list[int] = []
        at = 0
        while at < size:
            if not step[at]:
                return []
            found.append(self._ids[text[at : at + step[at]]][0])
            at += step[at]
        return found


def spelling(vocabulary: Vocabulary) -> Spelling:
    """The vocabulary's index, made once."""
    known = _KNOWN.get(vocabulary)
    if known is None:
        known = _KNOWN[vocabulary] = Spelling(vocabulary)
    return known
