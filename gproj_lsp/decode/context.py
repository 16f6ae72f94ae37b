"""One model's context over time: what is already in it is never fed again."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gproj_lsp.decode.base import LanguageModel, Logits, Stop, Vocabulary

__all__ = ["Context"]

_SLICES = (16, 32)
"""Tokens of the first parts of a long text: small ones, so that who is stopped again and again gets on each time."""
_SLICE = 64
"""Tokens of the other parts; larger ones are read no faster."""


class Context:
    """A model with the text it was shown, kept across holes and keystrokes.

    Attributes:
        calls: How often the model was asked.
        tokens: How many tokens it was fed.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.calls = 0
        self.tokens = 0
        self._logits: Logits | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        """The model's tokens."""
        return self.model.vocabulary

    @property
    def length(self) -> int:
        """How many tokens are in the context."""
        return len(self.model.fed)

    def show(self, ids: Sequence[int], stop: Stop | None = None) -> Logits:
        """Bring the context to exactly these tokens, keeping the longest common prefix, and give the logits after them.

        A long text that may be stopped is read in parts; those that were read are kept for whoever shows it again.

        Raises:
            Cancelled: `stop` said so; what was kept and read stays.
            ModelError: They do not fit, or the model failed.
        """
        kept = common_prefix(self.model.fed, ids)
        if kept == len(ids) == len(self.model.fed) and self._logits is not None:
            return self._logits
        kept = min(kept, len(ids) - 1)  # the last token is fed again where its logits are gone
        self.rewind(kept)
        for end in _ends(kept, len(ids)) if stop is not None else ():
            self._logits = None
            self.model.feed(ids[kept:end], stop=stop)
            self.tokens += end - kept
            kept = end
        return self.feed(ids[kept:], stop)

    def feed(self, ids: Sequence[int], stop: Stop | None = None) -> Logits:
        """Append tokens and give the logits after the last; a view that the next call overwrites.

        Raises:
            Cancelled: `stop` said so.
            ModelError: They do not fit, or the model failed.
        """
        self._logits = None
        logits = self.model.feed(ids, stop=stop)
        self.calls += 1
        self.tokens += len(ids)
        self._logits = logits
        return logits

    def counted(self, tokens: int) -> None:
        """Account for a call made on the model itself; the last logits are gone."""
        self._logits = None
        self.calls += 1
        self.tokens += tokens

    def rewind(self, length: int) -> None:
        """Forget all but the first tokens."""
        if length < self.length:
            self.model.rewind(length)
            self._logits = None


def _ends(start: int, end: int) -> Iterator[int]:
    """Where the parts of a text end that are read before its last."""
    for size in chain(_SLICES, repeat(_SLICE)):
        start += size
        if start >= end:
            return
        yield start


def common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two texts begin with in common."""
    shorter = min(len(one), len(other))
    if list(one[:shorter]) == list(other[:shorter]):
        return shorter
    return next(at for at in range(shorter) if one[at] != other[at])
