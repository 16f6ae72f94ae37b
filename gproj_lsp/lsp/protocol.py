"""pygls's protocol, which answers what it can't read: a client that waits for a reply must get one."""

from __future__ import annotations

from collections.abc import Mapping

from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

__all__ = ["Protocol"]


class Protocol(LanguageServerProtocol):
    """As pygls has it, but a request whose parameters are not what its method takes is answered with InvalidParams."""

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
