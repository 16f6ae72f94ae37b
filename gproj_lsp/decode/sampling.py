"""Choosing one token out of those a mask admits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gproj_lsp.decode.base import Logits, Mask
from gproj_lsp.errors import InputError, ModelError

__all__ = ["GREEDY", "Sampler", "Sampling", "admits", "admitted", "count"]

_SPARSE = 64
"""Up to so many non-zero words, admitted tokens are gathered from those words alone."""
_BITS = np.arange(32, dtype=np.int64)
_COUNTS: Callable[[Mask], NDArray[np.uint8]] | None = getattr(np, "bitwise_count", None)  # from NumPy 2 on
_ONES = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


@dataclass(frozen=True)
class Sampling:
    """How to choose.

    Attributes:
        temperature: 0 takes the likeliest admitted token; above, logits are divided by it.
        top_p: Only the smallest set of likeliest admitted tokens with this much of their mass takes part; in (0, 1].
        seed: Makes choices repeatable; None: different each time.

    Raises:
        InputError: A number out of its range.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf"):
            raise InputError("the temperature is not a number from 0 up", place="temperature")
        if not 0 < self.top_p <= 1:
            raise InputError("top-p is not a number above 0 and up to 1", place="top-p")


GREEDY = Sampling()


def count(mask: Mask) -> int:
    """How many tokens a mask admits."""
    if _COUNTS is not None:
        return int(_COUNTS(mask.view(np.uint32)).sum(dtype=np.int64))
    return int(_ONES[mask.view(np.uint8)].sum(dtype=np.int64))


def admits(mask: Mask, token: int) -> bool:
    """Whether a mask admits a token."""
    return bool((int(mask[token >> 5]) >> (token & 31)) & 1)


def admitted(mask: Mask) -> NDArray[np.int64]:
    """The admitted ids, ascending; cheap where they lie in few words."""
    words = np.flatnonzero(mask)
    if len(words) > _SPARSE:
        return np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))
    bits = (mask[words].astype(np.int64)[:, None] >> _BITS) & 1
    ids: NDArray[np.int64] = (words[:, None] * 32 + _BITS)[bits.astype(bool)]
    return ids


class Sampler:
    """A stream of choices; with a seed, the same stream each time."""

    def __init__(self, sampling: Sampling = GREEDY, skip: int = 0) -> None:
        """A sampler.

        Args:
            sampling: How to choose.
            skip: How many of the likeliest tokens to pass over in the first choice, so that a text differs from one before.
        """
        self.sampling = sampling
        self._skip = skip
        self._random = np.random.default_rng(sampling.seed)

    def choose(self, logits: Logits, mask: Mask) -> int:
        """An admitted token; only admitted ones take part, so no bias can bring another one back.

        Args:
            logits: One row, as the model gave it.
            mask: At least one token admitted.

        Raises:
            ModelError: The logits of the admitted tokens are not numbers.
        """
        if self._skip:
            return self._later(logits, admitted(mask))
        if self.sampling.temperature == 0:
            best = int(logits.argmax())
            if (
                admits(mask, best) and logits[best] == logits[best]
            ):  # the model's first wish is admitted: most steps
                return best
        ids = admitted(mask)
        return int(ids[self.pick(logits[ids].astype(np.float64))])

    def _later(self, logits: Logits, ids: NDArray[np.int64]) -> int:
        skip, self._skip = self._skip, 0
        return int(ids[np.argsort(-logits[ids], kind="stable")[min(skip, len(ids) - 1)]])

    def leaves(self, logits: Logits, mask: Mask) -> bool:
        """Whether the model, left to itself, would choose a token that is not admitted; drawn like a choice."""
        return not admits(mask, self.pick(logits.astype(np.float64)))

    def pick(self, scores: NDArray[np.float64]) -> int:
        """The place of one of several log scores, all of which are admitted.

        Raises:
            ModelError: They are not numbers.
        """
        if not np.isfinite(scores.max(initial=-np.inf)):
            raise ModelError(
                "the model gave no number for any admitted token", mend="choose another model file"
            )
        if self.sampling.temperature == 0:
            return int(scores.argmax())
        weights = np.exp((scores - scores.max()) / self.sampling.temperature)
        weights /= weights.sum()
        if self.sampling.top_p < 1:
            order = np.argsort(-weights, kind="stable")
            before = np.cumsum(weights[order]) - weights[order]
            weights[order[before >= self.sampling.top_p]] = 0
            weights /= weights.sum()
        return int(self._random.choice(len(weights), p=weights))
