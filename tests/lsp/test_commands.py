"""What commands do to an editor that will not have it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pygls.exceptions import JsonRpcInternalError

from gproj_lsp.errors import GprojError
from gproj_lsp.lsp.commands import apply


async def test_an_editor_that_fails_to_apply_an_edit_is_told_so():
    async def fails(_):
        raise JsonRpcInternalError("the user said no")

    fillings = SimpleNamespace(require_current=lambda _: None, is_current=lambda _: True)
    session = SimpleNamespace(client=SimpleNamespace(apply_edit=True))
    server = SimpleNamespace(fillings=fillings, session=session, workspace_apply_edit_async=fails)
    made = SimpleNamespace(snapshot=None, edit=None, next=None)
    with pytest.raises(GprojError, match="the user said no"):
        await apply(server, made, "Fill")
