"""`check` and a database on the same statements: where they differ."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from measure import AMBIGUOUS, GHOST

from gproj_lsp.ide import Analysis
from gproj_lsp.oracles.base import Judgement

__all__ = ["Agreement"]

# The name that a message is about, by the first pattern that fits: SQLite's, then PostgreSQL's.
_NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        r"no such (?:column|table|function): (.+)$",
        r"has no column named (.+)$",
        r"ambiguous column name: (.+)$",
        r"FROM-clause entry for table \"([^\"]+)",
        r"(?:column|relation|function|table|view|index|sequence|type) \"?([^\"\s(]+)",
    )
)


@dataclass
class Agreement:
    """Counts, and the statements on which the two differ."""

    accepted: int = 0
    absent: int = 0
    ambiguous: int = 0
    other: int = 0
    found: int = 0
    found_ambiguous: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    false_alarms: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def add(self, statement: str, judgement: Judgement, analysis: Analysis) -> None:
        """Compare what both said of one statement."""
        ghosts = {diagnostic.name.lower() for diagnostic in analysis.diagnostics if diagnostic.code == GHOST}
        doubts = {
            diagnostic.name.lower() for diagnostic in analysis.diagnostics if diagnostic.code == AMBIGUOUS
        }
        row = f"{judgement.message or 'accepted'} | ghosts {sorted(ghosts)} ambiguous {sorted(doubts)} | {statement}"
        if judgement.absent:
            self.absent += 1
            self._count(ghosts, analysis, row, judgement)
        elif judgement.ambiguous:
            self.ambiguous += 1
            self.found_ambiguous += bool(doubts | ghosts)
            if not doubts | ghosts:
                self.misses.append(row)
        else:
            # Who refuses a statement for another reason has not looked at all of its names.
            self.accepted += judgement.accepted
            self.other += not judgement.accepted
            if judgement.accepted and (ghosts or doubts):
                self.false_alarms.append(row)

    def _count(self, ghosts: set[str], analysis: Analysis, row: str, judgement: Judgement) -> None:
        parts = ghosts | {part for name in ghosts for part in name.split(".")}
        if parts & named(judgement.message):
            self.found += 1
        elif analysis.unknown:
            self.unknown["absent, but unknown to the analysis"] += 1
            self.misses.append(row)
        else:
            self.misses.append(row)

    def __str__(self) -> str:
        return (
            f"{self.accepted} accepted, of them {len(self.false_alarms)} with a false alarm; {self.other} not judged; "
            f"{self.absent} with an absent name: {self.found} found; "
            f"{self.ambiguous} ambiguous: {self.found_ambiguous} found"
        )


def named(message: str) -> set[str]:
    """The parts of the name that a message is about, folded."""
    found = next((match[1] for pattern in _NAMED if (match := pattern.search(message))), "")
    return {part.strip('"').lower() for part in found.split(".")} | {found.lower()}
