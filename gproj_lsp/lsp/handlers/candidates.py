"""The command `gproj.candidates`: what may stand in a hole, likeliest first, streamed while the model compares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gproj_lsp.lsp.asked import position_in, uri_in
from gproj_lsp.lsp.options import plain
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.streaming import Stream
from gproj_lsp.lsp.worker import Stop

if TYPE_CHECKING:
    from gproj_lsp.decode.fill import HoleRanking

COMMAND = "gproj.candidates"
_LIMIT = 10
_MOST = 100


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.action(COMMAND)
    async def candidates(argument: object = None, *_: object) -> dict[str, object]:
        """Rank `{uri, position, limit?}`: `{range, sort, rung, guaranteed, candidates: [{text, probability}], remaining}`."""
        snapshot = await server.fillings.opened(uri_in(argument))
        position = position_in(argument)
        offset = snapshot.offset(position) if position else 0
        limit = _limit(argument)
        stream = Stream(server, snapshot)
        analyse = await server.fillings.analyse(snapshot)

        def work(stop: Stop) -> HoleRanking:
            stream.begin()
            filler = session.models.filler(snapshot.world.settings, snapshot.surface, stream)
            return filler.rank(snapshot.document.text, analyse, offset, limit=limit, stop=stop)

        try:
            found = await session.worker.run(work, document=snapshot.document.uri)
        finally:
            stream.end()
        server.fillings.require_current(snapshot)
        return {
            "range": snapshot.range(found.hole.span),
            "sort": found.hole.sort,
            "rung": found.rung.name.lower(),
            "guaranteed": found.guaranteed,
            "candidates": [
                {"text": each.text, "probability": each.probability}
                for each in found.ranking.candidates[:limit]
            ],
            "remaining": found.ranking.remaining,
        }


def _limit(argument: object) -> int:
    table = plain(argument)
    asked = table.get("limit") if isinstance(table, Mapping) else None
    return min(max(asked, 1), _MOST) if isinstance(asked, int) else _LIMIT
