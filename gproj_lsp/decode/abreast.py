"""Filling the statements of a document side by side, each as if no other had holes.

Holes of one statement decide each other and are filled in turn; those of different statements seldom do. So all statements are
filled at once, and afterwards Γ tells whether that was right: a statement whose Γ another one's fill changed is filled again,
after it. What was filled in other statements is not shown to the model; their holes read as gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.draft import Draft
from gproj_lsp.decode.fill import FilledHole, Filler, FillResult, OpenHole
from gproj_lsp.decode.threads import Threads
from gproj_lsp.errors import Cancelled
from gproj_lsp.text import Span

if TYPE_CHECKING:
    from gproj_lsp.decode.base import MaskEngine, Stop
    from gproj_lsp.decode.fill import Analyse, Analysed, Wishes, Writer
    from gproj_lsp.decode.lanes import Job, Lanes, Outcome
    from gproj_lsp.environment import Environment
    from gproj_lsp.holes import Hole
    from gproj_lsp.surface import Surface

__all__ = ["Abreast"]

T = TypeVar("T")

_ROUNDS = 8
"""How often statements are filled again where what they declare changes others' Γ."""


class Abreast:
    """Fills documents, several statements at once. One of them belongs to one thread.

    Args:
        surface: The language.
        crew: Where statements are filled; as many at once as there are lanes, or threads that wait for a server.
        engine: The mask engine; one that threads may use, where there are threads.
        wishes: How to fill.
        done: Told how many statements are filled.
    """

    def __init__(
        self,
        surface: Surface,
        crew: Lanes | Threads,
        engine: MaskEngine,
        wishes: Wishes | None = None,
        done: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._surface = surface
        self._crew = crew
        self._engine = engine
        self._wishes = wishes
        self._done = done

    def fill(
        self, text: str, analyse: Analyse, only: Collection[int] | None = None, stop: Stop | None = None
    ) -> FillResult:
        """Fill a document's holes; as `Filler.fill`, but what fails in one statement leaves its holes open and no others.

        Args:
            text: The document.
            analyse: Gives holes, Γ and ghosts of a text.
            only: Numbers of holes, counted from 0 in order of place; None: all.
            stop: Asked before each step of the model.

        Raises:
            Cancelled: `stop` said so; nothing is given.
        """
        first = analyse(text)
        wanted = [at for at in range(len(first.holes)) if only is None or at in only]
        sheet = _Sheet(text, first)
        self._pass(sheet, text, sheet.groups(wanted), analyse, stop)
        for _ in range(_ROUNDS):
            moved = sheet.moved(analyse(sheet.draft.text), wanted)
            if not moved:
                break
            sheet.take_back(moved)
            again = sheet.draft.text
            self._pass(sheet, again, [sheet.numbers(analyse(again), moved)], analyse, stop)
        return sheet.result()

    def _pass(
        self, sheet: _Sheet, text: str, groups: Sequence[Sequence[int]], analyse: Analyse, stop: Stop | None
    ) -> None:
        """Fill groups of holes of a text side by side; the text is the document as the sheet has it."""
        holes = analyse(text).holes
        places = [[sheet.origin(holes[at].span) for at in group] for group in groups]

        def job(group: Sequence[int]) -> Callable[[Writer], FillResult]:
            def run(writer: Writer) -> FillResult:
                filler = Filler(self._surface, writer, self._engine, self._wishes)
                return filler.fill(text, analyse, group, stop)

            return run

        outcomes = self._run([job(group) for group in groups])
        for spans, outcome in zip(places, outcomes, strict=True):
            if isinstance(outcome.error, Cancelled):
                raise outcome.error
            sheet.note(spans, outcome)

    def _run(self, jobs: Sequence[Callable[[Writer], FillResult]]) -> list[Outcome[FillResult]]:
        if isinstance(self._crew, Threads):
            return self._crew.run(jobs, self._done)
        return self._crew.run([_shown(job) for job in jobs], self._done)


def _shown(job: Callable[[Writer], T]) -> Job[T]:
    """A job for a model that was shown nothing yet."""
    return lambda model: job(Context(model))


@dataclass
class _Sheet:
    """One document being filled; every span is one of the original."""

    text: str
    first: Analysed
    filled: dict[Span, FilledHole] = field(default_factory=dict)
    incomplete: dict[Span, OpenHole] = field(default_factory=dict)
    empty: dict[Span, OpenHole] = field(default_factory=dict)
    withheld: int = 0
    seen: dict[int, Environment] = field(default_factory=dict)
    """Γ of statements that were filled again, by where they start."""

    @property
    def draft(self) -> Draft:
        """The document as it is now."""
        return Draft(self.text, MappingProxyType({span: hole.text for span, hole in self.filled.items()}))

    def groups(self, wanted: Sequence[int]) -> list[list[int]]:
        """The numbers of the wanted holes, by statement."""
        found: dict[Span, list[int]] = {}
        for at in wanted:
            found.setdefault(self.first.holes[at].statement, []).append(at)
        return list(found.values())

    def origin(self, span: Span) -> Span:
        """The hole of the original that stands at a span of the document as it is now."""
        draft = self.draft
        return next(hole.span for hole in self.first.holes if draft.now(hole.span.start) == span.start)

    def note(self, places: Sequence[Span], outcome: Outcome[FillResult]) -> None:
        """Take over what became of a group of holes, given where they stand in the original, in order."""
        if outcome.value is None:
            reason = str(outcome.error or "")
            marks = {hole.span: hole for hole in self.first.holes}
            self.incomplete.update(
                {at: OpenHole(at, marks[at].mark.text, marks[at].sort, reason) for at in places}
            )
            return
        result = outcome.value
        parts = [hole.span for hole in result.holes]
        parts += [hole.span for hole in (*result.incomplete, *result.empty)]
        there = dict(zip(sorted(parts), places, strict=True))
        self.filled.update({there[hole.span]: replace(hole, span=there[hole.span]) for hole in result.holes})
        for mine, its in ((self.incomplete, result.incomplete), (self.empty, result.empty)):
            mine.update({there[hole.span]: replace(hole, span=there[hole.span]) for hole in its})
        self.withheld += result.withheld

    def moved(self, now: Analysed, wanted: Sequence[int]) -> list[Hole]:
        """The wanted holes of statements before which Γ is not what it was when they were filled.

        They will be filled again with Γ as it is now, or as they themselves make it.
        """
        draft = self.draft
        found: list[Hole] = []
        for group in self.groups(wanted):
            start = self.first.holes[group[0]].statement.start
            seen = self.seen.get(start) or self.first.environment_at(start)
            here = now.environment_at(draft.now(start))
            if not _equal(seen, here):
                self.seen[start] = here
                found += [self.first.holes[at] for at in group]
        return found

    def take_back(self, holes: Sequence[Hole]) -> None:
        """Open holes again."""
        for hole in holes:
            for kind in (self.filled, self.incomplete, self.empty):
                kind.pop(hole.span, None)

    def numbers(self, now: Analysed, holes: Sequence[Hole]) -> list[int]:
        """The numbers that holes of the original have in the document as it is now."""
        draft = self.draft
        here = {draft.now(hole.span.start) for hole in holes}
        return [at for at, hole in enumerate(now.holes) if hole.span.start in here]

    def result(self) -> FillResult:
        """All of it."""
        return FillResult(
            self.draft.text,
            tuple(self.filled[span] for span in sorted(self.filled)),
            tuple(self.incomplete[span] for span in sorted(self.incomplete)),
            tuple(self.empty[span] for span in sorted(self.empty)),
            self.withheld,
        )


def _equal(one: Environment, other: Environment) -> bool:
    """Whether two Γ hold the same names."""
    if [id(frame) for frame in one.frames] == [id(frame) for frame in other.frames]:
        return True
    return {(each.key, each.sort) for each in one} == {(each.key, each.sort) for each in other}
