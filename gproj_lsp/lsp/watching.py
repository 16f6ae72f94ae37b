"""What the client is asked to tell: that settings changed, and files: settings, sources, databases that are files."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gproj_lsp.settings import FILE_NAME

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server
    from gproj_lsp.lsp.session import Session

__all__ = ["watch"]

logger = logging.getLogger(__name__)

_DATABASES = ("*.db", "*.sqlite", "*.sqlite3", "*.duckdb")


async def watch(server: Server) -> None:
    """Ask the client to tell what changes, where it can be asked."""
    wanted = list(_registrations(server.session))
    if not wanted:
        return
    try:
        await server.client_register_capability_async(types.RegistrationParams(wanted))
    except JsonRpcException as error:
        logger.info("the client does not tell what changes: %s", error)


def _registrations(session: Session) -> Iterator[types.Registration]:
    if session.client.reconfigure:
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        yield types.Registration("gproj-settings", method, types.DidChangeConfigurationRegistrationOptions())
    if session.client.watch:
        patterns = {pattern for surface in session.parts.surfaces.values() for pattern in surface.patterns}
        globs = [FILE_NAME, *sorted(patterns), "*.json", *_DATABASES]
        watchers = [types.FileSystemWatcher(f"**/{glob}") for glob in globs]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        yield types.Registration("gproj-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
