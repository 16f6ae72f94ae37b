"""The executor: decodes one hole under Γ as it grows (paper, 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gproj_lsp.decode.base import MaskEngine, Stop
from gproj_lsp.decode.calls import (
    Call,
    beginning,
    concatenated,
    ending_before,
    may_be_empty,
    piece,
)
from gproj_lsp.decode.choice import decide
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.leaf import LeafDecoder, Task
from gproj_lsp.decode.prompt import Seam, between, seam, window
from gproj_lsp.decode.rank import Ranking, rank
from gproj_lsp.decode.sampling import GREEDY, Sampler, Sampling
from gproj_lsp.decode.trace import Declared, Fallback, HoleEntered, Ledger, Listener, Text, silent
from gproj_lsp.decode.walk import Around, Walk
from gproj_lsp.environment import Binding, Environment
from gproj_lsp.errors import EmptyQueryError, GprojError
from gproj_lsp.fragment import Fragment, Instance, Rung, instantiate
from gproj_lsp.gbnf import Expr, Grammar, Literal, Ref
from gproj_lsp.policy import Choice, Policy, choose

__all__ = ["Decoded", "Executor", "Place", "Stranded", "Wishes"]

_BOUNDARY = b"\n"
"""What follows a name at the end of a text, so that it is told from a longer one that begins with it."""
_FEW = 40
_EFFORT = 96
"""More names than a few are ranked exactly only as far as this many nodes of their tree."""
_LIMITS = (1, 4, 16)
"""How many of the likeliest names are tried where the ones before were refused."""
_REFUSED = "what was decoded would make the document worse, so it was withheld"
_ATTEMPTS = 4
"""How often an open hole is decoded before all that was refused."""
_LOOK = 8
"""Tokens after which a choice between parts of a fragment is taken as open, and falls to the first."""


class Stranded(GprojError):  # noqa: N818  (an outcome of decoding, told as *incomplete*)
    """A decode could not come to its grammar's end; nothing of it is to be used."""


@dataclass(frozen=True)
class Place:
    """Where a text is to stand.

    Attributes:
        before: What the model is shown before it: the head of the prompt, then the text.
        after: The text after it.
        region: ρ, outermost first.
        hole: How the hole reads in the source.
        head: How many bytes of `before` are the head of the prompt.
    """

    before: bytes
    after: bytes = b""
    region: tuple[str, ...] = ()
    hole: str = ""
    head: int = 0


@dataclass(frozen=True)
class Wishes:
    """How the user wants holes to be filled.

    Attributes:
        sampling: Greedy, or how to sample.
        allow_base: Whether a hole may be filled without the guarantee where nothing declared fits.
        budget: The most tokens one hole may take.
        scored: How many bytes of the text after a hole are scored with each candidate, at least.
    """

    sampling: Sampling = GREEDY
    allow_base: bool = False
    budget: int = 128
    scored: int = 24


@dataclass(frozen=True)
class Decoded:
    """The text of one hole.

    Attributes:
        text: The text.
        rung: The loosest rung of any part that names something.
        guaranteed: Whether no ghost can be in it.
        candidates: What the hole's slots admitted, in Γ's order.
        declared: What it declares.
        ledger: What it cost.
    """

    text: str
    rung: Rung
    guaranteed: bool
    candidates: tuple[str, ...]
    declared: tuple[Binding, ...]
    ledger: Ledger


class Executor:
    """Decodes holes with one model and one engine. One executor belongs to one thread."""

    def __init__(  # noqa: PLR0913  (what decodes, what it decodes, how, and who is told)
        self,
        context: Context,
        engine: MaskEngine,
        fragments: Mapping[str, Fragment],
        policies: Mapping[str, Policy],
        wishes: Wishes | None = None,
        told: Listener = silent,
    ) -> None:
        """An executor.

        Args:
            context: The model and what it was shown.
            engine: The mask engine.
            fragments: By the sort they produce.
            policies: By sort; a sort without one starts at GAMMA.
            wishes: How to fill.
            told: Gets the events.
        """
        self.context = context
        self.engine = engine
        self.fragments = dict(fragments)
        self.policies = policies
        self.wishes = wishes or Wishes()
        self.told = told
        self.sampler = Sampler(self.wishes.sampling)
        self.leaf = LeafDecoder(context, engine, self.sampler)
        self.pieces: dict[tuple[int, Expr], Fragment] = {}

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
        judge = _Judge(accepts)
        ledger = Ledger()
        for attempt in range(_ATTEMPTS):
            hole = _HoleDecode(self, place, pin, judge, stop, ledger, self._leaf(attempt))
            text = Walk(self.fragments, hole, environment).part(
                call, Ref(call.fragment.grammar.start), around
            )
            if judge.accepts(text):
                return hole.decoded(text)
        raise Stranded(_REFUSED)

    def _leaf(self, attempt: int) -> LeafDecoder:
        """What decodes; after a refusal it must not say the same again, so it begins with the next likely token."""
        if not attempt or self.wishes.sampling.temperature:
            return self.leaf
        return LeafDecoder(self.context, self.engine, Sampler(self.wishes.sampling, skip=attempt))

    def at(self, rungs: tuple[Rung, ...]) -> Executor:
        """The same executor with one ladder for every sort."""
        policies = dict.fromkeys(self.fragments, Policy(rungs))
        wishes = replace(self.wishes, allow_base=Rung.BASE in rungs)
        return Executor(self.context, self.engine, self.fragments, policies, wishes, self.told)

    def ranking(
        self, instance: Instance, place: Place, *, limit: int = 10, stop: Stop | None = None
    ) -> Ranking:
        """The candidates of a hole that is one closed slot, likeliest first.

        Raises:
            Cancelled: `stop` said so.
            ModelError: The model failed.
        """
        right = window(place.after, self.wishes.scored) or _BOUNDARY
        shown = shown_before(self.context, place.before)
        names = instance.candidates[instance.only]
        effort = _EFFORT if len(names) > _FEW else None
        return rank(self.context, shown, names, right, limit=limit, effort=effort, stop=stop)

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


class _Judge:
    """The caller's say in a hole's text; asked once about each text."""

    def __init__(self, accepts: Callable[[str], bool]) -> None:
        self._accepts = accepts
        self._known: dict[bytes, bool] = {}

    def accepts(self, text: bytes) -> bool:
        if text not in self._known:
            self._known[text] = self._accepts(text.decode())
        return self._known[text]


@dataclass
class _HoleDecode:
    """The hands of one walk; grows while a hole is decoded."""

    owner: Executor
    place: Place
    pin: str
    judge: _Judge
    stop: Stop | None
    ledger: Ledger
    leaf: LeafDecoder
    rung: Rung = Rung.PIN
    guaranteed: bool = True
    candidates: dict[str, None] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)

    def decoded(self, text: bytes) -> Decoded:
        return Decoded(
            text.decode(),
            self.rung,
            self.guaranteed,
            tuple(self.candidates),
            tuple(self.bindings),
            self.ledger,
        )

    def write(self, call: Call, expr: Expr, around: Around, environment: Environment) -> bytes:
        fragment = self.owner.cut(call.fragment, expr)
        pin = self.pin if not call.depth else ""
        region = (*self.place.region, *call.path[1:])
        choice = self.owner.chosen(fragment, environment, region, pin=pin, hole=self.place.hole)
        self._note(call, choice)
        instance = choice.instance
        if instance.only and len(instance.candidates[instance.only]) == 1:
            return self._only(instance)
        if instance.only and not self.owner.wishes.sampling.temperature:
            return self._best(call, instance, around)
        return self._masked(instance.grammar, around)

    def decide(self, grammars: Sequence[Grammar], around: Around) -> int:
        shown = shown_before(self.owner.context, around.before)
        matchers = [
            self.owner.engine.compile(concatenated(shown.tail, grammar), self.owner.context.vocabulary)
            for grammar in grammars
        ]
        return decide(
            self.owner.context,
            shown.ids,
            matchers,
            self.leaf.sampler,
            self.ledger,
            budget=_LOOK,
            stop=self.stop,
        )

    def look(self, fragment: Fragment, path: Sequence[str], environment: Environment) -> Grammar:
        try:
            return self.owner.chosen(fragment, environment, (*self.place.region, *path[1:])).instance.grammar
        except EmptyQueryError:  # what will be declared until then is not known yet
            return instantiate(fragment, environment, Rung.BASE).grammar

    def declared(self, binding: Binding) -> None:
        self.bindings.append(binding)
        self.owner.told(Declared(binding))

    def _note(self, call: Call, choice: Choice) -> None:
        instance = choice.instance
        sort = call.path[-1]
        left = (*choice.empty, *choice.doubted)
        if left:
            self.owner.told(Fallback(sort, max(left), instance.rung))
        count = sum(map(len, instance.candidates.values()))
        self.owner.told(HoleEntered(sort, call.depth, instance.rung, count))
        for names in instance.candidates.values():
            self.candidates.update(dict.fromkeys(names))
        if call.fragment.slots:
            self.rung = min(self.rung, instance.rung)
        self.guaranteed = self.guaranteed and choice.guaranteed

    def _only(self, instance: Instance) -> bytes:
        text = instance.candidates[instance.only][0].encode()
        self.ledger.gave(text)
        return self._whole(text)

    def _best(self, call: Call, instance: Instance, around: Around) -> bytes:
        """The likeliest name, and of a hole that is nothing else, the likeliest that is accepted."""
        calls = self.owner.context.calls
        names = instance.candidates[instance.only]
        place = Place(around.before, around.after or _literal(around.follow))
        tried = 0
        for limit in _LIMITS:
            ranking = self.owner.ranking(instance, place, limit=limit, stop=self.stop)
            best = [each.text.encode() for each in ranking.candidates[:limit]]
            found = next((text for text in best[tried:] if call.depth or self.judge.accepts(text)), None)
            tried = len(best)
            if found is not None or tried == len(names):
                break
        self.ledger.model_calls += self.owner.context.calls - calls
        self.ledger.chose(len(names))
        if found is None:
            raise Stranded(_REFUSED)
        return self._whole(found)

    def _whole(self, text: bytes) -> bytes:
        self.ledger.tokens += len(self.owner.context.vocabulary.encode(text))
        self.owner.told(Text(0, text))
        return text

    def _masked(self, grammar: Grammar, around: Around) -> bytes:
        if self.owner.context.vocabulary.fim is not None and around.after:
            return self._middle(grammar, around)
        shown = shown_before(self.owner.context, around.before)
        follow = beginning(around.follow) if around.follow else None
        closed = follow is not None and not may_be_empty(follow)
        parts = (shown.tail, grammar, *([follow] if follow else ()))
        skip = len(shown.tail)
        text = self._written(Task(concatenated(*parts), shown.ids, self._budget(), closed), skip)
        end = _end(text, grammar, follow)
        if end < len(text):
            self.owner.told(Text(end, b""))
        return text[:end]

    def _middle(self, grammar: Grammar, around: Around) -> bytes:
        """Write between the text before and the text after, which a model with fill-in-the-middle tokens is shown first."""
        shown = between(self.owner.context.vocabulary, around.before, around.after, self.place.head)
        return self._written(Task(grammar, shown, self._budget(), closed=False), 0)

    def _budget(self) -> int:
        return self.owner.wishes.budget - self.ledger.tokens

    def _written(self, task: Task, skip: int) -> bytes:
        """Decode; the first bytes were there before and are not told."""

        def told(at: int, data: bytes) -> None:
            self.owner.told(Text(max(0, at - skip), data[max(0, skip - at) :]))

        written = self.leaf.decode(task, self.ledger, told, self.stop)
        if written.reason:
            raise Stranded(written.reason)
        return written.text[skip:]


def shown_before(context: Context, before: bytes) -> Seam:
    """The text before a place as the model is shown it; at least one token, because a model says nothing to nothing."""
    cut = seam(context.vocabulary, before)
    return cut if cut.ids else Seam(tuple(context.vocabulary.encode(_BOUNDARY)), cut.tail)


def _end(text: bytes, grammar: Grammar, follow: Grammar | None) -> int:
    """Where the grammar's own part of a text ends, before what follows it."""
    if follow is None:
        return len(text)
    literal = _literal(follow)
    if literal and text.endswith(literal):
        return len(text) - len(literal)
    chars = text.decode()
    end = ending_before(chars, grammar, follow)
    return len(text) if end is None else len(chars[:end].encode())


def _literal(grammar: Grammar | None) -> bytes:
    """The text of a grammar that is one literal; empty where it is not."""
    expr: Expr | None = Ref(grammar.start) if grammar else None
    while grammar and isinstance(expr, Ref):
        expr = grammar.rules[expr.rule]
    return expr.text.encode() if isinstance(expr, Literal) else b""
