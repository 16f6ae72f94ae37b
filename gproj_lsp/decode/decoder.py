"""What decoding a hole here, with a model's logits, and having it written elsewhere have in common.

A hole is walked part by part. Which fragment and which rung, how Γ grows on the way and what becomes of a refused text is the
same for both; who writes a part is not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gproj_lsp.decode.base import Stop, Vocabulary
from gproj_lsp.decode.calls import Call, piece
from gproj_lsp.decode.hole import REFUSED, Decoded, Judge, Outcome, Place, Stranded, Wishes
from gproj_lsp.decode.prompt import window
from gproj_lsp.decode.rank import Ranking
from gproj_lsp.decode.trace import Ledger, Listener, silent
from gproj_lsp.decode.walk import Around, Hands, Walk
from gproj_lsp.environment import Binding, Environment
from gproj_lsp.errors import EmptyQueryError
from gproj_lsp.fragment import Fragment, Instance, Rung, instantiate
from gproj_lsp.gbnf import Expr, Grammar, Literal, Ref
from gproj_lsp.policy import Choice, Policy, choose

__all__ = ["Decoder", "Hole", "PartWriter"]

_ATTEMPTS = 4
"""How often an open hole is decoded before all that was refused."""


@dataclass(frozen=True)
class Hole:
    """A hole while it is decoded.

    Attributes:
        place: Where.
        pin: The one name it must have.
        judge: The caller's say in its text.
        ledger: Grows by what decoding cost.
        stop: Asked between steps.
        attempt: How many texts were refused before.
    """

    place: Place
    pin: str
    judge: Judge
    ledger: Ledger
    stop: Stop | None
    attempt: int = 0


class Decoder(ABC):
    """Decodes holes. One decoder belongs to one thread.

    Attributes:
        fragments: By the sort they produce.
        policies: By sort; a sort without one starts at GAMMA.
        wishes: How to fill.
        told: Gets the events.
    """

    def __init__(
        self,
        fragments: Mapping[str, Fragment],
        policies: Mapping[str, Policy],
        wishes: Wishes | None = None,
        told: Listener = silent,
    ) -> None:
        self.fragments = dict(fragments)
        self.policies = policies
        self.wishes = wishes or Wishes()
        self.told = told
        self.pieces: dict[tuple[int, Expr], Fragment] = {}

    @property
    @abstractmethod
    def vocabulary(self) -> Vocabulary:
        """What texts are measured in."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """How many tokens of the vocabulary whoever writes can be shown."""

    @property
    @abstractmethod
    def reads(self) -> int:
        """How many tokens of the text before a hole are shown at most."""

    @abstractmethod
    def at(self, rungs: tuple[Rung, ...]) -> Decoder:
        """The same decoder with one ladder for every sort."""

    @abstractmethod
    def ranking(
        self, instance: Instance, place: Place, *, limit: int = 10, stop: Stop | None = None
    ) -> Ranking:
        """The candidates of a hole that is one closed slot, likeliest first.

        Raises:
            Cancelled: `stop` said so.
            ModelError: The model failed, or gives no probabilities.
        """

    @abstractmethod
    def hands(self, hole: Hole) -> PartWriter:
        """Who writes the parts of a hole."""

    def decode(  # noqa: PLR0913  (what, where, and the caller's say in it)
        self,
        sort: str,
        environment: Environment,
        place: Place,
        *,
        pin: str = "",
        accepts: Callable[[str], bool] = lambda _: True,
        stop: Stop | None = None,
    ) -> Decoded:
        """Decode a hole.

        Args:
            sort: What it expects; a fragment must produce it.
            environment: Γ there.
            place: Where.
            pin: The one name it must have.
            accepts: May refuse a text for the whole hole; where names are ranked, the next one is then tried.
            stop: Asked before each step.

        Raises:
            Cancelled: `stop` said so.
            DepthError: Grammar calls nest too deep, or form a cycle.
            EmptyQueryError: A slot has no candidate; raised before any token of its part is sampled.
            EngineError: The engine refused a grammar.
            ModelError: The model failed.
            Stranded: The budget does not suffice, the grammar leads nowhere, or every text was refused; tells which.
        """
        call = Call(self.fragments[sort], (sort,))
        follow = Grammar({"root": Literal(window(place.after, 1).decode())}) if place.after else None
        around = Around(place.before, place.after, follow)
        judge, ledger = Judge(accepts), Ledger()
        for attempt in range(_ATTEMPTS):
            hands = self.hands(Hole(place, pin, judge, ledger, stop, attempt))
            start = Ref(call.fragment.grammar.start)
            text = Walk(self.fragments, hands, environment).part(call, start, around)
            if judge.accepts(text):
                return hands.outcome.decoded(text, ledger)
        raise Stranded(REFUSED)

    def chosen(
        self,
        fragment: Fragment,
        environment: Environment,
        region: Sequence[str],
        *,
        pin: str = "",
        hole: str = "",
    ) -> Choice:
        """What π chooses for a fragment at Γ.

        Raises:
            EmptyQueryError: No rung has a candidate.
        """
        policy = self.policies.get(fragment.anchor, Policy())
        allow_base = self.wishes.allow_base
        return choose(fragment, environment, policy, region=region, allow_base=allow_base, pin=pin, hole=hole)

    def cut(self, fragment: Fragment, expr: Expr) -> Fragment:
        """A fragment cut down to one of its expressions, made once."""
        key = (id(fragment), expr)
        if key not in self.pieces:
            self.pieces[key] = piece(fragment, expr)
        return self.pieces[key]


class PartWriter(Hands):
    """The hands of one walk: enters parts as π chooses, and has them written by whoever extends it.

    Attributes:
        hole: The hole.
        outcome: Grows with its parts.
    """

    def __init__(self, decoder: Decoder, hole: Hole) -> None:
        self.hole = hole
        self.outcome = Outcome(decoder.told)
        self._decoder = decoder

    @abstractmethod
    def instance(self, call: Call, instance: Instance, around: Around) -> bytes:
        """Write a part with a choice in it."""

    @abstractmethod
    def only(self, text: bytes) -> bytes:
        """Write a part that can be nothing else."""

    def write(self, call: Call, expr: Expr, around: Around, environment: Environment) -> bytes:
        """See `Hands`."""
        fragment = self._decoder.cut(call.fragment, expr)
        pin = self.hole.pin if not call.depth else ""
        region = (*self.hole.place.region, *call.path[1:])
        choice = self._decoder.chosen(fragment, environment, region, pin=pin, hole=self.hole.place.hole)
        self.outcome.entered(call, choice)
        names = choice.instance.candidates[choice.instance.only] if choice.instance.only else ()
        return (
            self.only(names[0].encode()) if len(names) == 1 else self.instance(call, choice.instance, around)
        )

    def look(self, fragment: Fragment, path: Sequence[str], environment: Environment) -> Grammar:
        """See `Hands`."""
        region = (*self.hole.place.region, *path[1:])
        try:
            return self._decoder.chosen(fragment, environment, region).instance.grammar
        except EmptyQueryError:  # what will be declared until then is not known yet
            return instantiate(fragment, environment, Rung.BASE).grammar

    def declared(self, binding: Binding) -> None:
        """See `Hands`."""
        self.outcome.declared(binding)
