"""Decodes side by side: each runs as if it had a model of its own, and all that wait are fed in one step.

A decode that asks its model stops where it is until the step that answers it is over; whichever ends makes place for the
next (continuous batching: Yu et al., Orca, 2022). All of it happens on one thread: decodes are switched, not run at once, so
nothing they share needs a lock. A text that begins like one which is there already takes that part from it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

from gproj_lsp.decode.base import BatchModel, Part
from gproj_lsp.decode.context import common_prefix
from gproj_lsp.errors import CacheFullError, Cancelled, GprojError, ModelError

if TYPE_CHECKING:
    from greenlet import greenlet

    from gproj_lsp.decode.base import LanguageModel, Logits, Stop, Vocabulary

__all__ = ["Alone", "Crew", "Job", "Lane", "Lanes", "Outcome"]

T = TypeVar("T")
_SHORT = 16
"""Up to so many tokens are fed with the others at once; more wait where another lane is about to read what both begin with."""


@dataclass
class _Request:
    """What a lane asks for: logits after the last tokens of a text, and after each node of a tree that grows from its end."""

    text: Sequence[int]
    rows: int
    stop: Stop | None
    tree: Sequence[int] = ()
    parents: Sequence[int] = ()

    @property
    def leaves(self) -> int:
        """How many nodes of the tree have nothing under them."""
        return len(self.parents) - len(set(self.parents) - {-1})


class Lane:
    """One sequence of a batch, as a model of its own; see `LanguageModel` and `BranchingModel` for the contract.

    Attributes:
        held: The tokens that the batch's model has of it.
        request: What it waits for.
        parked: Whether it gave its room to others and waits until one of them is done.
    """

    def __init__(self, model: BatchModel, number: int) -> None:
        self.number = number
        self.held: list[int] = []
        self.request: _Request | None = None
        self.parked = False
        self._model = model
        self._fed: list[int] = []
        self._ask: Callable[[], Logits] | None = None

    @property
    def name(self) -> str:
        """As shown to users."""
        return self._model.name

    @property
    def vocabulary(self) -> Vocabulary:
        """Its tokens."""
        return self._model.vocabulary

    @property
    def capacity(self) -> int:
        """How many tokens it holds."""
        return self._model.capacity

    @property
    def branches(self) -> int:
        """How many leaves a tree given to `spread` may have."""
        return self._model.branches

    @property
    def fed(self) -> Sequence[int]:
        """The tokens in it now."""
        return self._fed

    def feed(self, ids: Sequence[int], *, every: bool = False, stop: Stop | None = None) -> Logits:
        """Append ids and give logits after the last, or after each with `every`.

        Raises:
            Cancelled: `stop` said so; the text is as before.
            ModelError: The text is too long, or the model failed.
        """
        text = [*self._fed, *ids]
        rows = self._wait(_Request(text, len(ids) if every else 1, stop))
        self._fed = text
        if every:
            return rows
        row: Logits = rows[-1]
        return row

    def spread(self, ids: Sequence[int], parents: Sequence[int], *, stop: Stop | None = None) -> Logits:
        """Logits after each node of a tree of tokens; the text stays as it is.

        Raises:
            Cancelled: `stop` said so.
            ModelError: The tree has too many nodes or leaves, or the model failed.
        """
        return self._wait(_Request(self._fed, 0, stop, ids, parents))

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        self._fed = self._fed[:length]

    def close(self) -> None:
        """The batch's model stays open for the other lanes."""

    def run(self, ask: Callable[[], Logits]) -> None:
        """From here on, ask for logits this way."""
        self._ask = ask

    def _wait(self, request: _Request) -> Logits:
        if self._ask is None:
            raise ModelError("this lane does not run")
        if len(request.text) == len(self._fed) and not request.tree:
            raise ModelError("a model can't be fed an empty text")
        asked = request.rows + len(request.tree)
        if asked > self._model.room or request.leaves > self.branches:
            raise ModelError(f"{asked} tokens and {request.leaves} branches do not fit one step")
        if len(request.text) + len(request.tree) > self.capacity:
            mend = "choose a model with a longer context"
            raise ModelError(
                f"the text does not fit the model's context of {self.capacity} tokens", mend=mend
            )
        if request.stop and request.stop():
            raise Cancelled("decoding was cancelled")
        self.request = request
        try:
            return self._ask()
        finally:
            self.request = None


Job = Callable[["LanguageModel"], T]
"""One decode; it gets the model that it is to use."""


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """What became of a job.

    Attributes:
        value: What it gave; None where it failed.
        error: Why it failed.
    """

    value: T | None
    error: GprojError | None = None

    def get(self) -> T:
        """What it gave.

        Raises:
            GprojError: It failed.
        """
        if self.error is not None:
            raise self.error
        return cast("T", self.value)


class Crew(Protocol):
    """Runs decodes, one after another or side by side."""

    @property
    def name(self) -> str:
        """The model's, as shown to users."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """The model's tokens."""
        ...

    @property
    def width(self) -> int:
        """How many decodes run at once."""
        ...

    def run(self, jobs: Iterable[Job[T]], done: Callable[[int], None] = lambda _: None) -> list[Outcome[T]]:
        """Run jobs; gives what became of each, in their order, and tells `done` how many have ended.

        A job that fails is told so in its outcome; the others go on.
        """
        ...


class Alone:
    """One model that decodes one after another; what a job leaves in it serves the next that begins alike.

    Attributes:
        model: The model.
    """

    width = 1

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """The model's, as shown to users."""
        return self.model.name

    @property
    def vocabulary(self) -> Vocabulary:
        """The model's tokens."""
        return self.model.vocabulary

    def run(self, jobs: Iterable[Job[T]], done: Callable[[int], None] = lambda _: None) -> list[Outcome[T]]:
        """Run jobs; see `Crew`."""
        outcomes: list[Outcome[T]] = []
        for job in jobs:
            try:
                outcomes.append(Outcome(job(self.model)))
            except GprojError as error:
                outcomes.append(Outcome(None, error))
            done(len(outcomes))
        return outcomes


class Lanes:
    """A batch model whose sequences decode side by side.

    Attributes:
        model: The model.
        steps: How often it was asked.
        members: The lanes; what one holds stays when its job is over, and serves texts that begin alike.
    """

    def __init__(self, model: BatchModel, width: int | None = None) -> None:
        """Lanes over a model.

        Args:
            model: The model; nothing else may use it meanwhile.
            width: How many decodes run at once; by default as many as the model has sequences.
        """
        self.model = model
        self.steps = 0
        for number in range(model.sequences):
            model.rewind(number, 0)
        self.members = [
            Lane(model, number) for number in range(min(width or model.sequences, model.sequences))
        ]

    @property
    def name(self) -> str:
        """The model's, as shown to users."""
        return self.model.name

    @property
    def vocabulary(self) -> Vocabulary:
        """The model's tokens."""
        return self.model.vocabulary

    @property
    def width(self) -> int:
        """How many decodes run at once."""
        return len(self.members)

    def run(self, jobs: Iterable[Job[T]], done: Callable[[int], None] = lambda _: None) -> list[Outcome[T]]:
        """Run jobs, as many at once as there are lanes; gives what became of each, in their order.

        A job that fails is told so in its outcome; the others go on.

        Args:
            jobs: The jobs; taken one by one as lanes become free.
            done: Told how many jobs have ended.

        Raises:
            ModelError: The package `greenlet` is not installed.
        """
        return _Run(self, jobs, done).run()


@dataclass
class _Run(Generic[T]):
    """One run: which lane has which job, and what became of those that ended."""

    lanes: Lanes
    jobs: Iterable[Job[T]]
    done: Callable[[int], None]
    outcomes: dict[int, Outcome[T]] = field(default_factory=dict)
    threads: dict[Lane, greenlet] = field(default_factory=dict)
    free: deque[Lane] = field(default_factory=deque)

    def run(self) -> list[Outcome[T]]:
        waiting = enumerate(self.jobs)
        self.free.extend(self.lanes.members)
        try:
            while True:
                self._start(waiting)
                if not self.threads:
                    return [self.outcomes[at] for at in sorted(self.outcomes)]
                self._step()
        finally:
            for thread in self.threads.values():
                if not thread.dead:
                    thread.throw()  # ends it; its own `finally` clauses run

    def _start(self, waiting: Iterator[tuple[int, Job[T]]]) -> None:
        """Give free lanes the next jobs; each runs until it asks its model, or ends."""
        while self.free and not any(lane.parked for lane in self.threads):
            try:
                number, job = next(waiting)
            except StopIteration:
                return
            lane = self.free.popleft()
            thread = self.threads[lane] = _thread(self._job)
            lane.run(thread.parent.switch)
            self._switched(lane, thread.switch, lane, number, job)

    def _job(self, lane: Lane, number: int, job: Job[T]) -> None:
        try:
            self.outcomes[number] = Outcome(job(lane))
        except GprojError as error:
            self.outcomes[number] = Outcome(None, error)

    def _switched(self, lane: Lane, switch: Callable[..., object], *told: object) -> None:
        """Let a lane run until it asks again; where it ended, it is free, and who was parked may go on."""
        switch(*told)
        if self.threads[lane].dead:
            del self.threads[lane]
            self.free.appendleft(lane)
            for other in self.threads:
                other.parked = False
            self.done(len(self.outcomes))

    def _step(self) -> None:
        """Feed what the lanes wait for, as far as one step takes it, and let those that got all of it run on."""
        for lane, request in self._requests():
            if request.stop and request.stop():
                self._switched(lane, self.threads[lane].throw, Cancelled("decoding was cancelled"))
                return
        chosen = self._chosen()
        stops = [request.stop for lane, request in self._requests() if lane in chosen]
        try:
            rows = self.lanes.model.decode(list(chosen.values()), stop=_all(stops))
        except Cancelled:
            return
        except CacheFullError as error:
            self._make_room(next(iter(chosen)), error)
            return
        except ModelError as error:
            for lane in chosen:
                self._switched(lane, self.threads[lane].throw, error)
            return
        self.lanes.steps += 1
        for lane, part in chosen.items():
            lane.held.extend(part.line)
        for (lane, part), found in zip(chosen.items(), rows, strict=True):
            if part.rows or part.tree:
                self._switched(lane, self.threads[lane].switch, found)

    def _requests(self) -> list[tuple[Lane, _Request]]:
        """What lanes wait for; what takes few tokens first."""
        waiting = [(lane, lane.request) for lane in self.threads if lane.request and not lane.parked]
        return sorted(waiting, key=lambda each: len(each[1].text) - len(each[0].held) > _SHORT)

    def _chosen(self) -> dict[Lane, Part]:
        """What the next step feeds."""
        model = self.lanes.model
        chosen: dict[Lane, Part] = {}
        room, branches = model.room, model.branches
        texts: list[Sequence[int]] = []
        for lane, request in self._requests():
            self._keep(lane, request)
            if len(request.text) - len(lane.held) > _SHORT and any(
                common_prefix(text, request.text) > len(lane.held) + _SHORT for text in texts
            ):
                continue
            part = _part(lane, request, room, branches)
            if part is None:
                continue
            chosen[lane] = part
            room -= len(part.line) + len(part.tree)
            branches -= request.leaves if part.tree else 0
            texts.append(request.text)
        return chosen

    def _keep(self, lane: Lane, request: _Request) -> None:
        """Of what a lane holds, keep what the text begins with; take more of it from another lane that has it."""
        most = len(request.text) - request.rows
        self._cut(lane, min(common_prefix(lane.held, request.text), most))
        if most - len(lane.held) <= _SHORT:
            return
        other = max(self.lanes.members, key=lambda each: common_prefix(each.held, request.text))
        common = min(common_prefix(other.held, request.text), most)
        if common > len(lane.held) + _SHORT:
            self.lanes.model.copy(other.number, lane.number, common)
            lane.held = list(request.text[:common])

    def _cut(self, lane: Lane, length: int) -> None:
        if length < len(lane.held):
            del lane.held[self.lanes.model.rewind(lane.number, length) :]

    def _make_room(self, first: Lane, error: ModelError) -> None:
        """Forget what nobody needs now; failing that, what the last lane holds, which then waits until another is done."""
        idle = [lane for lane in self.free if lane.held]
        last = [lane for lane in self.threads if lane is not first and not lane.parked]
        for lane in idle or last[-1:]:
            self._cut(lane, 0)
            lane.parked = lane in self.threads
        if not idle and not last:
            self._switched(first, self.threads[first].throw, error)


def _part(lane: Lane, request: _Request, room: int, branches: int) -> Part | None:
    """What to feed of a request; a beginning without an answer where all of it is too much for any step."""
    line = request.text[len(lane.held) :]
    if len(line) + len(request.tree) <= room and request.leaves <= branches:
        return Part(lane.number, line, request.rows, request.tree, request.parents)
    start = min(len(line) - request.rows, room)
    return Part(lane.number, line[:start], 0) if start > 0 else None


def _all(stops: Sequence[Stop | None]) -> Stop | None:
    """Stops a step where everybody in it stops."""
    given = [stop for stop in stops if stop]
    if len(given) < len(stops):
        return None
    return lambda: all(stop() for stop in given)


def _thread(run: Callable[..., None]) -> greenlet:
    try:
        from greenlet import greenlet  # noqa: PLC0415  (only where decodes run side by side)
    except ImportError as error:
        mend = 'pip install "gproj-lsp[demo]"'
        raise ModelError(
            "greenlet is not installed, so nothing can decode side by side", mend=mend
        ) from error
    return greenlet(run)
