"""How useful text at the cursor is.

Queries with known ends are cut behind a word, and what is offered there is held against how they went on.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from gproj_lsp.bench.columns import Task
from gproj_lsp.bench.sheet import Sheet, Value
from gproj_lsp.decode.base import LanguageModel, MaskEngine
from gproj_lsp.decode.complete import Completer, Wanted
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.free import freely
from gproj_lsp.decode.lanes import Crew, Job
from gproj_lsp.decode.scoping import Kept
from gproj_lsp.errors import EngineError, InputError
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.inline import Spot, worth_showing
from gproj_lsp.ide.reading import Reading
from gproj_lsp.resolve import Verdict
from gproj_lsp.surface import Surface
from gproj_lsp.text import encode

__all__ = ["ARMS", "Offer", "Position", "accepted", "positions", "run", "sheet"]

ARMS = ("masked", "unmasked")
"""What the server offers; what the same model writes of itself after the same prompt."""
_WORD = re.compile(r"\w+")
_PART = re.compile(r"\w+|[^\w\s]")
_BEFORE_NAME = re.compile(r".*\.(?=.)", re.DOTALL)
"""What stands before the last part of a name."""
_QUOTES = '"`[]'
_TOKENS = 64
"""So many may one line take, in either arm."""


@dataclass(frozen=True)
class Position:
    """Where text is wanted.

    Attributes:
        task: The question and its reference query.
        before: The document: the question as a comment, and the beginning of the query.
        rest: How the query goes on.
    """

    task: Task
    before: str
    rest: str


@dataclass(frozen=True)
class Offer:
    """What was offered at a position.

    Attributes:
        arm: Who wrote it.
        text: The text, perhaps none.
        same: Whether its first line is the rest of the reference.
        accepted: How many of its characters, from its beginning to the end of a word, are those of the reference.
        shown: How many characters it has, spaces left out.
        ghosts: Names in it that are not there.
        seconds: How long it took.
        model_calls: How often the model was asked.
        late: Whether the time was up before its end.
        failed: Whether the engine failed, so that nothing was offered.
    """

    arm: str
    text: str
    same: bool
    accepted: int
    shown: int
    ghosts: int
    seconds: float
    model_calls: int
    late: bool
    failed: bool


def positions(tasks: Sequence[Task], surface: Surface, sample: int | None, seed: int) -> list[Position]:
    """One place in each of some queries, behind a word and not at the end; those of one database together.

    Args:
        tasks: Queries.
        surface: How comments begin.
        sample: How many; None: one a query.
        seed: Makes the draw repeatable.
    """
    dice = random.Random(seed)  # noqa: S311  (no secret)
    fit = [task for task in tasks if len(_WORD.findall(task.query)) > 1]
    if sample is not None and sample < len(fit):
        fit = dice.sample(fit, sample)
    found = []
    for task in fit:
        ends = [word.end() for word in _WORD.finditer(task.query)][:-1]
        cut = dice.choice(ends)
        before = f"{surface.comment} {' '.join(task.question.split())}\n{task.query[:cut]}"
        found.append(Position(task, before, task.query[cut:]))
    return sorted(found, key=lambda each: (each.task.database, each.task.number))


def run(  # noqa: PLR0913  (data, adapters, and how much of it)
    places: Sequence[Position],
    analyzer_of: Callable[[str], Analyzer],
    surface: Surface,
    crew: Crew,
    engine: MaskEngine,
    *,
    arms: Iterable[str] = ARMS,
    milliseconds: float = 0.0,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[Offer]:
    """Have each arm offer text at each position.

    Args:
        places: Where.
        analyzer_of: The analyser of a database, by its name.
        surface: The language.
        crew: The model, and how many texts it writes at once.
        engine: The mask engine.
        arms: Which of `ARMS`.
        milliseconds: The time that the masked arm may take for one; something was offered before the last word already then, as
            to somebody who types. 0: no bound.
        progress: Told how many offers of how many are made.

    Raises:
        InputError: There is no such arm.
        ModelError: The model failed.
    """
    wanted = Wanted(budget=_TOKENS, partial=True, one_line=True, seconds=milliseconds / 1000 or None)
    kept = Kept(256)

    def job(place: Position, arm: str) -> Job[Offer]:
        def offered(model: LanguageModel) -> Offer:
            completer = Completer(surface, Context(model), engine, wanted, kept=kept)
            return _offer(arm, completer, analyzer_of(place.task.database), place)

        return offered

    jobs = [job(place, arm) for place in places for arm in _checked(arms)]
    return [each.get() for each in crew.run(jobs, lambda done: progress(done, len(jobs)))]


def _checked(arms: Iterable[str]) -> Iterator[str]:
    for arm in arms:
        if arm not in ARMS:
            raise InputError(f"there is no arm {arm}", mend=f"choose among {', '.join(ARMS)}")
        yield arm


def _offer(arm: str, completer: Completer, analyzer: Analyzer, place: Position) -> Offer:
    text, offset = place.before, len(encode(place.before))
    analysis = analyzer.analyse(text, offset)
    reading = Reading(analyzer, analysis)
    context = completer.desk.context
    if completer.desk.wanted.seconds is not None:
        _type(completer, reading, text[: max(word.start() for word in _WORD.finditer(text))])
    calls, began = context.calls, time.perf_counter()
    late = failed = False
    if arm == "masked":
        try:
            made = completer.complete(text, offset, reading)
            written, late = made.text, made.late
        except EngineError:
            written, failed = "", True
    else:
        # A line break first says nothing yet, and ends nothing.
        free = freely(context, completer.shown(text, offset, reading), (";", "```"), _TOKENS)
        written = _first_line(free.text)
    spent = time.perf_counter() - began
    shown = worth_showing(written, Spot(analysis, offset))
    taken, every = accepted(shown, place.rest)
    return Offer(
        arm,
        shown,
        bool(every) and _parts(_first_line(shown)) == _parts(place.rest),
        taken,
        every,
        _ghosts(reading, text, shown),
        spent,
        context.calls - calls,
        late,
        failed,
    )


def _type(completer: Completer, reading: Reading, text: str) -> None:
    """Leave what somebody leaves who typed a text and was offered something there."""
    hasty = replace(completer.desk.wanted, seconds=None, budget=1)
    completer.wishing(hasty).complete(text, len(encode(text)), reading)


def _first_line(text: str) -> str:
    """A text up to the end of the first line that says something."""
    start = len(text) - len(text.lstrip())
    return text[:start] + text[start:].partition("\n")[0]


def _ghosts(reading: Reading, before: str, text: str) -> int:
    """How many ghosts a document has more once a text is accepted.

    Those that an editor shows, the cursor behind the text; and names in it that nothing declares anywhere, which an editor may
    let pass for what may still come.
    """
    start, whole = len(encode(before)), before + text
    old = {found.span for found in reading.analyse(before, start).diagnostics}
    shown = {found.span for found in reading.analyse(whole, len(encode(whole))).diagnostics} - old
    now = reading.analyse(whole)
    declared = {binding.name.casefold() for binding in now.environment_at(len(encode(whole)))}
    absent = {
        span
        for span, reference in now.each_reference()
        if span.start >= start
        and reference.verdict is Verdict.GHOST
        and _BEFORE_NAME.sub("", reference.name).casefold().strip(_QUOTES) not in declared
    }
    return len(shown | absent)


def accepted(text: str, rest: str) -> tuple[int, int]:
    """How many characters of a text one would accept word by word, and how many it has; spaces do not count.

    Args:
        text: What was offered.
        rest: What was wanted.
    """
    said, wanted = _parts(text), _parts(rest)
    same = next(
        (at for at, (one, other) in enumerate(zip(said, wanted, strict=False)) if one != other),
        min(len(said), len(wanted)),
    )
    return sum(map(len, said[:same])), sum(map(len, said))


def _parts(text: str) -> list[str]:
    """Words and marks; case and the kind of quotes count for nothing, and neither does the mark at the very end."""
    return _PART.findall(text.strip().removesuffix(";").casefold().replace('"', "'"))


def sheet(crew: Crew, offers: Sequence[Offer], milliseconds: float) -> Sheet:
    """What the arms offered."""
    arms = dict.fromkeys(offer.arm for offer in offers)
    rows = [_row(arm, [offer for offer in offers if offer.arm == arm]) for arm in arms]
    bound = f", {milliseconds:g} ms each" if milliseconds else ""
    return Sheet(
        f"Text at the cursor, model {crew.name}{bound}",
        (
            "arm",
            "places",
            "with text",
            "same line",
            "accepted",
            "ghosts",
            "late",
            "failed",
            "median ms",
            "p95 ms",
            "calls",
        ),
        tuple(rows),
        (
            "with text: the share of places where something was offered. late: where the time was up before the line's end.",
            "failed: where the mask engine did, and nothing was offered.",
            "same line: the share of offers whose first line is the rest of the reference query.",
            "accepted: characters one would accept word by word, over those shown. ghosts: names offered that are not there.",
            "calls: how often the model was asked, on average.",
        ),
    )


def _row(arm: str, offers: Sequence[Offer]) -> tuple[Value, ...]:
    shown = [offer for offer in offers if offer.text]
    every = sum(offer.shown for offer in shown)
    spent = sorted(offer.seconds * 1000 for offer in offers)
    return (
        arm,
        len(offers),
        len(shown) / len(offers),
        sum(offer.same for offer in shown) / len(shown) if shown else None,
        sum(offer.accepted for offer in shown) / every if every else None,
        sum(offer.ghosts for offer in offers),
        sum(offer.late for offer in offers) / len(offers),
        sum(offer.failed for offer in offers),
        median(spent),
        spent[round(0.95 * (len(spent) - 1))],
        sum(offer.model_calls for offer in offers) / len(offers),
    )
