"""The commands that write: `gproj.fill` a hole, a statement or a file, `gproj.apply` a code action, and `gproj.explainFill`."""

from __future__ import annotations

from gproj_lsp.ide.explanation import explanation
from gproj_lsp.lsp.asked import Asked, uri_in
from gproj_lsp.lsp.commands import APPLY, FILL, apply
from gproj_lsp.lsp.server import Server

EXPLAIN = "gproj.explainFill"


def register(server: Server) -> None:
    """Register the handlers."""

    async def carried_out(asked: Asked, label: str) -> dict[str, object]:
        made = await server.fillings.make(asked)
        answer = await apply(server, made, label)
        left = [
            {"range": made.snapshot.range(hole.span), "reason": hole.reason} for hole in made.filling.left
        ]
        filled = [
            {"range": made.snapshot.range(hole.span), "text": hole.text, "guaranteed": hole.guaranteed}
            for hole in made.filling.filled
        ]
        return {**answer, "filled": filled, "left": left}

    @server.action(FILL)
    async def fill(argument: object = None, *_: object) -> dict[str, object]:
        """Fill `{uri, scope: hole | statement | file, position?}`."""
        return await carried_out(Asked.of(argument), "Fill")

    @server.action(APPLY)
    async def act(argument: object = None, *_: object) -> dict[str, object]:
        """Do what a code action's data says, for clients that can't resolve."""
        return await carried_out(Asked.of(argument), "Apply")

    @server.action(EXPLAIN)
    async def explain(argument: object = None, *_: object) -> dict[str, object] | None:
        """How the last filling of a document came about: `{markdown, holes}`, or nothing where there was none."""
        last = server.fillings.last(uri_in(argument))
        if last is None:
            return None
        snapshot, filling = last
        holes = [
            {
                "range": snapshot.range(hole.span),
                "sort": hole.sort,
                "rung": hole.rung.name.lower(),
                "candidates": len(hole.candidates),
                "text": hole.text,
                "guaranteed": hole.guaranteed,
                "masks": list(hole.masks),
                "free_bits": hole.free_bits,
                "forced": list(hole.forced),
                "tokens": hole.tokens,
                "model_calls": hole.model_calls,
                "milliseconds": round(hole.milliseconds, 1),
            }
            for hole in filling.filled
        ]
        return {"markdown": explanation(filling, snapshot.analysis.lines), "holes": holes}
