"""What each rung leaves a model to choose, and what that does to its answers (paper, section 6.3).

Queries over one table whose columns alone are left open: everything else, the table too, stays as the reference has it. The
holes of a query are filled from left to right, each at the rung that is measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from gproj_lsp.bench.columns import Task
from gproj_lsp.bench.execution import matches
from gproj_lsp.bench.sheet import Sheet, Value
from gproj_lsp.bench.sql import World, class_of
from gproj_lsp.decode.base import MaskEngine
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.executor import Wishes
from gproj_lsp.decode.fill import Filler
from gproj_lsp.errors import GprojError
from gproj_lsp.fragment import Rung
from gproj_lsp.ide import Analyzer
from gproj_lsp.surface import Surface
from gproj_lsp.text import encode

__all__ = ["PUBLISHED", "RUNGS", "Opened", "opened", "run"]

RUNGS = (Rung.BASE, Rung.GAMMA, Rung.CTX, Rung.PIN)
PUBLISHED: Mapping[Rung, tuple[float, float]] = MappingProxyType(
    {Rung.BASE: (249.8, 0.0), Rung.GAMMA: (17.9, 0.85), Rung.CTX: (13.8, 1.0), Rung.PIN: (0.0, 1.0)}
)
"""The paper's free bits and share of execution matches, Qwen3-0.6B."""
_SORT = "Column"


@dataclass(frozen=True)
class Opened:
    """A query with its columns taken out.

    Attributes:
        task: The question and its reference query.
        between: The text before, between and after the columns.
        names: The columns that stand there, as Γ spells them.
    """

    task: Task
    between: tuple[str, ...]
    names: tuple[str, ...]

    def query(self, names: Sequence[str]) -> str:
        """The query with names for its first columns, and a hole for each of the others."""
        written = [*names, *(f"{{:{_SORT}}}" for _ in self.names[len(names) :])]
        return "".join(text for pair in zip(self.between, (*written, ""), strict=True) for text in pair)

    def hole(self, names: Sequence[str]) -> int:
        """Where the first hole of that begins, in bytes."""
        done = zip(self.between, names, strict=False)
        return len(encode("".join(text for pair in done for text in pair) + self.between[len(names)]))


@dataclass
class _Step:
    """What one rung got."""

    rung: Rung
    right: int = 0
    executes: int = 0
    failed: int = 0
    bits: float = 0.0
    tokens: int = 0
    candidates: list[int] = field(default_factory=list)
    seconds: float = 0.0


def opened(task: Task, analyzer: Analyzer) -> Opened | None:
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
    return Opened(task, (*between, data[last:].decode()), tuple(names)) if names else None


def run(  # noqa: PLR0913  (data, adapters, and who is told)
    queries: Sequence[Opened],
    world_of: Callable[[str], World],
    surface: Surface,
    context: Context,
    engine: MaskEngine,
    *,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Sheet:
    """Fill each query's columns at each rung.

    Args:
        queries: Queries with their columns taken out.
        world_of: A database, by its name.
        surface: The language.
        context: The model.
        engine: The mask engine.
        progress: Told how many fills of how many are done.

    Raises:
        ModelError: The model failed.
    """
    filler = Filler(surface, context, engine, Wishes(allow_base=True, budget=32))
    steps = [_Step(rung) for rung in RUNGS]
    for at, query in enumerate(queries):
        for step in steps:
            _take(step, query, world_of(query.task.database), filler, surface)
        progress(at + 1, len(queries))
    return _sheet(context.model.name, len(queries), steps)


def _take(step: _Step, query: Opened, world: World, filler: Filler, surface: Surface) -> None:
    began = time.perf_counter()
    comment = f"{surface.comment} {' '.join(query.task.question.split())}\n"
    names: list[str] = []
    for written in query.names:
        document = comment + query.query(names)
        offset = len(encode(comment)) + query.hole(names)
        pin = written if step.rung is Rung.PIN else ""
        try:
            found = filler.fill_at(document, world.analyzer.analyse, offset, step.rung, pin=pin)
        except GprojError:
            step.failed += 1
            return
        names.append(found.text)
        step.bits += found.ledger.free_bits
        step.tokens += found.ledger.tokens
        step.candidates.append(len(found.candidates))
    step.seconds += time.perf_counter() - began
    expected = world.judge.run(query.task.query)
    given = world.judge.run(query.query(names))
    step.executes += given.rows is not None
    if expected.rows is not None and given.rows is not None:
        step.right += matches(expected.rows, given.rows, query.task.query)


def _sheet(model: str, count: int, steps: Sequence[_Step]) -> Sheet:
    return Sheet(
        f"The ladder over {count} queries of one table with their columns open, model {model}",
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
        tuple(_row(step, count) for step in steps),
        (
            "free bits: a query's mean; of ranked names log2 of their number, else of the admitted tokens of each step.",
            "match, executes: shares of the queries. candidates: the mean number of names at a hole; 0: any identifier.",
            "tokens, s: a query's mean. failed: queries of which a hole stayed open.",
            "pin: each hole has the one name that the reference has there.",
            "published: section 6.3 of the paper, Qwen3-0.6B, a simple-query subset of its own choice.",
        ),
    )


def _row(step: _Step, count: int) -> tuple[Value, ...]:
    return (
        step.rung.name.lower(),
        step.bits / count,
        step.right / count,
        step.executes / count,
        step.failed,
        sum(step.candidates) / len(step.candidates) if step.candidates else None,
        step.tokens / count,
        step.seconds / count,
        *PUBLISHED[step.rung],
    )
