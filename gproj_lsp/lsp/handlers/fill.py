"""The commands that write: `gproj.fill` a hole, a statement or a file, `gproj.apply` a code action, and `gproj.explainFill`."""

from __future__ import annotations

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
        return server.fillings.last(uri_in(argument))
