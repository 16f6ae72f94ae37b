"""Fills side by side for who only waits: each thread has one hole under way at a server, behind which may be many machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event, Lock
from typing import TYPE_CHECKING, TypeVar

from gproj_lsp.decode.lanes import Outcome
from gproj_lsp.errors import GprojError

if TYPE_CHECKING:
    from gproj_lsp.decode.base import HoleFiller, HoleTask, HoleText, MaskEngine, Matcher, Stop, Vocabulary
    from gproj_lsp.gbnf import Grammar

__all__ = ["LockedEngine", "Threads"]

T = TypeVar("T")


class Threads:
    """Runs jobs with one filler, as many at once as there are threads."""

    def __init__(self, filler: HoleFiller, width: int) -> None:
        """Threads over a filler.

        Args:
            filler: Writes; may be asked from several threads.
            width: How many jobs run at once.
        """
        self._filler = filler
        self._width = width

    def run(
        self, jobs: Iterable[Callable[[HoleFiller], T]], done: Callable[[int], None] = lambda _: None
    ) -> list[Outcome[T]]:
        """Run jobs; gives what became of each, in their order.

        A job that fails is told so in its outcome; the others go on. Whoever interrupts the wait breaks all of them off.

        Args:
            jobs: The jobs.
            done: Told how many jobs have ended.
        """
        left = Event()
        filler = _Leaving(self._filler, left)
        with ThreadPoolExecutor(self._width) as pool:
            running = [pool.submit(_outcome, job, filler) for job in jobs]
            try:
                for count, _ in enumerate(as_completed(running), 1):
                    done(count)
            except BaseException:
                left.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return [each.result() for each in running]


class LockedEngine:
    """A mask engine that several threads may use; its matchers are theirs alone."""

    def __init__(self, engine: MaskEngine) -> None:
        self._engine = engine
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The engine's."""
        return self._engine.name

    def compile(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher:
        """See `MaskEngine`.

        Raises:
            EngineError: The engine is not installed, or refused the grammar.
        """
        with self._lock:
            return self._engine.compile(grammar, vocabulary)


class _Leaving:
    """A filler that breaks off when everybody is to leave."""

    def __init__(self, filler: HoleFiller, left: Event) -> None:
        self._filler = filler
        self._left = left

    @property
    def name(self) -> str:
        return self._filler.name

    @property
    def capacity(self) -> int:
        return self._filler.capacity

    def write(self, task: HoleTask, stop: Stop | None = None) -> HoleText:
        return self._filler.write(task, lambda: self._left.is_set() or bool(stop and stop()))


def _outcome(job: Callable[[HoleFiller], T], filler: HoleFiller) -> Outcome[T]:
    try:
        return Outcome(job(filler))
    except GprojError as error:
        return Outcome(None, error)
