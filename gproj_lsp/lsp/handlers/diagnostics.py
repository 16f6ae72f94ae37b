"""Diagnostics that the client asks for (`textDocument/diagnostic`)."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gproj_lsp.lsp.diagnostics import diagnostics_of, result_id
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.worker import Superseded

_PATIENCE = 12.0
"""Seconds to wait for sources where the client can't be told to ask again."""


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.request(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=False, identifier="gproj"
        ),
    )
    async def pulled(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        try:
            return await report(params)
        except Superseded as error:
            again = {"retriggerRequest": True}
            raise JsonRpcException(str(error), types.LSPErrorCodes.ServerCancelled, again) from error

    async def report(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        uri = params.text_document.uri
        snapshot = await session.snapshot(uri)
        if snapshot is not None and not session.client.refresh_diagnostics:
            root = await session.root(snapshot.document.path)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(root.settled.wait(), _PATIENCE)
            snapshot = await session.snapshot(uri)
        if snapshot is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        found = await session.run(diagnostics_of, snapshot, session.client)
        server.tell_of(snapshot)
        same = result_id(found)
        if params.previous_result_id == same:
            return types.RelatedUnchangedDocumentDiagnosticReport(same)
        return types.RelatedFullDocumentDiagnosticReport(found, result_id=same)
