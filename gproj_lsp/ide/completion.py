"""What may be written at a cursor: the names that fit there, nearest first. Needs no model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from gproj_lsp.decode.nearby import Nearby
from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.holes import Hole
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.analyzer import Analyzer
from gproj_lsp.lexer import Statement, Token, TokenKind
from gproj_lsp.surface import Surface
from gproj_lsp.text import Span, decode

__all__ = ["Completer", "Completions", "Item"]

_MOST = 150
"""So many names are shown at once; what is typed next narrows them."""
_CALLABLE = "function"
_MEMBER = "."
_QUOTES = "\"'`[]"
_HOLE = "??"


@dataclass(frozen=True)
class Item:
    """One name that may be written.

    Attributes:
        text: As it must be written there: quoted and qualified where that is needed.
        binding: What it stands for.
        fits: Whether it is of the sort that the place expects; else it is the beginning of something that is.
    """

    text: str
    binding: Binding
    fits: bool = True


@dataclass(frozen=True)
class Completions:
    """The names that may be written at a cursor.

    Attributes:
        span: The bytes that a name replaces: the word under the cursor, or the hole.
        sort: The sort that the place expects.
        items: The names, what is nearest first.
        whole: Whether those are all; else more typing gives others.
        hole: The hole that the cursor is at, if it is at one.
    """

    span: Span
    sort: str
    items: tuple[Item, ...]
    whole: bool = True
    hole: Hole | None = None


@dataclass(frozen=True)
class _Place:
    """Where a name is written.

    Attributes:
        span: What it replaces.
        typed: What of it is there before the cursor.
        sort: The sort it would have to have.
        environment: Γ there.
        member: Whether it stands behind the mark of a member.
        quoted: Whether it is in quotes.
        hole: The hole that is there.
    """

    span: Span
    typed: str
    sort: str
    environment: Environment
    member: bool = False
    quoted: bool = False
    hole: Hole | None = None


class Completer:
    """Completes names in documents of one surface.

    Args:
        surface: The language.
    """

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._near = Nearby(surface)

    def at(self, analyzer: Analyzer, analysis: Analysis, offset: int) -> Completions | None:
        """The names that may be written at a cursor; None in comments and strings, and where no name can stand.

        Args:
            analyzer: Made the analysis.
            analysis: The document.
            offset: The cursor, in bytes.
        """
        place = _place(analyzer, analysis, offset)
        if place is None or not place.sort:
            return None
        environment = self._near.environment(place.environment)
        shown = [each for each in _shown(environment, analysis) if self._stands_beside(each, place.sort)]
        if place.member and shown:
            return None  # what stands before the mark is not known, so neither is what it has
        others: Sequence[Binding] = shown if place.hole is None else ()  # a hole is one name and nothing else
        typed = place.typed.casefold()
        fitting = self._fitting(place.sort, environment)
        many = len(fitting) + len(others) > _MOST
        if many:
            fitting, others = _matching(typed, fitting), _matching(typed, others)
        calls = bool(shown) and place.hole is None and not place.quoted
        far = self._callable(typed, environment) if calls and typed else ()
        items = (*_items(fitting), *_items(others, fits=False), *_items(far, fits=False))[:_MOST]
        return Completions(place.span, place.sort, items, not (many or calls), place.hole)

    def _stands_beside(self, binding: Binding, sort: str) -> bool:
        """Whether a name of another sort may begin what the place expects."""
        spec = self._surface.sorts.get(binding.sort)
        return binding.sort != sort and spec is not None and spec.kind != ""

    def _fitting(self, sort: str, environment: Environment) -> Sequence[Binding]:
        """The names that a hole of the sort could be filled with: those of the tightest rung that has any."""
        fragment, spec = self._surface.fragments.get(sort), self._surface.sorts.get(sort)
        if fragment is None or spec is None:
            return environment.names(Query.of(sort)) if spec is not None and not spec.declares else ()
        for rung in spec.rungs:
            queries = [ladder.query(rung) for ladder in fragment.slots.values() if not ladder.declares]
            found = [each for query in queries if query is not None for each in environment.names(query)]
            if found:
                return _distinct(found)
        return ()

    def _callable(self, typed: str, environment: Environment) -> Iterator[Binding]:
        """What an expression may call that begins with what is typed."""
        sorts = [name for name, spec in self._surface.sorts.items() if spec.kind == _CALLABLE]
        found = (each for sort in sorts for each in environment.names(Query.of(sort)))
        return islice((each for each in found if each.name.casefold().startswith(typed)), _MOST)


def _shown(environment: Environment, analysis: Analysis) -> list[Binding]:
    """What the place itself brings into scope: the frames of its statement."""
    inner = environment.frames[len(analysis.start.frames) :]
    return [
        binding
        for frame in reversed(inner)
        for binding in frame.bindings.values()
        if binding.attrs.get("scope") == "visible"
    ]


def _place(analyzer: Analyzer, analysis: Analysis, offset: int) -> _Place | None:
    for hole in analysis.holes:
        if hole.span.touches(offset):
            return _Place(hole.span, "", hole.sort, hole.environment, hole=hole)
    index = analysis.source.at(offset)
    if index is None:
        return None
    start = analysis.source.span(index).start
    statement = analysis.statements[index].statement if index < len(analysis.statements) else None
    if statement is None:
        return None
    token = _token(statement, offset - start)
    span = token.span if token is not None else Span(offset - start, offset - start)
    if token is not None and token.kind not in (TokenKind.WORD, TokenKind.QUOTED):
        return None
    typed = decode(statement.data[span.start : offset - start]).strip(_QUOTES)
    member = _before(statement, span.start) == _MEMBER
    quoted = token is not None and token.kind is TokenKind.QUOTED
    if token is not None and quoted and not _is_closed(token.text):
        return _unclosed(analyzer, analysis, Span(start + span.start, _word_end(analysis, offset)), typed)
    return _Place(
        span.shift(start),
        typed,
        analysis.expectation_at(offset).sort,
        analysis.environment_at(offset),
        member,
        quoted,
    )


def _token(statement: Statement, offset: int) -> Token | None:
    """The token that a cursor is in: a word or a quoted name that it touches, else what has it inside."""
    touching = [each for each in statement.tokens if each.span.touches(offset)]
    names = [each for each in touching if each.kind in (TokenKind.WORD, TokenKind.QUOTED)]
    inside = [each for each in touching if _holds(each, offset)]
    return next(iter([*names, *inside]), None)


def _holds(token: Token, offset: int) -> bool:
    """Whether a cursor inside or at the end of a token goes on writing it."""
    if token.kind is TokenKind.PUNCTUATION or token.span.start == offset:
        return False
    if offset < token.span.end:
        return True
    if token.kind is TokenKind.COMMENT:
        return not token.text.endswith("*/") and "\n" not in token.text
    return token.kind in (TokenKind.NUMBER, TokenKind.STRING, TokenKind.OPAQUE)


def _before(statement: Statement, offset: int) -> str:
    """The token before a place."""
    ahead = [each for each in statement.code if each.span.end <= offset]
    return ahead[-1].text if ahead else ""


def _is_closed(quoted: str) -> bool:
    return len(quoted) > 1 and quoted[-1] == {"[": "]"}.get(quoted[0], quoted[0])


def _unclosed(analyzer: Analyzer, analysis: Analysis, span: Span, typed: str) -> _Place | None:
    """A quoted name whose closing quote is still to come: read as if a hole stood there."""
    holes = analyzer.instead(analysis, span, _HOLE)
    found = next((hole for hole in holes if hole.span.start == span.start), None)
    return _Place(span, typed, found.sort, found.environment, quoted=True) if found is not None else None


def _word_end(analysis: Analysis, offset: int) -> int:
    rest = decode(analysis.source.data[offset : offset + 200])
    word = next((at for at, char in enumerate(rest) if not (char.isalnum() or char in "_$")), len(rest))
    return offset + len(rest[:word].encode("utf-8", "surrogateescape"))


def _distinct(names: Iterable[Binding]) -> Sequence[Binding]:
    """The first of those that are written alike."""
    found: dict[str, Binding] = {}
    for each in names:
        found.setdefault(each.spelling, each)
    return tuple(found.values())


def _items(names: Iterable[Binding], *, fits: bool = True) -> Iterator[Item]:
    return (Item(each.spelling, each, fits) for each in names)


def _matching(typed: str, names: Iterable[Binding]) -> Sequence[Binding]:
    """The names that are what is typed, then those that begin so, then those that have its letters in their order."""
    ranked: tuple[list[Binding], ...] = ([], [], [])
    for each in names:
        name = each.name.casefold()
        if name.startswith(typed):
            ranked[name != typed].append(each)
        elif _has(name, typed):
            ranked[2].append(each)
    return [*ranked[0], *ranked[1], *ranked[2]][:_MOST]


def _has(name: str, letters: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)
