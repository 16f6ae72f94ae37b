"""Names whose meaning text that is still to come can change.

While a statement is typed, its prefixes are often good SQL that means something else: `SELECT name` has no FROM yet, in
`SELECT s.name FROM singer` the alias is still to come, and in `… FROM singer ORDER` sqlglot takes `ORDER` for one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gproj_lsp.resolve import Effect, Expectation, Reference, Resolution, Verdict
from gproj_lsp.resolvers.sql.dialects import dialect_of
from gproj_lsp.resolvers.sql.outline import Outline, outline_of

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
    def effect(self) -> Effect:
        return self.resolution.effect

    def frames_at(self, offset: int) -> tuple[Frame, ...]:
        return self.resolution.frames_at(offset)

    def expectation_at(self, offset: int) -> Expectation:
        return self.resolution.expectation_at(offset)


def tentative(statement: Statement, resolution: Resolution, world: World) -> Resolution:
    """The resolution of a statement that may go on: names whose meaning later text can change are unknown.

    Those are the name at the very end; every name of a query block whose FROM clause is missing or is the last one so far; the
    tables in a WITH list that may name later ones; windows; and all names of an unfinished statement that is no query, INSERT,
    UPDATE, DELETE or MERGE.

    Args:
        statement: The last statement of a buffer, without a terminator.
        resolution: As if it were complete.
        world: The settings.
    """
    if not any(reference.verdict in _DOUBTED for reference in resolution.references):
        return resolution
    judge = _Judge(outline_of(statement), later_ctes=dialect_of(world.settings).later_ctes)
    references = tuple(map(judge.settled, resolution.references))
    return _Tentative(resolution, references)


class _Judge:
    """Tells which references are settled."""

    def __init__(self, outline: Outline, *, later_ctes: bool) -> None:
        self._outline = outline
        self._later_ctes = later_ctes
        self._starts: Sequence[int] = outline.starts
        self._end = outline.starts[outline.path_start(len(outline.tokens) - 1)] if outline.tokens else 0

    def settled(self, reference: Reference) -> Reference:
        """The reference, unknown if later text may still change its meaning."""
        if reference.verdict not in _DOUBTED or not (reason := self._doubt(reference)):
            return reference
        return replace(reference, verdict=Verdict.UNKNOWN, reason=reason, candidates=())

    def _doubt(self, reference: Reference) -> str:
        outline = self._outline
        if reference.span.end > self._end:
            return _TYPED
        if outline.verb not in _VERBS:
            return _GOES_ON
        index = max(bisect_right(self._starts, reference.span.start) - 1, 0)
        clause = outline.clauses[index]
        block = clause.block
        if block is None:
            return _GOES_ON
        if reference.sort == "Function":
            return ""
        if reference.sort == "Table":
            return _GOES_ON if self._may_be_declared(index) else ""
        if reference.sort == "Window" and any(each.level.closer < 0 for each in outline.chain(clause)):
            return _GOES_ON
        return _GOES_ON if block.shaky and not self._is_assigned(index) else ""

    def _may_be_declared(self, index: int) -> bool:
        """Whether a table's name may turn out to be a later CTE, or an alias of what is deleted from."""
        clause = self._outline.clauses[index]
        block = clause.block
        if block is not None and block.verb == "DELETE" and len(block.clauses) == 1:
            return True
        if not self._later_ctes:
            return False
        return any(
            each.verb == "WITH" and each.level.closer < 0 and each.level.blocks[-1] is each
            for each in self._outline.chain(clause)
        )

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
