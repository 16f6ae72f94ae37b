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

    @server.notification(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        notebook = params.notebook_document
        _put(server, notebook.uri, params.cell_text_documents)
        session.documents.order(notebook.uri, [cell.document for cell in notebook.cells])
        for item in params.cell_text_documents:
            server.publisher.now(item.uri)

    @server.notification(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        notebook, cells = params.notebook_document.uri, params.change.cells
        if cells is not None:
            _change(server, notebook, cells)
        for cell in session.documents.cells(notebook):
            server.publisher.later(cell)

    @server.notification(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveNotebookDocumentParams) -> None:
        for uri in session.documents.cells(params.notebook_document.uri):
            _settle(server, uri)

    @server.notification(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        _drop(server, params.cell_text_documents)
        session.documents.order(params.notebook_document.uri, ())


def _put(server: Server, notebook: str, items: Iterable[types.TextDocumentItem]) -> None:
    for item in items:
        server.session.documents.put(
            Document(item.uri, item.version, item.language_id, encode(item.text), notebook=notebook)
        )


def _drop(server: Server, items: Iterable[types.TextDocumentIdentifier]) -> None:
    for item in items:
        server.session.close_document(item.uri)
        server.publisher.clear(item.uri)


def _change(server: Server, notebook: str, cells: types.NotebookDocumentCellChanges) -> None:
    if cells.structure is not None:
        _reorder(server, notebook, cells.structure)
    for change in cells.text_content or ():
        _edit(server, change)


def _settle(server: Server, uri: str) -> None:
    document = server.session.documents.get(uri)
    if document is not None:
        server.session.documents.put(document.settled())
        server.publisher.saved(document)


def _reorder(server: Server, notebook: str, change: types.NotebookDocumentCellChangeStructure) -> None:
    array = change.array
    cells = list(server.session.documents.cells(notebook))
    cells[array.start : array.start + array.delete_count] = [cell.document for cell in array.cells or ()]
    _put(server, notebook, change.did_open or ())
    _drop(server, change.did_close or ())
    server.session.documents.order(notebook, cells)


def _edit(server: Server, change: types.NotebookDocumentCellContentChanges) -> None:
    session = server.session
    document = session.documents.get(change.document.uri)
    if document is not None:
        encoding = session.client.encoding
        session.documents.put(document.edited(change.changes, change.document.version, encoding))
        session.worker.supersede(document.uri)
