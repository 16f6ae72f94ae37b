"""Notebooks: each cell of code is a document, and knows what the cells before it declare."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from gproj_lsp.lsp.documents import Document
from gproj_lsp.lsp.server import Server
from gproj_lsp.text import encode


def register(server: Server) -> None:
    """Register the handlers."""
    session = server.session

    def put(notebook: str, items: Iterable[types.TextDocumentItem]) -> None:
        for item in items:
            session.documents.put(
                Document(item.uri, item.version, item.language_id, encode(item.text), notebook=notebook)
            )

    def drop(uris: Iterable[str]) -> None:
        for uri in uris:
            session.close_document(uri)
            server.publisher.clear(uri)

    @server.notification(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        notebook = params.notebook_document
        put(notebook.uri, params.cell_text_documents)
        session.documents.order(notebook.uri, [cell.document for cell in notebook.cells])
        for item in params.cell_text_documents:
            server.publisher.now(item.uri)

    @server.notification(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        cells = params.change.cells
        if cells is None:
            return
        if cells.structure is not None:
            array = cells.structure.array
            order = list(session.documents.cells(uri))
            order[array.start : array.start + array.delete_count] = [
                cell.document for cell in array.cells or ()
            ]
            put(uri, cells.structure.did_open or ())
            drop(item.uri for item in cells.structure.did_close or ())
            session.documents.order(uri, order)
        for change in cells.text_content or ():
            document = session.documents.get(change.document.uri)
            if document is not None:
                encoding = session.client.encoding
                session.documents.put(document.edited(change.changes, change.document.version, encoding))
                session.worker.supersede(document.uri)
        for cell in session.documents.cells(uri):
            server.publisher.later(cell)

    @server.request(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveNotebookDocumentParams) -> None:
        for uri in session.documents.cells(params.notebook_document.uri):
            document = session.documents.get(uri)
            if document is not None:
                session.documents.put(document.settled())
                server.publisher.now(uri)

    @server.notification(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        drop(item.uri for item in params.cell_text_documents)
        session.documents.order(params.notebook_document.uri, ())
