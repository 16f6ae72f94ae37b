"""Whether the user trusts a folder: asked once, where the client can show a question, and remembered."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gproj_lsp.errors import GprojError, InputError
from gproj_lsp.lsp.convert import path_of
from gproj_lsp.lsp.status import Status

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server

__all__ = ["TRUST", "ask", "remember"]

logger = logging.getLogger(__name__)

TRUST = "gproj.trust"
"""The command that trusts a folder."""

_YES = types.MessageActionItem("Trust")
_NO = types.MessageActionItem("Not now")


async def remember(server: Server, folders: Sequence[Path]) -> None:
    """Trust folders from now on, and read again what was ignored in them.

    Raises:
        InputError: It can't be remembered.
    """
    for folder in folders:
        try:
            await server.session.run(server.session.store.add, folder)
        except OSError as error:
            raise InputError(f"it can't be remembered: {error}", place=str(folder)) from error
        server.log(f"{folder} is trusted")
    server.session.reload()


async def ask(server: Server, uri: str, status: Status) -> None:
    """Ask whether a folder is to be trusted.

    Args:
        server: Whose client.
        uri: The folder.
        status: What is ignored there.
    """
    folder = path_of(uri)
    question = f"{status.cause}. Do you trust {folder}?"
    params = types.ShowMessageRequestParams(types.MessageType.Warning, question, [_YES, _NO])
    try:
        answer = await server.window_show_message_request_async(params)
        if folder is not None and answer is not None and answer.title == _YES.title:
            await remember(server, [folder])
    except (JsonRpcException, GprojError) as error:
        logger.info("%s stays untrusted: %s", folder, error)
