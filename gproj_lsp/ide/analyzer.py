"""The analyser: a text in, an `Analysis` out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from gproj_lsp.cursor import typed, word_at
from gproj_lsp.environment import Binding, Environment, Frame, Key, Origin
from gproj_lsp.facts import NOTHING, Facts
from gproj_lsp.ghosts import Diagnostic, suppressed
from gproj_lsp.holes import Hole, holes_of
from gproj_lsp.ide.analysis import Analysis, Resolved
from gproj_lsp.ide.drafting import Drafting
from gproj_lsp.ide.memory import Memory, Recent
from gproj_lsp.joining import joined
from gproj_lsp.resolve import Resolver, Verdict, World
from gproj_lsp.surface import Surface
from gproj_lsp.syntax import Source, Statement, TokenKind, lexer_of, split
from gproj_lsp.text import LineIndex, Span, decode, encode

__all__ = ["Analyzer"]

_DOCUMENTS = 100
"""How many documents' last states are kept; beyond them an edit costs a whole analysis."""


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
        self._memory = Memory(resolver, surface, self.settings)
        self._previous: Recent[str, Analysis] = Recent(_DOCUMENTS)

    @property
    def start(self) -> Environment:
        """Γ before any text: what the language and the world declare."""
        return self._start

    def analyse(
        self, text: str, cursor: int | None = None, document: str = "", *, after: Analysis | None = None
    ) -> Analysis:
        """Analyse a text; never raises on any text. Any thread may call; they take turns statement by statement.

        Args:
            text: The whole buffer.
            cursor: A byte offset where someone types, if anyone does. The word it touches is left alone, and so is what that
                word or text that is still to come can make good.
            document: Which document the text is a state of: what an edit did not touch is taken from its last state.
            after: What comes before the text and declares names for it, as the cells of a notebook do; an analysis of this
                analyser.
        """
        size = len(encode(text))
        if size > self.surface.limits.file_bytes:
            return self._refused(text, size)
        environment, closed = self._start, self._closed
        if after is not None and after.statements:
            environment, closed = after.statements[-1].after, after.statements[-1].closed_after
        previous = self._previous.get(document)
        if previous is not None and previous.start is not environment:
            previous = None
        source = typed(split(text, self._lexer, previous.source if previous else None), cursor)
        return self._previous.put(document, self._analysed(source, environment, closed, previous, cursor))

    def instead(self, analysis: Analysis, span: Span, text: str) -> tuple[Hole, ...]:
        """The holes of one statement if a text stood in the place of some of its bytes.

        Args:
            analysis: An analysis of this analyser.
            span: Bytes of one of its statements.
            text: What would stand there.

        Returns:
            The holes, in bytes of the changed document; none where the span is not within a statement.
        """
        index = analysis.source.at(span.start)
        if index is None or index >= len(analysis.statements):
            return ()
        here, resolved = analysis.source.span(index), analysis.statements[index]
        if not here.contains(span):
            return ()
        data, cut = resolved.statement.data, span.shift(-here.start)
        changed = decode(data[: cut.start]) + text + decode(data[cut.end :])
        statement = self._lexer.statement(changed, complete=resolved.statement.complete)
        other = self._memory.of(statement, resolved)
        return tuple(holes_of(statement, here.start, other.resolution, other.before, self.surface))

    def again(self, analysis: Analysis, text: str, cursor: int | None = None) -> Analysis:
        """What an analysis would be of another text; documents' last states stay as they are.

        Args:
            analysis: An analysis of this analyser.
            text: The other text.
            cursor: Where somebody would type in it, if anybody would.
        """
        closed = analysis.statements[0].closed if analysis.statements else self._closed
        source = typed(split(text, self._lexer, analysis.source), cursor)
        return self._analysed(source, analysis.start, closed, analysis, cursor)

    def written(self, name: str, sort: str) -> str:
        """How a new name must be written, quoted where that is needed; empty where it can't be.

        Args:
            name: Without quotes.
            sort: What it is to be.
        """
        adopted = self.resolver.adopt([Binding(name, sort)], World(frozenset(), self.settings))
        return adopted[0].spelling if adopted else ""

    def word(self, text: str) -> bool:
        """Whether a text is one word or one quoted name, as names are written."""
        tokens = self._lexer.statement(text).tokens
        return (
            len(tokens) == 1
            and tokens[0].kind in (TokenKind.WORD, TokenKind.QUOTED)
            and tokens[0].text == text
        )

    def statement(self, text: str, offset: int) -> Drafting:
        """The statement that someone writes at a byte offset of a document: the one there, or a new one."""
        return self.drafting(self.analyse(text), offset)

    def drafting(self, analysis: Analysis, offset: int) -> Drafting:
        """The statement that someone writes at a byte offset of an analysed document: the one there, or a new one."""
        source = analysis.source
        index = source.writing(offset)
        found = min(source.before(offset) if index is None else index, len(analysis.statements))
        before = analysis.statements[found - 1].after if found else analysis.start
        closed = analysis.statements[found - 1].closed_after if found else self._closed
        span = Span(offset, offset) if index is None else source.span(index)

        def holes(statement: Statement, resolved: Resolved) -> tuple[Hole, ...]:
            return tuple(holes_of(statement, 0, resolved.resolution, before, self.surface))

        return Drafting(
            span.start,
            decode(source.data[span.start : offset]),
            decode(source.data[offset : max(span.end, offset)]),
            "\n" if self._needs_break(source, offset, begins=index is None) else "",
            before,
            self._lexer,
            lambda statement: self._memory.resolved(statement, before, closed),
            self.resolver.scopes,
            holes,
        )

    def _needs_break(self, source: Source, offset: int, *, begins: bool) -> bool:
        """Whether text at a cursor must begin a line: behind a comment that runs to its end, and as a new statement."""
        line = decode(source.data[source.data.rfind(b"\n", 0, offset) + 1 : offset])
        if begins and line.strip():
            return True
        tokens = self._lexer.statement(line, complete=False).tokens
        last = tokens[-1] if tokens else None
        openers = tuple(self._lexer.spec.line_comments)
        return last is not None and last.kind is TokenKind.COMMENT and last.text.startswith(openers)

    def forget(self, document: str) -> None:
        """Keep nothing of a document's last state."""
        self._previous.forget(document)

    def declared(self, sources: Sequence[tuple[str, str]]) -> Facts:
        """What source texts (DDL files) declare, each on top of those before it.

        Args:
            sources: (text, label of its place) pairs in order.
        """
        return self.stages(sources)(len(sources))

    def stages(self, sources: Sequence[tuple[str, str]], read: float = 0.0) -> Callable[[int], Facts]:
        """Read source texts, to be asked what the first of them declare; see `declared`.

        Args:
            sources: (text, label of its place) pairs in order.
            read: When they were read, in seconds since the epoch.

        Returns:
            What the first n of them declare.
        """
        environment, closed = self._start, self._closed
        reached = [environment]
        places: dict[Binding, Binding] = {}
        origins: dict[Key, Origin] = {}
        problems: list[str] = []
        opened: list[frozenset[str]] = []
        for text, label in sources:
            if (size := len(encode(text))) > self.surface.limits.file_bytes:
                problems.append(f"{label}: {self._too_large(size)}")
                opened.append(frozenset(self.surface.sorts))
            else:
                analysis = self._analysed(split(text, self._lexer), environment, closed)
                places.update(_placed(analysis, label, read, origins))
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


def _placed(
    analysis: Analysis, label: str, read: float, origins: dict[Key, Origin]
) -> Iterator[tuple[Binding, Binding]]:
    """What the statements of a source declare, and the same with its place: the line where it is named.

    Args:
        analysis: The source.
        label: What it is called.
        read: When it was read.
        origins: The places of what sources before it declared; what only changes keeps its own.
    """

    def origin(offset: int) -> Origin:
        return Origin("ddl", f"{label}:{analysis.lines.position(offset).line + 1}", read)

    for (_, start), each in zip(analysis.source.placed(), analysis.statements, strict=True):
        places = each.effect.places
        for binding in each.effect.declares:
            key = binding.key
            if key in places:
                origins[key] = origin(start + places[key].start)
            yield binding, replace(binding, origin=origins.setdefault(key, origin(start)))


def _members(surface: Surface) -> Mapping[str, str]:
    return {sort.plural: name for name, sort in surface.sorts.items() if sort.plural}
