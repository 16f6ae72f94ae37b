"""`gproj-lsp demo`: the main job on a shipped example, with a real model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gproj_lsp import document
from gproj_lsp.cli.console import progress, stdout
from gproj_lsp.cli.wiring import Workspaces, open_filler, open_model
from gproj_lsp.decode.base import LanguageModel
from gproj_lsp.decode.fill import Analyse, Analysed, FilledHole, FillResult
from gproj_lsp.document import Document
from gproj_lsp.environment import Environment
from gproj_lsp.fragment import Rung
from gproj_lsp.ghosts import GHOST, Diagnostic
from gproj_lsp.holes import Hole
from gproj_lsp.ide import Analyzer
from gproj_lsp.report import value
from gproj_lsp.report.diff import print_diff
from gproj_lsp.report.terminal import counted, print_reports
from gproj_lsp.surface import Surface
from gproj_lsp.text import Span
from gproj_lsp.workspace import Workspace

__all__ = ["FOLDER", "demo", "show"]

FOLDER = Path(__file__).parents[1] / "demo"
"""The example: a workspace of its own."""


def demo(model: str | None) -> int:
    """Show the example on stdout.

    Raises:
        ModelError: The model is not installed or can't be loaded; what needs none was shown before.
    """
    show(stdout(), model)
    return 0


def show(console: Console, model: str | None = None) -> None:
    """Show the example on a console.

    Args:
        console: Where.
        model: What the setting `model` would say, relative to the current folder; None: the embedded model.

    Raises:
        ModelError: The model is not installed or can't be loaded.
    """
    overrides = [f"model={Path(model).absolute()}"] if model and not model.startswith("hf:") else []
    overrides += [f"model={model}"] if model and not overrides else []
    example = _Example(Workspaces(overrides).at(FOLDER), console)
    example.ghosts("report.sql")
    with progress("loading the model"):
        loaded = open_model(example.workspace.settings)
    example.free_and_bound("holes.sql", loaded)
    example.filled("holes.sql", loaded)
    example.next()


@dataclass(frozen=True)
class _Free:
    """An analysis that judges nothing: what a model writes that nobody checks."""

    of: Analysed
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def holes(self) -> tuple[Hole, ...]:
        return self.of.holes

    def environment_at(self, offset: int) -> Environment:
        return self.of.environment_at(offset)

    def readable(self, span: Span) -> bool:
        return self.of.readable(span)


class _Example:
    """The steps of the demonstration."""

    def __init__(self, workspace: Workspace, console: Console) -> None:
        self.workspace = workspace
        self._console = console
        self._steps = 0

    def ghosts(self, name: str) -> None:
        """Step: what `check` says."""
        source, surface, analyzer = self._open(name)
        self._step(
            "Ghosts", f"gproj-lsp check {name}", "A report on a small shop, as a model might write it."
        )
        print_reports([value.of(name, surface.name, analyzer.analyse(source.text))], self._console)

    def free_and_bound(self, name: str, model: LanguageModel) -> None:
        """Step: the first hole, decoded as an open name and under Γ."""
        source, surface, analyzer = self._open(name)
        about = f"What {model.name} writes into the first hole of {name}, and what it can write under Γ."
        self._step("One hole, free and under Γ", "", about)
        open_sorts = {sort: replace(spec, rungs=(Rung.BASE,)) for sort, spec in surface.sorts.items()}
        free = self._fill(
            source, replace(surface, sorts=open_sorts), lambda text: _Free(analyzer.analyse(text)), model
        )
        bound = self._fill(source, surface, analyzer.analyse, model)
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
        for heading in ("", "written", "", "chosen from"):
            table.add_column(heading, style="dim" if not heading else "")
        for title, result in (("free", free), ("under Γ", bound)):
            for hole in result.holes:
                ghost = _is_ghost(source, hole, analyzer)
                verdict = Text("a ghost", "bold red") if ghost else Text("declared", "bold green")
                among = ", ".join(hole.candidates) if hole.candidates else "every identifier there is"
                table.add_row(title, hole.text, verdict, among)
        mark = analyzer.analyse(source.text).holes[0]
        self._console.print(Text(f"{_line_of(source, mark)}\n", "cyan"))
        self._console.print(table)

    def filled(self, name: str, model: LanguageModel) -> None:
        """Step: what `fill` says."""
        source, surface, analyzer = self._open(name)
        self._step("Holes filled", f"gproj-lsp fill {name}", "A diff; --write changes the file.")
        with progress(f"filling {name}"):
            filler = open_filler(self.workspace.settings, surface, model=model)
            result = filler.fill(source.text, analyzer.analyse)
        print_diff(name, source.text, result.text, self._console)
        total = counted(len(result.holes) + len(result.empty) + len(result.incomplete), "hole")
        self._console.print(Text(f"\n{len(result.holes)} of {total} filled", "bold green"))

    def next(self) -> None:
        """Step: what to do next."""
        self._step("What next", "", "Try it on this shop, then on your own files:")
        for line in (
            'cp -r "$(gproj-lsp demo --path)" shop && cd shop',
            "gproj-lsp fill holes.sql --write",
            "gproj-lsp rank holes.sql --at 2:24          what the model thinks of each candidate",
            "gproj-lsp gamma holes.sql --at 2:24         what may be named there, and who says so",
            "",
            "gproj-lsp check path/to/queries -c surfaces.sql.ddl=path/to/schema.sql",
            "gproj-lsp check path/to/queries -c surfaces.sql.database=sqlite:///path/to/shop.db",
            "gproj-lsp --help",
        ):
            self._console.print(Text(f"  {line}".rstrip()), soft_wrap=True)

    def _step(self, title: str, command: str, about: str) -> None:
        self._steps += 1
        text = Text("\n" if self._steps > 1 else "")
        text.append(f"{self._steps}  {title}\n", "bold magenta")
        text.append(f"{about}\n", "dim")
        if command:
            text.append(f"$ {command}\n", "bold")
        self._console.print(text, soft_wrap=True)

    def _open(self, name: str) -> tuple[Document, Surface, Analyzer]:
        source = document.read(FOLDER / name, name)
        surface = self.workspace.require_surface(source.path, name)
        return source, surface, self.workspace.analyzer(surface)

    def _fill(self, source: Document, surface: Surface, analyse: Analyse, model: LanguageModel) -> FillResult:
        filler = open_filler(self.workspace.settings, surface, model=model)
        return filler.fill(source.text, analyse, only={0})


def _is_ghost(source: Document, hole: FilledHole, analyzer: Analyzer) -> bool:
    data = source.text.encode()
    text = (data[: hole.span.start] + hole.text.encode() + data[hole.span.end :]).decode()
    at = hole.span.start
    return any(found.code == GHOST and found.span.start == at for found in analyzer.analyse(text).diagnostics)


def _line_of(source: Document, hole: Hole) -> str:
    data = source.text.encode()
    start = data.rfind(b"\n", 0, hole.span.start) + 1
    end = data.find(b"\n", hole.span.end)
    return data[start : end if end >= 0 else len(data)].decode().strip()
