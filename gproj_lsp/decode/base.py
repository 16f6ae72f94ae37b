"""The protocols of decoding: language models, mask engines, hole fillers.

Token ids are ints of one vocabulary; masks are little-endian bit sets of `ceil(V / 32)` 32-bit words, bit `i` of
word `i // 32` set where token `i` is admitted (the layout llguidance and XGrammar share).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gproj_lsp.gbnf import Grammar

__all__ = [
    "BatchModel",
    "BranchingModel",
    "FimTokens",
    "HoleFiller",
    "HoleTask",
    "HoleText",
    "LanguageModel",
    "Logits",
    "Mask",
    "MaskEngine",
    "Matcher",
    "Part",
    "Stop",
    "Vocabulary",
    "mask_words",
]

Mask = NDArray[np.int32]
Logits = NDArray[np.float32]
Stop = Callable[[], bool]
"""Asked between steps and from llama.cpp's abort callback; True: stop now."""


@dataclass(frozen=True)
class FimTokens:
    """The ids that frame fill-in-the-middle prompts."""

    prefix: int
    suffix: int
    middle: int


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """A model's tokens. Compared by identity.

    Attributes:
        name: Tells vocabularies apart in caches and reports.
        tokens: The bytes of each id; empty for control tokens, which no text contains.
        end: Every id that ends generation (EOG), not only the EOS.
        begin: The id that starts a text, where the model wants one.
        fim: Fill-in-the-middle ids, where the model has them.
        encode: Bytes of text to ids, control tokens never recognised, no begin token added.
    """

    name: str
    tokens: tuple[bytes, ...]
    end: frozenset[int]
    begin: int | None
    fim: FimTokens | None
    encode: Callable[[bytes], list[int]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.tokens)

    def decode(self, ids: Sequence[int]) -> bytes:
        """The text of ids."""
        return b"".join(self.tokens[i] for i in ids)

    @property
    def opening(self) -> tuple[int, ...]:
        """What stands before a text's own tokens."""
        return () if self.begin is None else (self.begin,)


def mask_words(vocabulary: Vocabulary) -> int:
    """How many 32-bit words a mask of the vocabulary has."""
    return (len(vocabulary) + 31) // 32


class LanguageModel(Protocol):
    """One context of a causal model: a sequence of tokens fed so far, and logits after them.

    One context belongs to one worker thread. `feed` is the only call that takes long.
    """

    @property
    def name(self) -> str:
        """As shown to users."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """Its tokens."""
        ...

    @property
    def capacity(self) -> int:
        """How many tokens the context holds."""
        ...

    @property
    def fed(self) -> Sequence[int]:
        """The tokens in the context now."""
        ...

    def feed(self, ids: Sequence[int], *, every: bool = False, stop: Stop | None = None) -> Logits:
        """Append ids in one batch and give logits, shape `(V,)` after the last, or `(len(ids), V)` with `every`.

        The array is a view that the next call overwrites.

        Raises:
            Cancelled: `stop` said so; the context is as before.
            ModelError: The context is full, or the model failed.
        """
        ...

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        ...

    def close(self) -> None:
        """Free native memory; the model can't be used again."""
        ...


@runtime_checkable
class BranchingModel(LanguageModel, Protocol):
    """A model that looks at several continuations in one batch; ranking is faster with one."""

    @property
    def branches(self) -> int:
        """How many leaves one tree may have."""
        ...

    def spread(self, ids: Sequence[int], parents: Sequence[int], *, stop: Stop | None = None) -> Logits:
        """Logits after each node of a tree of tokens that grows from the context; the context stays as it is.

        Args:
            ids: Each node's token.
            parents: Each node's parent, an earlier index; -1 for the context's end.
            stop: As in `feed`.

        Returns:
            An array of shape `(len(ids), V)`, a view that the next call overwrites.

        Raises:
            Cancelled: `stop` said so.
            ModelError: There is no room, or the model failed.
        """
        ...


@dataclass(frozen=True)
class Part:
    """What one sequence of a batch is fed.

    Attributes:
        sequence: Its number.
        line: Tokens that are appended to it, and stay.
        rows: After how many of the line's last tokens logits are wanted.
        tree: Tokens of a tree that grows from the line's end; they do not stay, and logits are wanted after each.
        parents: Each node's parent, an earlier index; -1 for the line's end.
    """

    sequence: int
    line: Sequence[int]
    rows: int = 1
    tree: Sequence[int] = ()
    parents: Sequence[int] = ()


class BatchModel(Protocol):
    """One context that holds several sequences of tokens and feeds all of them in one step.

    What two sequences have in common is kept once where one was copied from the other.
    """

    @property
    def name(self) -> str:
        """As shown to users."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """Its tokens."""
        ...

    @property
    def capacity(self) -> int:
        """How many tokens one sequence may have."""
        ...

    @property
    def sequences(self) -> int:
        """How many sequences there are, counted from 0."""
        ...

    @property
    def room(self) -> int:
        """How many tokens one step takes."""
        ...

    @property
    def branches(self) -> int:
        """How many leaves the trees of one step may have."""
        ...

    def decode(self, parts: Sequence[Part], *, stop: Stop | None = None) -> list[Logits]:
        """Feed parts of different sequences in one step; gives each part's logits, one row a token asked for.

        The arrays are views that the next call overwrites.

        Raises:
            Cancelled: `stop` said so; every sequence is as before.
            CacheFullError: There is no room for all the tokens of all sequences; every sequence is as before.
            ModelError: The model failed; every sequence is as before.
        """
        ...

    def copy(self, source: int, target: int, length: int) -> None:
        """Let a sequence be the first tokens of another one, and nothing else."""
        ...

    def rewind(self, sequence: int, length: int) -> int:
        """Forget all but a sequence's first tokens; gives how many it has now, which may be fewer."""
        ...

    def close(self) -> None:
        """Free native memory; the model can't be used again."""
        ...


class Matcher(Protocol):
    """The state of one grammar after some text. Masks admit end-of-generation ids exactly where `is_complete`."""

    def mask(self, buffer: Mask) -> None:
        """Write the admitted tokens into a buffer of `mask_words` words."""
        ...

    def accept_token(self, token: int) -> bool:
        """Advance by one token; False, and no change, where it is not admitted."""
        ...

    def accept_bytes(self, text: bytes) -> bool:
        """Advance by text that need not end at a token's edge; False, and no change, where it is not admitted."""
        ...

    def rollback(self, steps: int) -> None:
        """Undo the last `steps` accept calls."""
        ...

    def fork(self) -> Matcher:
        """An independent copy."""
        ...

    def is_complete(self) -> bool:
        """Whether the text so far is in the language."""
        ...

    def forced(self) -> bytes:
        """The text every continuation begins with; empty where there is a choice, or the engine can't tell."""
        ...


class MaskEngine(Protocol):
    """Compiles grammars into matchers; caches by grammar and vocabulary."""

    @property
    def name(self) -> str:
        """As the setting `engine` names it."""
        ...

    def compile(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher:
        """A matcher at the grammar's start.

        Raises:
            EngineError: The engine is not installed, or refused the grammar.
        """
        ...


@dataclass(frozen=True)
class HoleTask:
    """A text that is to be written elsewhere.

    Attributes:
        before: The text before it.
        gbnf: What it may be: valid GBNF whose start rule is `root`, G[Γ] with all names in it.
        budget: The most tokens to write.
        temperature: 0 takes the likeliest text.
        top_p: As in `Sampling`.
        seed: As in `Sampling`.
    """

    before: str
    gbnf: str
    budget: int
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None


@dataclass(frozen=True)
class HoleText:
    """What came back for a task; nothing is promised of it before it was checked.

    Attributes:
        text: The text.
        tokens: How many tokens it has, as far as was told; 0 where it was not.
        cut: Whether the budget ended it.
    """

    text: str
    tokens: int = 0
    cut: bool = False


class HoleFiller(Protocol):
    """Writes whole texts of a grammar, where nobody can look at logits: a server somewhere else."""

    @property
    def name(self) -> str:
        """As shown to users, without secrets."""
        ...

    @property
    def capacity(self) -> int:
        """How many tokens a text and what stands before it may have together."""
        ...

    def write(self, task: HoleTask, stop: Stop | None = None) -> HoleText:
        """Have one text written.

        Raises:
            Cancelled: `stop` said so.
            ModelError: There was no usable answer; tells from where, and what mends it.
        """
        ...
