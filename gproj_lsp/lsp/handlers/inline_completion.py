"""`textDocument/inlineCompletion`: text shown at the cursor of somebody who types, and alternatives where it is asked for."""

from __future__ import annotations

import logging

from lsprotocol import types

from gproj_lsp.errors import Cancelled, GprojError
from gproj_lsp.lsp.inline import Wish
from gproj_lsp.lsp.server import Server

logger = logging.getLogger(__name__)


def register(server: Server) -> None:
    """Register the handler."""

    @server.request(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())
    async def suggested(params: types.InlineCompletionParams) -> list[types.InlineCompletionItem]:
        """Texts, best first; none where there is nothing to show, whatever the cause."""
        context = params.context
        asked = context.trigger_kind is types.InlineCompletionTriggerKind.Invoked
        wish = Wish(params.text_document.uri, params.position, asked, context.selected_completion_info)
        try:
            snapshot = await server.session.snapshot(wish.uri)
            if snapshot is None:
                return []
            offered = await server.inlines.offer(snapshot, wish)
        except Cancelled:
            return []
        except GprojError as error:
            logger.info("no text at %s: %s", wish.uri, error)
            return []
        except Exception:
            logger.exception("no text at %s", wish.uri)
            return []
        if not server.session.current(snapshot):
            return []
        return [types.InlineCompletionItem(text, range=offered.place) for text in offered.texts]
