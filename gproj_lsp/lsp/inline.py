"""Text at a cursor: for somebody who types, and for somebody who asks. What comes next is written ahead while they read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsprotocol import types

from gproj_lsp.decode.trace import Event, silent
from gproj_lsp.errors import Cancelled, GprojError, ModelError
from gproj_lsp.ide.edits import Edit, applied
from gproj_lsp.ide.inline import Spot, is_wanted, worth_showing
from gproj_lsp.ide.reading import Reading
from gproj_lsp.ide.suggestions import Suggested, Suggestions
from gproj_lsp.lsp.session import Snapshot
from gproj_lsp.lsp.worker import Priority, Stop
from gproj_lsp.text import Span, encode

if TYPE_CHECKING:
    from gproj_lsp.decode.complete import Completion
    from gproj_lsp.lsp.server import Server

__all__ = ["Inlines", "Offered", "Wish"]

logger = logging.getLogger(__name__)

_ALTERNATIVES = 3
_PATIENCE = 6
"""How often what somebody asked for is tried where the time was up before a word was written."""
_AHEAD = 10.0
"""Seconds that text which nobody asked for yet may take."""


@dataclass(frozen=True)
class Wish:
    """Where text is wanted.

    Attributes:
        uri: The document.
        position: The cursor.
        asked: Whether somebody asked for it; else it is shown to somebody who types.
        chosen: What of a list of completions would stand at the cursor first, and in whose place.
    """

    uri: str
    position: types.Position
    asked: bool = False
    chosen: types.SelectedCompletionInfo | None = None


@dataclass(frozen=True)
class Offered:
    """What may be inserted.

    Attributes:
        place: What it takes the place of; nothing, where nothing was chosen before.
        texts: Texts for it, best first.
        reason: Why there is none, or why the first stops before its end; empty where there is nothing to say.
        model_calls: How often the model was asked for the first; not at all, where it was known.
        milliseconds: How long that took.
    """

    place: types.Range
    texts: tuple[str, ...] = ()
    reason: str = ""
    model_calls: int = 0
    milliseconds: float = 0.0


@dataclass(frozen=True, eq=False)
class _Place:
    """A cursor in a document as it would be with what was chosen."""

    snapshot: Snapshot
    reading: Reading
    text: str
    wish: Wish
    here: Suggested
    lead: str = ""

    @property
    def spot(self) -> Spot:
        document = self.snapshot.document
        deleted = document.shrunk and document.cursor == self.here.offset
        return Spot(self.reading.analyse(self.text), self.here.offset, self.wish.asked, deleted)

    def behind(self, text: str) -> _Place:
        """The place behind a text that is accepted."""
        at = self.here.offset
        changed = applied(self.text, [Edit(Span(at, at), text)])
        here = replace(self.here, data=encode(changed), offset=at + len(encode(text)), several=False)
        return replace(self, text=changed, wish=replace(self.wish, asked=False), here=here)


@dataclass(frozen=True)
class _Written:
    """What was written at a place; where time ran out, more may come of it."""

    texts: tuple[str, ...]
    reason: str
    late: bool
    model_calls: int
    milliseconds: float


class Inlines:
    """Offers text at cursors.

    Args:
        server: Whose documents.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._kept = Suggestions()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failed: object = None  # the world in which there is no model

    async def offer(self, snapshot: Snapshot, wish: Wish, told: Callable[[Event], None] = silent) -> Offered:
        """What may be inserted at a cursor.

        Args:
            snapshot: The document.
            wish: Where.
            told: Gets the events of decoding.

        Raises:
            Superseded: Later work took its place, or the document changed.
            Cancelled: The server ends.
            GprojError: There is no model, or it failed.
        """
        session = self._server.session
        place = await session.run(self._placed, snapshot, wish)
        offered = Offered(self._range(place))
        if place.here.world == self._failed and not wish.asked:
            return offered
        known = self._kept.at(wish.uri, place.here)
        if known is None:
            spec = snapshot.surface.completion
            if spec is None or not await session.run(lambda: is_wanted(place.spot, spec)):
                return replace(offered, reason="no text is wanted here")
            written = await self._write(place, told)
            if not written.late or written.texts:
                self._keep(place, written)
            known = written.texts
            offered = replace(
                offered,
                reason=written.reason,
                model_calls=written.model_calls,
                milliseconds=written.milliseconds,
            )
        if session.preferences.speculate:
            self._ahead(place, known[0] if known else "")
        return replace(offered, texts=tuple(place.lead + text for text in known))

    def _placed(self, snapshot: Snapshot, wish: Wish) -> _Place:
        """A place, and what is known of its document."""
        document, text = snapshot.document, snapshot.document.text
        offset, lead = snapshot.offset(wish.position), ""
        if wish.chosen is not None:
            span = snapshot.span(wish.chosen.range)
            lead = wish.chosen.text
            text = applied(text, [Edit(span, lead)])
            offset = span.start + len(encode(lead))
        before = self._server.session.documents.chain(document)[1:]
        here = Suggested((snapshot.analyzer, before), encode(text), offset, (), wish.asked)
        return _Place(snapshot, Reading(snapshot.analyzer, snapshot.analysis), text, wish, here, lead)

    def _range(self, place: _Place) -> types.Range:
        wish = place.wish
        return wish.chosen.range if wish.chosen is not None else types.Range(wish.position, wish.position)

    def _keep(self, place: _Place, written: _Written) -> None:
        self._kept.put(place.wish.uri, replace(place.here, texts=written.texts))

    async def _write(self, place: _Place, told: Callable[[Event], None]) -> _Written:
        """Have a place written on from."""
        session = self._server.session
        settings = place.snapshot.world.settings
        key = "inline.asked-milliseconds" if place.wish.asked else "inline.milliseconds"
        work = self._work(place, settings.number(key) / 1000, told)
        priority = Priority.ACTION if place.wish.asked else Priority.TYPING
        try:
            written = await session.worker.run(work, document=place.wish.uri, priority=priority)
        except ModelError:
            self._failed = place.here.world
            raise
        self._failed = None
        return written

    def _work(
        self, place: _Place, seconds: float, told: Callable[[Event], None]
    ) -> Callable[[Stop], _Written]:
        """What the decoding thread does for a place."""
        session, snapshot, wish = self._server.session, place.snapshot, place.wish

        def work(stop: Stop) -> _Written:
            completer = session.models.completer(snapshot.world.settings, snapshot.surface)
            wanted = replace(completer.desk.wanted, seconds=seconds, partial=True, one_line=not wish.asked)
            writer = completer.wishing(wanted, told)
            where = (place.text, place.here.offset, place.reading)
            if not wish.asked:
                return _fit((writer.complete(*where, stop=stop),), place.spot)
            for _ in range(_PATIENCE):  # the first time it may take long until anything can be written
                written = _fit(writer.candidates(*where, _ALTERNATIVES, stop), place.spot)
                if written.texts or not written.late:
                    break
            return written

        return work

    def _ahead(self, place: _Place, text: str) -> None:
        """Begin to write what may be wanted once a text is accepted."""
        task = asyncio.create_task(self._speculate(place, text))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _speculate(self, here: _Place, text: str) -> None:
        session = self._server.session
        place = await session.run(here.behind, text)
        known = self._kept.at(place.wish.uri, place.here) is not None
        if known or not session.current(place.snapshot) or not session.models.warm:
            return
        work = self._work(place, _AHEAD, silent)
        try:
            written = await session.worker.run(work, document=place.wish.uri, priority=Priority.SPECULATION)
        except Cancelled:
            return
        except GprojError as error:
            logger.debug("nothing is written ahead: %s", error)
            return
        self._keep(place, written)


def _fit(found: tuple[Completion, ...], spot: Spot) -> _Written:
    """What of some completions is worth showing."""
    texts = (worth_showing(each.text, spot) for each in found if each.guaranteed)
    fit = tuple(dict.fromkeys(text for text in texts if text))
    first, late = found[0], any(each.late for each in found)
    return _Written(fit, first.reason, late, first.ledger.model_calls, first.milliseconds)
