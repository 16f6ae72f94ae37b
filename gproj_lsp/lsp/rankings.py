"""What the model thinks of the names that may stand at a place: known at once for a version it was asked about, or never."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from gproj_lsp.decode.trace import Event
from gproj_lsp.errors import Cancelled, GprojError
from gproj_lsp.ide import Analysis
from gproj_lsp.ide.edits import Edit, applied
from gproj_lsp.lsp.documents import Document
from gproj_lsp.lsp.worker import Priority, Stop
from gproj_lsp.text import Span

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server
    from gproj_lsp.lsp.session import Snapshot

__all__ = ["Rankings"]

logger = logging.getLogger(__name__)

_BEST = 20
"""How many names are ranked; the rest keep their order behind them."""
_HOLE = "??"

Probabilities = Mapping[str, float]


class Rankings:
    """Rankings by document version and place.

    Args:
        server: Whose model ranks.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._known: WeakKeyDictionary[Document, dict[Span, Probabilities]] = WeakKeyDictionary()
        self._asked: WeakKeyDictionary[Document, dict[Span, asyncio.Task[None]]] = WeakKeyDictionary()

    def warm(self, snapshot: Snapshot, span: Span) -> Probabilities | None:
        """The probabilities of names in a span's place, if they are known for this very version."""
        return self._known.get(snapshot.document, {}).get(span)

    def want(self, snapshot: Snapshot, span: Span) -> None:
        """Have names ranked where a hole is or would be, for whoever asks again; loads no model for it."""
        session = self._server.session
        asked = self._asked.setdefault(snapshot.document, {})
        if session.preferences.speculate and session.models.warm and span not in asked:
            asked[span] = asyncio.create_task(self._rank(snapshot, span))

    async def _rank(self, snapshot: Snapshot, span: Span) -> None:
        session = self._server.session
        document = snapshot.document
        text = document.text
        if all(hole.span != span for hole in snapshot.analysis.holes):
            text = applied(text, [Edit(span, _HOLE)])

        def analyse(changed: str) -> Analysis:
            return snapshot.analyzer.again(snapshot.analysis, changed)

        def work(stop: Stop) -> Probabilities:
            filler = session.models.filler(snapshot.world.settings, snapshot.surface, _unheard)
            found = filler.rank(text, analyse, span.start, limit=_BEST, stop=stop).ranking
            return {each.text: each.probability for each in found.candidates}

        try:
            found = await session.worker.run(work, document=document.uri, priority=Priority.HOLE)
        except Cancelled:
            self._asked.get(document, {}).pop(span, None)  # it may be wanted again
        except GprojError as error:
            logger.debug("nothing is ranked at %s: %s", span, error)
        else:
            self._known.setdefault(document, {})[span] = found


def _unheard(event: Event) -> None:
    """Nobody listens to how a ranking comes about."""
    del event
