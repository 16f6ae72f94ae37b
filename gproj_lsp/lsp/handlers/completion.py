"""Completion at holes, names and behind the mark of a member: from Γ at once, in the model's order where that is known."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.ide.completion import Completer, Completions
from gproj_lsp.lsp.items import completion_list
from gproj_lsp.lsp.rankings import Rankings
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.session import Snapshot

_TRIGGERS = [".", "?"]


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session
    rankings = Rankings(server)
    completers: dict[str, Completer] = {}

    def found_at(snapshot: Snapshot, offset: int) -> Completions | None:
        name = snapshot.surface.name
        completer = completers.setdefault(name, Completer(snapshot.surface))
        return completer.at(snapshot.analyzer, snapshot.analysis, offset)

    @server.request(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=_TRIGGERS))
    async def completed(params: types.CompletionParams) -> types.CompletionList | None:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        found = await session.run(found_at, snapshot, snapshot.offset(params.position))
        if found is None:
            return None
        ranking = rankings.warm(snapshot, found.span)
        if ranking is None and found.items and session.current(snapshot):
            rankings.want(snapshot, found.span)
        return await session.run(completion_list, snapshot, found, session.client, ranking)
