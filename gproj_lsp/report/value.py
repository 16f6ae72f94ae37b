"""What `check` found in one file, as every format needs it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gproj_lsp.ide import Analysis, Diagnostic
from gproj_lsp.resolve import Verdict
from gproj_lsp.text import LineIndex

__all__ = ["GHOST", "UNKNOWN", "FileReport", "Totals", "of", "totals", "unknowns"]

GHOST = "ghost-reference"
UNKNOWN = "unknown-reference"
"""What nothing is known of; told only on request."""


@dataclass(frozen=True)
class FileReport:
    """One checked file.

    Attributes:
        path: As messages show it, with forward slashes.
        surface: The surface's name.
        lines: Its text, to convert places.
        diagnostics: In order of place.
        references: How many reference positions there are.
        unknown: How many of them can't be judged.
    """

    path: str
    surface: str
    lines: LineIndex
    diagnostics: tuple[Diagnostic, ...]
    references: int
    unknown: int

    def only(self, diagnostics: Iterable[Diagnostic]) -> FileReport:
        """The report with these diagnostics alone."""
        return replace(self, diagnostics=tuple(diagnostics))


@dataclass(frozen=True)
class Totals:
    """Sums over files.

    Attributes:
        files: How many were checked.
        ghosts: Diagnostics with the ghost code.
        errors: Diagnostics of severity error, ghosts among them.
        warnings: Diagnostics of any other severity; references of which nothing is known are none.
        references: Reference positions.
        unknown: Those that can't be judged.
    """

    files: int
    ghosts: int
    errors: int
    warnings: int
    references: int
    unknown: int


def of(path: str, surface: str, analysis: Analysis) -> FileReport:
    """The report on one analysed file."""
    return FileReport(
        path.replace("\\", "/"),
        surface,
        analysis.lines,
        tuple(sorted(analysis.diagnostics, key=lambda found: found.span)),
        analysis.references,
        analysis.unknown,
    )


def unknowns(analysis: Analysis) -> tuple[Diagnostic, ...]:
    """The references that can't be judged, each with why."""
    return tuple(
        Diagnostic(
            UNKNOWN,
            "information",
            f'nothing is known of {each.sort.lower()} "{each.name}"'
            + (f"; {each.reason}" if each.reason else ""),
            each.name,
            each.sort,
            span,
        )
        for span, each in analysis.each_reference()
        if each.verdict is Verdict.UNKNOWN
    )


def totals(reports: Iterable[FileReport]) -> Totals:
    """The sums over the reports."""
    reports = tuple(reports)
    found = [diagnostic for report in reports for diagnostic in report.diagnostics]
    errors = sum(diagnostic.severity == "error" for diagnostic in found)
    return Totals(
        files=len(reports),
        ghosts=sum(diagnostic.code == GHOST for diagnostic in found),
        errors=errors,
        warnings=sum(diagnostic.code != UNKNOWN for diagnostic in found) - errors,
        references=sum(report.references for report in reports),
        unknown=sum(report.unknown for report in reports),
    )
