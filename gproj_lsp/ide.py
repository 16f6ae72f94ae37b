"""The façade that the command line and the editors see: a text in, plain values in bytes and labels out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from gproj_lsp.cursor import typed, without_word, word_at
from gproj_lsp.drift import Drift
from gproj_lsp.environment import Binding, Environment, Frame, Key, Origin
from gproj_lsp.facts import DISPUTED, NOTHING, Facts
from gproj_lsp.ghosts import Diagnostic, diagnose, suppressed, unknown_sort
from gproj_lsp.holes import Hole, holes_of, inside
from gproj_lsp.joining import joined
from gproj_lsp.resolve import (
    UNREAD,
    Effect,
    Expectation,
    Reference,
    Resolution,
    Resolver,
    Verdict,
    World,
)
from gproj_lsp.surface import Surface
from gproj_lsp.syntax import Piece, Source, Statement, TokenKind, lexer_of, split
from gproj_lsp.text import LineIndex, Span, encode

__all__ = ["Analysis", "Analyzer", "Diagnostic"]

logger = logging.getLogger(__name__)

_REMEMBERED = 50_000
"""How many resolved statements an analyser keeps before it forgets those not in use."""


@dataclass(frozen=True, eq=False)
class Resolved:
    """One statement under the Γ it saw; spans are relative to it.

    Attributes:
        statement: The statement.
        before: Γ before it.
        after: Γ after it.
        closed: The sorts known completely before it.
        effect: What it declares and drops.
        references: Its references.
        unknown: How many of them are unknown.
        diagnostics: Its findings.
    """

    statement: Statement
    before: Environment
    after: Environment
    closed: frozenset[str]
    effect: Effect
    references: tuple[Reference, ...]
    unknown: int
    diagnostics: tuple[Diagnostic, ...]
    _resolve: Callable[[], Resolution] = field(repr=False)

    @cached_property
    def resolution(self) -> Resolution:
        """What is known of its places."""
        return self._resolve()

    @property
    def closed_after(self) -> frozenset[str]:
        """The sorts known completely after it."""
        return self.closed - self.effect.opens if self.effect.opens else self.closed


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is known of one text. Everything is in bytes of its UTF-8; `lines` converts.

    Attributes:
        source: The text, cut into statements.
        statements: What is known of each statement.
        start: Γ before the first.
        diagnostics: The findings, in order.
        holes: The holes, in order.
        references: How many names stand at reference positions.
        unknown: How many of them nothing is known of.
        problems: Why analysis was cut short, as a user should see it.
    """

    source: Source
    statements: tuple[Resolved, ...]
    start: Environment
    diagnostics: tuple[Diagnostic, ...]
    holes: tuple[Hole, ...]
    references: int
    unknown: int
    problems: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text that was analysed."""
        return self.source.text

    @cached_property
    def lines(self) -> LineIndex:
        """Its lines."""
        return LineIndex(self.source.data)

    def environment_at(self, offset: int) -> Environment:
        """Γ at a byte offset."""
        index = self._index(offset)
        if index is not None:
            here = self.statements[index]
            return inside(here.resolution, here.before, offset - self.source.span(index).start)
        before = min(self.source.before(offset), len(self.statements))
        return self.statements[before - 1].after if before else self.start

    def expectation_at(self, offset: int) -> Expectation:
        """What a name at a byte offset would have to be."""
        index = self._index(offset)
        if index is None:
            return Expectation("")
        return self.statements[index].resolution.expectation_at(offset - self.source.span(index).start)

    def each_reference(self) -> Iterator[tuple[Span, Reference]]:
        """Every reference with its bytes in the document, in order."""
        for (_, start), each in zip(self.source.placed(), self.statements, strict=False):
            for reference in each.references:
                yield reference.span.shift(start), reference

    def reference_at(self, offset: int) -> tuple[Span, Reference] | None:
        """The reference that a cursor at a byte offset touches."""
        index = self._index(offset)
        if index is None:
            return None
        start = self.source.span(index).start
        return next(
            (
                (reference.span.shift(start), reference)
                for reference in self.statements[index].references
                if reference.span.touches(offset - start)
            ),
            None,
        )

    def _index(self, offset: int) -> int | None:
        index = self.source.at(offset)
        return index if index is not None and index < len(self.statements) else None


class Analyzer:
    """Analyses texts of one surface against one world; keeps what an edit does not touch.

    Args:
        surface: The language.
        resolver: Its resolver; `gproj_lsp.resolve.resolver_of(surface)` finds it.
        facts: What each provider found, in order of precedence.
        settings: The surface's settings that resolution depends on (`dialect`).
    """

    def __init__(
        self,
        surface: Surface,
        resolver: Resolver,
        facts: Facts | Sequence[Facts] = NOTHING,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.surface = surface
        self.resolver = resolver
        self.settings: Mapping[str, str] = MappingProxyType(dict(settings or {}))
        self._lexer = lexer_of(surface, self.settings.get("dialect", ""))
        bare = World(frozenset(), self.settings)
        builtins = resolver.builtins(bare)
        sources = (facts,) if isinstance(facts, Facts) else tuple(facts)
        world = joined(
            [replace(each, bindings=resolver.adopt(_told(each, surface), bare)) for each in sources],
            _members(surface),
        )
        self.problems = world.problems
        self._closed = builtins.closed | world.closed
        self._start = Environment((_first(builtins.bindings), _first(world.bindings)))
        self._memory = _Memory(resolver, surface, self.settings)
        self._previous: Analysis | None = None

    @property
    def start(self) -> Environment:
        """Γ before any text: what the language and the world declare."""
        return self._start

    def analyse(self, text: str, cursor: int | None = None) -> Analysis:
        """Analyse a text; never raises on any text.

        Args:
            text: The whole buffer.
            cursor: A byte offset where someone types, if anyone does. The word it touches is left alone, and so is what that
                word or text that is still to come can make good.
        """
        size = len(encode(text))
        if size > self.surface.limits.file_bytes:
            return self._refused(text, size)
        previous = self._previous
        source = typed(split(text, self._lexer, previous.source if previous else None), cursor)
        self._previous = self._analysed(source, self._start, self._closed, previous, cursor)
        return self._previous

    def declared(self, sources: Sequence[tuple[str, str]]) -> Facts:
        """What source texts (DDL files) declare, each on top of those before it.

        Args:
            sources: (text, label of its place) pairs in order.
        """
        return self.stages(sources)(len(sources))

    def stages(self, sources: Sequence[tuple[str, str]]) -> Callable[[int], Facts]:
        """Read source texts, to be asked what the first of them declare; see `declared`.

        Args:
            sources: (text, label of its place) pairs in order.

        Returns:
            What the first n of them declare.
        """
        environment, closed = self._start, self._closed
        reached = [environment]
        places: dict[Binding, Binding] = {}
        problems: list[str] = []
        opened: list[frozenset[str]] = []
        for text, label in sources:
            if (size := len(encode(text))) > self.surface.limits.file_bytes:
                problems.append(f"{label}: {self._too_large(size)}")
                opened.append(frozenset(self.surface.sorts))
            else:
                analysis = self._analysed(split(text, self._lexer), environment, closed)
                places.update(_placed(analysis, label))
                opened.append(frozenset().union(*(each.effect.opens for each in analysis.statements)))
                environment = analysis.statements[-1].after if analysis.statements else environment
            reached.append(environment)

        def first(number: int) -> Facts:
            bindings = tuple(self._grown(reached[number], places))
            sorts = {binding.sort for binding in bindings}
            whole = {name for name, sort in self.surface.sorts.items() if sort.exhaustive and name in sorts}
            return Facts(bindings, frozenset(whole.difference(*opened[:number])), tuple(problems))

        return first

    def _grown(self, environment: Environment, places: Mapping[Binding, Binding]) -> Iterator[Binding]:
        """What Γ has that was not there at the start."""
        known = {binding.key for binding in self._start}
        for binding in Environment((Frame(), *environment.frames)):
            if binding in places:
                yield places[binding]
            elif binding.key not in known:
                yield binding

    def _analysed(
        self,
        source: Source,
        environment: Environment,
        closed: frozenset[str],
        previous: Analysis | None = None,
        cursor: int | None = None,
    ) -> Analysis:
        statements = self._memory.walk(source, environment, closed, previous)
        marked = [index for index, each in enumerate(statements) if each.diagnostics or each.statement.holes]
        holes: list[Hole] = []
        found: list[Diagnostic] = []
        for index in marked:
            each, span = statements[index], source.span(index)
            found += (diagnostic.shift(span.start) for diagnostic in each.diagnostics)
            if each.statement.holes:
                holes += holes_of(each.statement, span.start, each.resolution, each.before, self.surface)
        return Analysis(
            source,
            statements,
            environment,
            self._shown(self._sure(found, source, statements, cursor), source),
            tuple(holes),
            sum(len(each.references) for each in statements),
            sum(each.unknown for each in statements),
        )

    def _sure(
        self,
        found: Sequence[Diagnostic],
        source: Source,
        statements: tuple[Resolved, ...],
        cursor: int | None,
    ) -> Iterable[Diagnostic]:
        """The findings that the word under the cursor has no part in."""
        if cursor is None or not found or (index := source.at(cursor)) is None or index >= len(statements):
            return found
        here = source.span(index)
        word = word_at(statements[index].statement, cursor - here.start)
        kept = [each for each in found if not each.span.touches(cursor)]
        if word is None or not any(here.contains(each.span) for each in kept):
            return kept
        without = self._memory.without(statements[index], word)
        # By their ends: a finding may span a qualifier that without the word is a reference of its own.
        good = {here.start + each.span.end for each in without if each.verdict is Verdict.DECLARED}
        return [each for each in kept if each.span.end not in good]

    def _shown(self, kept: Iterable[Diagnostic], source: Source) -> tuple[Diagnostic, ...]:
        kept = tuple(kept)
        if not kept or b"gproj:" not in source.data:
            return kept
        spec = self._lexer.spec
        openers = (*spec.line_comments, *(spec.block_comment or ())[:1])
        lines = LineIndex(source.data)
        return tuple(each for each in kept if not suppressed(each, lines, openers))

    def _refused(self, text: str, size: int) -> Analysis:
        source = Source(text, self._lexer, ())
        return Analysis(source, (), self._start, (), (), 0, 0, (self._too_large(size),))

    def _too_large(self, size: int) -> str:
        return f"{size:,} bytes are more than the limit of {self.surface.limits.file_bytes:,}; not analysed"


class _Memory:
    """Statements already resolved, by the Γ they saw; Γ after a declaration is one value as long as both are the same."""

    def __init__(self, resolver: Resolver, surface: Surface, settings: Mapping[str, str]) -> None:
        self._resolver = resolver
        self._surface = surface
        self._settings = settings
        self._worlds: dict[frozenset[str], World] = {}
        self._known: dict[tuple[Statement, Environment, frozenset[str]], Resolved] = {}
        self._grown: dict[tuple[Environment, Effect], Environment] = {}

    def walk(
        self, source: Source, environment: Environment, closed: frozenset[str], previous: Analysis | None
    ) -> tuple[Resolved, ...]:
        """Resolve a buffer's statements in order.

        Args:
            source: The buffer.
            environment: Γ before it.
            closed: The sorts known completely before it.
            previous: The analysis before an edit; what the edit can't concern is taken from it.
        """
        old = previous.statements if previous else ()
        head, tail = _shared(previous.source.pieces, source.pieces) if previous else (0, 0)
        found = list(old[:head])
        if found:
            environment, closed = found[-1].after, found[-1].closed_after
        for piece in source.pieces[head : len(source.pieces) - tail]:
            found.append(self._resolved(piece.statement, environment, closed))
            environment, closed = found[-1].after, found[-1].closed_after
        drift = Drift(self._surface)
        drift.replace(
            [each.effect for each in old[head : len(old) - tail]], [each.effect for each in found[head:]]
        )
        for index in range(len(old) - tail, len(old)):
            last = old[index]
            if last.before is environment and last.closed == closed:
                found += old[index:]
                break
            found.append(self._next(last, environment, closed, drift))
            environment, closed = found[-1].after, found[-1].closed_after
        return tuple(found)

    def without(self, resolved: Resolved, word: Span) -> tuple[Reference, ...]:
        """The references of a statement if a word were not there."""
        rest = without_word(resolved.statement, word)
        return self._resolved(rest, resolved.before, resolved.closed).references

    def _next(
        self, last: Resolved, environment: Environment, closed: frozenset[str], drift: Drift
    ) -> Resolved:
        """A statement that stood there before, behind an edit that changed Γ."""
        statement = last.statement
        watched = last.diagnostics or statement.holes  # somebody looks at what could stand there instead
        if last.closed == closed and not watched and not drift.concerns(statement, last.effect):
            return Resolved(
                statement,
                environment,
                last.effect.apply(environment),
                closed,
                last.effect,
                last.references,
                last.unknown,
                (),
                lambda: self._resolved(statement, environment, closed).resolution,
            )
        found = self._resolved(statement, environment, closed)
        drift.replace([last.effect], [found.effect])
        return found

    def _resolved(self, statement: Statement, environment: Environment, closed: frozenset[str]) -> Resolved:
        key = (statement, environment, closed)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
                self._grown.clear()
            found = self._known[key] = self._new(statement, environment, closed)
        return found

    def _new(self, statement: Statement, environment: Environment, closed: frozenset[str]) -> Resolved:
        resolution = self._read(statement, environment, closed)
        effect = resolution.effect if resolution is not UNREAD else Effect(opens=closed)
        references = tuple(map(_doubted, resolution.references))
        return Resolved(
            statement,
            environment,
            self._after(environment, effect),
            closed,
            effect,
            references,
            sum(each.verdict is Verdict.UNKNOWN for each in references),
            tuple(self._diagnostics(statement, resolution, references, environment)),
            lambda: resolution,
        )

    def _read(self, statement: Statement, environment: Environment, closed: frozenset[str]) -> Resolution:
        if not self._readable(statement):
            return UNREAD
        world = self._worlds.setdefault(closed, World(closed, self._settings))
        try:
            return self._resolver.resolve(statement, environment, world)
        except RecursionError:
            return UNREAD
        except Exception as error:  # resolvers come from any package; one statement must not end a buffer
            logger.warning("the resolver failed, so a statement stays unread: %r", error)
            logger.debug("where it failed", exc_info=error)
            return UNREAD

    def _readable(self, statement: Statement) -> bool:
        limits = self._surface.limits
        text = statement.text
        if len(encode(text)) > limits.statement_bytes:
            return False
        brackets = text.count("(") + text.count("[") + text.count("{")
        return brackets <= limits.nesting or _depth(statement) <= limits.nesting

    def _after(self, environment: Environment, effect: Effect) -> Environment:
        if not effect.declares and not effect.drops:
            return environment
        key = (environment, effect)
        if key not in self._grown:
            self._grown[key] = effect.apply(environment)
        return self._grown[key]

    def _diagnostics(
        self,
        statement: Statement,
        resolution: Resolution,
        references: tuple[Reference, ...],
        environment: Environment,
    ) -> Iterator[Diagnostic]:
        found = list(diagnose(references, resolution, environment))
        found += (
            unknown_sort(mark, self._surface)
            for mark in statement.holes
            if mark.sort and self._surface.sort(mark.sort) is None
        )
        yield from sorted(found, key=lambda each: each.span)


def _doubted(reference: Reference) -> Reference:
    """The reference, unknown where sources disagree about what it names."""
    doubt = reference.binding.attrs.get(DISPUTED, "") if reference.binding is not None else ""
    if not doubt or reference.verdict is not Verdict.DECLARED:
        return reference
    return replace(reference, verdict=Verdict.UNKNOWN, reason=doubt)


def _shared(old: Sequence[Piece], new: Sequence[Piece]) -> tuple[int, int]:
    """How many pieces at the beginning and at the end two cuts have in common."""
    most = min(len(old), len(new))
    head = next((index for index in range(most) if old[index] is not new[index]), most)
    tail = next(
        (index for index in range(most - head) if old[-1 - index] is not new[-1 - index]), most - head
    )
    return head, tail


def _depth(statement: Statement) -> int:
    depth = deepest = 0
    for token in statement.tokens:
        if token.kind is TokenKind.PUNCTUATION:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            deepest = max(deepest, depth)
    return deepest


def _first(bindings: Iterable[Binding]) -> Frame:
    """A frame of what sources say, whatever they call a name's sort: the first to name it decides."""
    found: dict[Key, Binding] = {}
    for binding in bindings:
        found.setdefault(binding.key, binding)
    return Frame(MappingProxyType(found))


def _told(facts: Facts, surface: Surface) -> tuple[Binding, ...]:
    """The bindings of a source; where it is partial, what has members leaves them open."""
    if not facts.partial:
        return facts.bindings
    members = _members(surface)
    unsure = dict.fromkeys(members, "open")
    owners = {name for name, sort in surface.sorts.items() if sort.exhaustive} - set(members.values())
    return tuple(
        replace(each, attrs={**each.attrs, **unsure}) if each.sort in owners else each
        for each in facts.bindings
    )


def _placed(analysis: Analysis, label: str) -> Iterator[tuple[Binding, Binding]]:
    """What the statements of a source declare, and the same with its place."""
    for (_, start), each in zip(analysis.source.placed(), analysis.statements, strict=True):
        if each.effect.declares:
            origin = Origin("ddl", f"{label}:{analysis.lines.position(start).line + 1}")
            yield from ((binding, replace(binding, origin=origin)) for binding in each.effect.declares)


def _members(surface: Surface) -> Mapping[str, str]:
    return {sort.plural: name for name, sort in surface.sorts.items() if sort.plural}
