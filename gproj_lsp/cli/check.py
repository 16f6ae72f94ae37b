"""`gproj-lsp check`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gproj_lsp import baseline as baselines
from gproj_lsp import document
from gproj_lsp.cli.console import Progress, complain, note, out, progress, stdout
from gproj_lsp.cli.wiring import Workspaces
from gproj_lsp.document import Document
from gproj_lsp.errors import GprojError, InputError
from gproj_lsp.ide import Analysis, Analyzer
from gproj_lsp.report import value
from gproj_lsp.report.value import FileReport
from gproj_lsp.settings import shown_path
from gproj_lsp.workspace import sources_of, walk

__all__ = ["analysed", "check", "read_source"]


def check(
    paths: Sequence[str],
    *,
    format: str,  # noqa: A002  (named as the option)
    stdin_filename: str | None,
    baseline: Path | None,
    update_baseline: bool,
    show_unknown: bool,
    overrides: Iterable[str],
) -> int:
    """Check files and folders; write what is found to stdout and what can't be checked to stderr.

    Returns:
        0, 1 where there are ghosts, 2 where something could not be checked.
    """
    run = _Run(Workspaces(overrides), baseline, show_unknown and not update_baseline)
    with progress("checking") as shown:
        reports = list(run.reports(paths, stdin_filename, shown))
    if update_baseline:
        return _save(run, reports)
    reports = list(run.new(reports))
    _write(reports, format)
    if run.failed:
        return 2
    return 1 if value.totals(reports).errors else 0


def _save(run: _Run, reports: Sequence[FileReport]) -> int:
    by_file: dict[Path, list[FileReport]] = {}
    for report in reports:
        known = run.known.get(report.path)
        if known is None:
            raise InputError("--update-baseline needs a file to write", mend="add --baseline FILE")
        by_file.setdefault(known, []).append(report)
    if not by_file:
        raise InputError("--update-baseline needs files to check", mend="name one that a surface reads")
    if run.failed:
        complain(f"{shown_path(next(iter(by_file)))}: not written, since not everything could be checked")
        return 2
    for known, found in by_file.items():
        baselines.save(baselines.Baseline.of(found, known.parent), known)
        note(f"{shown_path(known)}: {sum(len(each.diagnostics) for each in found)} known from now on")
    return 0


@dataclass
class _Run:
    """One run over many files: a file that can't be checked is told, and the others are checked all the same.

    Attributes:
        workspaces: The workspaces of the files.
        baseline: The one that is asked for, for all files; else each workspace's own.
        unknown: Whether references that can't be judged are told too.
        failed: Whether a file could not be checked.
        told: What was said already.
        known: The baseline of each report that has one, by its path.
    """

    workspaces: Workspaces
    baseline: Path | None = None
    unknown: bool = False
    failed: bool = False
    told: set[str] = field(default_factory=set)
    known: dict[str, Path] = field(default_factory=dict)

    def new(self, reports: Iterable[FileReport]) -> Iterator[FileReport]:
        """The reports without what their baselines know."""
        loaded: dict[Path, baselines.Baseline] = {}
        for report in reports:
            known = self.known.get(report.path)
            if known is None:
                yield report
                continue
            if known not in loaded:
                loaded[known] = baselines.load(known, shown_path(known))
            yield loaded[known].new(report)

    def reports(
        self, paths: Sequence[str], stdin_filename: str | None, shown: Progress
    ) -> Iterator[FileReport]:
        for path in self._files(paths):
            shown.update(f"checking {path}")
            try:
                yield self._report(path, stdin_filename)
            except GprojError as error:
                self._fail(error)

    def _files(self, paths: Sequence[str]) -> Iterator[str]:
        """Every file to check, once."""
        seen: set[str] = set()
        for path in paths:
            within = path != "-" and Path(path).is_dir()
            for name in self._inside(Path(path)) if within else (path,):
                if name not in seen:
                    seen.add(name)
                    yield name

    def _inside(self, folder: Path) -> Iterator[str]:
        try:
            workspace = self.workspaces.at(folder)
        except GprojError as error:
            self._fail(error)
            return
        empty = True
        exclude = workspace.settings.texts("exclude")
        for path in walk(folder, lambda path: workspace.surface_of(path) is not None, exclude):
            empty = False
            yield str(path)
        if empty:
            note(f"{folder}: no file here that a surface reads")

    def _report(self, path: str, stdin_filename: str | None) -> FileReport:
        source = read_source(path, stdin_filename)
        workspace = self.workspaces.at(source.path)
        surface = workspace.require_surface(source.path, source.label, source.text)
        analysis = analysed(workspace.analyzer(surface, source.path), source)
        self._tell(workspace.problems(surface))
        if analysis.unknown and workspace.sourceless(surface):
            settings = " or ".join(f"surfaces.{surface.name}.{name}" for name in sources_of(surface))
            self._tell(
                [f"no source says what is declared outside these files, so much is unknown (set {settings})"]
            )
        report = value.of(source.label, surface.name, analysis)
        said = workspace.settings.text("baseline")
        if self.baseline is not None or said:
            self.known[report.path] = self.baseline or workspace.settings.root / said
        told = workspace.told(report.diagnostics)
        if self.unknown:
            told = tuple(sorted((*told, *value.unknowns(analysis)), key=lambda found: found.span))
        return report.only(told)

    def _tell(self, problems: Iterable[str]) -> None:
        for problem in problems:
            if problem not in self.told:
                self.told.add(problem)
                note(problem)

    def _fail(self, error: GprojError) -> None:
        self.failed = True
        if str(error) not in self.told:
            self.told.add(str(error))
            complain(str(error))


def read_source(path: str, stdin_filename: str | None) -> Document:
    """The document that an argument means: a file, or standard input for `-`.

    Raises:
        InputError: It can't be read or is not text, or standard input has no name that tells its kind.
    """
    if path != "-":
        return document.read(Path(path), shown_path(Path(path)))
    if stdin_filename is None:
        raise InputError("standard input has no name", place="-", mend="add --stdin-filename report.sql")
    return document.decode(sys.stdin.buffer.read(), Path(stdin_filename), shown_path(Path(stdin_filename)))


def analysed(analyzer: Analyzer, source: Document) -> Analysis:
    """What is known of a document.

    Raises:
        InputError: It is more than the surface's limits allow.
    """
    analysis = analyzer.analyse(source.text)
    if analysis.problems:
        raise InputError(analysis.problems[0], place=source.label)
    return analysis


def _write(reports: Sequence[FileReport], how: str) -> None:
    if how == "text":
        from gproj_lsp.report.terminal import print_reports

        if reports:
            print_reports(reports, stdout())
        return
    from gproj_lsp.report import machine

    if how == "json":
        out(machine.json_text(reports))
    elif how == "sarif":
        out(machine.sarif_text(reports))
    else:
        for line in machine.github(reports):
            out(line)
