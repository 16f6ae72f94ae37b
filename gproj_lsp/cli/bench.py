"""`gproj-lsp bench`: measurements on this machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from gproj_lsp.bench.sheet import Sheet
from gproj_lsp.cli.console import Progress, out, progress
from gproj_lsp.cli.demo import FOLDER
from gproj_lsp.cli.wiring import Workspaces, open_model
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.document import read
from gproj_lsp.errors import InputError
from gproj_lsp.ide import Analysis, Analyzer
from gproj_lsp.ide.edits import Edit, applied
from gproj_lsp.surface import Surface

__all__ = ["columns", "lsp", "slots", "throughput"]

_TASKS = "tasks.json"
_DATABASES = "databases"
_MENDS = 5


def throughput(*, names: str, rounds: int, json: bool, overrides: Iterable[str]) -> int:
    """Write tokens a second under the mask and free."""
    from gproj_lsp.bench import throughput as bench

    settings = Workspaces(overrides).at(Path.cwd()).settings
    with progress("loading the model") as shown:
        context = Context(open_model(settings))
        engine = make_engine(settings.text("engine"))
        sheet = bench.run(
            context, engine, sizes=_sizes(names), rounds=rounds, progress=_counting(shown, "pair")
        )
    return _write([sheet], json=json)


def slots(*, names: str, rounds: int, json: bool, overrides: Iterable[str]) -> int:
    """Write what a changed Γ costs, and the model steps to the first text of each hole of the shipped example."""
    from gproj_lsp.bench import slots as bench

    workspaces = Workspaces(overrides)
    settings = workspaces.at(Path.cwd()).settings
    example = workspaces.at(FOLDER)
    source = read(FOLDER / "holes.sql", "holes.sql")
    surface = example.require_surface(source.path, source.label)
    with progress("loading the model"):
        context = Context(open_model(settings))
        engine = make_engine(settings.text("engine"))
        sheets = [
            bench.run(context.vocabulary, engine, sizes=_sizes(names), rounds=rounds),
            bench.second_hole(surface, context, engine, source.text, example.analyzer(surface).analyse),
        ]
    return _write(sheets, json=json)


def columns(
    data: Path,
    *,
    sort: str,
    sample: int | None,
    seed: int,
    uniform: bool,
    json: bool,
    surface: str | None,
    overrides: Iterable[str],
) -> int:
    """Write how often a model chooses the right name, by arm."""
    from gproj_lsp.bench import columns as bench
    from gproj_lsp.decode.models.fake import UniformModel

    workspaces = Workspaces(overrides)
    chosen = _surface(workspaces, surface)
    tasks = bench.read_tasks(data / _TASKS)
    settings = workspaces.at(Path.cwd()).settings
    analyzer_of = _analyzers(data / _DATABASES, chosen, tuple(overrides))
    sheets: list[Sheet] = []
    with progress("loading the model") as shown:
        model = open_model(settings)
        models = [model, UniformModel(model.vocabulary)] if uniform else [model]
        engine = make_engine(settings.text("engine"))
        for each in models:
            told = _counting(shown, f"hole of {each.name}")
            sheets.append(
                bench.run(
                    tasks,
                    analyzer_of,
                    chosen,
                    Context(each),
                    engine,
                    sort=sort,
                    sample=sample,
                    seed=seed,
                    progress=told,
                )
            )
    return _write(sheets, json=json)


def lsp(*, lines: int, rounds: int, seed: int, json: bool, overrides: Iterable[str]) -> int:
    """Write how fast the language server answers, on the shipped example made long."""
    import sys
    from tempfile import TemporaryDirectory

    from gproj_lsp.bench import lsp as bench

    example = Workspaces(overrides).at(FOLDER)
    holes = read(FOLDER / "holes.sql", "holes.sql")
    surface = example.require_surface(holes.path, holes.label)
    analyse = example.analyzer(surface).analyse
    clean = _without_ghosts(read(FOLDER / "report.sql", "report.sql").text, analyse)
    half = clean * (lines // (2 * clean.count("\n")) + 1)
    ((mark, _),) = Counter(hole.mark.text for hole in analyse(holes.text).holes).most_common(1)
    texts = bench.Texts(holes.text, half + holes.text + half, mark, surface.comment)
    settings = [part for each in overrides for part in ("-c", each)]
    command = (sys.executable, "-m", "gproj_lsp", "serve", *settings)
    with progress("asking the server"), TemporaryDirectory(prefix="gproj-bench-") as state:
        environment = {"XDG_STATE_HOME": state}
        server = bench.Server(command, environment, FOLDER, surface.languages[0], holes.path.suffix)
        sheet = bench.run(server, texts, rounds=rounds, seed=seed)
    return _write([sheet], json=json)


def _without_ghosts(text: str, analyse: Callable[[str], Analysis]) -> str:
    """A text with the nearest name in every ghost's place; a name that is mended may show the next ghost."""
    for _ in range(_MENDS):
        found = (each for each in analyse(text).diagnostics if each.suggestions)
        text = applied(text, [Edit(each.span, each.suggestions[0]) for each in found])
    return text


def _analyzers(folder: Path, surface: Surface, overrides: tuple[str, ...]) -> Callable[[str], Analyzer]:
    """The analyser of each database in a folder, opened when first asked for."""

    @cache
    def analyzer_of(name: str) -> Analyzer:
        path = (folder / f"{name}.sqlite").absolute()
        said = (*overrides, f"surfaces.{surface.name}.database=sqlite:///{path}")
        return Workspaces(said).at(Path.cwd()).analyzer(surface)

    return analyzer_of


def _surface(workspaces: Workspaces, name: str | None) -> Surface:
    if name is not None:
        return workspaces.at(Path.cwd()).surface(name)
    for surface in workspaces.surfaces():
        if "database" in surface.providers:
            return surface
    raise InputError("no surface reads databases")


def _sizes(names: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(each) for each in names.split(","))
    except ValueError:
        sizes = ()
    if not sizes or min(sizes) < 1:
        raise InputError(f'"{names}" is no list of counts', place="--names", mend="as in --names 10,300,3000")
    return sizes


def _counting(shown: Progress, noun: str) -> Callable[[int, int], None]:
    def told(done: int, everything: int) -> None:
        shown.update(f"{noun} {done:,} of {everything:,}")

    return told


def _write(sheets: Iterable[Sheet], *, json: bool) -> int:
    texts = [sheet.to_json() if json else str(sheet) for sheet in sheets]
    out("[" + ",\n".join(texts) + "]" if json else "\n\n".join(texts))
    return 0
