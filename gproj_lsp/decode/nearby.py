"""Γ without what can't be meant: names in doubt, and members of the language's own things that are not in scope.

A name that sources disagree about, or that a statement may have dropped, is no ghost where somebody wrote it, but nobody
should be offered it. A language's own members are hundreds (the columns of its catalogs and table functions). They are
declared, so writing one would be no ghost, but where nothing in scope owns them they would only hide that Γ has no candidate
worth the name.
"""

from __future__ import annotations

from types import MappingProxyType
from weakref import WeakKeyDictionary

from gproj_lsp.environment import Binding, Environment, Frame
from gproj_lsp.facts import DISPUTED
from gproj_lsp.surface import Surface

__all__ = ["Nearby"]


class Nearby:
    """Filters Γ for one surface; frames that were filtered once are not filtered again."""

    def __init__(self, surface: Surface) -> None:
        self._members = frozenset(name for name, sort in surface.sorts.items() if sort.plural)
        # None: the frame itself, which as a value would keep its own key for good.
        self._known: WeakKeyDictionary[Frame, Frame | None] = WeakKeyDictionary()

    def environment(self, environment: Environment) -> Environment:
        """The part of Γ that a name at a hole can mean; what is visible there stays."""
        return Environment(tuple(self._frame(frame) for frame in environment.frames))

    def _frame(self, frame: Frame) -> Frame:
        if frame in self._known:
            return self._known[frame] or frame
        filtered = self._filtered(frame)
        self._known[frame] = None if filtered is frame else filtered
        return filtered

    def _filtered(self, frame: Frame) -> Frame:
        doubted = frozenset(key for key, binding in frame.bindings.items() if DISPUTED in binding.attrs)
        kept = {
            key: binding
            for key, binding in frame.bindings.items()
            if key not in doubted and not self._is_far(binding)
        }
        if len(kept) == len(frame.bindings):
            return frame
        return Frame(MappingProxyType(kept), frame.tombstones | doubted)

    def _is_far(self, binding: Binding) -> bool:
        return (
            binding.origin.provider == "builtin"
            and binding.sort in self._members
            and binding.attrs.get("scope") != "visible"
        )
