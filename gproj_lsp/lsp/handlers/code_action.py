"""Code actions: titles without a model; the edit when one is taken, or at once for clients that can't ask later."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.lsp.actions import KINDS, CodeActions
from gproj_lsp.lsp.asked import Asked
from gproj_lsp.lsp.server import Server


def register(server: Server) -> None:
    """Register the handlers."""
    session = server.session
    actions = CodeActions(server)

    @server.request(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([*KINDS], resolve_provider=True))
    async def listed(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return []
        told = params.context.diagnostics
        found = await session.run(actions.found, snapshot, params)
        offered = [await actions.offer(snapshot, action, kind, told) for action, kind in found]
        return [each for each in offered if each is not None]

    @server.request(types.CODE_ACTION_RESOLVE)
    async def resolved(action: types.CodeAction) -> types.CodeAction:
        return await actions.completed(action, Asked.of(action.data))
