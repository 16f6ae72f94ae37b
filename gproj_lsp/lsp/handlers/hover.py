"""Hover: what a name means, what a hole takes, what is nearest to a name that does not exist."""

from __future__ import annotations

from time import time

from lsprotocol import types

from gproj_lsp.ide.hover import hover_at
from gproj_lsp.lsp.markup import markup
from gproj_lsp.lsp.server import Server


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.request(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        offset = snapshot.offset(params.position)
        found = await session.run(
            hover_at, snapshot.analysis, offset, snapshot.surface, snapshot.offers, time()
        )
        if found is None:
            return None
        return types.Hover(markup(found.card, markdown=session.client.markdown), snapshot.range(found.span))
