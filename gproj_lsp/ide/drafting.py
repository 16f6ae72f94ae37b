"""A statement that is being written at a place of a document: Γ and the scopes of its text as it grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from gproj_lsp.resolve import Reference, Scope, Verdict
from gproj_lsp.syntax import Statement, TokenKind
from gproj_lsp.text import Span, decode, encode

if TYPE_CHECKING:
    from gproj_lsp.environment import Environment
    from gproj_lsp.holes import Hole
    from gproj_lsp.ide.analysis import Resolved
    from gproj_lsp.syntax import Lexer, Token

__all__ = ["Drafting"]

_HOLE = "??"


@dataclass(frozen=True, eq=False)
class Drafting:
    """One statement of a document, cut at a cursor.

    Attributes:
        start: The byte of the document it begins at.
        prefix: Its text before the cursor.
        suffix: Its text behind the cursor.
        glue: What must stand between the cursor and new text: a line break, where that must begin a line.
        before: Γ before it.
    """

    start: int
    prefix: str
    suffix: str
    glue: str
    before: Environment
    _lexer: Lexer = field(repr=False)
    _read: Callable[[Statement], Resolved] = field(repr=False)
    _scopes: Callable[[Statement], tuple[Scope, ...]] = field(repr=False)
    _holes: Callable[[Statement, Resolved], tuple[Hole, ...]] = field(repr=False)

    def scopes(self, text: str) -> tuple[Scope, ...]:
        """The scopes of a text for the statement, in order of place."""
        return self._scopes(self._lexer.statement(text, complete=False))

    def environment(self, text: str, span: Span) -> Environment:
        """Γ where a name would stand in the place of some bytes of a text for the statement."""
        data = encode(text)
        left = decode(data[: span.start])
        right = decode(data[span.end :])
        statement = self._lexer.statement(f"{left} {_HOLE} {right}", complete=False)
        at = len(encode(left)) + 1
        for hole in self._holes(statement, self._read(statement)):
            if hole.span.start == at:
                return hole.environment
        return self.before

    def unmet(self, text: str, span: Span) -> tuple[Reference, ...]:
        """The names in some bytes of a text for the statement that are not declared there."""
        found = self._read(self._lexer.statement(text, complete=False)).references
        return tuple(
            each for each in found if span.contains(each.span) and each.verdict is not Verdict.DECLARED
        )

    def is_open(self, text: str) -> bool:
        """Whether a text for the statement ends inside a string, a quoted name or a comment: whether a blank is part of it."""
        tokens = self._lexer.statement(f"{text} ", complete=False).tokens
        return bool(tokens) and tokens[-1].span.end > len(encode(text))

    def canonical(self, text: str, words: Mapping[str, str]) -> str:
        """A text for the statement as grammars write it: names as declared, one blank where there are some, no comments.

        Args:
            text: The text.
            words: The words that grammars write, by their text in lower case.
        """
        statement = self._lexer.statement(text, complete=False)
        names = {reference.span: reference for reference in self._read(statement).references}
        parts: list[str] = []
        end = 0
        for token in statement.code:
            if parts and token.span.start > end:
                parts.append(" ")
            begun = token.span.end == len(statement.data) and self._begins_name(token.text)
            parts.append(token.text if begun else self._spelled(token, names.get(token.span), words))
            end = token.span.end
        if parts and end < len(statement.data):
            parts.append(" ")
        return "".join(parts)

    def _spelled(self, token: Token, name: Reference | None, words: Mapping[str, str]) -> str:
        if token.kind is not TokenKind.WORD:
            return token.text
        if name is not None and name.binding is not None:
            declared = name.binding.spelling
        else:
            declared = words.get(token.text.lower()) or self._spellings.get(token.text.casefold(), "")
        return declared if declared.casefold() == token.text.casefold() else token.text

    def _begins_name(self, text: str) -> bool:
        """Whether a text is the beginning of a longer name that is declared, so that somebody may be writing that."""
        return any(name.startswith(text) and name != text for name in self._spellings.values())

    @cached_property
    def _spellings(self) -> Mapping[str, str]:
        """How names are declared, without regard to case; the first of several."""
        found: dict[str, str] = {}
        for binding in self.before:
            found.setdefault(binding.name.casefold(), binding.spelling)
        return found
