"""The server: pygls with our documents, and with every handler of `gproj_lsp.lsp.handlers`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer

from gproj_lsp import __version__
from gproj_lsp.lsp import handlers
from gproj_lsp.lsp.asking import ask
from gproj_lsp.lsp.diagnostics import Publisher
from gproj_lsp.lsp.failures import answer_of
from gproj_lsp.lsp.filling import Fillings
from gproj_lsp.lsp.inline import Inlines
from gproj_lsp.lsp.parts import Parts
from gproj_lsp.lsp.progress import Progress
from gproj_lsp.lsp.protocol import Protocol
from gproj_lsp.lsp.session import Session, Snapshot
from gproj_lsp.lsp.status import READY, State, Status

__all__ = ["STATUS", "Server", "create"]

logger = logging.getLogger(__name__)

STATUS = "gproj/status"

_P = TypeVar("_P")
_R = TypeVar("_R")

_OURS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.WORKSPACE_EXECUTE_COMMAND,
)
"""What pygls would do by itself: with lines that end where LSP's do not (form feeds, U+2028), with commands that can't be
cancelled."""


class Server(LanguageServer):
    """One editor's server.

    Attributes:
        session: What is open.
        publisher: Tells diagnostics.
        fillings: Carries out what code actions and commands ask for.
        inlines: Offers text at cursors.
        background: Shows what is done in the background.

    Args:
        parts: What it is put together of.
    """

    def __init__(self, parts: Parts) -> None:
        super().__init__(
            "gproj-lsp",
            __version__,
            notebook_document_sync=types.NotebookDocumentSyncOptions(
                [types.NotebookDocumentFilterWithNotebook(notebook="*")]
            ),
            protocol_cls=Protocol,
        )
        for method in _OURS:
            self.protocol.fm.builtin_features.pop(method, None)
        self._asked: dict[str, asyncio.Task[None]] = {}
        self.background = Progress(self)
        self.publisher = Publisher(self)
        self.fillings = Fillings(self)
        self.inlines = Inlines(self)
        self.session = Session(
            parts,
            status=self._status,
            changed=lambda _: self._changed(),
            loading=self._loading,
            reading=lambda folder: self.background.begin(f"reading what is declared in {folder.name}"),
        )

    def request(
        self, method: str, options: object = None
    ) -> Callable[[Callable[[_P], Awaitable[_R]]], Callable[[_P], Awaitable[_R]]]:
        """Register the handler of a request or a notification; what it raises is logged and answered, and the server lives on.

        Args:
            method: The LSP method.
            options: What the server says of it when it is initialized.
        """

        def register(handler: Callable[[_P], Awaitable[_R]]) -> Callable[[_P], Awaitable[_R]]:
            async def answered(params: _P) -> _R:
                try:
                    return await handler(params)
                except Exception as error:
                    raise answer_of(error, method) from error

            self.feature(method, options)(answered)
            return handler

        return register

    def notification(self, method: str) -> Callable[[Callable[[_P], None]], Callable[[_P], None]]:
        """Register the handler of a notification that must be through before the next message is read."""

        def register(handler: Callable[[_P], None]) -> Callable[[_P], None]:
            def handled(params: _P) -> None:
                try:
                    handler(params)
                except Exception as error:
                    raise answer_of(error, method) from error

            self.feature(method)(handled)
            return handler

        return register

    def action(
        self, name: str
    ) -> Callable[[Callable[..., Awaitable[object]]], Callable[..., Awaitable[object]]]:
        """Register a command (`workspace/executeCommand`); its arguments are as JSON has them."""

        def register(handler: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
            async def answered(*arguments: types.LSPAny) -> object:
                try:
                    return await handler(*arguments)
                except Exception as error:
                    raise answer_of(error, name) from error

            self.command(name)(answered)
            return handler

        return register

    def log(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Write to the log that the editor shows; on the loop's thread."""
        self.window_log_message(types.LogMessageParams(kind, message))

    def show(self, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show a message to the user; on the loop's thread."""
        self.window_show_message(types.ShowMessageParams(kind, message))

    def tell_of(self, snapshot: Snapshot) -> None:
        """Say how a document is: left out, too large, or as it should be."""
        document = snapshot.document
        glob = snapshot.world.excluded(document.path) if document.path is not None else ""
        problems = snapshot.analysis.problems
        if glob:
            status = Status(State.EXCLUDED, f"exclude: {glob}")
        elif problems:
            status = Status(State.EXCLUDED, problems[0])
        else:
            status = READY
        if status is READY and self.session.board.get(document.uri) is READY:
            return
        self.session.board.put(document.uri, status)

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log what could not be answered because nobody asked: a broken message, a notification that failed."""
        answered = source is FeatureRequestError
        logger.log(logging.DEBUG if answered else logging.WARNING, "%s: %s", source.__name__, error)

    def _changed(self) -> None:
        """What holds for open documents changed: what the client was told of them is told anew."""
        self.publisher.everything()
        if self.session.client.refresh_tokens:
            self.workspace_semantic_tokens_refresh(None)

    def _status(self, uri: str, status: Status) -> None:
        if status.state is not State.READY and status.state is not State.LOADING:
            self.log(f"{uri or 'the model'}: {status.cause}", types.MessageType.Warning)
        if status.state is State.UNTRUSTED and self.session.client.ask and uri not in self._asked:
            self._asked[uri] = asyncio.ensure_future(ask(self, uri, status))
        if self.session.client.status:
            told = {"uri": uri, "state": status.state.value, "cause": status.cause, "command": status.command}
            self.protocol.notify(STATUS, told)

    def _loading(self, name: str) -> Callable[[str], None]:
        done = self.background.begin(f"loading the model {name}")
        self.session.later(lambda: self.session.board.put("", Status(State.LOADING, f"loading {name}")))

        def ended(problem: str) -> None:
            done(problem)
            status = Status(State.NO_MODEL, problem, "gproj.chooseModel") if problem else READY
            self.session.later(lambda: self.session.board.put("", status))

        return ended


def create(parts: Parts) -> Server:
    """A server with every handler."""
    server = Server(parts)
    for module in iter_modules(handlers.__path__):
        import_module(f"{handlers.__name__}.{module.name}").register(server)
    return server
