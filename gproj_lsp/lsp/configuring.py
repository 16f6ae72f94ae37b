"""The editor's settings: taken from what it says, or asked of it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gproj_lsp.lsp.options import SECTION, plain, preferences, section

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server

__all__ = ["ask_settings", "take_settings"]

logger = logging.getLogger(__name__)


async def ask_settings(server: Server) -> None:
    """Ask the client for its settings, where it can be asked, and let them hold."""
    if not server.session.client.configuration:
        return
    item = types.ConfigurationItem(section=SECTION)
    try:
        answer = await server.workspace_configuration_async(types.ConfigurationParams([item]))
    except JsonRpcException as error:
        logger.info("the client tells no settings: %s", error)
        return
    take_settings(server, section({SECTION: plain(answer[0])}) if answer else {})


def take_settings(server: Server, settings: Mapping[str, object]) -> None:
    """Let settings hold on top of `initializationOptions`; what they say of trust does not count.

    Args:
        server: Whose.
        settings: The section of this server, as JSON has it.
    """
    session = server.session
    told = {key: value for key, value in settings.items() if key != "trusted"}
    held, problems = preferences(told, session.initial)
    for problem in problems:
        server.show(problem)
    if held != session.preferences:
        session.preferences = held
        session.reload()
