"""pygls's protocol, which answers whatever it is asked: a client that waits for a reply must get one."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import RPCMessage, RPCRequest

__all__ = ["Protocol"]


class Protocol(LanguageServerProtocol):
    """As pygls has it, but parameters that a method does not take are answered, and so is what comes before `initialize`."""

    server_capabilities: types.ServerCapabilities | None = None

    def handle_message(self, message: RPCMessage) -> None:
        """See pygls; before the server is initialized it only takes `initialize` and `exit`."""
        method = getattr(message, "method", "")
        if self.server_capabilities is not None or method in {types.INITIALIZE, types.EXIT}:
            super().handle_message(message)
        elif isinstance(message, RPCRequest):
            early = JsonRpcException("the server is not initialized", types.ErrorCodes.ServerNotInitialized)
            self._send_response(message.id, None, early.to_response_error())

    def structure_message(self, data: dict[str, object]) -> object:
        """See pygls; called for every object in a message, of which the outermost has a version.

        Raises:
            JsonRpcException: The message is not valid; a request was answered.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            number = data.get("id")
            if isinstance(data, Mapping) and "method" in data and isinstance(number, (int, str)):
                self._send_response(number, None, error.to_response_error())
            raise
