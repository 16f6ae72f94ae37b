"""`gproj-lsp bench`: measurements on this machine."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gproj_lsp.bench.sheet import Sheet
from gproj_lsp.cli.console import Progress, out, progress
from gproj_lsp.cli.demo import FOLDER
from gproj_lsp.cli.wiring import Workspaces, open_batch, open_crew, open_model
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.document import read
from gproj_lsp.errors import InputError
from gproj_lsp.ide import Analysis, Analyzer
from gproj_lsp.ide.edits import Edit, applied
from gproj_lsp.surface import Surface

if TYPE_CHECKING:
    from gproj_lsp.bench.sql import World

__all__ = [
    "batch",
    "chosen_arms",
    "columns",
    "counting",
    "forced",
    "inline",
    "ladder",
    "lsp",
    "slots",
    "sql",
    "throughput",
    "write",
]

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
            context, engine, sizes=_sizes(names), rounds=rounds, progress=counting(shown, "pair")
        )
    return write([sheet], json=json)


def batch(
    *, batches: str, names: str, rounds: int, processor: bool, json: bool, overrides: Iterable[str]
) -> int:
    """Write tokens a second where several holes are decoded at once, free, under a plain grammar, and under Γ."""
    from gproj_lsp.bench import batch as bench

    settings = Workspaces(overrides).at(Path.cwd()).settings
    counts = _sizes(batches, "--batch")
    with progress("loading the model") as shown:
        model = open_batch(settings, max(counts), threads=1 if processor else None)
        engine = make_engine(settings.text("engine"))
        told = counting(shown, "round")
        sheets = [
            bench.run(
                model,
                engine,
                batches=counts,
                size=size,
                rounds=rounds,
                processor=processor,
                progress=told,
            )
            for size in _sizes(names)
        ]
    return write(sheets, json=json)


def forced(*, rounds: int, json: bool, overrides: Iterable[str]) -> int:
    """Write what forced text saves against free decoding of the same texts."""
    from gproj_lsp.bench import forced as bench

    settings = Workspaces(overrides).at(Path.cwd()).settings
    with progress("loading the model") as shown:
        context = Context(open_model(settings))
        engine = make_engine(settings.text("engine"))
        told = counting(shown, "round")
        sheet = bench.run(context, engine, bench.read_pinned(), rounds=rounds, progress=told)
    return write([sheet], json=json)


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
    return write(sheets, json=json)


def columns(
    data: Path,
    *,
    sort: str,
    sample: int | None,
    seed: int,
    uniform: bool,
    batch: int,
    json: bool,
    surface: str | None,
    overrides: Iterable[str],
) -> int:
    """Write how often a model chooses the right name, by arm."""
    from gproj_lsp.bench import columns as bench
    from gproj_lsp.decode.lanes import Alone
    from gproj_lsp.decode.models.fake import UniformModel

    workspaces = Workspaces(overrides)
    chosen = _surface(workspaces, surface)
    tasks = bench.read_tasks(data / _TASKS)
    settings = workspaces.at(Path.cwd()).settings
    analyzer_of = _analyzers(data / _DATABASES, chosen, tuple(overrides))
    sheets: list[Sheet] = []
    with progress("loading the model") as shown:
        crew = open_crew(settings, batch)
        crews = [crew, Alone(UniformModel(crew.vocabulary))] if uniform else [crew]
        engine = make_engine(settings.text("engine"))
        for each in crews:
            told = counting(shown, f"fill of {each.name}")
            sheets.append(
                bench.run(
                    tasks,
                    analyzer_of,
                    chosen,
                    each,
                    engine,
                    sort=sort,
                    sample=sample,
                    seed=seed,
                    progress=told,
                )
            )
    return write(sheets, json=json)


def inline(
    data: Path,
    *,
    arms: str,
    sample: int | None,
    seed: int,
    milliseconds: float,
    batch: int,
    json: bool,
    surface: str | None,
    overrides: Iterable[str],
) -> int:
    """Write how useful text at the cursor is, by arm."""
    from gproj_lsp.bench import inline as bench
    from gproj_lsp.bench.columns import read_tasks

    if milliseconds and batch > 1:
        mend = "leave --batch or --milliseconds out"
        raise InputError("texts that are written side by side wait for each other", mend=mend)
    workspaces = Workspaces(overrides)
    chosen = _surface(workspaces, surface)
    places = bench.positions(read_tasks(data / _TASKS), chosen, sample, seed)
    settings = workspaces.at(Path.cwd()).settings
    analyzer_of = _analyzers(data / _DATABASES, chosen, tuple(overrides))
    with progress("loading the model") as shown:
        crew = open_crew(settings, batch)
        offers = bench.run(
            places,
            analyzer_of,
            chosen,
            crew,
            make_engine(settings.text("engine")),
            arms=chosen_arms(arms, bench.ARMS),
            milliseconds=milliseconds,
            progress=counting(shown, "offer"),
        )
    return write([bench.sheet(crew, offers, milliseconds)], json=json)


def lsp(*, lines: int, rounds: int, seed: int, json: bool, overrides: Iterable[str]) -> int:
    """Write how fast the language server answers, on the shipped example made long."""
    import sys
    from tempfile import TemporaryDirectory

    from gproj_lsp.bench import lsp as bench
    from gproj_lsp.bench import typing
    from gproj_lsp.bench.editor import Server

    example = Workspaces(overrides).at(FOLDER)
    holes = read(FOLDER / "holes.sql", "holes.sql")
    surface = example.require_surface(holes.path, holes.label)
    analyse = example.analyzer(surface).analyse
    clean = _without_ghosts(read(FOLDER / "report.sql", "report.sql").text, analyse)
    half = clean * (lines // (2 * clean.count("\n")) + 1)
    ((mark, _),) = Counter(hole.mark.text for hole in analyse(holes.text).holes).most_common(1)
    texts = bench.Texts(holes.text, half + holes.text + half, mark, clean, surface.comment)
    settings = [part for each in overrides for part in ("-c", each)]
    command = (sys.executable, "-m", "gproj_lsp", "serve", *settings)
    with progress("asking the server"), TemporaryDirectory(prefix="gproj-bench-") as state:
        environment = {"XDG_STATE_HOME": state}
        server = Server(command, environment, FOLDER, surface.languages[0], holes.path.suffix)
        sheets = [
            bench.run(server, texts, rounds=rounds, seed=seed),
            typing.run(
                server,
                texts,
                places=rounds * 10 // 3,
                keys=rounds,
                milliseconds=example.settings.number("inline.milliseconds"),
            ),
        ]
    return write(sheets, json=json)


def _without_ghosts(text: str, analyse: Callable[[str], Analysis]) -> str:
    """A text with the nearest name in every ghost's place; a name that is mended may show the next ghost."""
    for _ in range(_MENDS):
        found = (each for each in analyse(text).diagnostics if each.suggestions)
        text = applied(text, [Edit(each.span, each.suggestions[0]) for each in found])
    return text


def sql(
    tasks: Path,
    databases: Path,
    *,
    arms: str,
    sample: int | None,
    seed: int,
    answers: Path | None,
    batch: int,
    json: bool,
    surface: str | None,
    overrides: Iterable[str],
) -> int:
    """Write how good whole queries are, by arm, and each answer to a file where one is named."""
    from gproj_lsp.bench import sql as bench
    from gproj_lsp.bench.answers import Answer, Answers
    from gproj_lsp.bench.columns import read_tasks

    workspaces = Workspaces(overrides)
    chosen = _surface(workspaces, surface)
    wanted = chosen_arms(arms, bench.ARMS)
    questions = bench.drawn(read_tasks(tasks), sample, seed)
    settings = workspaces.at(Path.cwd()).settings
    with progress("loading the model") as shown, ExitStack() as stack:
        file = Answers(answers) if answers else None
        count, done = counting(shown, "answer"), itertools.count(1)

        def told(answer: Answer) -> None:
            count(next(done), len(questions) * len(wanted))
            if file:
                file.add(answer)

        crew = open_crew(settings, batch)
        engine = make_engine(settings.text("engine"))
        world_of = _worlds(databases, chosen, tuple(overrides), stack)
        for name in dict.fromkeys(task.database for task in questions):
            world_of(name)  # what can't be opened is told before hours of work
        known = file.known if file else ()
        found = bench.run(questions, world_of, chosen, crew, engine, arms=wanted, known=known, told=told)
    return write([bench.sheet(crew, found)], json=json)


def ladder(
    tasks: Path,
    databases: Path,
    *,
    sample: int | None,
    seed: int,
    batch: int,
    json: bool,
    surface: str | None,
    overrides: Iterable[str],
) -> int:
    """Write what each rung leaves a model to choose in queries whose columns alone are open, and what it makes of it."""
    from gproj_lsp.bench import ladder as bench
    from gproj_lsp.bench.columns import read_tasks
    from gproj_lsp.bench.sql import drawn

    workspaces = Workspaces(overrides)
    chosen = _surface(workspaces, surface)
    settings = workspaces.at(Path.cwd()).settings
    with progress("loading the model") as shown, ExitStack() as stack:
        world_of = _worlds(databases, chosen, tuple(overrides), stack)
        tried = [(task, bench.opened(task, world_of(task.database).analyzer)) for task in read_tasks(tasks)]
        fit = {task: query for task, query in tried if query}
        queries = [fit[task] for task in drawn(list(fit), sample, seed)]
        sheet = bench.run(
            queries,
            world_of,
            chosen,
            open_crew(settings, batch),
            make_engine(settings.text("engine")),
            progress=counting(shown, "fill"),
        )
    return write([sheet], json=json)


def chosen_arms(names: str, known: Sequence[str]) -> tuple[str, ...]:
    """The arms that an option names.

    Args:
        names: With commas between them.
        known: Those that there are.

    Raises:
        InputError: One of them is not known.
    """
    wanted = tuple(each.strip() for each in names.split(","))
    if unknown := [each for each in wanted if each not in known]:
        raise InputError(f'unknown arm "{unknown[0]}"', place="--arms", mend=f"known: {', '.join(known)}")
    return wanted


def _worlds(
    folder: Path, surface: Surface, overrides: tuple[str, ...], stack: ExitStack
) -> Callable[[str], World]:
    """Each database of a folder, opened when first asked for, and what analyses texts over it."""
    from gproj_lsp.bench.execution import Judge
    from gproj_lsp.bench.sql import World

    analyzer_of = _analyzers(folder, surface, overrides)

    @cache
    def world_of(name: str) -> World:
        judge = stack.enter_context(closing(Judge(folder / f"{name}.sqlite")))
        return World(judge, analyzer_of(name))

    return world_of


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


def _sizes(names: str, option: str = "--names") -> tuple[int, ...]:
    try:
        sizes = tuple(int(each) for each in names.split(","))
    except ValueError:
        sizes = ()
    if not sizes or min(sizes) < 1:
        raise InputError(f'"{names}" is no list of counts', place=option, mend=f"as in {option} 1,32")
    return sizes


def counting(shown: Progress, noun: str) -> Callable[[int, int], None]:
    """What shows how many of how many things are done."""

    def told(done: int, everything: int) -> None:
        shown.update(f"{noun} {done:,} of {everything:,}")

    return told


def write(sheets: Iterable[Sheet], *, json: bool) -> int:
    """Write figures to standard output; gives the exit code."""
    texts = [sheet.to_json() if json else str(sheet) for sheet in sheets]
    out("[" + ",\n".join(texts) + "]" if json else "\n\n".join(texts))
    return 0
