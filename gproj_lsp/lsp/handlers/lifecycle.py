"""From `initialize` to `exit`: what the client can do, which folders are open, and the end of every thread."""

from __future__ import annotations

import asyncio
import gc

from lsprotocol import types

from gproj_lsp.lsp.configuring import ask_settings
from gproj_lsp.lsp.convert import path_of
from gproj_lsp.lsp.options import Client, preferences
from gproj_lsp.lsp.server import Server
from gproj_lsp.lsp.watching import watch


def register(server: Server) -> None:
    """Register the handlers."""
    session = server.session

    @server.notification(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        session.begin()
        session.client = Client.of(params.capabilities)
        session.initial, problems = preferences(params.initialization_options)
        session.preferences = session.initial
        uris = [folder.uri for folder in params.workspace_folders or ()] or [params.root_uri or ""]
        session.folders = tuple(path for path in map(path_of, uris) if path is not None)
        for problem in problems:
            server.show(problem)
        asyncio.get_running_loop().call_soon(_keep_imports)  # when it is answered

    @server.request(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        del params
        await ask_settings(server)
        await watch(server)

    @server.notification(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        del params
        session.close()


def _keep_imports() -> None:
    """What was imported stays as long as the process; looking through it at each collection costs edits their time."""
    gc.freeze()
    gc.enable()
