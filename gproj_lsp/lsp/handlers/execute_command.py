"""Commands (`workspace/executeCommand`): as any other request, so that they can be cancelled while they run."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from gproj_lsp.lsp.server import Server


def register(server: Server) -> None:
    """Register the handler."""

    @server.request(types.WORKSPACE_EXECUTE_COMMAND)
    async def execute(params: types.ExecuteCommandParams) -> object:
        command = server.protocol.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams(f"there is no command {params.command!r}")
        return await command(*(params.arguments or ()))
