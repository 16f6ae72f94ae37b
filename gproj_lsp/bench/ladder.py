"""What each rung leaves a model to choose, and what that does to its answers (paper, section 6.3).

Queries over one table whose columns alone are left open: everything else, the table too, stays as the reference has it. The
holes of a query are filled from left to right, each at the rung that is measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from gproj_lsp.bench.columns import Task
from gproj_lsp.bench.execution import matches
from gproj_lsp.bench.opened import Opened
from gproj_lsp.bench.sheet import Sheet, Value, model_of
from gproj_lsp.bench.sql import World, class_of
from gproj_lsp.decode.base import LanguageModel, MaskEngine
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.executor import Decoded, Wishes
from gproj_lsp.decode.fill import Filler
from gproj_lsp.decode.lanes import Crew, Job
from gproj_lsp.errors import GprojError
from gproj_lsp.fragment import Rung
from gproj_lsp.ide import Analyzer
from gproj_lsp.surface import Surface
from gproj_lsp.text import encode

__all__ = ["PUBLISHED", "RUNGS", "Query", "opened", "run"]

RUNGS = (Rung.BASE, Rung.GAMMA, Rung.CTX, Rung.PIN)
PUBLISHED: Mapping[Rung, tuple[float, float]] = MappingProxyType(
    {Rung.BASE: (249.8, 0.0), Rung.GAMMA: (17.9, 0.85), Rung.CTX: (13.8, 1.0), Rung.PIN: (0.0, 1.0)}
)
"""The paper's free bits and share of execution matches, Qwen3-0.6B."""
_SORT = "Column"


@dataclass(frozen=True)
class Query(Opened):
    """A query with its columns taken out.

    Attributes:
        task: The question and its reference query.
    """

    task: Task


@dataclass(frozen=True)
class _Taken:
    """What one query got at one rung."""

    failed: bool
    right: bool = False
    executes: bool = False
    bits: float = 0.0
    tokens: int = 0
    candidates: tuple[int, ...] = ()
    seconds: float = 0.0


def opened(task: Task, analyzer: Analyzer) -> Query | None:
    """A task with its columns taken out; None where it reads more than one table, or names no column."""
    if class_of(task.query) != "single":
        return None
    data = encode(task.query)
    between: list[str] = []
    names: list[str] = []
    last = 0
    for span, reference in analyzer.analyse(task.query).each_reference():
        if reference.sort == _SORT and reference.binding is not None and span.start >= last:
            between.append(data[last : span.start].decode())
            names.append(reference.binding.spelling)
            last = span.end
    return Query(_SORT, (*between, data[last:].decode()), tuple(names), task) if names else None


def run(  # noqa: PLR0913  (data, adapters, and who is told)
    queries: Sequence[Query],
    world_of: Callable[[str], World],
    surface: Surface,
    crew: Crew,
    engine: MaskEngine,
    *,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Sheet:
    """Fill each query's columns at each rung.

    Args:
        queries: Queries with their columns taken out.
        world_of: A database, by its name.
        surface: The language.
        crew: The model, and how many queries it fills at once.
        engine: The mask engine.
        progress: Told how many fills of how many are done.

    Raises:
        ModelError: The model failed.
    """

    def job(query: Query, rung: Rung) -> Job[_Taken]:
        def run(model: LanguageModel) -> _Taken:
            filler = Filler(surface, Context(model), engine, Wishes(allow_base=True, budget=32))
            return _take(rung, query, world_of(query.task.database), filler, surface)

        return run

    every = len(queries) * len(RUNGS)
    jobs = [job(query, rung) for query in queries for rung in RUNGS]
    found = [outcome.get() for outcome in crew.run(jobs, lambda done: progress(done, every))]
    return _sheet(crew, len(queries), {rung: found[at :: len(RUNGS)] for at, rung in enumerate(RUNGS)})


def _take(rung: Rung, query: Query, world: World, filler: Filler, surface: Surface) -> _Taken:
    began = time.perf_counter()
    comment = f"{surface.comment} {' '.join(query.task.question.split())}\n"
    filled: list[Decoded] = []
    names: list[str] = []
    for written in query.names:
        document = comment + query.text(names)
        offset = len(encode(comment)) + query.hole(names)
        pin = written if rung is Rung.PIN else ""
        try:
            filled.append(filler.fill_at(document, world.analyzer.analyse, offset, rung, pin=pin))
        except GprojError:
            return _Taken(failed=True)
        names.append(filled[-1].text)
    expected = world.judge.run(query.task.query)
    given = world.judge.run(query.text(names))
    return _Taken(
        failed=False,
        right=expected.rows is not None
        and given.rows is not None
        and matches(expected.rows, given.rows, query.task.query),
        executes=given.rows is not None,
        bits=sum(each.ledger.free_bits for each in filled),
        tokens=sum(each.ledger.tokens for each in filled),
        candidates=tuple(len(each.candidates) for each in filled),
        seconds=time.perf_counter() - began,
    )


def _sheet(crew: Crew, count: int, steps: Mapping[Rung, Sequence[_Taken]]) -> Sheet:
    return Sheet(
        f"The ladder over {count} queries of one table with their columns open, {model_of(crew)}",
        (
            "rung",
            "free bits",
            "match",
            "executes",
            "failed",
            "candidates",
            "tokens",
            "s",
            "published bits",
            "published match",
        ),
        tuple(_row(rung, taken, count) for rung, taken in steps.items()),
        (
            "free bits: a query's mean; of ranked names log2 of their number, else of the admitted tokens of each step.",
            "match, executes: shares of the queries. candidates: the mean number of names at a hole; 0: any identifier.",
            "tokens, s: a query's mean. failed: queries of which a hole stayed open.",
            "pin: each hole has the one name that the reference has there.",
            "published: section 6.3 of the paper, Qwen3-0.6B, a simple-query subset of its own choice.",
        ),
    )


def _row(rung: Rung, taken: Sequence[_Taken], count: int) -> tuple[Value, ...]:
    candidates = [number for each in taken for number in each.candidates]
    return (
        rung.name.lower(),
        sum(each.bits for each in taken) / count,
        sum(each.right for each in taken) / count,
        sum(each.executes for each in taken) / count,
        sum(each.failed for each in taken),
        sum(candidates) / len(candidates) if candidates else None,
        sum(each.tokens for each in taken) / count,
        sum(each.seconds for each in taken) / count,
        *PUBLISHED[rung],
    )
