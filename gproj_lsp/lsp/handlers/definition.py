"""Where a name is declared: in the text, or in a file that a provider read."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.ide.navigation import definition_at
from gproj_lsp.lsp.origins import location_of
from gproj_lsp.lsp.server import Server


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.request(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(
        params: types.DefinitionParams,
    ) -> list[types.Location] | list[types.LocationLink] | None:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        found = await session.run(definition_at, snapshot.analysis, snapshot.offset(params.position))
        if found is None:
            return None
        uri = snapshot.document.uri
        places = [types.Location(uri, snapshot.range(span)) for span in found.places]
        outside = await location_of(session, snapshot, found.outside) if found.outside is not None else None
        if outside is not None:
            places.append(outside)
        if not session.client.links:
            return places
        asked = snapshot.range(found.span)
        return [types.LocationLink(each.uri, each.range, each.range, asked) for each in places]
