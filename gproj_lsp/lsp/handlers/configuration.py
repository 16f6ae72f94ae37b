"""Settings that change: the editor's, a gproj.toml, and the folders that are open."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from gproj_lsp.lsp.convert import path_of
from gproj_lsp.lsp.options import SECTION, plain, preferences, section
from gproj_lsp.lsp.server import Server


def register(server: Server) -> None:
    """Register the handlers."""
    session = server.session

    def take(settings: Mapping[str, object]) -> None:
        told = {key: value for key, value in settings.items() if key != "trusted"}
        session.preferences, problems = preferences(told, session.initial)
        for problem in problems:
            server.show(problem)
        session.reload()

    @server.request(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        told = section(plain(params.settings))
        if not told and session.client.configuration:
            item = types.ConfigurationItem(section=SECTION)
            answer = await server.workspace_configuration_async(types.ConfigurationParams([item]))
            told = {} if not answer else section({SECTION: plain(answer[0])})
        take(told)

    @server.request(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def touched(params: types.DidChangeWatchedFilesParams) -> None:
        paths = [path for path in (path_of(change.uri) for change in params.changes) if path is not None]
        if any(path.name == "gproj.toml" for path in paths):
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
