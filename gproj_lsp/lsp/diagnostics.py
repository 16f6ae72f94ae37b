"""Findings and holes as the client shows them, and when it is told."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from gproj_lsp.errors import GprojError
from gproj_lsp.ghosts import DEPRECATION, Diagnostic
from gproj_lsp.ide.declared import declaration_before
from gproj_lsp.ide.offers import Offer
from gproj_lsp.lsp.convert import uri_of
from gproj_lsp.lsp.documents import Document
from gproj_lsp.lsp.options import Client

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server
    from gproj_lsp.lsp.session import Snapshot

__all__ = ["HOLE", "Publisher", "diagnostics_of", "result_id"]

logger = logging.getLogger(__name__)

SOURCE = "gproj"
HOLE = "hole"
"""The code of the hint that a hole is."""

_IN_FILES = frozenset({"ddl", "snapshot"})
"""The providers whose places are files."""
_SHOWN = 3
_COUNTED = 200
"""Of how many holes of a document the candidates are told: each takes a millisecond, after every edit."""
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+)\Z")


def diagnostics_of(snapshot: Snapshot, client: Client) -> list[types.Diagnostic]:
    """What is to be told of a document, in order of place.

    Takes time where there are many holes, so it is asked on a thread.
    """
    if _left_out(snapshot):
        return []
    found = [*_findings(snapshot, client), *_holes(snapshot)]
    return sorted(found, key=lambda each: (each.range.start.line, each.range.start.character))


def result_id(found: list[types.Diagnostic]) -> str:
    """Equal for equal diagnostics, so that a client is not told twice."""
    return hashlib.sha256(repr(found).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _left_out(snapshot: Snapshot) -> bool:
    path = snapshot.document.path
    return path is not None and bool(snapshot.world.excluded(path))


def _findings(snapshot: Snapshot, client: Client) -> Iterator[types.Diagnostic]:
    for each in snapshot.world.workspace.told(snapshot.analysis.diagnostics):
        yield types.Diagnostic(
            snapshot.range(each.span),
            each.message,
            _SEVERITIES[each.severity],
            each.code,
            source=SOURCE,
            tags=[types.DiagnosticTag.Deprecated] if client.tags and each.code == DEPRECATION else None,
            related_information=_related(each, snapshot) if client.related else None,
        )


def _holes(snapshot: Snapshot) -> Iterator[types.Diagnostic]:
    severity = _SEVERITIES.get(snapshot.world.settings.text(f"checks.{HOLE}"))
    if severity is None:
        return
    allow_base = snapshot.world.settings.flag("fill.allow-base")
    for number, hole in enumerate(snapshot.analysis.holes):
        counted = number < _COUNTED
        message = (
            hole_message(snapshot.offers.of(hole, allow_base=allow_base)) if counted else hole.sort or HOLE
        )
        yield types.Diagnostic(snapshot.range(hole.span), message, severity, HOLE, source=SOURCE)


def hole_message(offer: Offer) -> str:
    """What a hole takes, in one line: `Column: 4 candidates: id, name, email, …`."""
    sort = offer.hole.sort or "hole"
    if offer.reason:
        return f"{sort}: {offer.reason}"
    if not offer.closed:
        return f"{sort}: open"
    count = len(offer.names)
    shown = ", ".join(offer.names[:_SHOWN]) + (", …" if count > _SHOWN else "")
    return f"{sort}: {count} candidate{'' if count == 1 else 's'}: {shown}"


def _related(finding: Diagnostic, snapshot: Snapshot) -> list[types.DiagnosticRelatedInformation] | None:
    """Where the nearest name is declared, if that is in a file."""
    location = _declared(finding, snapshot) if finding.suggestions else None
    if location is None:
        return None
    return [types.DiagnosticRelatedInformation(location, f"{finding.suggestions[0]} is declared here")]


def _declared(finding: Diagnostic, snapshot: Snapshot) -> types.Location | None:
    provider, place = (finding.origin.provider, finding.origin.place) if finding.origin else ("", "")
    if provider == "buffer":
        name = finding.suggestions[0]
        span = declaration_before(snapshot.analysis, name, finding.sort, finding.span.start)
        return types.Location(snapshot.document.uri, snapshot.range(span)) if span else None
    if provider not in _IN_FILES or not place:
        return None
    match = _PLACE.match(place)
    file, line = (match["file"], int(match["line"]) - 1) if match else (place, 0)
    at = types.Position(line, 0)
    return types.Location(uri_of(snapshot.root / file), types.Range(at, at))


class Publisher:
    """Tells clients that do not ask themselves: at once where a document is opened or saved, else when nobody types.

    Args:
        server: Whose clients.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def later(self, uri: str) -> None:
        """Publish when a document has not changed for a while."""
        self._wait(uri, self._server.session.preferences.debounce / 1000)

    def now(self, uri: str) -> None:
        """Publish as soon as the analysis is there."""
        self._wait(uri, 0)

    def saved(self, document: Document) -> None:
        """Publish a document that was saved, or have the client ask again: the word that was typed counts now.

        Args:
            document: As it was before.
        """
        self.now(document.uri)
        if document.cursor is not None and self._server.session.client.pull:
            self.everything()

    def everything(self) -> None:
        """What holds for all documents changed: publish, or have the client ask again."""
        session = self._server.session
        if session.client.pull:
            if session.client.refresh_diagnostics:
                self._server.workspace_diagnostic_refresh(None)
            return
        for document in session.documents:
            self.now(document.uri)

    def clear(self, uri: str) -> None:
        """Take back what was told of a document that was closed."""
        self._cancel(uri)
        if not self._server.session.client.pull:
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _wait(self, uri: str, seconds: float) -> None:
        self._cancel(uri)
        if not self._server.session.client.pull:
            loop = asyncio.get_running_loop()
            self._timers[uri] = loop.call_later(seconds, self._start, uri)

    def _cancel(self, uri: str) -> None:
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()

    def _start(self, uri: str) -> None:
        self._timers.pop(uri, None)
        task = self._tasks[uri] = asyncio.ensure_future(self._publish(uri))
        task.add_done_callback(lambda done: self._done(uri, done))

    def _done(self, uri: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(uri) is task:
            del self._tasks[uri]

    async def _publish(self, uri: str) -> None:
        session = self._server.session
        try:
            snapshot = await session.snapshot(uri)
            if snapshot is None:
                return
            found = await session.run(diagnostics_of, snapshot, session.client)
        except GprojError as error:
            logger.info("%s: no diagnostics: %s", uri, error)
            return
        except Exception:
            logger.exception("%s: no diagnostics", uri)
            return
        if session.current(snapshot):
            told = types.PublishDiagnosticsParams(uri, found, snapshot.document.version)
            self._server.text_document_publish_diagnostics(told)
            self._server.tell_of(snapshot)
