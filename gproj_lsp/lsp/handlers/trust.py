"""The command `gproj.trust`: the user trusts a folder, and what its gproj.toml says holds from then on."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.errors import InputError
from gproj_lsp.lsp.convert import path_of
from gproj_lsp.lsp.server import Server

COMMAND = "gproj.trust"


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.action(COMMAND)
    async def trust(*arguments: object) -> list[str]:
        """Trust the folder of a URI; without one, every folder whose settings were ignored."""
        asked = [path for path in (path_of(str(each)) for each in arguments) if path is not None]
        folders = asked or [root.folder for root in session.roots() if root.world.settings.ignored]
        for folder in folders:
            try:
                await session.run(session.store.add, folder)
            except OSError as error:
                raise InputError(f"it can't be remembered: {error}", place=str(folder)) from error
            server.log(f"{folder} is trusted", types.MessageType.Info)
        session.reload()
        return [str(folder) for folder in folders]
