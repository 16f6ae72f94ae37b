"""Statements that can't be read as they stand: still being typed, or with a hole that no name can stand for.

The rest of the resolver reads a whole text by sqlglot. It hands that reading to this module as a `Read`, and calls

    found = read(statement.filled, vague)                      # vague: its holes and opaque spans
    if found is None:                                          # sqlglot can't read it
        return resolve(statement, environment, world, read, effect)
    found = tentative(statement, found, world)                 # it can, but what someone types may change what names mean

and, from `frames_at` and `expectation_at` of a text that sqlglot did read, for an offset at which no name stands,

    probe(statement, offset, read)                             # a Glimpse: what a name typed there would be

What sqlglot can't read is repaired (`repair`) and read again; where that fails too, only the FROM items around a place are read
(`skeleton`), and what the place expects is told from the tokens beside it (`expected`).

Nothing here raises on any text, and nothing here calls a reference a ghost that the reading of an unchanged text would not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import pairwise

from gproj_lsp.environment import Environment, Frame
from gproj_lsp.resolve import Declaration, Effect, Expectation, Reference, Resolution, Verdict, World
from gproj_lsp.resolvers.sql.expected import clause_behind, expected
from gproj_lsp.resolvers.sql.outline import Block, Outline, outline_of, readable
from gproj_lsp.resolvers.sql.repair import DUMMY, Repaired, build, repaired
from gproj_lsp.resolvers.sql.skeleton import Pieces, items, skeleton
from gproj_lsp.resolvers.sql.tentative import tentative
from gproj_lsp.resolvers.sql.words import VERBS
from gproj_lsp.syntax import Statement, Token, TokenKind
from gproj_lsp.text import Offsets, Span

__all__ = ["Glimpse", "Read", "probe", "resolve", "tentative"]

Read = Callable[[str, tuple[Span, ...]], Resolution | None]
"""Resolves a text as sqlglot reads it, against the Γ and the world at hand; None where sqlglot can't read it.

The spans (bytes of that text) are what stands for no name: holes, templates, dummies. No reference comes from there, but
`frames_at` and `expectation_at` answer there. `complete` statements are meant: `tentative` judges what may still change.
"""

_BYTES = 200_000
"""Longer statements are not repaired."""

_TOKENS = 20_000
"""Nor are those of more tokens; they would take seconds to parse."""

_PARTS = 6
"""How many statements that a missing terminator ran together are told apart."""

_UNREADABLE = "the statement can't be read as it stands"
_DECLARATIONS = frozenset({"TableDecl", "ColDecl"})
_NAME_LIKE = frozenset({TokenKind.WORD, TokenKind.QUOTED, TokenKind.HOLE, TokenKind.OPAQUE})
_PREFIXES = frozenset({"EXPLAIN", "DESCRIBE", "DESC", "ANALYZE", "PROFILE"})


@dataclass(frozen=True)
class Glimpse:
    """What a name typed at one place would be.

    Attributes:
        expectation: Its sort and regions.
        frames: What can be written there, outermost first.
    """

    expectation: Expectation
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True)
class _Text:
    """A statement with its outline.

    Attributes:
        statement: It, or a text made of it.
        data: It as parsers see it.
        outline: Its outline.
        vague: Its holes and templates.
    """

    statement: Statement
    data: bytes
    outline: Outline
    vague: tuple[Span, ...]

    def having(self, data: bytes, vague: tuple[Span, ...] | None = None) -> _Text:
        """Another text in its place."""
        statement = Statement(data.decode("utf-8", "replace"), self.statement.lexer, self.statement.complete)
        return _Text(statement, data, outline_of(statement), self.vague if vague is None else vague)

    def blanked(self, *spans: Span) -> _Text:
        """It with spaces in some places."""
        data = bytearray(self.data)
        for span in spans:
            data[span.start : span.end] = bytes(
                b if b in b"\r\n" else 32 for b in data[span.start : span.end]
            )
        return self.having(bytes(data))


@lru_cache(maxsize=64)
def _text_of(statement: Statement) -> _Text:
    vague = tuple(sorted((*(hole.span for hole in statement.holes), *statement.opaque)))
    return _Text(statement, readable(statement), outline_of(statement), vague)


@dataclass(frozen=True)
class _Reading:
    """A text that was read after a repair.

    Attributes:
        repaired: The text, and how its places map.
        resolution: What was read.
        exact: Whether nothing but what has no names was changed.
    """

    repaired: Repaired
    resolution: Resolution
    exact: bool = False

    def references(self) -> Iterator[Reference]:
        """The references in places of the original."""
        for reference in self.resolution.references:
            span = self.repaired.back(reference.span)
            if span is None:
                continue
            if not self.exact and reference.verdict in (Verdict.GHOST, Verdict.AMBIGUOUS):
                yield replace(
                    reference, span=span, verdict=Verdict.UNKNOWN, reason=_UNREADABLE, candidates=()
                )
            else:
                yield replace(reference, span=span)

    def declarations(self) -> Iterator[Declaration]:
        """What it declares, in places of the original."""
        for each in self.resolution.declarations:
            span = self.repaired.back(each.span)
            if span is not None:
                yield Declaration(span, each.binding)


class _Unfinished:
    """A statement that was read in spite of what is wrong with it (`gproj_lsp.resolve.Resolution`)."""

    readable = False

    def __init__(
        self, text: _Text, parts: tuple[tuple[Span, _Reading], ...], effect: Effect, read: Read
    ) -> None:
        self._text = text
        self._parts = parts
        self._read = read
        self.effect = effect

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Every reference, in order."""
        found = {
            reference.span: reference for _, reading in self._parts for reference in reading.references()
        }
        if not self._parts:
            found = {reference.span: reference for reference in _guessed(self._text)}
        return tuple(found[span] for span in sorted(found))

    @cached_property
    def declarations(self) -> tuple[Declaration, ...]:
        """What it declares inside itself."""
        return tuple(each for _, reading in self._parts for each in reading.declarations())

    def frames_at(self, offset: int) -> tuple[Frame, ...]:
        """The frames to push on the Γ before the statement, outermost first."""
        return self._glimpse(offset).frames

    def expectation_at(self, offset: int) -> Expectation:
        """What a name at the offset would have to be."""
        return self._glimpse(offset).expectation

    def _glimpse(self, offset: int) -> Glimpse:
        for span, reading in self._parts:
            if span.touches(offset):
                place = reading.repaired.place(offset)
                found = reading.resolution.expectation_at(place)
                if found.region:
                    return Glimpse(found, reading.resolution.frames_at(place))
        return _probe(self._text, offset, self._read)


def resolve(
    statement: Statement, environment: Environment, world: World, read: Read, effect: Effect | None = None
) -> Resolution:
    """Resolve a statement that sqlglot can't read as it stands.

    Args:
        statement: The statement.
        environment: Γ before it.
        world: The settings.
        read: How a repaired text is resolved.
        effect: What the statement is known to declare and drop.
    """
    del environment  # `read` has it
    text = _text_of(statement)
    found = _Unfinished(text, tuple(_parts(text, read)), effect or Effect(), read)
    return tentative(statement, found, world)


def probe(statement: Statement, offset: int, read: Read) -> Glimpse:
    """What a name typed at a place would be, in any statement.

    Args:
        statement: The statement.
        offset: A byte offset in it.
        read: How a text with a dummy at that place is resolved.
    """
    return _probe(_text_of(statement), offset, read)


# -- reading ------------------------------------------------------------------------------------------------------------------


def _parts(text: _Text, read: Read) -> Iterator[tuple[Span, _Reading]]:
    """What can be read of a text: all of it, or the statements that a missing terminator ran together."""
    outline = text.outline
    if len(text.data) > _BYTES or len(outline.tokens) > _TOKENS or not outline.root.blocks:
        return
    whole = Span(0, len(text.data))
    if (reading := _reading(text, read)) is not None:
        yield whole, reading
        return
    starts = _run_together(outline)[:_PARTS]
    if not starts:
        return
    edges = [0, *(outline.starts[index] for index in starts), whole.end]
    for start, end in pairwise(edges):
        part = text.blanked(Span(0, start), Span(end, whole.end))
        if part.outline.tokens and (reading := _part(part, read)) is not None:
            yield Span(start, end - 1 if end != whole.end else end), reading


def _part(text: _Text, read: Read) -> _Reading | None:
    return _read(build(text.data, [], text.vague), read) or _reading(text, read)


def _reading(text: _Text, read: Read) -> _Reading | None:
    """A text read after repairs, the most faithful that can be."""
    outline = text.outline
    start = outline.root.blocks[0].clauses[0].start if outline.root.blocks else 0
    if start and outline.word(0) in _PREFIXES:
        text = text.blanked(Span(0, outline.starts[start]))
        if (found := _read(build(text.data, [], text.vague), read)) is not None:
            return replace(found, exact=True)
    for attempt in (text, _without_last_word(text)):
        if attempt is None:
            continue
        for each in _candidates(attempt, whole=attempt is not text):
            if (found := _read(each, read)) is not None:
                return found
    return None


def _candidates(text: _Text, *, whole: bool) -> Iterator[Repaired]:
    if whole:
        yield build(text.data, [], text.vague)
    yield from repaired(text.outline, text.data, text.vague)


def _read(each: Repaired, read: Read) -> _Reading | None:
    resolution = read(each.text, each.dummies)
    return None if resolution is None else _Reading(each, resolution)


def _without_last_word(text: _Text) -> _Text | None:
    """The text without a word at its very end, which may be half a keyword."""
    tokens = text.outline.tokens
    if len(tokens) < 2 or tokens[-1].kind is not TokenKind.WORD or tokens[-1].span.end != len(text.data):
        return None
    return text.blanked(tokens[-1].span)


def _run_together(outline: Outline) -> list[int]:
    """Where a statement begins that nothing joins to the one before it."""
    return [
        block.clauses[0].start
        for before, block in zip(outline.root.blocks, outline.root.blocks[1:], strict=False)
        if not _joined(outline, before, block)
    ]


def _joined(outline: Outline, before: Block, block: Block) -> bool:
    start = block.clauses[0].start
    joint = outline.word(start - 1)
    if before.verb == "WITH":
        return joint not in (",", "AS", "WITH")
    if before.verb in ("INSERT", "CREATE") and block.verb in ("SELECT", "WITH", "VALUES", "FROM"):
        return True
    clause = outline.clauses[start - 1]
    return clause.block is None or joint in ("AS", "ALL", "DISTINCT", ";", "BEGIN", "THEN", "ELSE")


# -- glimpses -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cursor:
    """A place between or at tokens.

    Attributes:
        before: Index of the token before the name there.
        after: Index of the token behind it.
        span: The name that is there, or an empty span.
        idle: Whether no name can be typed there: inside a string, a number, a comment.
    """

    before: int
    after: int
    span: Span
    idle: bool = False


def _cursor(text: _Text, offset: int) -> _Cursor:
    offset = min(max(offset, 0), len(text.data))
    while offset < len(text.data) and text.data[offset] & 0xC0 == 0x80:  # inside a character
        offset -= 1
    outline = text.outline
    index = bisect_right(outline.starts, offset) - 1
    empty = Span(offset, offset)
    if index < 0:
        return _Cursor(-1, 0, empty)
    token = outline.tokens[index]
    if offset == token.span.start and not _is_name_like(token):
        index -= 1  # between two tokens: at the end of the one before
        if index < 0:
            return _Cursor(-1, 0, empty)
        token = outline.tokens[index]
    if token.span.touches(offset):
        if _is_name_like(token):
            return _Cursor(index - 1, index + 1, token.span)
        if offset < token.span.end or token.kind in (TokenKind.STRING, TokenKind.NUMBER):
            return _Cursor(index - 1, index + 1, empty, idle=True)
    return _Cursor(index, index + 1, empty, idle=_in_comment(text, offset))


def _is_name_like(token: Token) -> bool:
    return token.kind in _NAME_LIKE


def _in_comment(text: _Text, offset: int) -> bool:
    tokens = text.statement.tokens
    index = bisect_right(tokens, offset, key=lambda token: token.span.start) - 1
    token = tokens[index] if index >= 0 else None
    if token is None or token.kind is not TokenKind.COMMENT:
        return False
    line = not token.text.startswith("/*")
    return token.span.start < offset < token.span.end + line


def _probe(text: _Text, offset: int, read: Read) -> Glimpse:
    cursor = _cursor(text, offset)
    outline = text.outline
    if cursor.idle:
        return Glimpse(Expectation("", outline.region(clause_behind(outline, cursor.before))))
    expectation = expected(outline, cursor.before, cursor.after)
    if len(text.data) > _BYTES or len(outline.tokens) > _TOKENS:
        return Glimpse(expectation)
    if expectation.sort:
        found = _at_dummy(text, cursor, read)
        if found is not None:
            return found
    return Glimpse(expectation, _frames(text, cursor, expectation.sort, read))


def _at_dummy(text: _Text, cursor: _Cursor, read: Read) -> Glimpse | None:
    """What is read where a dummy stands at a cursor."""
    span = cursor.span
    assigned = text.outline.word(cursor.before) in ("SET", ",") and text.outline.word(cursor.after) != "="
    in_set = assigned and clause_behind(text.outline, cursor.before).name == "Set"
    dummy = f" {DUMMY} = 1 ".encode() if in_set else f" {DUMMY} ".encode()
    at = span.start + 1
    data = text.data[: span.start] + dummy + text.data[span.end :]
    moved = len(dummy) - len(span)
    vague = tuple(
        each if each.end <= span.start else each.shift(moved)
        for each in text.vague
        if each.end <= span.start or each.start >= span.end
    )
    attempt = text.having(data, tuple(sorted((*vague, Span(at, at + len(DUMMY))))))
    for each in _candidates(attempt, whole=True):
        resolution = read(each.text, each.dummies)
        if resolution is not None:
            place = each.forward(at)
            expectation = resolution.expectation_at(place)
            return Glimpse(expectation, resolution.frames_at(place)) if expectation.region else None
    return None


def _frames(text: _Text, cursor: _Cursor, sort: str, read: Read) -> tuple[Frame, ...]:
    """The frames that the least text around a place has there."""
    outline = text.outline
    clause = clause_behind(outline, cursor.before)
    if sort in _DECLARATIONS or clause.block is None:
        return ()
    name = DUMMY
    if outline.word(cursor.before) == ".":
        start = outline.path_start(cursor.before + 1)
        if start < cursor.before and outline.is_name(start):
            first, last = outline.tokens[start].span, outline.tokens[cursor.before].span
            name = text.data[first.start : last.end].decode("utf-8", "replace") + DUMMY
    elif sort == "Alias" and outline.is_name(cursor.after + 1):
        member = outline.tokens[cursor.after + 1].span
        name = f"{DUMMY}.{text.data[member.start : member.end].decode('utf-8', 'replace')}"
    pieces = Pieces(outline, text.data, partial(_mended, text, read))
    written, at = skeleton(pieces, clause, name, source=sort == "Table")
    resolution = read(written, _dummies(written))
    if resolution is None:
        return ()
    place = at + (len(name) - len(DUMMY) if name.endswith(DUMMY) else 0)
    return resolution.frames_at(Offsets(written).byte(place))


def _mended(text: _Text, read: Read, piece: str) -> str | None:
    """A piece of a statement made readable."""
    part = text.having(piece.encode("utf-8", "replace"), ())
    for each in _candidates(part, whole=True):
        if read(each.text, each.dummies) is not None:
            return each.text
    return None


def _dummies(text: str) -> tuple[Span, ...]:
    offsets = Offsets(text)
    found: list[Span] = []
    at = text.find(DUMMY)
    while at >= 0:
        found.append(offsets.span(at, at + len(DUMMY)))
        at = text.find(DUMMY, at + 1)
    return tuple(found)


# -- guesses ------------------------------------------------------------------------------------------------------------------


def _guessed(text: _Text) -> Iterator[Reference]:
    """The references of a text that nothing can read, all of them unknown: the tables and the qualified names it shows."""
    outline = text.outline
    vague = set(text.vague)
    tables: set[int] = set()
    for level in outline.levels:
        for block in level.blocks:
            if block.verb in VERBS and block.verb not in ("CREATE", "ALTER", "DROP"):
                for item in items(outline, block):
                    if item.name >= 0:
                        tables.add(item.name)
    for index, token in enumerate(outline.tokens):
        sort = "Table" if index in tables else "Column"
        if sort == "Column" and not _is_qualified(outline, index):
            continue
        if token.span not in vague and token.kind in (TokenKind.WORD, TokenKind.QUOTED):
            name = token.text if token.kind is TokenKind.WORD else token.text.strip('"`[]')
            yield Reference(token.span, name, sort, Verdict.UNKNOWN, reason=_UNREADABLE)


def _is_qualified(outline: Outline, index: int) -> bool:
    clause = outline.clauses[index]
    return (
        clause.block is not None
        and clause.name not in ("From", "Into")
        and clause.verb not in ("UPDATE", "CREATE", "ALTER", "DROP")
        and outline.word(index - 1) == "."
        and outline.is_name(index)
        and outline.word(index + 1) not in (".", "(")
    )
