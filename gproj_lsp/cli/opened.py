"""One document, opened and analysed, as most commands need it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gproj_lsp.cli.check import read_source
from gproj_lsp.cli.console import note
from gproj_lsp.cli.wiring import Workspaces
from gproj_lsp.document import Document
from gproj_lsp.ide import Analysis, Analyzer
from gproj_lsp.surface import Surface
from gproj_lsp.workspace import Workspace

__all__ = ["Opened", "open_document"]


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
        InputError: It can't be read, or no surface reads it.
        SettingsError: Its settings are not valid.
        ProviderError: A configured source can't be read.
    """
    document = read_source(path, stdin_filename)
    workspace = Workspaces(overrides).at(document.path)
    surface = workspace.require_surface(document.path, document.label)
    analyzer = workspace.analyzer(surface)
    for problem in workspace.problems(surface):
        note(problem)
    return Opened(document, workspace, surface, analyzer, analyzer.analyse(document.text))
