"""Whole queries for questions with known answers: the mask beside what people do instead of one (paper, section 6.3).

An answer is right where it gives the rows that the reference query gives. What it names that is not there is told by the
database and by our own check.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from types import MappingProxyType

from gproj_lsp.bench.answers import Answer
from gproj_lsp.bench.columns import Task
from gproj_lsp.bench.execution import Execution, Judge, absent, matches
from gproj_lsp.bench.sheet import Sheet, Value, model_of
from gproj_lsp.bench.writing import BUDGET, Listed, Masked, Plain, Question, Retrying, Writer, Written
from gproj_lsp.decode.base import LanguageModel, MaskEngine
from gproj_lsp.decode.complete import Completer, Wanted
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.lanes import Crew, Job
from gproj_lsp.decode.models.fake import UniformModel
from gproj_lsp.decode.sampling import GREEDY, Sampling
from gproj_lsp.decode.scoping import Kept
from gproj_lsp.errors import InputError
from gproj_lsp.fragment import Rung
from gproj_lsp.ide import Analyzer
from gproj_lsp.surface import Surface

__all__ = ["ARMS", "CLASSES", "PUBLISHED", "World", "class_of", "drawn", "run", "sheet"]

ARMS = ("free", "unconstrained", "prompt-schema", "retry", "gamma", "ctx", "uniform")
"""Open identifiers under the same grammar; no grammar; no grammar and the names listed; no grammar and up to four retries;
any declared name; declared names that fit; and names that fit by a model that knows nothing."""
CLASSES = ("single", "joins", "nested")
PUBLISHED: Mapping[str, tuple[float, int, float]] = MappingProxyType(
    {
        "free": (0.0, 60, 20.8),
        "unconstrained": (0.70, 11, 22.9),
        "prompt-schema": (0.933, 4, 17.2),
        "retry": (0.90, 5, 40.0),
        "ctx": (1.0, 0, 6.6),
    }
)
"""The paper's Table 3, Qwen3-0.6B: share of execution matches, ghost columns, mean tokens; 60 samples."""
_RUNGS = {"free": Rung.BASE, "gamma": Rung.GAMMA, "ctx": Rung.CTX, "uniform": Rung.CTX}
_GHOST = "ghost-reference"


@dataclass(frozen=True)
class World:
    """A database: what judges queries over it, and what analyses them."""

    judge: Judge
    analyzer: Analyzer


def drawn(tasks: Sequence[Task], sample: int | None, seed: int) -> list[Task]:
    """A repeatable draw; those of one database together, because what their prompts have in common is read once."""
    if sample is not None and sample < len(tasks):
        tasks = random.Random(seed).sample(list(tasks), sample)  # noqa: S311  (no secret)
    return sorted(tasks, key=lambda task: (task.database, task.number))


def class_of(query: str) -> str:
    """Whether a query reads one table, joins several, or nests or combines queries."""
    words = re.findall(r"\w+", re.sub(r"'[^']*'|\"[^\"]*\"", "", query).upper())
    if words.count("SELECT") > 1:
        return "nested"
    return "joins" if "JOIN" in words else "single"


def run(  # noqa: PLR0913  (data, adapters, and how much of it)
    tasks: Sequence[Task],
    world_of: Callable[[str], World],
    surface: Surface,
    crew: Crew,
    engine: MaskEngine,
    *,
    arms: Iterable[str] = ARMS,
    known: Sequence[Answer] = (),
    told: Callable[[Answer], None] = lambda _: None,
) -> list[Answer]:
    """Have each arm answer each question; those of one database and arm in turn, because their prompts begin alike.

    Args:
        tasks: Questions with reference queries.
        world_of: A database, by its name.
        surface: The language.
        crew: The model, and how many questions it answers at once.
        engine: The mask engine.
        arms: Which of `ARMS`.
        known: Answers that were given before; the same model is not asked for them again.
        told: Told of each new answer.

    Raises:
        InputError: There is no such arm, or a reference query does not run.
        ModelError: The model failed.
    """
    asked = [_asked(task, world_of(task.database)) for task in tasks]
    writers = [_Arm(arm, surface, engine) for arm in arms]
    databases = dict.fromkeys(task.database for task in tasks)
    places = [
        (each, arm)
        for database in databases
        for arm in writers
        for each in asked
        if each.task.database == database
    ]
    old = {(answer.task, answer.arm): answer for answer in known if answer.model == crew.name}
    left = [(each, arm) for each, arm in places if (each.task.number, arm.name) not in old]
    new = iter([outcome.get() for outcome in crew.run([_job(each, arm, told) for each, arm in left])])
    return [old.get((each.task.number, arm.name)) or next(new) for each, arm in places]


@dataclass(frozen=True)
class _Asked:
    """A task, the database it is about, what its reference query gives, and how it is put."""

    task: Task
    world: World
    expected: Execution
    question: Question


def _asked(task: Task, world: World) -> _Asked:
    expected = world.judge.run(task.query)
    if expected.rows is None:
        raise InputError(
            f"the reference query of task {task.number} does not run: {expected.error}",
            mend="leave the task out, or mend its database",
        )
    question = Question(
        task.question,
        world.analyzer.analyse("").environment_at(0),
        world.analyzer,
        partial(_complaint, world.judge),
        task.number,
    )
    return _Asked(task, world, expected, question)


def _complaint(judge: Judge, query: str) -> str:
    return judge.run(query).error


def _job(asked: _Asked, arm: _Arm, told: Callable[[Answer], None]) -> Job[Answer]:
    def job(model: LanguageModel) -> Answer:
        written = arm.writer(Context(model), asked.task.number).write(asked.question)
        answer = _judged(asked, model.name, arm.name, written)
        told(answer)
        return answer

    return job


class _Arm:
    """One way of writing; under a mask, what was compiled for one question serves the next."""

    def __init__(self, name: str, surface: Surface, engine: MaskEngine) -> None:
        if name not in ARMS:
            raise InputError(f"there is no arm {name}", mend=f"choose among {', '.join(ARMS)}")
        self.name = name
        self._surface = surface
        self._engine = engine
        self._kept = Kept()

    def writer(self, context: Context, seed: int) -> Writer:
        """Who writes for a model; the seed is for what is drawn by chance."""
        plain = Plain(context, self._surface)
        free: dict[str, Writer] = {
            "unconstrained": plain,
            "prompt-schema": Listed(plain),
            "retry": Retrying(plain),
        }
        return free[self.name] if self.name in free else self._masked(context, seed)

    def _masked(self, context: Context, seed: int) -> Masked:
        by_chance = self.name == "uniform"
        wanted = Wanted(Sampling(1.0, seed=seed) if by_chance else GREEDY, _RUNGS[self.name], BUDGET)
        who = Context(UniformModel(context.vocabulary)) if by_chance else context
        return Masked(Completer(self._surface, who, self._engine, wanted, kept=self._kept), self._surface)


def _judged(asked: _Asked, model: str, arm: str, written: Written) -> Answer:
    task, world, expected = asked.task, asked.world, asked.expected
    given = world.judge.run(written.query)
    loose = absent(given.error)[0]
    strict = absent(world.judge.strictly(written.query))[0]
    ghosts = {loose, *_named(world.analyzer, written.query)} - {""}
    return Answer(
        model=model,
        task=task.number,
        arm=arm,
        kind=class_of(task.query),
        query=written.query,
        right=expected.rows is not None
        and given.rows is not None
        and matches(expected.rows, given.rows, task.query),
        executes=given.rows is not None,
        ghosts=tuple(sorted(ghosts)),
        quoted=bool(strict) and strict not in ghosts,
        complaint=given.error,
        tokens=written.tokens,
        chosen=written.chosen,
        model_calls=written.model_calls,
        seconds=written.seconds,
        free_bits=written.free_bits,
        reason=written.reason,
    )


def _named(analyzer: Analyzer, query: str) -> set[str]:
    """The kinds of the names that our own check calls ghosts."""
    return {found.sort.lower() for found in analyzer.analyse(query).diagnostics if found.code == _GHOST}


def sheet(crew: Crew, answers: Sequence[Answer]) -> Sheet:
    """What the arms got, beside the published figures."""
    arms = dict.fromkeys(answer.arm for answer in answers)
    rows = [_row(arm, [answer for answer in answers if answer.arm == arm]) for arm in arms]
    return Sheet(
        f"Queries for questions: {len({answer.task for answer in answers})}, {model_of(crew)}",
        (
            "arm",
            "match",
            "executes",
            "ghost columns",
            "ghost tables",
            "quoted",
            "tokens",
            "chosen",
            "calls",
            "median s",
            "free bits",
            "unended",
            *CLASSES,
            "published match",
            "published ghosts",
            "published tokens",
        ),
        tuple(rows),
        (
            "match: the share of queries that give what the reference gives; single, joins, nested: by the reference's class.",
            "ghost columns, tables: queries that name one that is not there, by the database or by our own check.",
            "quoted: queries where only reading double quotes as names always shows one; it may be meant as a string.",
            "tokens, chosen, calls, free bits: means. chosen: by the model; the rest were the only ones possible.",
            "unended: queries that the budget cut, or that could not be begun.",
            "published: Table 3 of the paper, Qwen3-0.6B, 60 samples of its own choice.",
        ),
    )


def _row(arm: str, answers: Sequence[Answer]) -> tuple[Value, ...]:
    count = len(answers)
    bits = [answer.free_bits for answer in answers if answer.free_bits is not None]
    published = PUBLISHED.get(arm, (None, None, None))
    return (
        arm,
        _share(answers),
        sum(answer.executes for answer in answers) / count,
        sum("column" in answer.ghosts for answer in answers),
        sum("table" in answer.ghosts for answer in answers),
        sum(answer.quoted for answer in answers),
        sum(answer.tokens for answer in answers) / count,
        sum(answer.chosen for answer in answers) / count,
        sum(answer.model_calls for answer in answers) / count,
        median(answer.seconds for answer in answers),
        sum(bits) / len(bits) if bits else None,
        sum(bool(answer.reason) for answer in answers),
        *(_share([answer for answer in answers if answer.kind == kind]) for kind in CLASSES),
        *published,
    )


def _share(answers: Sequence[Answer]) -> float | None:
    return sum(answer.right for answer in answers) / len(answers) if answers else None
