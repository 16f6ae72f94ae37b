"""Semantic tokens in LSP's five numbers each, and what changed since a client got them."""

from __future__ import annotations

from itertools import count

from lsprotocol import types

from gproj_lsp.ide.memory import Recent
from gproj_lsp.ide.tokens import coloured
from gproj_lsp.lsp.kinds import LEGEND, kind_of
from gproj_lsp.lsp.session import Snapshot
from gproj_lsp.text import Span

__all__ = ["Tokens", "encoded"]

_KEPT = 100
"""Of how many documents the last tokens are kept."""
_DECLARES = 1
_BUILTIN = 2


def encoded(snapshot: Snapshot, within: Span | None = None) -> list[int]:
    """The tokens of a document, each by its distance from the one before it (LSP 3.17, "Semantic Tokens").

    Args:
        snapshot: The document.
        within: Only those in statements that meet these bytes; None: all.
    """
    data: list[int] = []
    last = types.Position(0, 0)
    for each in coloured(snapshot.analysis, within):
        place = snapshot.range(each.span)
        if place.start.line != place.end.line:
            continue  # a token is in one line, a quoted name need not be
        line = place.start.line - last.line
        shift = place.start.character - (0 if line else last.character)
        kind = LEGEND.token_types.index(kind_of(each.sort, snapshot.surface).token.value)
        width = place.end.character - place.start.character
        data += (line, shift, width, kind, each.declares * _DECLARES + each.builtin * _BUILTIN)
        last = place.start
    return data


class Tokens:
    """What clients were told of each document."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._last: Recent[str, tuple[str, list[int]]] = Recent(_KEPT)

    def whole(self, uri: str, data: list[int]) -> types.SemanticTokens:
        """All tokens of a document, to be asked what changed since."""
        number = str(next(self._numbers))
        self._last.put(uri, (number, data))
        return types.SemanticTokens(data, number)

    def since(
        self, uri: str, number: str, data: list[int]
    ) -> types.SemanticTokens | types.SemanticTokensDelta:
        """What changed since an answer; all tokens where that answer is not the last one."""
        last = self._last.get(uri)
        told = self.whole(uri, data)
        if last is None or last[0] != number:
            return told
        edit = _edit(last[1], data)
        return types.SemanticTokensDelta([edit] if edit is not None else [], told.result_id)


def _edit(old: list[int], new: list[int]) -> types.SemanticTokensEdit | None:
    """The one stretch that differs."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    if head == len(old) == len(new):
        return None
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    return types.SemanticTokensEdit(head, len(old) - head - tail, new[head : len(new) - tail])
