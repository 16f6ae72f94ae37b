"""Document symbols: what a text declares."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from gproj_lsp.ide.outline import Entry, outline_of
from gproj_lsp.lsp.kinds import kind_of
from gproj_lsp.lsp.markup import line
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.session import Snapshot

_NAMELESS = "(no name)"


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(
        params: types.DocumentSymbolParams,
    ) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
        snapshot = await session.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        entries = await session.run(outline_of, snapshot.analysis, snapshot.surface)
        if session.client.symbol_tree:
            return [_tree(snapshot, each) for each in entries]
        return [flat for each in entries for flat in _flat(snapshot, each)]


def _tree(snapshot: Snapshot, entry: Entry) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        line(entry.name) or _NAMELESS,
        kind_of(entry.sort, snapshot.surface).symbol,
        snapshot.range(entry.span),
        snapshot.range(entry.place),
        line(entry.detail) or None,
        children=[_tree(snapshot, each) for each in entry.members],
    )


def _flat(snapshot: Snapshot, entry: Entry, owner: str = "") -> Iterator[types.SymbolInformation]:
    """The thing and its members, for clients that show no trees."""
    location = types.Location(snapshot.document.uri, snapshot.range(entry.place))
    kind = kind_of(entry.sort, snapshot.surface).symbol
    name = line(entry.name) or _NAMELESS
    yield types.SymbolInformation(location, name, kind, container_name=owner or None)
    for each in entry.members:
        yield from _flat(snapshot, each, name)
