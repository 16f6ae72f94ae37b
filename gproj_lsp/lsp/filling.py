"""What was asked, carried out: by the model on the decoding thread where one is needed, and for one version of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from gproj_lsp.errors import InputError
from gproj_lsp.ide import Analysis
from gproj_lsp.ide.actions import Deed, shown
from gproj_lsp.ide.edits import Edit, applied, shifted
from gproj_lsp.ide.edits import origin as before
from gproj_lsp.ide.filling import Filling, fill
from gproj_lsp.ide.memory import Recent
from gproj_lsp.ide.plans import Plan, plan
from gproj_lsp.lsp.asked import Asked
from gproj_lsp.lsp.convert import range_of
from gproj_lsp.lsp.edits import workspace_edit
from gproj_lsp.lsp.explanations import explained
from gproj_lsp.lsp.session import Snapshot
from gproj_lsp.lsp.streaming import Stream
from gproj_lsp.lsp.worker import Stop, Superseded
from gproj_lsp.text import LineIndex, Span, encode

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server

__all__ = ["Fillings", "Made"]

_TOLD = 3
"""So many holes that stay are told one by one."""
_KEPT = 100
"""Of how many documents the last filling can be explained."""


@dataclass(frozen=True, eq=False)
class Made:
    """An edit that is ready for the client.

    Attributes:
        snapshot: What it is for.
        filling: How it came about.
        edit: As the client applies it.
        next: The hole to go to afterwards, in the text after it; None: stay.
    """

    snapshot: Snapshot
    filling: Filling
    edit: types.WorkspaceEdit
    next: types.Range | None


class Fillings:
    """Carries out what is asked, and remembers the last filling of each document.

    Args:
        server: Whose documents.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._last: Recent[str, dict[str, object]] = Recent(_KEPT)

    def last(self, uri: str) -> dict[str, object] | None:
        """How the last filling of a document came about; see `explained`."""
        return self._last.get(uri)

    async def make(self, asked: Asked) -> Made:
        """The edit that does what was asked.

        Raises:
            InputError: It can't be done, or nothing came of it.
            Superseded: The document is not (or no longer) what it was asked for.
            ModelError: There is no model.
        """
        session = self._server.session
        snapshot = await self.opened(asked.uri)
        if asked.version not in (None, snapshot.document.version):
            raise Superseded("the document changed since this was offered")
        span = asked.span(snapshot)
        planned = await session.run(plan, snapshot.analyzer, snapshot.analysis, asked.deed, span, asked.text)
        filling = await self._filling(snapshot, planned)
        if not filling.edits:
            raise InputError(filling.left[0].reason if filling.left else "there is nothing to change")
        following = await session.run(_next, snapshot, filling.edits, asked.deed)
        self.require_current(snapshot)
        for message in _notes(snapshot, filling):
            self._server.show(message, types.MessageType.Info)
        return Made(snapshot, filling, workspace_edit(snapshot, filling.edits, session.client), following)

    async def opened(self, uri: str) -> Snapshot:
        """A document as it is now.

        Raises:
            InputError: It is not open, or nothing reads it.
        """
        snapshot = await self._server.session.snapshot(uri)
        if snapshot is None:
            raise InputError("no such document is open, or no surface reads it", place=uri)
        return snapshot

    def require_current(self, snapshot: Snapshot) -> None:
        """Nothing may be done to a text that is not there any more.

        Raises:
            Superseded: The document changed.
        """
        if not self.is_current(snapshot):
            raise Superseded("the document changed")

    def is_current(self, snapshot: Snapshot) -> bool:
        """Whether the document is still the text that a snapshot is of; saving it makes it no other."""
        now, then = self._server.session.documents.get(snapshot.document.uri), snapshot.document
        return now is not None and (now is then or (now.version, now.data) == (then.version, then.data))

    async def _filling(self, snapshot: Snapshot, planned: Plan) -> Filling:
        if not planned.holes:
            return Filling(planned.edits)
        session = self._server.session
        stream = Stream(self._server, snapshot, lambda span: before(span, planned.edits))
        analyse = await self.analyse(snapshot)

        def work(stop: Stop) -> Filling:
            stream.begin()
            filler = session.models.filler(snapshot.world.settings, snapshot.surface, stream)
            return fill(filler, analyse, snapshot.document.text, planned, stop)

        try:
            filling = await session.worker.run(work, document=snapshot.document.uri)
        finally:
            stream.end()
        self._last.put(snapshot.document.uri, explained(snapshot, filling))
        return filling

    async def analyse(self, snapshot: Snapshot) -> Callable[[str], Analysis]:
        """What analyses other texts for a document: what comes before a cell of a notebook comes before them, too."""
        session = self._server.session
        document = session.documents.before(snapshot.document)
        found = await session.snapshot(document.uri) if document is not None else None
        around = found.analysis if found is not None and found.analyzer is snapshot.analyzer else None

        def analyse(text: str) -> Analysis:
            return snapshot.analyzer.analyse(text, document=snapshot.document.uri, after=around)

        return analyse


def _notes(snapshot: Snapshot, filling: Filling) -> Iterator[str]:
    """What a user should hear of a filling beside its edit."""
    lines = snapshot.analysis.lines
    for left in filling.left[:_TOLD]:
        yield f"{lines.place(left.span.start)}: {left.mark} stays: {left.reason}"
    for hole in filling.filled:
        if not hole.guaranteed:
            yield f"{lines.place(hole.span.start)}: {shown(hole.text)} is not guaranteed: nothing declared fits"


def _next(snapshot: Snapshot, edits: Sequence[Edit], deed: Deed) -> types.Range | None:
    """The hole to go to after edits: one that was opened, or the first behind holes that were filled."""
    holes = [hole.span for hole in snapshot.analysis.holes]
    if deed is Deed.OPEN:
        left = [Span(edit.span.start, edit.span.start + len(encode(edit.text))) for edit in edits]
    elif any(edit.span in holes for edit in edits):
        gone = {edit.span for edit in edits}
        stayed = (span for span in holes if span not in gone)
        left = [span.shift(shifted(span.start, edits) - span.start) for span in stayed]
    else:
        return None
    if not left:
        return None
    found = next((span for span in left if span.start >= edits[0].span.start), left[0])
    return range_of(LineIndex(encode(applied(snapshot.document.text, edits))), found, snapshot.encoding)
