"""Which tokens begin with given bytes."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from gproj_lsp.decode.base import Vocabulary, mask_words

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Mask

__all__ = ["starting_with"]


class _Sorted:
    """A vocabulary in the order of its tokens' bytes; tokens that share a beginning lie side by side."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        tokens = vocabulary.tokens
        self.ids = np.array(sorted(range(len(tokens)), key=tokens.__getitem__), dtype=np.int64)
        self.texts = [tokens[at] for at in self.ids]
        self.words = mask_words(vocabulary)
        self.masks: dict[bytes, Mask] = {}

    def mask(self, beginning: bytes) -> Mask:
        low = bisect_left(self.texts, beginning)
        high = bisect_left(self.texts, 1, lo=low, key=lambda text: not text.startswith(beginning))
        bits = np.zeros(self.words * 32, dtype=bool)
        bits[self.ids[low:high]] = True
        for size in range(1, len(beginning) if beginning.isspace() else 0):
            shorter = beginning[:size]
            low = bisect_left(self.texts, shorter)
            bits[self.ids[low : bisect_left(self.texts, shorter + b"\0", lo=low)]] = True
        return np.packbits(bits, bitorder="little").view(np.int32)


_SORTED: WeakKeyDictionary[Vocabulary, _Sorted] = WeakKeyDictionary()
_KEPT = 256


def starting_with(vocabulary: Vocabulary, beginning: bytes) -> Mask:
    """The mask of the tokens whose bytes begin with these; the caller must not write to it.

    Of blanks also those that these begin with: where blanks are cut into tokens depends on what follows them.
    """
    known = _SORTED.get(vocabulary)
    if known is None:
        known = _SORTED[vocabulary] = _Sorted(vocabulary)
    found = known.masks.get(beginning)
    if found is None:
        if len(known.masks) >= _KEPT:
            known.masks.clear()
        found = known.masks[beginning] = known.mask(beginning)
    return found
