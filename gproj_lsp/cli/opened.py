"""One document, opened and analysed, as most commands need it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gproj_lsp.cli.check import analysed, read_source
from gproj_lsp.cli.console import note
from gproj_lsp.cli.place import offset_of
from gproj_lsp.cli.wiring import Workspaces
from gproj_lsp.document import Document
from gproj_lsp.errors import InputError
from gproj_lsp.holes import Hole
from gproj_lsp.ide import Analysis, Analyzer
from gproj_lsp.surface import Surface
from gproj_lsp.workspace import Workspace

__all__ = ["Opened", "hole_at", "open_document"]


@dataclass(frozen=True)
class Opened:
    """A document with everything that was found out about it."""

    document: Document
    workspace: Workspace
    surface: Surface
    analyzer: Analyzer
    analysis: Analysis


def open_document(path: str, stdin_filename: str | None, overrides: Iterable[str]) -> Opened:
    """Read and analyse one document; what providers could not read is told on stderr.

    Raises:
        InputError: It can't be read, is too large, or no surface reads it.
        SettingsError: Its settings are not valid.
        ProviderError: A configured source can't be read.
    """
    document = read_source(path, stdin_filename)
    workspace = Workspaces(overrides).at(document.path)
    surface = workspace.require_surface(document.path, document.label, document.text)
    analyzer = workspace.analyzer(surface, document.path)
    for problem in workspace.problems(surface):
        note(problem)
    return Opened(document, workspace, surface, analyzer, analysed(analyzer, document))


def hole_at(opened: Opened, at: str) -> Hole:
    """The hole that a place touches.

    Raises:
        InputError: It is no place, outside the text, or there is no hole.
    """
    lines = opened.analysis.lines
    offset = offset_of(opened.document, lines, at)
    for hole in opened.analysis.holes:
        if hole.span.touches(offset):
            return hole
    where = ", ".join(lines.place(hole.span.start) for hole in opened.analysis.holes[:5])
    mend = f"holes are at {where}" if where else "write ?? or {:Sort} where a name should stand"
    raise InputError("there is no hole here", place=f"{opened.document.label}:{at}", mend=mend)
