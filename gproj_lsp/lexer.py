"""Tokens and statements of a buffer, by a lexer that is data of the surface.

One regular expression per lexer finds every token. Statements are split by walking over its matches; the tokens of a statement
are made only when something asks for them, so that a large buffer costs its split alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache

from gproj_lsp.surface import BlockSpec, LexerSpec, OpaqueSpec
from gproj_lsp.text import Offsets, Span, encode

__all__ = ["HoleMark", "Lexer", "Piece", "Statement", "Token", "TokenKind", "lexer_of"]


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


@dataclass(frozen=True)
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
    """

    text: str
    lexer: Lexer = field(repr=False)
    complete: bool = True

    @cached_property
    def data(self) -> bytes:
        """Its UTF-8."""
        return encode(self.text)

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
