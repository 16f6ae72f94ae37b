"""One editor's session: its documents, the worlds behind them, and one analysis for each version of each document.

Handlers ask `snapshot` for a document as it is now and answer from that value; it never changes under them. Whatever takes more
than a few milliseconds runs on a thread of the pool (`run`), what decodes on the worker's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from lsprotocol import types

from gproj_lsp.ide import Analysis, Analyzer
from gproj_lsp.ide.offers import Offers
from gproj_lsp.lsp.convert import offset_of, path_of, position_of, range_of, span_of, uri_of
from gproj_lsp.lsp.documents import Document, Documents
from gproj_lsp.lsp.models import Models
from gproj_lsp.lsp.options import Client, Preferences
from gproj_lsp.lsp.parts import Parts
from gproj_lsp.lsp.roots import Root, World, open_world, read_world, root_of
from gproj_lsp.lsp.status import READY, Board, State, Status
from gproj_lsp.lsp.trust import TrustStore
from gproj_lsp.lsp.worker import Superseded, Worker
from gproj_lsp.surface import Surface
from gproj_lsp.text import Encoding, Span

__all__ = ["Session", "Snapshot"]

logger = logging.getLogger(__name__)

_THREADS = 4
_READERS = 2
"""Threads that wait for databases and files, so that those that analyse never do."""
_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One version of a document with all that is known of it. Places convert in the client's encoding.

    Attributes:
        document: The text.
        surface: Its language.
        world: Its folder's settings and sources.
        analyzer: What analysed it.
        analysis: What was found.
        encoding: How the client counts.
    """

    document: Document
    surface: Surface
    world: World
    analyzer: Analyzer
    analysis: Analysis
    encoding: Encoding

    @property
    def offers(self) -> Offers:
        """What may stand in its holes."""
        return self.world.offers(self.surface)

    @property
    def root(self) -> Path:
        """The folder where relative places start (`schema.sql:12`)."""
        return self.world.settings.root

    def offset(self, position: types.Position) -> int:
        """The byte offset of a position."""
        return offset_of(self.document.lines, position, self.encoding)

    def span(self, place: types.Range) -> Span:
        """The bytes of a range."""
        return span_of(self.document.lines, place, self.encoding)

    def position(self, offset: int) -> types.Position:
        """The position of a byte offset."""
        return position_of(self.document.lines, offset, self.encoding)

    def range(self, span: Span) -> types.Range:
        """The range of a byte span."""
        return range_of(self.document.lines, span, self.encoding)


class Session:
    """What one editor has open.

    Args:
        parts: What the server is put together of.
        status: Gets what changes: a URI and how it is.
        changed: Called when what holds for some documents changed, with their folder; None: for all.
        loading: See `Models.loading`.
        reading: The same for the sources of a folder.
    """

    def __init__(
        self,
        parts: Parts,
        status: Callable[[str, Status], None],
        changed: Callable[[Path | None], None],
        loading: Callable[[str], Callable[[str], None]],
        reading: Callable[[Path], Callable[[str], None]],
    ) -> None:
        self.parts = parts
        self.client = Client()
        self.initial = Preferences()
        self.preferences = self.initial
        self.closed = False
        self.folders: tuple[Path, ...] = ()
        self.documents = Documents()
        self.board = Board(status)
        self.worker = Worker()
        self.models = Models(parts, loading)
        self.store = TrustStore(parts.trust)
        self._changed = changed
        self._reading = reading
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="analysis")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="reading")
        self._roots: dict[Path, Root] = {}
        self._root_of: dict[Path | None, Path] = {}
        self._opening: dict[Path, asyncio.Task[Root]] = {}
        self._analyses: dict[str, tuple[tuple[Document, ...], int, asyncio.Task[Snapshot | None]]] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call something that takes long on a thread of the pool."""
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, partial(function, *args, **kwargs)
        )

    async def snapshot(self, uri: str) -> Snapshot | None:
        """A document as it is when this is called, analysed once; None if it is not open or no surface reads it.

        Raises:
            Superseded: It changed before its analysis began.
        """
        document = self.documents.get(uri)
        if document is None:
            return None
        root = await self.root(document.path)
        known = self._analyses.get(uri)
        chain = self.documents.chain(document)
        if known is None or known[0] != chain or known[1] != root.generation:
            task = asyncio.create_task(self._analysed(document, root))
            task.add_done_callback(_seen)  # whoever asked may have gone
            if self.documents.get(uri) is not document:
                return await task
            known = self._analyses[uri] = (chain, root.generation, task)
        return await asyncio.shield(known[2])

    def current(self, snapshot: Snapshot) -> bool:
        """Whether a snapshot is still of the document as it is."""
        return self.documents.get(snapshot.document.uri) is snapshot.document

    async def root(self, path: Path | None) -> Root:
        """The folder that a document belongs to."""
        key = path.parent if path is not None else None
        if key not in self._root_of:
            self._root_of[key] = await self.run(root_of, path, self.folders)
        folder = self._root_of[key]
        if folder not in self._roots:
            opening = self._opening.get(folder)
            if opening is None:
                opening = self._opening[folder] = asyncio.create_task(self._open(folder))
            try:
                self._roots[folder] = await asyncio.shield(opening)
            finally:
                if opening.done():  # one that failed may succeed next time
                    self._opening.pop(folder, None)
        return self._roots[folder]

    def roots(self) -> tuple[Root, ...]:
        """The folders of documents that were opened."""
        return tuple(self._roots.values())

    def trusts(self, folder: Path) -> bool:
        """Whether the user trusts a folder: the editor says so of those that are open, the store of others."""
        opened = any(folder.is_relative_to(each) for each in self.folders)
        return (self.preferences.trusted and opened) or self.store.holds(folder)

    def close_document(self, uri: str) -> None:
        """Forget a document."""
        self.documents.remove(uri)
        self.worker.supersede(uri)
        self._turns.pop(uri, None)
        known = self._analyses.pop(uri, None)
        if known is not None and known[2].done() and not known[2].cancelled() and not known[2].exception():
            snapshot = known[2].result()
            if snapshot is not None:
                snapshot.analyzer.forget(uri)
        self.board.forget(uri)

    def reload(self, folder: Path | None = None) -> None:
        """Read settings and sources anew in the background; what held until then serves meanwhile.

        Args:
            folder: Where; None: everywhere.
        """
        self._root_of.clear()  # a gproj.toml may have come or gone
        for root in self.roots():
            if folder is None or root.folder == folder:
                self._read(root)
        self._changed(folder)

    async def refresh(self, root: Root) -> bool:
        """Read a folder's sources anew if they changed since they were read.

        Returns:
            Whether they did.
        """
        stale = [
            surface
            for surface in root.used.values()
            if surface.name in root.world.read and not await self.run(root.world.fresh, surface)
        ]
        if stale:
            self._read(root)
        return bool(stale)

    def later(self, work: Callable[[], object]) -> None:
        """Call something on the loop's thread soon; from any thread."""
        with suppress(RuntimeError):  # the loop ended, and so did whoever wanted it
            self._loop.call_soon_threadsafe(work)

    def begin(self) -> None:
        """Take the running loop as the session's own."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """End every thread."""
        self.closed = True
        self.worker.close()
        for pool in (self._pool, self._readers):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _open(self, folder: Path) -> Root:
        trusted = await self.run(self.trusts, folder)
        world = await self.run(open_world, folder, self.parts, self.preferences.settings, trusted=trusted)
        root = Root(folder, world)
        self._tell(root)
        return root

    async def _analysed(self, document: Document, root: Root) -> Snapshot | None:
        world = root.world
        path = document.path or path_of(document.uri) or Path(document.uri.rpartition("/")[2] or "untitled")
        surface = world.surface_of(path, document.language, document.text)
        if surface is None:
            return None
        if surface.name not in root.used:
            root.used[surface.name] = surface
            if not world.workspace.sourceless(surface):
                self._read(root)
        before = self.documents.before(document)
        around = await self.snapshot(before.uri) if before is not None else None
        turn = self._turns.setdefault(document.uri, asyncio.Lock())
        async with turn:  # an edit waits for no more than one analysis
            return await self.run(self._analyse, document, surface, world, around)

    def _analyse(
        self, document: Document, surface: Surface, world: World, before: Snapshot | None
    ) -> Snapshot | None:
        if self.documents.get(document.uri) is not document:
            raise Superseded("the document changed")
        analyzer = world.analyzer(surface, document.path if not document.notebook else None)
        after = before.analysis if before is not None and before.analyzer is analyzer else None
        analysis = analyzer.analyse(document.text, document.cursor, document.uri, after=after)
        return Snapshot(document, surface, world, analyzer, analysis, self.client.encoding)

    def _read(self, root: Root) -> None:
        """Read a folder's sources in the background; once more if this is asked while they are read."""
        root.again = True
        if not root.reading:
            root.reading = True
            root.settled.clear()
            task = asyncio.create_task(self._reads(root))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _reads(self, root: Root) -> None:
        try:
            while root.again:
                root.again = False
                await self._read_once(root)
        finally:
            root.reading = False
            root.settled.set()

    async def _read_once(self, root: Root) -> None:
        silent = all(root.world.workspace.sourceless(surface) for surface in root.used.values())
        done = _nothing if silent else self._reading(root.folder)
        if not silent:
            self.board.put(uri_of(root.folder), Status(State.LOADING, "reading what is declared"))
        problem = ""
        try:
            used = dict(root.used)
            settings = self.preferences.settings
            trusted = await self.run(self.trusts, root.folder)
            read = partial(read_world, root.folder, self.parts, settings, used, trusted=trusted)
            root.put(await asyncio.get_running_loop().run_in_executor(self._readers, read))
        except Exception as error:
            problem = str(error)
            logger.exception("what is declared in %s could not be read", root.folder)
        finally:
            done(problem)
        self._tell(root, problem)
        self._changed(root.folder)

    def _tell(self, root: Root, problem: str = "") -> None:
        """Say how a folder is."""
        self.board.put(uri_of(root.folder), _status(root.world, problem))


def _seen(task: asyncio.Task[Snapshot | None]) -> None:
    if not task.cancelled():
        task.exception()


def _nothing(problem: str) -> None:
    del problem


def _status(world: World, problem: str) -> Status:
    settings = world.settings
    problem = problem or world.problem
    if problem:
        return Status(State.FAILED, problem)
    if settings.ignored:
        names = ", ".join(dict.fromkeys(settings.ignored))
        return Status(
            State.UNTRUSTED, f"{settings.place}: {names} ignored, the folder is not trusted", "gproj.trust"
        )
    told = world.problems
    return Status(State.STALE, told[0], "gproj.refreshEnvironment") if told else READY
