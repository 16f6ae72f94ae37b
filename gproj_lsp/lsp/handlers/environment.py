"""The command `gproj.refreshEnvironment`: settings and sources are read anew, whatever they were."""

from __future__ import annotations

import asyncio

from gproj_lsp.lsp.convert import uri_of
from gproj_lsp.lsp.server import Server

COMMAND = "gproj.refreshEnvironment"


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.action(COMMAND)
    async def refresh(*_: object) -> list[dict[str, str]]:
        """Read everything anew; gives how each folder is then: `[{uri, state, cause}]`."""
        session.reload()
        roots = session.roots()
        await asyncio.gather(*(root.settled.wait() for root in roots))
        uris = [uri_of(root.folder) for root in roots]
        statuses = [session.board.get(uri) for uri in uris]
        return [
            {"uri": uri, "state": status.state.value, "cause": status.cause}
            for uri, status in zip(uris, statuses, strict=True)
        ]
