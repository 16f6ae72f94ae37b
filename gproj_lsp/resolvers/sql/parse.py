"""sqlglot's trees of statements: guarded, cached, and with byte offsets."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property, lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from gproj_lsp.resolvers.sql.respell import respelled
from gproj_lsp.text import Offsets, Span

__all__ = ["Source", "parse"]

STATEMENT_CHARACTERS = 200_000
"""Longer statements (bulk INSERTs, as a rule) are not parsed; they would take seconds."""

NESTING = 60
"""Deeper brackets overflow sqlglot's recursive descent; Python would catch it, a compiled sqlglot might not."""

# It warns on stderr about every statement that it keeps unparsed; here that is an answer like any other.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

_TREES = 700
"""How many trees are kept: those of a long file, all of which are asked for again when its first lines change."""


@dataclass(frozen=True, eq=False)
class Source:
    """A parsed text.

    Attributes:
        text: What was parsed.
        tree: Its one statement. Trees are shared through the cache: never change one.
    """

    text: str
    tree: exp.Expr

    @cached_property
    def _offsets(self) -> Offsets | None:
        return None if self.text.isascii() else Offsets(self.text)

    def span(self, node: exp.Expr) -> Span | None:
        """The bytes of a node that sqlglot knows the place of: a name with its quotes, a function's name."""
        meta = node._meta  # noqa: SLF001  (`meta` would create a dict per node)
        if not meta or "start" not in meta:
            return None
        offsets = self._offsets
        if offsets is None:
            return Span(meta["start"], meta["end"] + 1)
        return offsets.span(meta["start"], meta["end"] + 1)

    def written(self, node: exp.Expr) -> str:
        """The node's text as written, where its place is known."""
        meta = node._meta  # noqa: SLF001  (as in `span`)
        return self.text[meta["start"] : meta["end"] + 1] if meta and "start" in meta else ""


@lru_cache(maxsize=_TREES)
def parse(text: str, reader: str) -> Source | None:
    """The text's tree, or None where sqlglot can't read it as exactly one statement.

    A statement that sqlglot only keeps as text (`exp.Command`) counts as unread.
    """
    if len(text) > STATEMENT_CHARACTERS or _depth(text) > NESTING:
        return None
    try:
        trees = [tree for tree in sqlglot.parse(respelled(text), read=reader or None) if tree is not None]
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError, AssertionError):
        # Beside its own errors, sqlglot's dialects stumble over odd arguments in their own ways.
        return None
    if len(trees) != 1 or not isinstance(trees[0], exp.Expr) or isinstance(trees[0], exp.Command):
        return None
    return Source(text, trees[0])


def _depth(text: str) -> int:
    deepest = depth = 0
    for char in text:
        if char in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in ")]}":
            depth -= 1
    return deepest
