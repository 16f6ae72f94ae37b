"""Models without weights, for tests and controls: one that wants what it is told to want, one that wants nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gproj_lsp.decode.base import Vocabulary
from gproj_lsp.errors import CacheFullError, Cancelled, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gproj_lsp.decode.base import Logits, Part, Stop

__all__ = ["FakeBatch", "FakeModel", "UniformModel", "word_vocabulary"]


class UniformModel:
    """Every token equally likely: what a mask alone leads to."""

    def __init__(self, vocabulary: Vocabulary, *, capacity: int = 1 << 16) -> None:
        self.vocabulary = vocabulary
        self.capacity = capacity
        self.name = "uniform"
        self.branches = 64
        self.calls = 0
        """How often it was asked for logits."""
        self._fed: list[int] = []
        self._closed = False

    @property
    def fed(self) -> Sequence[int]:
        """The tokens in the context now."""
        return self._fed

    def feed(self, ids: Sequence[int], *, every: bool = False, stop: Stop | None = None) -> Logits:
        """As `LanguageModel.feed`.

        Raises:
            Cancelled: `stop` said so.
            ModelError: The context is full, or the model was closed.
        """
        self._check(len(ids), stop)
        start = len(self._fed)
        self._fed.extend(ids)
        if not every:
            return self.logits(self._fed)
        return np.stack([self.logits(self._fed[: start + at + 1]) for at in range(len(ids))])

    def spread(self, ids: Sequence[int], parents: Sequence[int], *, stop: Stop | None = None) -> Logits:
        """As `BranchingModel.spread`.

        Raises:
            Cancelled: `stop` said so.
            ModelError: The context is full, or the model was closed.
        """
        self._check(len(ids), stop)
        texts: list[list[int]] = []
        for token, parent in zip(ids, parents, strict=True):
            texts.append([*(texts[parent] if parent >= 0 else self._fed), token])
        return np.stack([self.logits(text) for text in texts])

    def rewind(self, length: int) -> None:
        """As `LanguageModel.rewind`."""
        del self._fed[length:]

    def close(self) -> None:
        """From here on, feeding it is an error."""
        self._closed = True

    def logits(self, fed: Sequence[int]) -> Logits:
        """What it wants after these tokens."""
        del fed
        return np.zeros(len(self.vocabulary), dtype=np.float32)

    def _check(self, count: int, stop: Stop | None) -> None:
        if self._closed:
            raise ModelError("the model was closed")
        if not count or len(self._fed) + count > self.capacity:
            raise ModelError(f"{count} tokens do not fit the model's context of {self.capacity} tokens")
        if stop and stop():
            raise Cancelled("decoding was cancelled")
        self.calls += 1


class FakeModel(UniformModel):
    """A model with a script.

    It is asked with the whole text so far what it would write next, and likes a token the better the more of that text it
    covers. Ends where the script wants nothing more. All else is equally unlikely.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        wants: Callable[[bytes], bytes],
        *,
        strength: float = 4.0,
        capacity: int = 1 << 16,
    ) -> None:
        super().__init__(vocabulary, capacity=capacity)
        self.name = "fake"
        self._wants = wants
        self._strength = strength

    def logits(self, fed: Sequence[int]) -> Logits:
        """`strength` for each byte of the wanted text that a token covers."""
        row = np.zeros(len(self.vocabulary), dtype=np.float32)
        wanted = self._wants(self.vocabulary.decode(fed))
        if not wanted:
            row[list(self.vocabulary.end)] = self._strength
            return row
        for token, text in enumerate(self.vocabulary.tokens):
            if text and wanted.startswith(text):
                row[token] = self._strength * len(text)
        return row


class FakeBatch:
    """Several sequences that a model without weights answers for; see `BatchModel` for the contract."""

    def __init__(
        self,
        model: UniformModel,
        sequences: int,
        *,
        cells: int = 1 << 16,
        room: int = 512,
        branches: int = 64,
    ) -> None:
        """Sequences over a model.

        Args:
            model: Says what it wants after a text.
            sequences: How many there are.
            cells: Tokens that all sequences may have together, common beginnings counted once.
            room: Tokens of one step.
            branches: Leaves of the trees of one step.
        """
        self.model = model
        self.name = model.name
        self.vocabulary = model.vocabulary
        self.capacity = model.capacity
        self.sequences = sequences
        self.room = room
        self.branches = branches
        self.texts: list[list[int]] = [[] for _ in range(sequences)]
        self.steps: list[list[Part]] = []
        """What each step was fed."""
        self._cells = cells

    def decode(self, parts: Sequence[Part], *, stop: Stop | None = None) -> list[Logits]:
        """As `BatchModel.decode`.

        Raises:
            CacheFullError: There are more tokens than cells.
            Cancelled: `stop` said so.
            ModelError: The parts do not fit one step.
        """
        if stop and stop():
            raise Cancelled("decoding was cancelled")
        fed = sum(len(part.line) + len(part.tree) for part in parts)
        if not 0 < fed <= self.room or len({part.sequence for part in parts}) < len(parts):
            raise ModelError(f"{fed} tokens of {len(parts)} parts do not fit one step")
        after = [list(text) for text in self.texts]
        for part in parts:
            after[part.sequence].extend(part.line)
        trees = sum(len(part.tree) for part in parts)
        if (
            len({tuple(text[:end]) for text in after for end in range(1, len(text) + 1)}) + trees
            > self._cells
        ):
            raise CacheFullError("the model's context is full")
        self.texts = after
        self.steps.append(list(parts))
        return [self._rows(part) for part in parts]

    def copy(self, source: int, target: int, length: int) -> None:
        """As `BatchModel.copy`."""
        self.texts[target] = self.texts[source][:length]

    def rewind(self, sequence: int, length: int) -> int:
        """As `BatchModel.rewind`."""
        del self.texts[sequence][length:]
        return len(self.texts[sequence])

    def close(self) -> None:
        """Nothing is kept."""

    def _rows(self, part: Part) -> Logits:
        text = self.texts[part.sequence]
        ends = range(len(text) - part.rows + 1, len(text) + 1)
        rows = [self.model.logits(text[:end]) for end in ends]
        paths: list[list[int]] = []
        for token, parent in zip(part.tree, part.parents, strict=True):
            paths.append([*(paths[parent] if parent >= 0 else text), token])
        rows += [self.model.logits(path) for path in paths]
        return np.stack(rows) if rows else np.empty((0, len(self.vocabulary)), np.float32)


def word_vocabulary(words: Iterable[str] = (), *, name: str = "words") -> Vocabulary:
    """A small vocabulary: every byte, the given words, one end id; text is cut into the longest known tokens."""
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [word.encode() for word in dict.fromkeys(words) if len(word.encode()) > 1]
    known = {token: at for at, token in enumerate(tokens)}
    longest = max(map(len, tokens))

    def encode(text: bytes) -> list[int]:
        ids, at = [], 0
        while at < len(text):
            length = next(n for n in range(min(longest, len(text) - at), 0, -1) if text[at : at + n] in known)
            ids.append(known[text[at : at + length]])
            at += length
        return ids

    end = frozenset([len(tokens)])
    return Vocabulary(name=name, tokens=(*tokens, b""), end=end, begin=None, fim=None, encode=encode)
