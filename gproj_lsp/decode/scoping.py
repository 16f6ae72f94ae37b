"""What a statement's text admits next: its grammar, and the narrower ones of the scopes that have said what their names mean.

A statement is written under one grammar at GAMMA. As soon as a region of a scope knows what its names mean, the scope's
grammar with that region at CTX holds as well. What was written before its names were decided (a SELECT list before FROM) is
read again then; what is refused is a *misfit*, to be written again between what stands on both sides of it. This is how the
dependency order of regions (paper, 4.3) meets a model that writes from left to right.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.decode.calls import concatenated
from gproj_lsp.decode.layers import Layers, admitted
from gproj_lsp.environment import Environment, Frame, Query
from gproj_lsp.errors import EmptyQueryError
from gproj_lsp.expansion import Path, expand
from gproj_lsp.fragment import Rung
from gproj_lsp.gbnf import Grammar, Ref, Repeat
from gproj_lsp.text import Span, decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from gproj_lsp.decode.base import MaskEngine, Matcher, Vocabulary
    from gproj_lsp.environment import Binding, Key
    from gproj_lsp.resolve import Clause, Reference, Scope
    from gproj_lsp.surface import CompletionSpec, Surface

__all__ = ["Draft", "Ground", "Kept", "Misfit", "Refused", "Scoping"]


class Draft(Protocol):
    """One statement that is being written."""

    @property
    def before(self) -> Environment:
        """Γ before it."""
        ...

    def scopes(self, text: str) -> tuple[Scope, ...]:
        """The scopes of a text for it, in order of place."""
        ...

    def environment(self, text: str, span: Span) -> Environment:
        """Γ where a name would stand in the place of some bytes of a text for it."""
        ...

    def unmet(self, text: str, span: Span) -> tuple[Reference, ...]:
        """The names in some bytes of a text for it that are not declared there."""
        ...


class Kept:
    """Matchers by what they were made of; the one not asked for longest is forgotten.

    Args:
        most: How many are kept.
    """

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._found: OrderedDict[Hashable, Matcher | None] = OrderedDict()

    def matcher(self, key: Hashable, make: Callable[[], Matcher]) -> Matcher | None:
        """A matcher at its start; None where its grammar has no string."""
        if key in self._found:
            self._found.move_to_end(key)
        else:
            try:
                self._found[key] = make()
            except EmptyQueryError:
                self._found[key] = None
            if len(self._found) > self._most:
                self._found.popitem(last=False)
        found = self._found[key]
        return found.fork() if found is not None else None


@dataclass(frozen=True)
class Misfit:
    """A region whose text its scope refuses now that it is decided what names mean there.

    Attributes:
        scope: The scope.
        clause: The region.
        environment: Γ in it.
    """

    scope: Scope
    clause: Clause
    environment: Environment


@dataclass(frozen=True)
class Ground:
    """What a text stands on.

    Attributes:
        matcher: It has read the first bytes of the text, and admits the rest.
        read: How many it has read.
        rung: How strongly names are constrained where the text goes on.
    """

    matcher: Matcher
    read: int
    rung: Rung


@dataclass(frozen=True)
class Refused:
    """A text that its grammars do not admit.

    Attributes:
        at: The byte up to which they do.
    """

    at: int


@dataclass
class Scoping:
    """The grammars of one statement, made as its text needs them.

    Attributes:
        surface: The language.
        spec: What of it is written.
        draft: The statement.
        engine: The mask engine.
        vocabulary: The model's.
        rung: The tightest rung to use: BASE leaves names open, GAMMA admits declared ones, CTX those that fit.
        kept: The matchers made before.
    """

    surface: Surface
    spec: CompletionSpec
    draft: Draft
    engine: MaskEngine
    vocabulary: Vocabulary
    rung: Rung
    kept: Kept
    _judged: dict[Hashable, Misfit | None] = field(default_factory=dict)
    _environments: dict[tuple[bytes, bytes], Environment] = field(default_factory=dict)
    _declared: dict[Key, Binding] = field(default_factory=dict)

    def state(self, text: str) -> Hashable:
        """What the ground of a text depends on: as long as it stays the same, so does the ground."""
        if self.rung is not Rung.CTX:
            return ()
        return tuple(
            (scope.span.start, scope.since, scope.decided, scope.is_open) for scope in self.draft.scopes(text)
        )

    def misfit(self, text: str, *, ended: bool = False) -> Misfit | None:
        """The first region of a text that its scope refuses.

        Args:
            text: The statement so far.
            ended: Whether nothing follows, so that everything is decided.
        """
        if self.rung is not Rung.CTX:
            return None
        data = encode(text)
        scopes = self.draft.scopes(text)
        self._declare_closed(data, scopes)
        for scope in scopes:
            first = scope.clauses[0]
            if (ended or not scope.is_open or first.name in scope.decided) and self._depends(scope):
                key = (
                    scope.span.start,
                    data[scope.span.start : scope.clauses[-1].span.end if ended else scope.since],
                )
                if key not in self._judged:
                    self._judged[key] = self._judge(data, scope)
                if (found := self._judged[key]) is not None:
                    return found
        return None

    def tolerate(self, misfit: Misfit) -> None:
        """Let a misfit stand."""
        self._judged.update((key, None) for key, found in self._judged.items() if found == misfit)

    def ground(self, text: str, read: int) -> Ground | Refused:
        """What a text without misfits stands on.

        Args:
            text: The statement so far.
            read: How many bytes of it are to be read; more are where a scope begins behind them.
        """
        data = encode(text)
        scopes = self.draft.scopes(text)
        layers = list(self._layers(data, scopes))
        read = max(read, *(start for start, _ in layers))
        for start, matcher in layers:
            for part, at in ((data[start:read], start), (data[read:], read)):
                if part and not matcher.accept_bytes(part):
                    return Refused(at + admitted(matcher, part))
            if data[read:]:
                matcher.rollback(1)
        return Ground(Layers([matcher for _, matcher in layers]), read, self._rung(scopes))

    def _rung(self, scopes: tuple[Scope, ...]) -> Rung:
        """How strongly names are constrained at a text's end; what a scope decides later is held against what it has."""
        deciding = (scope for scope in scopes if scope.is_open and scope.region in scope.decided)
        known = all(scope.kind in self.spec.scopes for scope in deciding)
        return self.rung if known else min(self.rung, Rung.GAMMA)

    def region(self, clause: str, environment: Environment) -> Grammar | None:
        """What may be written as a whole region whose Γ is known; None where nothing may."""
        for fragment in self.surface.fragments.values():
            for call in fragment.regions.values():
                if call.clause == clause:
                    try:
                        return self._fitting(call.sort, environment, lambda _: True)
                    except EmptyQueryError:
                        return None
        return None

    def _depends(self, scope: Scope) -> bool:
        """Whether the scope's first region means what a later one decides."""
        order = {name: at for at, name in enumerate(self.surface.order)}
        first, *others = (order.get(clause.name, -1) for clause in scope.clauses)
        return any(0 <= other < first for other in others)

    def _judge(self, data: bytes, scope: Scope) -> Misfit | None:
        first = scope.clauses[0]
        environment = self._environment(data, first.span)
        matcher = self._scope_matcher(scope, first.name, environment, self._written_in(decode(data)))
        end = min(
            first.span.end + 1, len(data)
        )  # with what follows, so that a name is told from the beginning of another
        if matcher is None or matcher.accept_bytes(data[scope.span.start : end]):
            return None
        return Misfit(scope, first, environment)

    def _layers(self, data: bytes, scopes: tuple[Scope, ...]) -> Iterator[tuple[int, Matcher]]:
        """The matchers that hold at the text's end, each with the byte it begins at; the statement's own first."""
        still = [scope for scope in scopes if scope.is_open] if self.rung is Rung.CTX else []
        ends = [*(scope.span.start for scope in still), len(data)][1:]
        known = [
            self._environment(data[:end], Span(scope.since, end))
            for scope, end in zip(still, ends, strict=True)
        ]
        self._declare_closed(data, scopes)
        self._declare(known[-1] if known else self.draft.before)
        inside = self._written_in(decode(data))
        yield 0, self._base(inside)
        for scope, environment in zip(still, known, strict=True):
            if scope.region in scope.decided:
                matcher = self._scope_matcher(scope, scope.region, environment, inside)
                if matcher is not None:
                    yield scope.span.start, matcher

    def _declare_closed(self, data: bytes, scopes: tuple[Scope, ...]) -> None:
        """Keep what the scopes declare that have come to their end."""
        for scope in scopes if self.rung is Rung.CTX else ():
            if not scope.is_open:
                end = scope.span.end
                self._declare(self._environment(data[:end], Span(end, end)))

    def _declare(self, environment: Environment) -> None:
        """Keep what a text declares: its scopes are no longer seen behind their ends, but it was written under them."""
        self._declared.update((binding.key, binding) for binding in self._inside(environment))

    def _written_in(self, text: str) -> tuple[Binding, ...]:
        """What a text declares inside itself, as far as it names it."""
        return tuple(binding for binding in self._declared.values() if binding.spelling in text)

    def _base(self, inside: tuple[Binding, ...]) -> Matcher:
        """The whole statement; what its text declares inside itself is declared, whether or not it is in scope."""
        known = self.draft.before
        if inside:
            known = known.push(Frame.of(inside))
        rung = min(self.rung, Rung.GAMMA)

        def make() -> Matcher:
            return self.engine.compile(
                expand(self.spec.sort, self.surface.fragments, known, lambda _: rung), self.vocabulary
            )

        matcher = self._matcher((rung, inside), make)
        if matcher is None:
            raise EmptyQueryError(self.spec.sort, hole="the statement", declared=())
        return matcher

    def _inside(self, environment: Environment) -> Iterator[Binding]:
        """What the statement declares itself and fragments ask for, which was not there before."""
        before = self.draft.before
        for frame in environment.frames[len(before.frames) :]:
            for key, binding in frame.bindings.items():
                asked = self.surface.sorts[binding.sort].exhaustive or any(
                    query.admits(binding) for query in self._for_declared
                )
                if asked and before.lookup(key) is None:
                    yield binding

    @cached_property
    def _for_declared(self) -> tuple[Query, ...]:
        """What fragments, those of single names aside, ask at GAMMA for names that statements declare."""
        fragments = self.surface.fragments.values()
        declared = {slot.declares for fragment in fragments for slot in fragment.slots.values()} - {""}
        larger = [fragment for fragment in fragments if fragment.anchor not in declared]
        queries = {slot.queries.get(Rung.GAMMA) for fragment in larger for slot in fragment.slots.values()}
        return tuple(query for query in queries if query is not None and query.sorts & declared)

    def _scope_matcher(
        self, scope: Scope, region: str, environment: Environment, inside: tuple[Binding, ...]
    ) -> Matcher | None:
        """The scope's own grammar with one region at CTX; None where it has none, or where nothing would be left of it.

        What other scopes of the statement declare is declared here too and fits nowhere: this grammar reads nested scopes.
        """
        sort = self.spec.scopes.get(scope.kind)
        if sort is None:
            return None
        inner = environment.frames[len(self.draft.before.frames) :]
        names = tuple(binding for frame in inner for binding in frame.bindings.values())
        others = tuple(_unfit(binding) for binding in inside if environment.lookup(binding.key) is None)

        def make() -> Matcher:
            known = environment.push(Frame.of(others)) if others else environment
            grammar = self._fitting(sort, known, lambda path: path[-1:] == (region,))
            return self.engine.compile(concatenated(grammar, self._behind), self.vocabulary)

        return self._matcher((sort, region, names, others), make)

    @cached_property
    def _behind(self) -> Grammar:
        """What may follow a scope."""
        behind = self.spec.behind
        return Grammar({**behind.rules, "behind": Repeat(Ref(behind.start), 0, 1)}, "behind")

    @cached_property
    def _nesting(self) -> frozenset[str]:
        calls = (call for fragment in self.surface.fragments.values() for call in fragment.regions.values())
        return frozenset(call.sort for call in calls if call.nests)

    def _nested(self, path: Path) -> bool:
        """Whether a path is in a scope inside the one that is written; what it means there is not decided here."""
        return bool(path) and path[0] in self._nesting

    def _fitting(self, sort: str, environment: Environment, fits: Callable[[Path], bool]) -> Grammar:
        """A composite sort with some of its regions at CTX, the rest at GAMMA."""
        rungs = {True: Rung.CTX, False: Rung.GAMMA}
        fragments = self.surface.fragments
        return expand(sort, fragments, environment, lambda path: rungs[fits(path) and not self._nested(path)])

    def _matcher(self, key: Hashable, make: Callable[[], Matcher]) -> Matcher | None:
        """A matcher at its start, compiled once for a key and Γ; None where there is nothing to match."""
        return self.kept.matcher((self.draft.before, key), make)

    def _environment(self, data: bytes, span: Span) -> Environment:
        key = (data[: span.start], data[span.end :])
        if key not in self._environments:
            self._environments[key] = self.draft.environment(decode(data), span)
        return self._environments[key]


def _unfit(binding: Binding) -> Binding:
    """The binding without what would make it fit anywhere: declared, and no more."""
    return replace(binding, attrs={})
