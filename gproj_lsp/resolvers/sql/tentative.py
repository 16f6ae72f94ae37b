"""Names whose meaning text that is still to come can change.

While a statement is typed, its prefixes are often good SQL that means something else: `SELECT name` has no FROM yet, in
`SELECT s.name FROM singer` the alias is still to come, and in `… FROM singer ORDER` sqlglot takes `ORDER` for one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gproj_lsp.resolve import Declaration, Effect, Expectation, Reference, Resolution, Verdict
from gproj_lsp.resolvers.sql.dialects import dialect_of
from gproj_lsp.resolvers.sql.expected import clause_behind
from gproj_lsp.resolvers.sql.outline import Block, Clause, outline_of
from gproj_lsp.text import Span

if TYPE_CHECKING:
    from gproj_lsp.environment import Frame
    from gproj_lsp.resolve import World
    from gproj_lsp.syntax import Statement

__all__ = ["tentative"]

_VERBS = frozenset({"SELECT", "WITH", "VALUES", "INSERT", "UPDATE", "DELETE", "MERGE", "FROM"})
_DOUBTED = frozenset({Verdict.GHOST, Verdict.AMBIGUOUS})
_TYPED = "it is still being typed"
_GOES_ON = "the statement may go on"


@dataclass(frozen=True)
class _Tentative:
    """A resolution with other verdicts."""

    resolution: Resolution
    references: tuple[Reference, ...]

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        return self.resolution.declarations

    @property
    def effect(self) -> Effect:
        return self.resolution.effect

    @property
    def readable(self) -> bool:
        return self.resolution.readable

    def frames_at(self, offset: int) -> tuple[Frame, ...]:
        return self.resolution.frames_at(offset)

    def expectation_at(self, offset: int) -> Expectation:
        return self.resolution.expectation_at(offset)


def tentative(statement: Statement, resolution: Resolution, world: World) -> Resolution:
    """The resolution of a statement that may go on where someone types: names that this can give a meaning are unknown.

    Those are the name before the cursor; every name of a query block that ends at the cursor and whose FROM clause is missing
    or the last one so far; the tables in a WITH list that may name later ones; windows; and, in other statements than queries,
    INSERT, UPDATE, DELETE and MERGE, all that is in no query.

    Args:
        statement: The statement with its cursor; without one, it may go on at its end if no terminator ended it.
        resolution: As if it were complete.
        world: The settings.
    """
    cursor = len(statement.data) if statement.cursor is None and not statement.complete else statement.cursor
    if cursor is None or not any(reference.verdict in _DOUBTED for reference in resolution.references):
        return resolution
    judge = _Judge(statement, cursor, later_ctes=dialect_of(world.settings).later_ctes)
    references = tuple(map(judge.settled, resolution.references))
    return _Tentative(resolution, references)


class _Judge:
    """Tells which references are settled."""

    def __init__(self, statement: Statement, cursor: int, *, later_ctes: bool) -> None:
        outline = outline_of(statement)
        self._outline = outline
        self._complete = statement.complete
        self._later_ctes = later_ctes
        self._after = bisect_left(outline.starts, cursor)
        before = self._after - 1
        self._typed = (
            Span(outline.starts[outline.path_start(before)], max(cursor, 1)) if before >= 0 else Span(0, 0)
        )
        clause = clause_behind(outline, before)
        going_on = self._going_on(clause)
        self._open = frozenset(block for block in outline.chain(clause) if block not in going_on)
        self._shaky = frozenset(block for block in self._open if block.verb != "WITH" and not block.closed)

    def _going_on(self, clause: Clause) -> set[Block | None]:
        """The blocks that have more behind the cursor than closing brackets."""
        outline = self._outline
        closers: set[int] = set()
        level = clause.level
        while level.outer is not None:
            closers.add(level.closer)
            level = level.outer.level
        behind = range(self._after, len(outline.tokens))
        return {outline.clauses[index].block for index in behind if index not in closers}

    def settled(self, reference: Reference) -> Reference:
        """The reference, unknown if what is typed may change its meaning."""
        if reference.verdict not in _DOUBTED or not (reason := self._doubt(reference)):
            return reference
        return replace(reference, verdict=Verdict.UNKNOWN, reason=reason, candidates=())

    def _doubt(self, reference: Reference) -> str:
        outline = self._outline
        if reference.span.start < self._typed.end and self._typed.start < reference.span.end:
            return _TYPED
        index = max(bisect_right(outline.starts, reference.span.start) - 1, 0)
        clause = outline.clauses[index]
        block = clause.block
        if block is None or (
            outline.verb not in _VERBS and (block.verb == outline.verb or not self._complete)
        ):
            return _GOES_ON
        if reference.sort == "Function":
            return ""
        if reference.sort == "Table":
            return _GOES_ON if self._may_be_declared(clause) else ""
        blocks = set(outline.chain(clause))
        if reference.sort == "Window" and blocks & self._open:
            return _GOES_ON
        return _GOES_ON if blocks & self._shaky and not self._is_assigned(index) else ""

    def _may_be_declared(self, clause: Clause) -> bool:
        """Whether a table's name may turn out to be a later CTE, or an alias of what is deleted from."""
        block = clause.block
        if block in self._open and block is not None and block.verb == "DELETE" and len(block.clauses) == 1:
            return True
        if not self._later_ctes:
            return False
        return any(each.verb == "WITH" and each in self._open for each in self._outline.chain(clause))

    def _is_assigned(self, index: int) -> bool:
        """Whether it is a column that UPDATE sets: a column of the table named first."""
        outline = self._outline
        clause = outline.clauses[index]
        return (
            clause.name == "Set"
            and clause.verb != "INSERT"
            and outline.word(index + 1) == "="
            and outline.word(index - 1) in ("SET", ",")
        )
