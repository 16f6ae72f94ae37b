"""What `check` says of many texts, counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from gproj_lsp.ide import Analysis, Analyzer
from gproj_lsp.resolve import Verdict

__all__ = ["Finding", "Measure", "measure"]

GHOST, AMBIGUOUS = "ghost-reference", "ambiguous-reference"


@dataclass(frozen=True)
class Finding:
    """One diagnostic where a reader finds it."""

    label: str
    line: int
    code: str
    sort: str
    name: str
    source: str

    def __str__(self) -> str:
        return f"{self.label}:{self.line}: {self.code} {self.sort} {self.name!r}  | {self.source}"


@dataclass
class Measure:
    """Counts over a corpus; `str` is the row of a report."""

    name: str
    texts: int = 0
    references: int = 0
    unknown: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    sorts: Counter[str] = field(default_factory=Counter)

    @property
    def ghosts(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.code == GHOST]

    @property
    def ambiguous(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.code == AMBIGUOUS]

    @property
    def unknown_share(self) -> float:
        return self.unknown / self.references if self.references else 0.0

    def add(self, label: str, analysis: Analysis) -> None:
        """Count one analysed text."""
        self.texts += 1
        self.references += analysis.references
        self.unknown += analysis.unknown
        for _, reference in analysis.each_reference():
            self.sorts[reference.sort] += 1
            if reference.verdict is Verdict.UNKNOWN:
                self.reasons[f"{reference.sort}: {reference.reason or 'no reason given'}"] += 1
        self.findings += findings(label, analysis)

    def __str__(self) -> str:
        row = (
            f"{self.name}: {self.texts} texts, {self.references} references, {len(self.ghosts)} ghosts, "
            f"{len(self.ambiguous)} ambiguous, {self.unknown} unknown ({self.unknown_share:.2%}), {self.seconds:.1f} s"
        )
        why = [f"    {count:6} {reason}" for reason, count in self.reasons.most_common(15)]
        return "\n".join([row, *why, *(f"    {finding}" for finding in self.findings)])


def findings(label: str, analysis: Analysis) -> list[Finding]:
    """The diagnostics of one analysis, each with its line."""
    lines = analysis.text.encode().split(b"\n")
    found = []
    for diagnostic in analysis.diagnostics:
        line = analysis.text.encode().count(b"\n", 0, diagnostic.span.start)
        source = lines[line].decode(errors="replace").strip()
        found.append(
            Finding(label, line + 1, diagnostic.code, diagnostic.sort, diagnostic.name, source[:160])
        )
    return found


def measure(
    name: str, analyzer: Analyzer, texts: Iterable[tuple[str, str]], into: Measure | None = None
) -> Measure:
    """Analyse every (label, text) and count."""
    result = into or Measure(name)
    for label, text in texts:
        started = time.perf_counter()
        analysis = analyzer.analyse(text)
        result.seconds += time.perf_counter() - started
        result.add(label, analysis)
    return result
