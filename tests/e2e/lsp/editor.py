"""An editor as the tests drive one: real documents over a real server process, places told by the text that stands there."""

from __future__ import annotations

import asyncio
import os
import sys
from copy import copy
from pathlib import Path

from lsprotocol import types
from program import HOME
from pygls.exceptions import JsonRpcException
from pygls.uris import from_fs_path
from pytest_lsp import ClientServerConfig, client_capabilities, make_test_lsp_client

SECONDS = 40
"""How long a test waits for anything; machines are slow at times."""

_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def capabilities(*, encoding=None, pull=False, refresh=True, status=True, ask=False, **flags):
    """What an able client can do; switches take things away.

    Keyword Args:
        encoding: The one position encoding it offers, or None: it says nothing.
        pull: Whether it asks for diagnostics itself.
        refresh: Whether it can be told to ask again.
        status: Whether it takes `gproj/status`.
        ask: What its user answers to questions, if anything.
        **flags: `resolve`, `apply_edit`, `document_changes`, `progress`, `watch`, `configuration`, `related`, `stream`,
            `show_document`, `markdown`, `links`, `tree`, `details`, `ranges`: True unless said otherwise.
    """
    has = dict.fromkeys(
        (
            "resolve",
            "apply_edit",
            "document_changes",
            "progress",
            "watch",
            "configuration",
            "related",
            "stream",
            "show_document",
            "markdown",
            "links",
            "tree",
            "details",
            "ranges",
        ),
        True,
    )
    unknown = flags.keys() - has.keys()
    assert not unknown, f"no such capability: {unknown}"
    has |= flags
    given = client_capabilities("visual_studio_code")
    given.general.position_encodings = [types.PositionEncodingKind(encoding)] if encoding else None
    document, workspace, window = given.text_document, given.workspace, given.window
    document.diagnostic = (
        types.DiagnosticClientCapabilities(related_information=has["related"]) if pull else None
    )
    workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=refresh)
    document.publish_diagnostics.related_information = has["related"]
    if not has["resolve"]:
        document.code_action.resolve_support = None
    workspace.apply_edit = has["apply_edit"]
    workspace.workspace_edit.document_changes = has["document_changes"]
    workspace.did_change_watched_files.dynamic_registration = has["watch"]
    workspace.configuration = has["configuration"]
    window.work_done_progress = has["progress"]
    window.show_message = (
        types.ShowMessageRequestClientCapabilities(types.ClientShowMessageActionItemOptions())
        if ask
        else None
    )
    window.show_document = types.ShowDocumentClientCapabilities(has["show_document"])
    if not has["markdown"]:
        document.hover.content_format = [types.MarkupKind.PlainText]
    document.definition.link_support = has["links"]
    document.document_symbol.hierarchical_document_symbol_support = has["tree"]
    document.completion.completion_item.label_details_support = has["details"]
    document.completion.completion_list = types.CompletionListCapabilities(
        item_defaults=["editRange"] if has["ranges"] else []
    )
    given.experimental = {"gproj": {"status": status, "stream": has["stream"]}}
    return given


class Editor:
    """One client with its server. Documents are named relative to a folder and need not be on the disk.

    Attributes:
        client: The pytest-lsp client, for requests.
        folder: The workspace.
        encoding: How both sides count characters.
        result: What the server said of itself.
        statuses: Every `gproj/status` so far.
        streams: Every `gproj/stream` so far.
        published: Every `textDocument/publishDiagnostics` so far.
        registered: What the server asked to be told.
        applied: The edits that the server had applied, in order.
        recoloured: An entry for each time that the server had it ask again for semantic tokens.
        questions: What its user was asked.
        answer: What its user answers.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.client = make_test_lsp_client()
        self.encoding = "utf-16"
        self.result = None
        self.statuses = []
        self.streams = []
        self.published = []
        self.registered = []
        self.applied = []
        self.recoloured = []
        self.questions = []
        self.answer = None
        self.documents: dict[str, tuple[int, str]] = {}
        self._news = asyncio.Event()
        self._listen()

    async def start(self, *, capabilities, options=None, folders=None, arguments=(), env=None):
        """Start a server process and introduce the client to it."""
        command = [sys.executable, "-m", "gproj_lsp", "serve", *arguments]
        state = {"XDG_STATE_HOME": str(self.folder.parent / "state"), "PYTHONPATH": HOME}
        config = ClientServerConfig(command, lambda: self.client, {**os.environ, **state, **(env or {})})
        await config.start()
        given = [self.folder] if folders is None else folders
        params = types.InitializeParams(
            capabilities,
            workspace_folders=[types.WorkspaceFolder(from_fs_path(str(each)), each.name) for each in given],
            initialization_options=options,
        )
        self.result = await asyncio.wait_for(self.client.initialize_session(params), SECONDS)
        self.encoding = self.result.capabilities.position_encoding or "utf-16"

    async def stop(self):
        """End the server, politely where it still listens."""
        try:
            await asyncio.wait_for(self.client.shutdown_session(), SECONDS)
        finally:
            await self.client.stop()

    def elsewhere(self, folder):
        """The same client and server at another folder; documents are told apart by it."""
        other = copy(self)
        other.folder = folder
        return other

    @property
    def process(self):
        """The server's process."""
        return self.client._server

    def uri(self, name):
        """The URI of a document."""
        return (
            name if "://" in name or name.startswith("untitled:") else from_fs_path(str(self.folder / name))
        )

    def text(self, name):
        """The text of a document now."""
        return self.documents[self.uri(name)][1]

    def version(self, name):
        """The version of a document now."""
        return self.documents[self.uri(name)][0]

    def identifier(self, name):
        """A document for a request."""
        return types.TextDocumentIdentifier(self.uri(name))

    async def open(self, name, text, language="sql"):
        """Open a document and give its diagnostics."""
        uri = self.uri(name)
        self.documents[uri] = (1, text)
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics(name)

    def type(self, name, old, new):
        """Put `new` in the place of the one `old` in a document; an empty `old` is the document's end."""
        uri = self.uri(name)
        version, text = self.documents[uri]
        at = self.range(name, old) if old else self._range(text, len(text), len(text))
        start = text.index(old) if old else len(text)
        self.documents[uri] = (version + 1, text[:start] + new + text[start + len(old) :])
        change = types.TextDocumentContentChangePartial(at, new)
        self._changed(uri, version + 1, [change])

    def replace(self, name, text):
        """Send a whole new text, as simple clients do."""
        uri = self.uri(name)
        version = self.documents[uri][0] + 1
        self.documents[uri] = (version, text)
        self._changed(uri, version, [types.TextDocumentContentChangeWholeDocument(text)])

    def save(self, name):
        """Say that a document was saved."""
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(self.identifier(name)))

    def close(self, name):
        """Close a document."""
        self.documents.pop(self.uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.identifier(name)))

    async def diagnostics(self, name, until=lambda _: True):
        """The diagnostics of a document's version now: pulled where the server offers nothing else, else the published ones.

        Args:
            name: The document.
            until: What they must be like; others are not final (sources are still being read).
        """
        uri = self.uri(name)
        if self.client.capabilities.text_document.diagnostic is not None:
            return await self._until(lambda: self.pull(name), until)

        async def published():
            version = self.documents[uri][0]
            found = [each for each in self.published if each.uri == uri and each.version == version]
            return list(found[-1].diagnostics) if found else None

        return await self._until(published, lambda found: found is not None and until(found))

    async def pull(self, name, previous=None):
        """Ask for diagnostics; None where they are as before."""
        params = types.DocumentDiagnosticParams(self.identifier(name), previous_result_id=previous)
        report = await self.client.text_document_diagnostic_async(params)
        return list(report.items) if hasattr(report, "items") else None

    async def status(self, state, uri=None):
        """The next or last status that says `state` (of `uri`)."""

        async def told():
            fits = [s for s in self.statuses if s["state"] == state and (uri is None or s["uri"] == uri)]
            return fits[-1] if fits else None

        return await self._until(told, lambda found: found is not None)

    async def logged(self, text):
        """The log message that holds a text."""

        async def told():
            return next((each for each in self.client.log_messages if text in each.message), None)

        return await self._until(told, lambda found: found is not None)

    def range(self, name, text, after=""):
        """The range of the first `text` in a document, behind the first `after` in it."""
        whole = self.text(name)
        start = whole.index(text, whole.index(after) + len(after) if after else 0)
        return self._range(whole, start, start + len(text))

    def position(self, name, before):
        """The position right behind the first `before` in a document."""
        return self.range(name, before).end

    def at(self, name, place):
        """The text at a range of a document."""
        whole = self.text(name)
        return whole[self._index(whole, place.start) : self._index(whole, place.end)]

    def edit(self, text, edits):
        """A text after LSP text edits."""
        for each in sorted(
            edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True
        ):
            start, end = self._index(text, each.range.start), self._index(text, each.range.end)
            text = text[:start] + each.new_text + text[end:]
        return text

    def _changed(self, uri, version, changes):
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))

    def _range(self, text, start, end):
        return types.Range(self._position(text, start), self._position(text, end))

    def _position(self, text, index):
        before = text[:index].replace("\r\n", "\n").replace("\r", "\n")
        line = before.rpartition("\n")[2]
        codec, width = _UNITS[self.encoding]
        return types.Position(before.count("\n"), len(line.encode(codec)) // width)

    def _index(self, text, position):
        matches = [index for index in range(len(text) + 1) if self._position(text, index) == position]
        assert matches, f"{position} is nowhere in the text"
        return matches[0]

    async def _until(self, ask, fits):
        async def asked():
            while True:
                self._news.clear()
                found = await ask()
                if fits(found):
                    return found
                try:
                    await asyncio.wait_for(self._news.wait(), 0.2)
                except asyncio.TimeoutError:
                    continue

        return await asyncio.wait_for(asked(), SECONDS)

    def _listen(self):
        features = self.client.protocol.fm.features
        publish, log = features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS], features[types.WINDOW_LOG_MESSAGE]

        def published(params):
            self.published.append(params)
            publish(params)
            self._news.set()

        def logged(params):
            log(params)
            self._news.set()

        features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = published
        features[types.WINDOW_LOG_MESSAGE] = logged

        @self.client.feature("gproj/status")
        def status(params):
            self.statuses.append(params._asdict())
            self._news.set()

        @self.client.feature("gproj/stream")
        def stream(params):
            self.streams.append(params._asdict())
            self._news.set()

        @self.client.feature(types.WORKSPACE_SEMANTIC_TOKENS_REFRESH)
        def colour_anew(params):
            self.recoloured.append(None)
            self._news.set()

        @self.client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams):
            self.registered += params.registrations

        @self.client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
        def question(params: types.ShowMessageRequestParams):
            self.questions.append(params)
            return next((each for each in params.actions if each.title == self.answer), None)

        @self.client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply(params: types.ApplyWorkspaceEditParams):
            self.applied.append(params)
            self._news.set()
            return types.ApplyWorkspaceEditResult(applied=True)


async def failure(request):
    """The error that a request is answered with."""
    try:
        result = await asyncio.wait_for(request, SECONDS)
    except JsonRpcException as error:
        return error
    raise AssertionError(f"it was answered with {result!r}")
