"""The one thread that decodes: what is asked waits in order of priority, and whatever is no longer wanted stops in one step.

A model belongs to one thread, so all work on it goes through here. A request for a document takes the place of the one before
it; one that matters more goes first, and what it interrupts runs again after it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count
from threading import Condition, Event, Thread
from typing import TypeVar, cast

from gproj_lsp.errors import Cancelled

__all__ = ["Priority", "Stop", "Superseded", "Worker"]

logger = logging.getLogger(__name__)

Stop = Callable[[], bool]
"""Asked by the work between steps; True: nobody wants the result any more."""

_T = TypeVar("_T")


class Priority(IntEnum):
    """What goes first."""

    ACTION = 0
    """Somebody asked for it and waits."""
    TYPING = 1
    """Text for somebody who types."""
    HOLE = 2
    """A hole that somebody looks at."""
    SPECULATION = 3
    """It may be wanted soon."""


class Superseded(Cancelled):
    """A later request took the place of this one."""


@dataclass(eq=False)
class _Job:
    """One piece of work on its way."""

    work: Callable[[Stop], object]
    document: str
    priority: Priority
    number: int
    loop: asyncio.AbstractEventLoop
    result: asyncio.Future[object]
    unwanted: Event = field(default_factory=Event)
    paused: Event = field(default_factory=Event)
    superseded: bool = False

    def __lt__(self, other: _Job) -> bool:
        return (self.priority, self.number) < (other.priority, other.number)

    def replaces(self, other: _Job) -> bool:
        """Whether it takes the place of another."""
        idle = self.priority is Priority.ACTION or other.priority in (self.priority, Priority.SPECULATION)
        return (
            bool(self.document)
            and other.document == self.document
            and other.priority >= self.priority
            and idle
        )

    def stop(self) -> bool:
        """Whether it should end now."""
        return self.unwanted.is_set() or self.paused.is_set()

    def tell(self, value: object, error: BaseException | None) -> None:
        """Hand the outcome to whoever waits, on their own loop."""

        def done() -> None:
            if self.result.done():
                return
            if error is not None:
                self.result.set_exception(error)
            else:
                self.result.set_result(value)

        try:
            self.loop.call_soon_threadsafe(done)
        except RuntimeError:
            logger.debug("nobody waits for the work on %s any more", self.document)


class Worker:
    """The decoding thread; it starts with the first piece of work and ends with `close`."""

    def __init__(self) -> None:
        self._turn = Condition()
        self._waiting: list[_Job] = []
        self._running: _Job | None = None
        self._numbers = count()
        self._thread: Thread | None = None
        self._closed = False

    async def run(
        self, work: Callable[[Stop], _T], *, document: str = "", priority: Priority = Priority.ACTION
    ) -> _T:
        """Have work done on the decoding thread.

        Cancelling the caller's task stops the work within one step of the model.

        Args:
            work: Called on the thread with a flag that it must ask between steps; it may be called again if something that
                matters more interrupted it, so it must change nothing before it is through.
            document: What it is for: earlier work for the same document that is of this priority is dropped, and so is what
                was done ahead, and all of it where this is an action. Empty: it takes nobody's place.
            priority: What goes first.

        Raises:
            Superseded: Later work for the document took its place.
            Cancelled: The worker was closed.
        """
        loop = asyncio.get_running_loop()
        job = _Job(work, document, priority, next(self._numbers), loop, loop.create_future())
        self._submit(job)
        try:
            return cast("_T", await job.result)
        except asyncio.CancelledError:
            self._drop(job)
            raise

    def supersede(self, document: str) -> None:
        """Drop whatever is done for a document: its text changed."""
        with self._turn:
            for job in self._all():
                if job.document == document:
                    self._discard(job)

    def close(self, seconds: float = 2.0) -> None:
        """Stop everything and end the thread.

        Args:
            seconds: How long to wait for it.
        """
        with self._turn:
            self._closed = True
            for job in self._all():
                self._discard(job)
            self._turn.notify_all()
        if self._thread is not None:
            self._thread.join(seconds)

    @property
    def busy(self) -> bool:
        """Whether it works now."""
        with self._turn:
            return self._running is not None

    def _submit(self, job: _Job) -> None:
        with self._turn:
            if self._closed:
                raise Cancelled("the server ends")
            for other in self._all():
                if job.replaces(other):
                    self._discard(other)
            self._waiting.append(job)
            running = self._running
            if running is not None and job.priority < running.priority:
                running.paused.set()
            if self._thread is None:
                self._thread = Thread(target=self._work, name="decoding", daemon=True)
                self._thread.start()
            self._turn.notify()

    def _drop(self, job: _Job) -> None:
        with self._turn:
            job.unwanted.set()
            self._waiting = [each for each in self._waiting if each is not job]

    def _discard(self, job: _Job) -> None:
        job.unwanted.set()
        job.superseded = True
        if job is not self._running:
            self._waiting.remove(job)
        job.tell(None, Superseded("a later request took its place"))

    def _all(self) -> list[_Job]:
        return [*self._waiting, *([self._running] if self._running is not None else [])]

    def _work(self) -> None:
        while (job := self._next()) is not None:
            self._do(job)

    def _next(self) -> _Job | None:
        with self._turn:
            self._running = None
            while not self._waiting and not self._closed:
                self._turn.wait()
            if self._closed:
                return None
            job = min(self._waiting)
            self._waiting.remove(job)
            job.paused.clear()
            self._running = job
            return job

    def _do(self, job: _Job) -> None:
        try:
            value = job.work(job.stop)
        except Cancelled as error:
            if job.paused.is_set() and not job.unwanted.is_set():
                with self._turn:
                    self._running = None
                    self._waiting.append(job)
                return
            job.tell(None, error)
        except BaseException as error:  # noqa: BLE001  (whatever it is, whoever waits must hear of it)
            job.tell(None, error)
        else:
            job.tell(value, None)
