"""The places of a text that mean what the name under the cursor means."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.ide.navigation import occurrences_at
from gproj_lsp.lsp.server import Server


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.request(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        found = await session.run(occurrences_at, snapshot.analysis, snapshot.offset(params.position))
        kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
        return [types.DocumentHighlight(snapshot.range(each.span), kinds[each.declares]) for each in found]
