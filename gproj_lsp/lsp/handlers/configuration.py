"""Settings that change: the editor's, a gproj.toml, and the folders that are open."""

from __future__ import annotations

from lsprotocol import types

from gproj_lsp.lsp.configuring import ask_settings, take_settings
from gproj_lsp.lsp.convert import path_of
from gproj_lsp.lsp.options import plain, section
from gproj_lsp.lsp.server import Server
from gproj_lsp.settings import FILE_NAME


def register(server: Server) -> None:
    """Register the handlers."""
    session = server.session

    @server.request(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        told = section(plain(params.settings))
        if told or not session.client.configuration:
            take_settings(server, told)
        else:
            await ask_settings(server)

    @server.request(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def touched(params: types.DidChangeWatchedFilesParams) -> None:
        paths = [path for path in (path_of(change.uri) for change in params.changes) if path is not None]
        if any(path.name == FILE_NAME for path in paths):
            session.reload()
            return
        for root in session.roots():
            await session.refresh(root)

    @server.notification(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def moved(params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {path_of(folder.uri) for folder in params.event.removed}
        came = [path_of(folder.uri) for folder in params.event.added]
        kept = [folder for folder in session.folders if folder not in gone]
        session.folders = tuple(dict.fromkeys([*kept, *(path for path in came if path is not None)]))
        session.reload()
