"""Where else a thing is named: in the text, and what the world declares in the other open texts too."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.ide.navigation import definition_at, occurrences_at, occurrences_of
from gproj_lsp.lsp.origins import location_of
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.session import Snapshot
from gproj_lsp.text import Span


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.request(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location] | None:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        offset = snapshot.offset(params.position)
        wanted = params.context.include_declaration
        here = await session.run(occurrences_at, snapshot.analysis, offset)
        found = [_location(snapshot, each.span) for each in here if wanted or not each.declares]
        definition = await session.run(definition_at, snapshot.analysis, offset)
        outside = definition.outside if definition is not None else None
        if outside is None:
            return found
        for other in await _beside(snapshot):
            there = await session.run(occurrences_of, other.analysis, outside)
            found += [_location(other, each.span) for each in there if wanted or not each.declares]
        place = await location_of(session, snapshot, outside) if wanted else None
        if place is not None and place not in found:
            found.append(place)
        return found

    async def _beside(snapshot: Snapshot) -> list[Snapshot]:
        """The other open documents that see the same world."""
        uris = [each.uri for each in session.documents if each.uri != snapshot.document.uri]
        found = [await session.snapshot(uri) for uri in uris]
        return [each for each in found if each is not None and each.world is snapshot.world]


def _location(snapshot: Snapshot, span: Span) -> types.Location:
    return types.Location(snapshot.document.uri, snapshot.range(span))
