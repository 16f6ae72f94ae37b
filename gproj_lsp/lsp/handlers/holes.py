"""The commands `gproj.nextHole` and `gproj.previousHole`: the cursor goes round the holes of a document."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.lsp.asked import is_flagged, position_in, uri_in
from gproj_lsp.lsp.commands import NEXT, go
from gproj_lsp.lsp.server import Server

PREVIOUS = "gproj.previousHole"


def register(server: Server) -> None:
    """Register the handlers."""

    async def went(argument: object, *, forward: bool) -> dict[str, object] | None:
        uri, position = uri_in(argument), position_in(argument)
        snapshot = await server.fillings.opened(uri)
        holes = [hole.span for hole in snapshot.analysis.holes]
        if not holes:
            return None
        here = snapshot.offset(position or types.Position(0, 0))
        if forward:
            first = here if position is None or is_flagged(argument, "here") else here + 1
            span = next((each for each in holes if each.start >= first), holes[0])
        else:
            span = next((each for each in reversed(holes) if each.end < here), holes[-1])
        place = snapshot.range(span)
        await go(server, uri, place)
        return {"uri": uri, "range": place}

    @server.action(NEXT)
    async def following(argument: object = None, *_: object) -> dict[str, object] | None:
        """The first hole behind `{uri, position?}`, or at it if `here` is true; from the last one it goes on to the first."""
        return await went(argument, forward=True)

    @server.action(PREVIOUS)
    async def previous(argument: object = None, *_: object) -> dict[str, object] | None:
        """The last hole before `{uri, position?}`; from the first one it goes on to the last."""
        return await went(argument, forward=False)
