"""The names of the commands that other handlers refer to, and what commands do to the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gproj_lsp.errors import GprojError
from gproj_lsp.lsp.filling import Made
from gproj_lsp.lsp.worker import Superseded

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server

__all__ = ["APPLY", "FILL", "NEXT", "apply", "go"]

APPLY = "gproj.apply"
FILL = "gproj.fill"
NEXT = "gproj.nextHole"


async def apply(server: Server, made: Made, label: str) -> dict[str, object]:
    """Have the client make an edit, as one step that can be undone, and go to the next hole.

    Returns:
        What the command answers: whether it was applied, the edit where the client can't apply one, and the next hole.

    Raises:
        GprojError: The client refused the edit.
        Superseded: The document changed.
    """
    server.fillings.require_current(made.snapshot)
    if not server.session.client.apply_edit:
        return {"applied": False, "edit": made.edit, "next": made.next}
    params = types.ApplyWorkspaceEditParams(made.edit, label)
    try:
        answer = await server.workspace_apply_edit_async(params)
    except JsonRpcException as error:  # some editors ask their user, and fail where the answer is no
        answer = types.ApplyWorkspaceEditResult(applied=False, failure_reason=str(error))
    if not answer.applied:
        if not server.fillings.is_current(made.snapshot):
            raise Superseded("the document changed")
        raise GprojError(answer.failure_reason or "the editor did not apply the edit")
    if made.next is not None:
        await go(server, made.snapshot.document.uri, made.next)
    return {"applied": True, "next": made.next}


async def go(server: Server, uri: str, place: types.Range) -> None:
    """Put the cursor somewhere, where the client can be told to."""
    if server.session.client.show_document:
        shown = types.ShowDocumentParams(uri, take_focus=True, selection=place)
        await server.window_show_document_async(shown)
