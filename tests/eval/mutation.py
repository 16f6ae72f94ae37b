"""Recall by mutation: one name of a good query becomes one that does not exist, and `check` must find it.

Which tokens are references is decided here, by the schema's names and not by the analysis under test: a reference that the
analysis never saw would otherwise never be tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import tokens as lexed

__all__ = ["ABSENT", "Mutant", "mutants"]

ABSENT = "zq_absent"
# An alias stands behind AS, or directly behind what it names.
_BEFORE_ALIASES = frozenset(
    {
        lexed.TokenType.ALIAS,
        lexed.TokenType.R_PAREN,
        lexed.TokenType.VAR,
        lexed.TokenType.IDENTIFIER,
        lexed.TokenType.NUMBER,
        lexed.TokenType.STRING,
        lexed.TokenType.END,
    }
)
_NAMES = frozenset({lexed.TokenType.VAR, lexed.TokenType.IDENTIFIER})


@dataclass(frozen=True)
class Mutant:
    """A query with one name replaced by `ABSENT`, which starts at the character `start`."""

    text: str
    name: str
    start: int

    @property
    def offset(self) -> int:
        """Where the absent name starts, in bytes."""
        return len(self.text[: self.start].encode())


def mutants(query: str, names: Iterable[str], dialect: str | None) -> Iterator[Mutant]:
    """Every mutant of the query: each token that is one of the schema's names and is not an alias being declared."""
    known = {name.lower() for name in names}
    tokens = sqlglot.tokenize(query, read=dialect)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if _is_name(token, known) and not (before and before.token_type in _BEFORE_ALIASES):
            yield Mutant(query[: token.start] + ABSENT + query[token.end + 1 :], token.text, token.start)


def _is_name(token: lexed.Token, known: set[str]) -> bool:
    keyword_as_name = (
        token.token_type not in _NAMES and token.text.isidentifier() and token.token_type.name != "STRING"
    )
    return token.text.lower() in known and (token.token_type in _NAMES or keyword_as_name)
