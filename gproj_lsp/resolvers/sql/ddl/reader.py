"""A cursor over a statement's tokens: keywords, names, bracketed lists.

DDL is read from tokens and not from a tree: a dozen dialects write what no parser knows in full, and a reader that looks only
for names reads them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gproj_lsp.resolvers.sql.names import exact, fold, schema_key
from gproj_lsp.syntax import Token, TokenKind
from gproj_lsp.text import Span

__all__ = ["Name", "Path", "Reader"]

_CLOSING = {'"': '"', "`": "`", "[": "]", "'": "'"}


@dataclass(frozen=True)
class Name:
    """An identifier as written.

    Attributes:
        text: Without quotes, escapes undone.
        quoted: Whether it stood in quotes.
        span: Its bytes in the statement, where it stands there.
    """

    text: str
    quoted: bool
    span: Span | None = field(default=None, compare=False)

    def folded(self, dialect: str) -> str:
        """After case folding."""
        return fold(self.text, self.quoted, dialect)

    def declared(self, dialect: str) -> str:
        """The name that a declaration of it gives to the world."""
        return exact(self.text, self.quoted, dialect)


@dataclass(frozen=True)
class Path:
    """A possibly qualified name; a database before the schema is not kept."""

    schema: Name | None
    name: Name

    def schema_key(self, dialect: str) -> str:
        """The folded schema, empty where it need not be said."""
        return schema_key(self.schema.text, self.schema.quoted, dialect) if self.schema else ""


class Reader:
    """Reads significant tokens from left to right; every method leaves the cursor where it was if it does not match."""

    def __init__(self, tokens: Sequence[Token], dialect: str) -> None:
        self.tokens = tuple(token for token in tokens if token.kind is not TokenKind.COMMENT)
        self.dialect = dialect
        self.at = 0

    @property
    def here(self) -> Token | None:
        """The token under the cursor; None at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def within(self, tokens: Sequence[Token]) -> Reader:
        """A reader of some of the tokens."""
        return Reader(tokens, self.dialect)

    def peek(self, ahead: int = 0) -> str:
        """The lower-case text of a word or punctuation ahead; empty for any other token and past the end."""
        at = self.at + ahead
        if at >= len(self.tokens):
            return ""
        token = self.tokens[at]
        return token.text.lower() if token.kind in (TokenKind.WORD, TokenKind.PUNCTUATION) else ""

    def take(self, *words: str) -> bool:
        """Move past the words if all of them follow."""
        if all(self.peek(ahead) == word for ahead, word in enumerate(words)):
            self.at += len(words)
            return True
        return False

    def take_any(self, *words: str) -> str:
        """Move past one of the words; which one, or empty."""
        word = self.peek()
        if word and word in words:
            self.at += 1
            return word
        return ""

    def skip_to(self, *words: str) -> str:
        """Move onto the first of the words outside brackets; which one, or empty at the end."""
        while self.here is not None:
            word = self.peek()
            if word in words:
                return word
            if word == "(":
                self.group()
            else:
                self.at += 1
        return ""

    def name(self) -> Name | None:
        """An identifier, if one follows."""
        token = self.here
        if token is None:
            return None
        if token.kind is TokenKind.WORD:
            self.at += 1
            return Name(token.text, quoted=False, span=token.span)
        if token.kind is TokenKind.QUOTED or (token.kind is TokenKind.STRING and self.dialect == "sqlite"):
            self.at += 1
            return _unquoted(token.text, token.span)
        return None

    def path(self) -> Path | None:
        """A possibly qualified name, if one follows."""
        start = self.at
        parts: list[Name] = []
        while (name := self.name()) is not None:
            parts.append(name)
            if not self.take("."):
                break
        else:
            self.at = start
            return None
        return Path(parts[-2] if len(parts) > 1 else None, parts[-1])

    def paths(self) -> tuple[Path, ...]:
        """Qualified names with commas between."""
        found: list[Path] = []
        while (path := self.path()) is not None:
            found.append(path)
            if self.peek() == "(":  # DROP FUNCTION f(int), g(text)
                self.group()
            if not self.take(","):
                break
        return tuple(found)

    def group(self) -> tuple[Token, ...] | None:
        """The tokens in the brackets that follow, without the brackets; an unclosed one reaches to the end."""
        if self.peek() != "(":
            return None
        start = self.at + 1
        depth = 0
        while self.here is not None:
            word = self.peek()
            depth += (word == "(") - (word == ")")
            self.at += 1
            if depth == 0:
                return self.tokens[start : self.at - 1]
        return self.tokens[start:]

    def items(self) -> tuple[tuple[Token, ...], ...]:
        """What is left, split at commas outside brackets."""
        found: list[tuple[Token, ...]] = []
        start = self.at
        while self.here is not None:
            word = self.peek()
            if word == "(":
                self.group()
                continue
            if word == ",":
                found.append(self.tokens[start : self.at])
                start = self.at + 1
            self.at += 1
        found.append(self.tokens[start:])
        return tuple(item for item in found if item)

    def rest(self) -> Span | None:
        """The bytes from the cursor to the last token; None at the end."""
        return (
            Span(self.tokens[self.at].span.start, self.tokens[-1].span.end) if self.here is not None else None
        )


def _unquoted(text: str, span: Span) -> Name:
    body = text[2:] if text[:2].lower() == "u&" else text
    close = _CLOSING.get(body[:1])
    if close is None or len(body) < 2:
        return Name(body, quoted=True, span=span)
    inner = body[1:-1] if body.endswith(close) else body[1:]
    return Name(inner if close == "]" else inner.replace(close * 2, close), quoted=True, span=span)
