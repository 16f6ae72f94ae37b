"""How often the right name is chosen, over queries with known answers.

Each reference of a sort becomes a hole, all else of its query stays. The model sees the schema, the question as a comment, and
the query up to the hole; what follows the hole counts where names are ranked.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from gproj_lsp.bench.sheet import Sheet, Value, model_of
from gproj_lsp.decode.base import LanguageModel, MaskEngine
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.executor import Wishes
from gproj_lsp.decode.fill import Filler
from gproj_lsp.decode.lanes import Crew, Job
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
_RUNGS = {"free": Rung.BASE, "gamma": Rung.GAMMA, "ctx": Rung.CTX}


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


@dataclass(frozen=True)
class _Filled:
    """What became of one hole in one arm: it is `right`, `another` name that fits, `unfit`, a `ghost`, or it `failed`."""

    verdict: str
    candidates: int = 0
    seconds: float = 0.0


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
    crew: Crew,
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
        crew: The model, and how many holes it fills at once.
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
    rungs = {name: _RUNGS[name] for name in arms}
    wishes = Wishes(allow_base=True, budget=32)

    def job(task: Task, answer: Answer, rung: Rung) -> Job[_Filled]:
        def run(model: LanguageModel) -> _Filled:
            return _fill(
                rung, Filler(surface, Context(model), engine, wishes), analyzer_of(task.database), answer
            )

        return run

    jobs = [job(task, answer, rung) for task, answer in answers for rung in rungs.values()]
    found = [outcome.get() for outcome in crew.run(jobs, lambda done: progress(done, len(jobs)))]
    taken = {name: found[at :: len(rungs)] for at, name in enumerate(rungs)}
    return _sheet(crew, sort, len(answers), taken)


def _fill(rung: Rung, filler: Filler, analyzer: Analyzer, answer: Answer) -> _Filled:
    began = time.perf_counter()
    try:
        filled = filler.fill_at(answer.document, analyzer.analyse, answer.hole.span.start, rung)
    except GprojError:
        return _Filled("failed")
    seconds = time.perf_counter() - began
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
        verdict = "right" if found.binding.key == answer.key else "another"
    else:
        verdict = "unfit" if _is_declared(filled.text, answer.hole) else "ghost"
    return _Filled(verdict, len(filled.candidates), seconds)


def _is_declared(text: str, hole: Hole) -> bool:
    """Whether Γ holds a name of the sort that is written like this, fitting here or not."""

    def same(binding: Binding) -> bool:
        return text.casefold() in (binding.spelling.casefold(), binding.name.casefold())

    return any(same(binding) for binding in hole.environment.names(Query.of(hole.sort)))


def _sheet(crew: Crew, sort: str, count: int, arms: Mapping[str, Sequence[_Filled]]) -> Sheet:
    return Sheet(
        f"{sort} holes: {count}, {model_of(crew)}",
        ("arm", "top-1", "ghosts", "unfit", "failed", "candidates", "uniform", "median ms"),
        tuple(_row(name, found, count) for name, found in arms.items()),
        (
            "top-1: the share of holes that got what stood there.",
            "ghosts: names that Γ does not hold. unfit: declared, but not to be named at that place.",
            "candidates: their mean number. uniform: what a model that prefers nothing would get right.",
        ),
    )


def _row(name: str, found: Sequence[_Filled], count: int) -> tuple[Value, ...]:
    verdicts = Counter(each.verdict for each in found)
    done = [each for each in found if each.verdict != "failed"]
    chance = sum(1 / each.candidates for each in done if each.candidates)
    return (
        name,
        verdicts["right"] / count if count else None,
        verdicts["ghost"],
        verdicts["unfit"],
        verdicts["failed"],
        sum(each.candidates for each in done) / len(done) if done else None,
        chance / count if count and chance else None,
        median(each.seconds for each in done) * 1000 if done else None,
    )
