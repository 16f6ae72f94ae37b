"""The decoding thread: order, who takes whose place, and that nothing goes on when nobody wants it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from gproj_lsp.errors import Cancelled
from gproj_lsp.lsp.worker import Priority, Superseded, Worker


@pytest.fixture
def worker():
    made = Worker()
    yield made
    made.close()


class Work:
    """A piece of work that goes on until it is stopped or released.

    Attributes:
        begun: How often it began.
    """

    def __init__(self):
        self.begun = 0
        self.started = threading.Event()
        self.released = threading.Event()

    def __call__(self, stop):
        self.begun += 1
        self.started.set()
        while not self.released.is_set():
            if stop():
                raise Cancelled("stopped")
            threading.Event().wait(0.001)
        return self.begun

    async def running(self):
        await asyncio.to_thread(self.started.wait)


async def test_it_gives_what_the_work_gives(worker):
    assert await worker.run(lambda _: 1) == 1


async def test_it_raises_what_the_work_raises(worker):
    def fails(_stop):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await worker.run(fails)
    assert await worker.run(lambda _: 1) == 1


async def test_all_of_it_runs_on_one_thread(worker):
    names = [await worker.run(lambda _: threading.current_thread().name) for _ in range(3)]
    assert set(names) == {"decoding"}


async def test_what_matters_more_goes_first(worker):
    first, order = Work(), []
    running = asyncio.create_task(worker.run(first))
    await first.running()

    async def noted(priority):
        await worker.run(lambda _: order.append(priority), priority=priority)

    rest = [
        asyncio.create_task(noted(each)) for each in (Priority.SPECULATION, Priority.HOLE, Priority.ACTION)
    ]
    await asyncio.sleep(0)
    first.released.set()
    await asyncio.gather(running, *rest)
    assert order == [Priority.ACTION, Priority.HOLE, Priority.SPECULATION]


async def test_a_later_request_takes_the_place_of_one_for_the_same_document(worker):
    first = Work()
    running = asyncio.create_task(worker.run(first, document="a"))
    await first.running()
    assert await worker.run(lambda _: 2, document="a") == 2
    with pytest.raises(Superseded):
        await running


async def test_a_request_for_another_document_waits(worker):
    first = Work()
    running = asyncio.create_task(worker.run(first, document="a"))
    await first.running()
    second = asyncio.create_task(worker.run(lambda _: 2, document="b"))
    await asyncio.sleep(0.02)
    assert not second.done()
    first.released.set()
    assert [await running, await second] == [1, 2]


async def test_speculation_never_takes_the_place_of_an_action(worker):
    first = Work()
    running = asyncio.create_task(worker.run(first, document="a"))
    await first.running()
    guess = asyncio.create_task(worker.run(lambda _: 2, document="a", priority=Priority.SPECULATION))
    await asyncio.sleep(0.02)
    first.released.set()
    assert [await running, await guess] == [1, 2]


async def test_text_for_somebody_who_types_takes_the_place_of_the_text_before_and_of_nothing_else(worker):
    first, order = Work(), []
    running = asyncio.create_task(worker.run(first, document="b"))
    await first.running()

    async def noted(name, priority):
        await worker.run(lambda _: order.append(name), document="a", priority=priority)

    asked = [
        asyncio.create_task(noted(*each))
        for each in (
            ("ranking", Priority.HOLE),
            ("ahead", Priority.SPECULATION),
            ("text", Priority.TYPING),
            ("newer text", Priority.TYPING),
        )
    ]
    await asyncio.sleep(0)
    first.released.set()
    told = await asyncio.gather(running, *asked, return_exceptions=True)
    assert [isinstance(each, Superseded) for each in told] == [False, False, True, True, False]
    assert order == ["newer text", "ranking"]


async def test_what_is_interrupted_runs_again(worker):
    guess = Work()
    running = asyncio.create_task(worker.run(guess, document="a", priority=Priority.SPECULATION))
    await guess.running()
    assert await worker.run(lambda _: 1, document="b") == 1
    guess.released.set()
    assert await running == 2


async def test_cancelling_stops_the_work(worker):
    work = Work()
    running = asyncio.create_task(worker.run(work))
    await work.running()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await worker.run(lambda _: 1) == 1


async def test_cancelled_work_that_waits_never_begins(worker):
    first, second = Work(), Work()
    running = asyncio.create_task(worker.run(first))
    await first.running()
    waiting = asyncio.create_task(worker.run(second))
    await asyncio.sleep(0)
    waiting.cancel()
    first.released.set()
    await running
    assert await worker.run(lambda _: 1) == 1
    assert not second.started.is_set()


async def test_an_edit_drops_what_is_done_for_the_document_alone(worker):
    first, other = Work(), Work()
    running = asyncio.create_task(worker.run(first, document="a"))
    await first.running()
    waiting = asyncio.create_task(worker.run(other, document="b"))
    await asyncio.sleep(0)
    worker.supersede("a")
    with pytest.raises(Superseded):
        await running
    other.released.set()
    assert await waiting == 1


async def test_closing_ends_everything():
    worker, work = Worker(), Work()
    running = asyncio.create_task(worker.run(work))
    await work.running()
    await asyncio.to_thread(worker.close)
    with pytest.raises(Cancelled):
        await running
    with pytest.raises(Cancelled):
        await worker.run(lambda _: 1)
    assert not [thread for thread in threading.enumerate() if thread.name == "decoding"]
