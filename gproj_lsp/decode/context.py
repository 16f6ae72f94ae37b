"""One model's context over time: what is already in it is never fed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gproj_lsp.decode.base import LanguageModel, Logits, Stop, Vocabulary

__all__ = ["Context"]


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

        Raises:
            Cancelled: `stop` said so; what was kept stays.
            ModelError: They do not fit, or the model failed.
        """
        kept = common_prefix(self.model.fed, ids)
        if kept == len(ids) == len(self.model.fed) and self._logits is not None:
            return self._logits
        kept = min(kept, len(ids) - 1)  # the last token is fed again where its logits are gone
        self.rewind(kept)
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


def common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two texts begin with in common."""
    shorter = min(len(one), len(other))
    if list(one[:shorter]) == list(other[:shorter]):
        return shorter
    return next(at for at in range(shorter) if one[at] != other[at])
