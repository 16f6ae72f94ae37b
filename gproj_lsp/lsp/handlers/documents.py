"""Documents that are opened, changed, saved and closed."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.lsp.documents import Document
from gproj_lsp.lsp.server import Server
from gproj_lsp.text import encode


def register(server: Server) -> None:
    """Register the handlers."""
    session = server.session

    @server.notification(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        session.documents.put(Document(item.uri, item.version, item.language_id, encode(item.text)))
        server.publisher.now(item.uri)

    @server.notification(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        document = session.documents.get(uri)
        if document is None:
            return
        version = params.text_document.version
        session.documents.put(document.edited(params.content_changes, version, session.client.encoding))
        session.worker.supersede(uri)
        server.publisher.later(uri)

    @server.request(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        document = session.documents.get(params.text_document.uri)
        if document is None:
            return
        session.documents.put(document.settled())
        server.publisher.saved(document)
        await session.refresh(await session.root(document.path))

    @server.notification(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        session.close_document(params.text_document.uri)
        server.publisher.clear(params.text_document.uri)
