"""Work done in the background, as the client may show it (`$/progress`)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server

__all__ = ["Progress"]

logger = logging.getLogger(__name__)


class Progress:
    """Begins and ends what the client shows, in order, from any thread.

    Args:
        server: Whose client it is.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, title: str) -> Callable[[str], None]:
        """Show that something is done from now on.

        Args:
            title: What, as in "loading the model".

        Returns:
            To be called at the end with what went wrong, or nothing.
        """
        if not self._server.session.client.progress:
            return lambda problem: None if not problem else logger.info("%s: %s", title, problem)
        token = str(uuid4())
        begun = asyncio.Event()
        self._server.session.later(lambda: self._start(self._begin(token, title, begun)))

        def done(problem: str) -> None:
            self._server.session.later(lambda: self._start(self._end(token, problem, begun)))

        return done

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _begin(self, token: str, title: str, begun: asyncio.Event) -> None:
        try:
            await self._server.work_done_progress.create_async(token)
            self._server.work_done_progress.begin(token, types.WorkDoneProgressBegin(title=title))
        except JsonRpcException as error:
            logger.info("the client shows no progress: %s", error)
        finally:
            begun.set()

    async def _end(self, token: str, problem: str, begun: asyncio.Event) -> None:
        await begun.wait()
        if token in self._server.work_done_progress.tokens:
            self._server.work_done_progress.end(token, types.WorkDoneProgressEnd(message=problem or None))
            del self._server.work_done_progress.tokens[token]
