"""A matcher that does not go on in one way where it stands: what a text repeated there would only be repeated again."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from gproj_lsp.decode.engines.stepped import bits

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Mask, Matcher, Vocabulary

__all__ = ["Barred"]

_BEGINNINGS: WeakKeyDictionary[Vocabulary, dict[bytes, Mask]] = WeakKeyDictionary()


class Barred:
    """What a matcher admits, without the tokens that begin like a given text (`gproj_lsp.decode.base.Matcher`).

    Args:
        matcher: The matcher.
        way: What must not come next, blanks before it or not.
        at: How many bytes the matcher has still to read until it stands where that holds.
        vocabulary: The model's.
    """

    def __init__(self, matcher: Matcher, way: bytes, at: int, vocabulary: Vocabulary) -> None:
        self._matcher = matcher
        self._way = way.lstrip()[:1]
        self._at = at
        self._vocabulary = vocabulary
        self._read: list[int] = []

    def mask(self, buffer: Mask) -> None:
        """Write the tokens that are admitted."""
        self._matcher.mask(buffer)
        if sum(self._read) == self._at:
            kept = buffer & np.invert(_beginning(self._vocabulary, self._way))
            if kept.any():
                buffer[:] = kept

    def accept_token(self, token: int) -> bool:
        """Advance by a token; False, and no change, where it is not admitted."""
        taken = self._matcher.accept_token(token)
        if taken:
            self._read.append(len(self._vocabulary.tokens[token]))
        return taken

    def accept_bytes(self, text: bytes) -> bool:
        """Advance by text; False, and no change, where it is not admitted."""
        taken = self._matcher.accept_bytes(text)
        if taken:
            self._read.append(len(text))
        return taken

    def rollback(self, steps: int) -> None:
        """Undo the last `steps` accept calls."""
        self._matcher.rollback(steps)
        del self._read[len(self._read) - steps :]

    def fork(self) -> Barred:
        """An independent copy."""
        copy = Barred(self._matcher.fork(), self._way, self._at, self._vocabulary)
        copy._read = list(self._read)
        return copy

    def is_complete(self) -> bool:
        """Whether the text so far is in the language."""
        return self._matcher.is_complete()

    def forced(self) -> bytes:
        """The text every continuation begins with; not told where a way is barred."""
        return b"" if sum(self._read) == self._at else self._matcher.forced()


def _beginning(vocabulary: Vocabulary, byte: bytes) -> Mask:
    """The tokens whose first byte that is no blank is this one."""
    known = _BEGINNINGS.setdefault(vocabulary, {})
    if byte not in known:
        found = (at for at, token in enumerate(vocabulary.tokens) if token.lstrip()[:1] == byte)
        known[byte] = bits(found, (len(vocabulary) + 31) // 32)
    return known[byte]
