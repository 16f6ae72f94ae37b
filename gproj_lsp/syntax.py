"""Statements, tokens, hole marks and tree-sitter parses of one buffer.

The surface's lexer splits the buffer into statements; each is parsed once and cached by its text. What lies behind the lexer
(which tokens there are, what ends a statement) is data of the surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gproj_lsp.text import Span

__all__ = ["HoleMark", "Statement", "Token", "TokenKind"]


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
    """One statement of a buffer. Equal texts are equal statements, wherever they stand.

    Attributes:
        text: Its source, without the separator that ends it.
        tokens: All tokens, comments included.
        holes: The hole marks in it, in order.
        opaque: Spans no reference may be judged in (parameters, templates).
        complete: Whether a separator ended it; the last one of a buffer may still be being typed.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    holes: tuple[HoleMark, ...] = ()
    opaque: tuple[Span, ...] = ()
    complete: bool = True
