"""`gproj/complete`: what `textDocument/inlineCompletion` gives who asks for it, while it grows, and the cause where it ends.

Asked with `{textDocument: {uri}, position}`; answered with `{items: [{insertText, range}], reason, model_calls,
milliseconds}`, where the last two tell what the first item cost. It comes as `gproj/stream` has it (`begin`, `text`, `end`).
"""

from __future__ import annotations

from lsprotocol.types import Position, Range

from gproj_lsp.lsp.asked import position_in, uri_in
from gproj_lsp.lsp.inline import Wish
from gproj_lsp.lsp.options import plain
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.streaming import Stream

COMPLETE = "gproj/complete"


def register(server: Server) -> None:
    """Register the handler."""

    @server.request(COMPLETE)
    async def complete(params: object) -> dict[str, object]:
        table = plain(params)
        document = table.get("textDocument") if isinstance(table, dict) else None
        wish = Wish(uri_in(document), position_in(table) or Position(0, 0), asked=True)
        snapshot = await server.fillings.opened(wish.uri)
        stream = Stream(server, snapshot)
        stream.begin(Range(wish.position, wish.position))
        try:
            offered = await server.inlines.offer(snapshot, wish, stream)
        finally:
            stream.end()
        server.fillings.require_current(snapshot)
        items = [{"insertText": text, "range": offered.place} for text in offered.texts]
        return {
            "items": items,
            "reason": offered.reason,
            "model_calls": offered.model_calls,
            "milliseconds": round(offered.milliseconds, 1),
        }
