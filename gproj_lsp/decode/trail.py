"""A sampler that follows a given trail, then takes the likeliest tokens; it remembers where else one could have gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gproj_lsp.decode.sampling import GREEDY, Sampler, admitted

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Logits, Mask

__all__ = ["Fork", "Trail"]

_OTHERS = 3
"""How many other tokens of a step are remembered."""


class Fork(NamedTuple):
    """Another way that a text could have gone.

    Attributes:
        probability: The log probability of the trail, its last token included.
        trail: The tokens chosen, this one last.
    """

    probability: float
    trail: tuple[int, ...]


class Trail(Sampler):
    """Chooses the tokens of a trail, then greedily.

    Attributes:
        taken: The tokens chosen.
        probability: Their log probability among what was admitted.
        forks: Where else one could have gone behind the given trail.
    """

    def __init__(self, given: tuple[int, ...] = ()) -> None:
        """A sampler.

        Args:
            given: The trail.
        """
        super().__init__(GREEDY)
        self._given = given
        self.taken: tuple[int, ...] = ()
        self.probability = 0.0
        self.forks: list[Fork] = []

    def choose(self, logits: Logits, mask: Mask) -> int:
        """The next token of the trail, or the likeliest that is admitted."""
        ids = admitted(mask)
        scores = logits[ids].astype(np.float64)
        scores -= scores.max()
        scores -= np.log(np.exp(scores).sum())
        at = self._given_place(ids)
        best = int(scores.argmax()) if at is None else at
        if len(self.taken) >= len(self._given):
            for other in np.argsort(-scores, kind="stable")[: _OTHERS + 1]:
                if other != best:
                    self.forks.append(
                        Fork(self.probability + float(scores[other]), (*self.taken, int(ids[other])))
                    )
        self.probability += float(scores[best])
        self.taken = (*self.taken, int(ids[best]))
        return int(ids[best])

    def _given_place(self, ids: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int | None:
        if len(self.taken) >= len(self._given):
            return None
        found = np.flatnonzero(ids == self._given[len(self.taken)])
        return int(found[0]) if len(found) else None
