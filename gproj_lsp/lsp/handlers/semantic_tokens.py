"""Semantic tokens: names by what they are; whole, as a difference, or of a range."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.lsp.kinds import LEGEND
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.tokens import Tokens, encoded


def register(server: Server) -> None:
    """Register the handlers."""
    session = server.session
    known = Tokens()

    @server.request(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
    async def full(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        return known.whole(snapshot.document.uri, await session.run(encoded, snapshot))

    @server.request(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA)
    async def delta(
        params: types.SemanticTokensDeltaParams,
    ) -> types.SemanticTokens | types.SemanticTokensDelta | None:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        data = await session.run(encoded, snapshot)
        return known.since(snapshot.document.uri, params.previous_result_id, data)

    @server.request(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE)
    async def part(params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        data = await session.run(encoded, snapshot, snapshot.span(params.range))
        return types.SemanticTokens(data=data)
