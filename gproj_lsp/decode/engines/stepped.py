"""What every matcher does alike: counts its steps, ends where an end-of-generation id is accepted, goes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from gproj_lsp.decode.base import mask_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gproj_lsp.decode.base import Mask, Vocabulary

__all__ = ["SteppedMatcher", "bits", "ends", "texts"]

_ENDED = -1
_KINDS: WeakKeyDictionary[Vocabulary, tuple[Mask, Mask]] = WeakKeyDictionary()


def bits(tokens: Iterable[int], words: int) -> Mask:
    """A mask of `words` words that admits exactly these tokens."""
    flags = np.zeros(words * 32, dtype=bool)
    flags[list(tokens)] = True
    return np.packbits(flags, bitorder="little").view(np.int32)


class SteppedMatcher(ABC):
    """A matcher over an engine's own state.

    An engine says how its state advances by text; ends, refusals without change, and steps back are the same for all. After an
    end-of-generation id was accepted nothing more is admitted, until that step is undone.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._steps: list[int] = []

    @abstractmethod
    def _mask_text(self, buffer: Mask) -> bool:
        """Write the admitted tokens that have text; True where the ends must still be added."""

    @abstractmethod
    def _advance_token(self, token: int) -> int:
        """Advance by a token that has text and give how far to go back for it; 0 (and no change) where refused."""

    @abstractmethod
    def _advance_bytes(self, text: bytes) -> int:
        """Advance by at least one byte, as `_advance_token`."""

    @abstractmethod
    def _back(self, count: int) -> None:
        """Go back by the sum of what the undone advances gave."""

    @abstractmethod
    def _copy(self) -> SteppedMatcher:
        """A matcher over a copy of the engine's state; its steps are filled in by `fork`."""

    @abstractmethod
    def is_complete(self) -> bool:
        """Whether the text so far is in the language."""

    @abstractmethod
    def forced(self) -> bytes:
        """The text every continuation begins with; empty where there is a choice, or the engine can't tell."""

    def mask(self, buffer: Mask) -> None:
        """Write the admitted tokens into a buffer of `mask_words` words."""
        if self._ended:
            buffer[:] = 0
        elif self._mask_text(buffer):
            buffer |= ends(self._vocabulary)

    def accept_token(self, token: int) -> bool:
        """Advance by one token; False, and no change, where it is not admitted."""
        if self._ended or not 0 <= token < len(self._vocabulary):
            return False
        if token in self._vocabulary.end:
            return self.is_complete() and self._step(_ENDED)
        return bool(self._vocabulary.tokens[token]) and self._step(self._advance_token(token))

    def accept_bytes(self, text: bytes) -> bool:
        """Advance by text that need not end at a token's edge; False, and no change, where it is not admitted."""
        if self._ended:
            return False
        if not text:
            self._steps.append(0)
            return True
        return self._step(self._advance_bytes(text))

    def rollback(self, steps: int) -> None:
        """Undo the last `steps` accept calls that were not refused.

        Raises:
            ValueError: There were fewer.
        """
        if steps > len(self._steps):
            raise ValueError(f"can't undo {steps} steps of {len(self._steps)}")
        if steps:
            back = sum(count for count in self._steps[-steps:] if count != _ENDED)
            del self._steps[-steps:]
            if back:
                self._back(back)

    def fork(self) -> SteppedMatcher:
        """An independent copy."""
        copy = self._copy()
        copy._steps = self._steps.copy()  # noqa: SLF001  (its own class)
        return copy

    @property
    def _ended(self) -> bool:
        return bool(self._steps) and _ENDED in self._steps[-1:]

    def _step(self, count: int) -> bool:
        if count:
            self._steps.append(count)
        return bool(count)


def ends(vocabulary: Vocabulary) -> Mask:
    """The mask that admits the vocabulary's end-of-generation ids."""
    return _sorted(vocabulary)[0]


def texts(vocabulary: Vocabulary) -> Mask:
    """The mask that admits every token with text."""
    return _sorted(vocabulary)[1]


def _sorted(vocabulary: Vocabulary) -> tuple[Mask, Mask]:
    known = _KINDS.get(vocabulary)
    if known is None:
        words = mask_words(vocabulary)
        spoken = (i for i, text in enumerate(vocabulary.tokens) if text and i not in vocabulary.end)
        known = _KINDS[vocabulary] = bits(vocabulary.end, words), bits(spoken, words)
    return known
