"""The scopes of a statement by its words alone, for whoever writes one: which are open, and whose names are decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gproj_lsp.resolve import Clause, Scope
from gproj_lsp.resolvers.sql.outline import Block, outline_of
from gproj_lsp.resolvers.sql.words import CLAUSES
from gproj_lsp.text import Span

if TYPE_CHECKING:
    from gproj_lsp.resolvers.sql import outline as read
    from gproj_lsp.syntax import Statement

__all__ = ["scopes"]

_SOURCES = frozenset({"From", "Join"})
_EVERY = frozenset({region for region, _ in CLAUSES.values()} | {"Select", "Index"})
_LISTS = frozenset({"names", "row"})


def scopes(statement: Statement) -> tuple[Scope, ...]:
    """Every SELECT and every statement that changes data, in order of place."""
    outline = outline_of(statement)
    found = [(level, block) for level in outline.levels for block in level.blocks]
    found.sort(key=lambda pair: pair[1].clauses[0].start)
    still = {outline.root, *outline.closed[len(outline.tokens)]}
    return tuple(_Reader(outline, block, is_open=level in still).scope() for level, block in found)


class _Reader:
    """One block."""

    def __init__(self, outline: read.Outline, block: Block, *, is_open: bool) -> None:
        self.outline = outline
        self.block = block
        self.level = block.level
        clause = self.level.clause
        self.is_open = is_open and clause is not None and clause.block is block

    def scope(self) -> Scope:
        tokens = self.outline.tokens
        clauses = tuple(map(self._clause, self.block.clauses))
        start = tokens[self.block.clauses[0].start].span.start
        last = max(clause.end for clause in self.block.clauses) - 1
        return Scope(
            Span(start, tokens[last].span.end),
            self.block.verb,
            clauses,
            self._region() if self.is_open else "",
            self._since(clauses),
            self._decided(),
            is_open=self.is_open,
        )

    def _clause(self, clause: read.Clause) -> Clause:
        tokens = self.outline.tokens
        head = min(clause.start + max(clause.head, 1), clause.end) - 1
        return Clause(clause.name, Span(tokens[head].span.end, tokens[clause.end - 1].span.end))

    def _region(self) -> str:
        """The region being written; a join is its condition's, while its relation is written it is FROM's."""
        clause = self.block.clauses[-1]
        if clause.name in _SOURCES:
            return "Join" if self._condition() else "From"
        return "Index" if self.block.verb == "CREATE" and self._list() else clause.name

    def _since(self, clauses: tuple[Clause, ...]) -> int:
        """Where the text of the region being written begins."""
        opener = self._condition() or self._list()
        return self.outline.tokens[opener].span.end if opener else clauses[-1].span.start

    def _condition(self) -> int:
        """The index of the ON of the join being written; 0 where there is none."""
        clause = self.block.clauses[-1]
        at = range(clause.end - 1, clause.start, -1) if clause.name in _SOURCES else ()
        return next(
            (
                index
                for index in at
                if self.outline.words[index] == "ON" and self.outline.clauses[index] is clause
            ),
            0,
        )

    def _decided(self) -> frozenset[str]:
        if not self.is_open:
            return _EVERY
        if self.block.verb in ("SELECT", "FROM"):
            return self._decided_by_sources()
        if self.block.verb in ("UPDATE", "DELETE"):
            begun = {clause.name for clause in self.block.clauses}
            return _EVERY if begun & {"Set", "Where", "Returning"} else frozenset()
        return _EVERY if self._list() else frozenset()

    def _decided_by_sources(self) -> frozenset[str]:
        clauses = self.block.clauses
        sources = [at for at, clause in enumerate(clauses) if clause.name in _SOURCES]
        if sources and any(len(clause) >= clause.head for clause in clauses[sources[-1] + 1 :]):
            return _EVERY
        return frozenset({"Join"}) if self._region() == "Join" else frozenset()

    def _list(self) -> int:
        """The index of the bracket that opens the list of columns behind the statement's table; 0 where none does."""
        return next(
            (
                level.opener
                for level in self.outline.levels
                if level.role in _LISTS and level.outer is not None and level.outer.block is self.block
            ),
            0,
        )
