"""Tokens of a statement, by a lexer that is data of the surface.

One regular expression finds every token. The tokens of a statement are made only when something asks for them, so that a large
buffer costs no more than its split into statements (`statements.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache

from gproj_lsp.patterns import Patterns
from gproj_lsp.surface import LexerSpec, Surface
from gproj_lsp.text import Offsets, Span, decode, encode

__all__ = ["HoleMark", "Lexer", "Statement", "Token", "TokenKind", "lexer_of"]

_NO_TEXT = re.compile("[\udc80-\udcff]")
_WORD = re.compile(r"[\w$]+")
_NOT_BREAK = re.compile(rb"[^\r\n]")

_KEPT = 1024
"""How many statements are shared with equal texts besides those in use."""


_SHARED = 20_000
"""Longer statements, in characters, are not: each of them with its tokens would stay for as long as a thousand others take."""


class TokenKind(Enum):
    """What the lexer tells apart."""

    WORD = "word"
    QUOTED = "quoted"  # a quoted identifier
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    PUNCTUATION = "punctuation"
    OPAQUE = "opaque"  # parameters, templates, client commands: unknown, never ghosts
    HOLE = "hole"


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `span` is relative to its statement."""

    kind: TokenKind
    span: Span
    text: str


@dataclass(frozen=True)
class HoleMark:
    """A hole as written: `??`, `{:Column}`, `{name:Column}`, `{:Column "the buyer's e-mail"}`.

    Attributes:
        span: Its bytes, relative to the statement.
        text: The mark itself.
        sort: The sort it names, or empty for `??`.
        name: The label before the colon, or empty.
        instruction: The quoted instruction, or empty.
    """

    span: Span
    text: str
    sort: str = ""
    name: str = ""
    instruction: str = ""


@dataclass(frozen=True)
class Statement:
    """One statement of a buffer, without the separator that ends it. Equal texts are equal statements, wherever they stand.

    Attributes:
        text: Its source; begins with its first token that is no comment.
        lexer: What reads it.
        complete: Whether a separator ended it; the last one of a buffer may still be being typed.
        cursor: The byte of it at which someone types, if anyone does.
    """

    text: str
    lexer: Lexer = field(repr=False)
    complete: bool = True
    cursor: int | None = None

    @cached_property
    def data(self) -> bytes:
        """Its UTF-8."""
        return encode(self.text)

    @cached_property
    def mentions(self) -> frozenset[str]:
        """Every word in it, comments and strings included, without regard to case."""
        return frozenset(_WORD.findall(self.text.casefold()))

    @cached_property
    def offsets(self) -> Offsets:
        """Converts between characters and bytes of its text."""
        return Offsets(self.text)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """All tokens, comments included, in order."""
        return tuple(self.lexer.tokens(self))

    @cached_property
    def holes(self) -> tuple[HoleMark, ...]:
        """The hole marks in it, in order."""
        return tuple(self.lexer.holes(self))

    @cached_property
    def opaque(self) -> tuple[Span, ...]:
        """Spans no reference may be judged in (parameters, templates, client commands)."""
        return tuple(token.span for token in self.tokens if token.kind is TokenKind.OPAQUE)

    @cached_property
    def filled(self) -> str:
        """Its text for parsers: a placeholder identifier in place of each hole, templates likewise neutral.

        As long as the source in bytes, so that places in it are places in the source; characters may differ where a template
        holds other than ASCII, so convert characters by `Offsets(statement.filled)`.
        """
        return self.lexer.filled(self)

    @property
    def code(self) -> Iterator[Token]:
        """Its tokens without comments."""
        return (token for token in self.tokens if token.kind is not TokenKind.COMMENT)


Range = tuple[TokenKind, int, int]
"""A token's kind and its characters."""


class Lexer:
    """Reads one dialect's tokens.

    Args:
        spec: The tokens, as data.
        placeholders: What stands for a hole of each sort in parsers, by every name a hole may give the sort.
    """

    def __init__(self, spec: LexerSpec, placeholders: Mapping[str, str] | None = None) -> None:
        self.spec = spec
        self.patterns = Patterns(spec)
        self._placeholders = dict(placeholders or {})
        self._statements = lru_cache(maxsize=_KEPT)(self._new_statement)

    def statement(self, text: str, *, complete: bool = True, cursor: int | None = None) -> Statement:
        """The statement of a text; equal texts of some size share one value and what was found out about it."""
        if cursor is None and len(text) <= _SHARED:
            return self._statements(text, complete)
        return Statement(text, self, complete, cursor)

    def _new_statement(self, text: str, complete: bool) -> Statement:  # noqa: FBT001  (lru_cache keys are positional)
        return Statement(text, self, complete)

    def tokens(self, statement: Statement) -> Iterator[Token]:
        """The tokens of a statement; marks that are operators there are told from holes."""
        text = statement.text
        offsets = statement.offsets
        ranges = list(self._scan(text))
        for index, (kind, start, end) in enumerate(ranges):
            infix = kind is TokenKind.HOLE and self._is_infix(text, ranges, index)
            yield Token(TokenKind.PUNCTUATION if infix else kind, offsets.span(start, end), text[start:end])

    def holes(self, statement: Statement) -> Iterator[HoleMark]:
        """The hole marks of a statement."""
        for token in statement.tokens:
            if token.kind is TokenKind.HOLE:
                yield self._hole_mark(token)

    def filled(self, statement: Statement) -> str:
        """See `Statement.filled`."""
        data = statement.data
        parts: list[bytes] = []
        at = 0
        first = True
        for token in statement.tokens:
            if token.kind is TokenKind.COMMENT:
                continue
            fill = self._fill(token, first=first)
            if fill is not None:
                parts += (data[at : token.span.start], fill)
                at = token.span.end
            first = first and fill is not None and not fill.strip()
        return _NO_TEXT.sub("_", decode(b"".join(parts) + data[at:]))

    def _scan(self, text: str) -> Iterator[Range]:
        master = self.patterns.master()
        at = 0
        while at < len(text):
            for match in master.finditer(text, at):
                group = match.lastgroup or "end"
                if group == "end":
                    return
                start, end = match.span(group)
                real = self.patterns.comment_end(text, start, end) if group == "comment" else end
                yield _KINDS[group], start, real
                if real != end:
                    at = real
                    break
            else:
                return

    def _hole_mark(self, token: Token) -> HoleMark:
        for pattern in self.patterns.holes:
            if match := pattern.fullmatch(token.text):
                groups = match.groupdict(default="")
                sort, name = groups.get("sort", ""), groups.get("name", "")
                return HoleMark(token.span, token.text, sort, name, groups.get("instruction", ""))
        return HoleMark(token.span, token.text)

    def _fill(self, token: Token, *, first: bool) -> bytes | None:
        """What parsers see instead of a token; None: the token itself."""
        if token.kind is TokenKind.HOLE:
            stem = self._placeholders.get(self._hole_mark(token).sort, "_")[: len(token.span)]
            return stem.ljust(len(token.span), "_").encode()
        kind = self.patterns.fill(token.text) if token.kind is TokenKind.OPAQUE else "keep"
        if kind == "keep":
            return None
        if kind == "blank" or (first and kind == "name-or-blank"):
            return _NOT_BREAK.sub(b" ", encode(token.text))
        return b"_" * len(token.span)

    def _is_infix(self, text: str, ranges: Sequence[Range], index: int) -> bool:
        """Whether a hole mark is an operator: the dialect has it, and an operand stands on either side."""
        _, start, end = ranges[index]
        if not any(pattern.fullmatch(text, start, end) for pattern in self.patterns.infix_holes):
            return False
        before = _neighbour(ranges, index, -1)
        after = _neighbour(ranges, index, 1)
        return (
            before is not None
            and after is not None
            and self._is_operand(text, before, ")]")
            and self._is_operand(text, after, "(")
        )

    def _is_operand(self, text: str, token: Range, brackets: str) -> bool:
        kind, start, end = token
        if kind is TokenKind.WORD:
            return text[start:end].upper() not in self.spec.reserved
        return kind is not TokenKind.PUNCTUATION or text[start:end] in brackets


def _neighbour(ranges: Sequence[Range], index: int, step: int) -> Range | None:
    index += step
    while 0 <= index < len(ranges):
        if ranges[index][0] is not TokenKind.COMMENT:
            return ranges[index]
        index += step
    return None


_KINDS = {
    "comment": TokenKind.COMMENT,
    "string": TokenKind.STRING,
    "quoted": TokenKind.QUOTED,
    "hole": TokenKind.HOLE,
    "opaque": TokenKind.OPAQUE,
    "command": TokenKind.OPAQUE,
    "operator": TokenKind.PUNCTUATION,
    "number": TokenKind.NUMBER,
    "word": TokenKind.WORD,
    "punctuation": TokenKind.PUNCTUATION,
}


@lru_cache(maxsize=64)
def _lexer(spec: LexerSpec, placeholders: tuple[tuple[str, str], ...]) -> Lexer:
    return Lexer(spec, dict(placeholders))


def lexer_of(surface: Surface, dialect: str = "") -> Lexer:
    """The lexer of a surface's dialect; equal ones are one value, so that statements are shared."""
    placeholders = tuple(
        (name, sort.placeholder) for sort in surface.sorts.values() for name in (sort.name, *sort.aliases)
    )
    return _lexer(surface.dialects.get(dialect, surface.lexer), placeholders)
