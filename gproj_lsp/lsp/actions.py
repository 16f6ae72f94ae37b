"""Code actions as the client takes them: with their edit, with what brings it about later, or as bare commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from lsprotocol import types

from gproj_lsp.errors import InputError
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.actions import Action, Actions, Deed
from gproj_lsp.lsp.asked import Asked
from gproj_lsp.lsp.commands import APPLY, NEXT
from gproj_lsp.lsp.diagnostics import HOLE
from gproj_lsp.lsp.session import Snapshot

if TYPE_CHECKING:
    from gproj_lsp.lsp.server import Server

__all__ = ["KINDS", "CodeActions"]

_FIX, _REWRITE = types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite
_FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.gproj"
KINDS = (_FIX, _REWRITE, _FIX_ALL)
"""What there is."""


class CodeActions:
    """Offers what may be done to one client.

    Args:
        server: Whose client.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._actions: WeakKeyDictionary[Analyzer, Actions] = WeakKeyDictionary()

    def found(self, snapshot: Snapshot, params: types.CodeActionParams) -> list[tuple[Action, str]]:
        """What may be done there of what the client asked for, each with its kind."""
        only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
        here = self._of(snapshot)
        every = [(each, _FIX_ALL) for each in here.fix_all(snapshot.analysis)] if only else []
        every += [(each, _kind(each)) for each in here.at(snapshot.analysis, snapshot.span(params.range))]
        return [each for each in every if not only or any(_within(each[1], kind) for kind in only)]

    async def offer(
        self, snapshot: Snapshot, action: Action, kind: str, told: Sequence[types.Diagnostic]
    ) -> types.CodeAction | types.Command | None:
        """One action for the client; None where it turns out that it can't be done.

        Args:
            snapshot: The document.
            action: The action.
            kind: Its kind.
            told: The diagnostics that the client shows there.
        """
        client = self._server.session.client
        asked = Asked.about(snapshot, action)
        command = types.Command(action.title, APPLY, arguments=[asked.told])
        if not client.literals:
            return command
        mended = list(_mended(snapshot, action, told)) or None
        made = types.CodeAction(action.title, kind, mended, is_preferred=action.preferred or None)
        if client.resolve_edit:
            made.data = asked.told
        elif action.asks_model:
            made.command = command
        else:
            try:
                return await self.completed(made, asked)
            except InputError:
                return None
        return made

    async def completed(self, action: types.CodeAction, asked: Asked) -> types.CodeAction:
        """An action with its edit, and with the way to the next hole.

        Raises:
            GprojError: As `Fillings.make`.
        """
        made = await self._server.fillings.make(asked)
        action.edit = made.edit
        if made.next is not None:
            at = made.next.start
            position = {"line": at.line, "character": at.character}
            argument = {"uri": asked.uri, "position": position, "here": True}
            action.command = types.Command("Go to the next hole", NEXT, arguments=[argument])
        return action

    def _of(self, snapshot: Snapshot) -> Actions:
        found = self._actions.get(snapshot.analyzer)
        if found is None:
            allow_base = snapshot.world.settings.flag("fill.allow-base")
            found = Actions(snapshot.analyzer, snapshot.offers, allow_base=allow_base)
            self._actions[snapshot.analyzer] = found
        return found


def _kind(action: Action) -> str:
    return _REWRITE.value if action.deed is Deed.OPEN else _FIX.value


def _within(kind: str, wanted: str) -> bool:
    """Whether a kind is the wanted one or one of its parts."""
    return f"{kind}.".startswith(f"{wanted}.")


def _mended(
    snapshot: Snapshot, action: Action, told: Sequence[types.Diagnostic]
) -> Iterator[types.Diagnostic]:
    """Those of the client's diagnostics that an action is about."""
    span, code = (action.finding.span, action.finding.code) if action.finding else (action.span, HOLE)
    place = snapshot.range(span)
    return (each for each in told if each.code == code and each.range == place)
