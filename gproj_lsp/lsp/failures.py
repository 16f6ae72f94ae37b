"""What went wrong, as LSP answers it."""

from __future__ import annotations

import logging

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gproj_lsp.errors import Cancelled, GprojError
from gproj_lsp.lsp.worker import Superseded

__all__ = ["answer_of"]

logger = logging.getLogger(__name__)


def answer_of(error: Exception, method: str) -> JsonRpcException:
    """The answer to a request that failed; what nobody expected is logged with where it happened.

    Args:
        error: What was raised.
        method: The request's.
    """
    if isinstance(error, JsonRpcException):
        return error
    if isinstance(error, Superseded):
        return JsonRpcException(str(error), types.LSPErrorCodes.ContentModified)
    if isinstance(error, Cancelled):
        return JsonRpcException("cancelled", types.LSPErrorCodes.RequestCancelled)
    if isinstance(error, GprojError):
        return JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed)
    logger.error("%s failed: %r", method, error, exc_info=error)
    return JsonRpcException(f"{method} failed: {error!r}", types.ErrorCodes.InternalError)
