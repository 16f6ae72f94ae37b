"""The commands `gproj.showEnvironment` and `gproj.showGrammar`: Γ and G[Γ] at a place, to be looked at."""

from __future__ import annotations

from time import time

from lsprotocol import types

from gproj_lsp.errors import InputError
from gproj_lsp.ide.card import provenance
from gproj_lsp.ide.inspection import Shown, environment_at, grammar_at
from gproj_lsp.lsp.asked import position_in, uri_in
from gproj_lsp.lsp.markup import coded, fenced
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.session import Snapshot

ENVIRONMENT = "gproj.showEnvironment"
GRAMMAR = "gproj.showGrammar"

_LISTED = 200
"""How many names the Markdown lists; the JSON has all."""


def register(server: Server) -> None:
    """Register the handlers."""
    session = server.session

    async def place(argument: object) -> tuple[Snapshot, int]:
        uri = uri_in(argument)
        snapshot = await session.snapshot(uri)
        if snapshot is None:
            raise InputError("no such document is open, or no surface reads it", place=uri)
        return snapshot, snapshot.offset(position_in(argument) or types.Position(0, 0))

    @server.action(ENVIRONMENT)
    async def environment(argument: object = None, *_: object) -> dict[str, object]:
        """Γ at `{uri, position}`: `{markdown, sort, frames, builtin, bindings}`."""
        snapshot, offset = await place(argument)
        shown = await session.run(environment_at, snapshot.analysis, offset, snapshot.surface)
        bindings = [
            {
                "name": each.name,
                "sort": each.sort,
                "owner": each.owner,
                "spelling": each.spelling,
                "attrs": dict(each.attrs),
                "origin": {"provider": each.origin.provider, "place": each.origin.place},
            }
            for each in shown.bindings
        ]
        told = {"sort": shown.sort, "frames": shown.frames, "builtin": dict(shown.builtin)}
        return {"markdown": _markdown(shown), **told, "bindings": bindings}

    @server.action(GRAMMAR)
    async def grammar(argument: object = None, *_: object) -> dict[str, object]:
        """G[Γ] at `{uri, position}`: `{markdown, grammar, sort, rung, candidates, guaranteed}`."""
        snapshot, offset = await place(argument)
        found = await session.run(grammar_at, snapshot.analysis, offset, snapshot.offers)
        title = f"{coded(found.sort)} at {found.rung.name.lower()}, {found.candidates} candidates"
        return {
            "markdown": f"# G[Γ]\n\n{title}\n\n{fenced(found.text.rstrip(), 'gbnf')}\n",
            "grammar": found.text,
            "sort": found.sort,
            "rung": found.rung.name.lower(),
            "candidates": found.candidates,
            "guaranteed": found.guaranteed,
        }


def _markdown(shown: Shown) -> str:
    now = time()
    lines = ["# Γ", "", f"A name here would be: {coded(shown.sort or 'unknown')}", ""]
    for each in shown.bindings[:_LISTED]:
        name = f"{each.owner}.{each.name}" if each.owner else each.name
        lines.append(f"- {coded(name)} {coded(each.sort)} {coded(provenance(each.origin, now))}")
    if len(shown.bindings) > _LISTED:
        lines.append(f"- and {len(shown.bindings) - _LISTED} others")
    if shown.builtin:
        told = ", ".join(f"{number} {coded(sort)}" for sort, number in shown.builtin.items())
        lines += ["", f"Built in: {told}"]
    return "\n".join(lines) + "\n"
