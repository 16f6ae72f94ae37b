"""What the client is asked to watch: settings, sources in files, databases that are files."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gproj_lsp.settings import FILE_NAME

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server

__all__ = ["watch"]

logger = logging.getLogger(__name__)


async def watch(server: Server) -> None:
    """Ask the client to tell of files that change, where it can be asked."""
    session = server.session
    if not session.client.watch:
        return
    patterns = {pattern for surface in session.parts.surfaces.values() for pattern in surface.patterns}
    globs = [FILE_NAME, *sorted(patterns), "*.json", "*.db", "*.sqlite", "*.sqlite3", "*.duckdb"]
    watchers = [types.FileSystemWatcher(f"**/{glob}") for glob in globs]
    registration = types.Registration(
        "gproj-watch",
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
        types.DidChangeWatchedFilesRegistrationOptions(watchers),
    )
    try:
        await server.client_register_capability_async(types.RegistrationParams([registration]))
    except JsonRpcException as error:
        logger.info("the client watches no files: %s", error)
