"""What happened while decoding: events as they happen, and a ledger of one decode."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gproj_lsp.environment import Binding
from gproj_lsp.errors import EmptyQueryError
from gproj_lsp.fragment import Rung
from gproj_lsp.text import Span

if TYPE_CHECKING:  # a listener need not import what decodes
    from gproj_lsp.decode.rank import Ranking

__all__ = [
    "Declared",
    "EmptyQuery",
    "Event",
    "Fallback",
    "Filled",
    "HoleBegun",
    "HoleEntered",
    "Incomplete",
    "Ledger",
    "Listener",
    "Ranked",
    "Text",
    "silent",
]


@dataclass(frozen=True)
class HoleBegun:
    """A hole of a document has its turn; all that follows is of it until it is filled, empty or incomplete.

    Attributes:
        span: Its bytes in the document as it was.
        sort: What it expects.
    """

    span: Span
    sort: str


@dataclass(frozen=True)
class HoleEntered:
    """A hole, or a region called by a fragment, is about to be decoded.

    Attributes:
        sort: What it expects.
        depth: 0 for a hole, one more for each grammar call around.
        rung: How strongly it is constrained.
        candidates: How many names its slots admit.
    """

    sort: str
    depth: int
    rung: Rung
    candidates: int


@dataclass(frozen=True)
class Text:
    """Text was decided in the part entered last.

    Attributes:
        at: Where in it, in bytes; what was told from there on before is taken back.
        data: In bytes, because a token may end inside a character.
    """

    at: int
    data: bytes


@dataclass(frozen=True)
class Ranked:
    """Some of the names that may stand in the hole are known to be likelier than others; more may come."""

    ranking: Ranking


@dataclass(frozen=True)
class Declared:
    """A declaration just written entered Γ."""

    binding: Binding


@dataclass(frozen=True)
class Filled:
    """A hole, or a region, has its whole text."""

    sort: str
    text: str
    guaranteed: bool


@dataclass(frozen=True)
class Fallback:
    """A rung had no candidates, and a looser one is used."""

    sort: str
    left: Rung
    taken: Rung


@dataclass(frozen=True)
class EmptyQuery:
    """A hole has no candidate; nothing was sampled."""

    error: EmptyQueryError


@dataclass(frozen=True)
class Incomplete:
    """A hole stays open; nothing was inserted."""

    sort: str
    reason: str


Event = HoleBegun | HoleEntered | Ranked | Text | Declared | Filled | Fallback | EmptyQuery | Incomplete
Listener = Callable[[Event], None]


def silent(event: Event) -> None:
    """A listener that ignores everything."""
    del event


@dataclass
class Ledger:
    """What one decode cost and how much it had to choose from; grows while decoding.

    Attributes:
        free_bits: Σ log2 of the number of admitted tokens over the steps where the model chose; forced text counts 0.
            Comparable within one engine and vocabulary only (paper, 4.3).
        masks: How much was admitted at each step where the model chose; where names are ranked, how many names.
        tokens: Tokens written, forced ones included.
        model_calls: How often the model was asked.
        given: The pieces of text that were written without asking, in order.
        told: Whether all choices are counted; those that are made elsewhere are not.
    """

    free_bits: float = 0.0
    masks: list[int] = field(default_factory=list)
    tokens: int = 0
    model_calls: int = 0
    given: list[bytes] = field(default_factory=list)
    told: bool = True

    def add(self, other: Ledger) -> None:
        """Grow by what another decode cost."""
        self.free_bits += other.free_bits
        self.masks += other.masks
        self.tokens += other.tokens
        self.model_calls += other.model_calls
        self.given += other.given
        self.told = self.told and other.told

    @property
    def steps(self) -> int:
        """How often the model chose."""
        return len(self.masks)

    @property
    def forced(self) -> int:
        """Bytes that were written without asking."""
        return sum(map(len, self.given))

    def chose(self, among: int) -> None:
        """The model chose one of `among` tokens."""
        self.free_bits += math.log2(among)
        self.masks.append(among)

    def gave(self, text: bytes) -> None:
        """The grammar wrote a text that left no choice."""
        self.given.append(text)
