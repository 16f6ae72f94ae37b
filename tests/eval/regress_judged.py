"""What `check` says of a file against what PostgreSQL said of the same file."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from agreement import named
from measure import GHOST, Finding, findings

from gproj_lsp.ide import Analysis
from gproj_lsp.oracles.base import Judgement
from gproj_lsp.resolve import Verdict

__all__ = ["Comparison"]

_NO_RELATION_OR_COLUMN = frozenset({"42P01", "42703"})
# PostgreSQL did not look at names: the transaction had failed, or it could not read the statement.
_UNREAD = frozenset({"25P02", "42601"})


@dataclass
class Comparison:
    """Counts over files, and every ghost that PostgreSQL does not confirm.

    Attributes:
        confirmed: Ghosts of statements that PostgreSQL refused because the same name does not exist.
        unjudged: Ghosts of statements whose names PostgreSQL did not look at.
        false_alarms: Ghosts of all other statements.
        absent: Statements that PostgreSQL refused because a name does not exist.
        found: Those of them in which `check` reports a ghost.
        why: For the others, the first reason given for an unknown reference there.
    """

    name: str
    files: int = 0
    references: int = 0
    unknown: int = 0
    confirmed: int = 0
    unjudged: list[str] = field(default_factory=list)
    false_alarms: list[str] = field(default_factory=list)
    absent: int = 0
    found: int = 0
    why: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, label: str, analysis: Analysis, complaints: Iterable[Judgement]) -> None:
        """Compare what both said of one file."""
        self.files += 1
        self.references += analysis.references
        self.unknown += analysis.unknown
        refused = _refused(analysis, complaints)
        ghosts = _ghosts(label, analysis)
        unknown = self._unknown(analysis)
        for statement, found in ghosts.items():
            for finding in found:
                self._judge(finding, refused.get(statement, []))
        for statement, complaints_here in refused.items():
            if any(complaint.code in _NO_RELATION_OR_COLUMN for complaint in complaints_here):
                self.absent += 1
                self.found += statement in ghosts
                if statement not in ghosts:
                    self.why[unknown.get(statement, "nothing unknown there")] += 1

    def _unknown(self, analysis: Analysis) -> dict[int, str]:
        """The first reason for an unknown reference, by statement."""
        first: dict[int, str] = {}
        for span, reference in analysis.each_reference():
            if reference.verdict is Verdict.UNKNOWN:
                reason = f"{reference.sort}: {reference.reason}"
                self.reasons[reason] += 1
                statement = analysis.source.at(span.start)
                if statement is not None:
                    first.setdefault(statement, reason)
        return first

    def _judge(self, finding: Finding, refused: list[Judgement]) -> None:
        parts = set(finding.name.lower().split(".")) | {finding.name.lower()}
        if any(complaint.absent and parts & named(complaint.message) for complaint in refused):
            self.confirmed += 1
        elif any(complaint.code in _UNREAD for complaint in refused):
            self.unjudged.append(str(finding))
        else:
            said = "; ".join(f"{complaint.code} {complaint.message}" for complaint in refused) or "accepted"
            self.false_alarms.append(f"{finding}  || {said}")

    def __str__(self) -> str:
        share = self.unknown / self.references if self.references else 0.0
        counts = (
            f"{self.name}: {self.files} files, {self.references} references, {self.unknown} unknown ({share:.2%}), "
            f"{self.confirmed} ghosts confirmed, {len(self.false_alarms)} false alarms, "
            f"{len(self.unjudged)} not judged; {self.absent} statements name an absent relation or column, "
            f"{self.found} of them found"
        )
        rows = [counts]
        rows += [f"    {count:6} unknown: {reason}" for reason, count in self.reasons.most_common(15)]
        rows += [f"    {count:6} missed: {reason}" for reason, count in self.why.most_common(10)]
        rows += [f"    FALSE ALARM {row}" for row in self.false_alarms]
        rows += [f"    not judged {row}" for row in self.unjudged]
        return "\n".join(rows)


def _refused(analysis: Analysis, complaints: Iterable[Judgement]) -> dict[int, list[Judgement]]:
    """Complaints by statement. `psql` names the line that a statement ends on; all that end there share its complaints."""
    source = analysis.source
    breaks = [place for place, byte in enumerate(source.data) if byte == ord("\n")]
    ends: dict[int, list[int]] = defaultdict(list)
    for index in range(len(source.pieces)):
        ends[bisect_left(breaks, source.span(index).end) + 1].append(index)
    lines = sorted(ends)
    refused: dict[int, list[Judgement]] = defaultdict(list)
    for complaint in complaints:
        at = bisect_left(lines, complaint.line)
        for statement in ends[lines[at]] if at < len(lines) else ():
            refused[statement].append(complaint)
    return refused


def _ghosts(label: str, analysis: Analysis) -> dict[int, list[Finding]]:
    """Ghosts by statement."""
    ghosts: dict[int, list[Finding]] = defaultdict(list)
    for finding, diagnostic in zip(findings(label, analysis), analysis.diagnostics, strict=True):
        statement = analysis.source.at(diagnostic.span.start)
        if finding.code == GHOST and statement is not None:
            ghosts[statement].append(finding)
    return ghosts
