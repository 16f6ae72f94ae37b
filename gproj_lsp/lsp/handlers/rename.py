"""Rename what a text declares: everywhere, or not at all and with a reason."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.ide.rename import Renaming, renaming
from gproj_lsp.lsp.edits import workspace_edit
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.session import Snapshot
from gproj_lsp.lsp.worker import Superseded


def register(server: Server) -> None:
    """Register the handlers."""
    session = server.session

    async def planned(uri: str, position: types.Position) -> tuple[Snapshot, Renaming] | None:
        snapshot = await session.snapshot(uri)
        if snapshot is None:
            return None
        shared = await session.run(is_shared, snapshot)
        offset = snapshot.offset(position)
        found = await session.run(renaming, snapshot.analyzer, snapshot.analysis, offset, shared=shared)
        return snapshot, found

    def is_shared(snapshot: Snapshot) -> bool:
        """Whether other texts know what this one declares: it is one of the sources, or cells follow it."""
        document = snapshot.document
        if document.notebook and session.documents.cells(document.notebook)[-1:] != (document.uri,):
            return True
        workspace = snapshot.world.workspace
        return document.path is not None and workspace.reads(snapshot.surface, document.path)

    @server.request(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        found = await planned(params.text_document.uri, params.position)
        if found is None:
            return None
        snapshot, plan = found
        return types.PrepareRenamePlaceholder(snapshot.range(plan.span), plan.name)

    @server.request(types.TEXT_DOCUMENT_RENAME)
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        found = await planned(params.text_document.uri, params.position)
        if found is None:
            return None
        snapshot, plan = found
        edits = await session.run(plan.to, params.new_name)
        if not session.current(snapshot):
            raise Superseded("the document changed")
        return workspace_edit(snapshot, edits, session.client)
