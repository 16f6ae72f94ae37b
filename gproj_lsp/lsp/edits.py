"""Edits as the client applies them: to the version they were computed for, and to no other where it can tell versions apart."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from gproj_lsp.ide.edits import Edit
from gproj_lsp.lsp.options import Client
from gproj_lsp.lsp.session import Snapshot

__all__ = ["workspace_edit"]


def workspace_edit(snapshot: Snapshot, edits: Sequence[Edit], client: Client) -> types.WorkspaceEdit:
    """One change of one document, which one undo takes back.

    Args:
        snapshot: What the edits were computed for.
        edits: In bytes of its text, not overlapping.
        client: What it can take.
    """
    document = snapshot.document
    made = [types.TextEdit(snapshot.range(edit.span), edit.text) for edit in edits]
    if not client.document_changes:
        return types.WorkspaceEdit(changes={document.uri: made})
    of = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(of, [*made])])
