"""The command `gproj.trust`: the user trusts a folder, and what its gproj.toml says holds from then on."""

from __future__ import annotations

from gproj_lsp.lsp.asking import TRUST, remember
from gproj_lsp.lsp.convert import path_of
from gproj_lsp.lsp.server import Server


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.action(TRUST)
    async def trust(*arguments: object) -> list[str]:
        """Trust the folder of a URI; without one, every folder whose settings were ignored."""
        asked = [path for path in (path_of(str(each)) for each in arguments) if path is not None]
        folders = asked or [root.folder for root in session.roots() if root.world.settings.ignored]
        await remember(server, folders)
        return [str(folder) for folder in folders]
