"""How often the right name is chosen, over queries with known answers.

Each reference of a sort becomes a hole, all else of its query stays. The model sees the schema, the question as a comment, and
the query up to the hole; what follows the hole counts where names are ranked.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gproj_lsp.bench.sheet import Sheet
from gproj_lsp.decode.base import MaskEngine
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.executor import Wishes
from gproj_lsp.decode.fill import Filler
from gproj_lsp.environment import Binding, Key, Query
from gproj_lsp.errors import GprojError, InputError
from gproj_lsp.fragment import Rung
from gproj_lsp.holes import Hole
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import Verdict
from gproj_lsp.surface import Surface
from gproj_lsp.text import encode

__all__ = ["ARMS", "Answer", "Task", "holes", "read_tasks", "run"]

ARMS = ("free", "gamma", "ctx")
"""An open identifier under the same fragment; any declared name; declared names that fit."""


@dataclass(frozen=True)
class Task:
    """One question with its reference query."""

    number: int
    database: str
    question: str
    query: str


@dataclass(frozen=True)
class Answer:
    """One hole and what stood there.

    Attributes:
        document: The question as a comment over the query with a hole.
        hole: The hole.
        written: What stood there.
        key: What that meant.
    """

    document: str
    hole: Hole
    written: str
    key: Key


@dataclass
class _Arm:
    rung: Rung
    right: int = 0
    ghosts: int = 0
    unfit: int = 0
    failed: int = 0
    candidates: int = 0
    chance: float = 0.0
    seconds: list[float] = field(default_factory=list)


def read_tasks(path: Path) -> tuple[Task, ...]:
    """Tasks from a JSON list of `{id, db_id, question, query}`.

    Raises:
        InputError: It can't be read or is something else.
    """
    try:
        items = json.loads(path.read_text(encoding="utf-8"))
        return tuple(Task(each["id"], each["db_id"], each["question"], each["query"]) for each in items)
    except (OSError, ValueError, KeyError, TypeError) as error:
        mend = "give a JSON list of {id, db_id, question, query}"
        raise InputError(f"the tasks can't be read: {error}", place=str(path), mend=mend) from error


def holes(task: Task, analyzer: Analyzer, surface: Surface, sort: str) -> Iterator[Answer]:
    """One hole for each reference of the sort that is declared, in order."""
    comment = f"{surface.comment} {task.question}\n"
    whole = comment + task.query
    data = encode(whole)
    for span, reference in analyzer.analyse(whole).each_reference():
        if reference.sort != sort or reference.verdict is not Verdict.DECLARED or reference.binding is None:
            continue
        mark = f"{{:{sort}}}".encode()
        document = (data[: span.start] + mark + data[span.end :]).decode()
        found = [hole for hole in analyzer.analyse(document).holes if hole.span.start == span.start]
        if found:
            yield Answer(document, found[0], data[span.start : span.end].decode(), reference.binding.key)


def run(  # noqa: PLR0913  (data, adapters, and how much of it)
    tasks: Sequence[Task],
    analyzer_of: Callable[[str], Analyzer],
    surface: Surface,
    context: Context,
    engine: MaskEngine,
    *,
    sort: str = "Column",
    arms: Iterable[str] = ARMS,
    sample: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Sheet:
    """Fill each hole in each arm.

    Args:
        tasks: Questions with reference queries.
        analyzer_of: The analyser of a database, by its name.
        surface: The language.
        context: The model.
        engine: The engine of the free arm.
        sort: The sort of the references that become holes.
        arms: Which of `ARMS`.
        sample: How many holes to draw; None: all.
        seed: Makes the draw repeatable.
        progress: Told how many fills of how many are done.

    Raises:
        ModelError: The model failed.
    """
    answers = [
        (task, answer) for task in tasks for answer in holes(task, analyzer_of(task.database), surface, sort)
    ]
    if sample is not None and sample < len(answers):
        chosen = sorted(random.Random(seed).sample(range(len(answers)), sample))  # noqa: S311  (no secret)
        answers = [answers[at] for at in chosen]
    answers.sort(
        key=lambda pair: (pair[0].database, pair[0].number)
    )  # what prompts have in common is read once
    taken = {name: _Arm({"free": Rung.BASE, "gamma": Rung.GAMMA, "ctx": Rung.CTX}[name]) for name in arms}
    filler = Filler(surface, context, engine, Wishes(allow_base=True, budget=32))
    for done, (task, answer) in enumerate(answers):
        for arm in taken.values():
            _fill(arm, filler, analyzer_of(task.database), answer)
        progress(done + 1, len(answers))
    return _sheet(context.model.name, sort, len(answers), taken)


def _fill(arm: _Arm, filler: Filler, analyzer: Analyzer, answer: Answer) -> None:
    began = time.perf_counter()
    try:
        filled = filler.fill_at(answer.document, analyzer.analyse, answer.hole.span.start, arm.rung)
    except GprojError:
        arm.failed += 1
        return
    arm.seconds.append(time.perf_counter() - began)
    arm.candidates += len(filled.candidates)
    arm.chance += 1 / len(filled.candidates) if filled.candidates else 0.0
    data = encode(answer.document)
    span = answer.hole.span
    analysed = analyzer.analyse((data[: span.start] + encode(filled.text) + data[span.end :]).decode())
    end = span.start + len(encode(filled.text))
    meant = [
        r
        for s, r in analysed.each_reference()
        if span.start <= s.start and s.end <= end and r.sort == answer.hole.sort
    ]
    found = meant[-1] if meant else None
    if found is not None and found.verdict is Verdict.DECLARED and found.binding is not None:
        arm.right += found.binding.key == answer.key
    elif _is_declared(filled.text, answer.hole):
        arm.unfit += 1
    else:
        arm.ghosts += 1


def _is_declared(text: str, hole: Hole) -> bool:
    """Whether Γ holds a name of the sort that is written like this, fitting here or not."""

    def same(binding: Binding) -> bool:
        return text.casefold() in (binding.spelling.casefold(), binding.name.casefold())

    return any(same(binding) for binding in hole.environment.names(Query.of(hole.sort)))


def _sheet(model: str, sort: str, count: int, arms: dict[str, _Arm]) -> Sheet:
    rows: list[tuple[str | int | float | None, ...]] = []
    for name, arm in arms.items():
        done = len(arm.seconds)
        middle = sorted(arm.seconds)[done // 2] * 1000 if done else None
        rows.append(
            (
                name,
                arm.right / count if count else None,
                arm.ghosts,
                arm.unfit,
                arm.failed,
                arm.candidates / done if done else None,
                arm.chance / count if count and arm.chance else None,
                middle,
            )
        )
    return Sheet(
        f"{sort} holes: {count}, model {model}",
        ("arm", "top-1", "ghosts", "unfit", "failed", "candidates", "uniform", "median ms"),
        tuple(rows),
        (
            "top-1: the share of holes that got what stood there.",
            "ghosts: names that Γ does not hold. unfit: declared, but not to be named at that place.",
            "candidates: their mean number. uniform: what a model that prefers nothing would get right.",
        ),
    )
