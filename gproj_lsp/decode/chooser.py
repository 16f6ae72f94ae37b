"""What π chooses at a hole of a document: how strongly it is constrained, and by which names. Needs no model."""

from __future__ import annotations

from gproj_lsp.decode.nearby import Nearby
from gproj_lsp.environment import Environment
from gproj_lsp.errors import InputError
from gproj_lsp.holes import Hole, pinned
from gproj_lsp.policy import Choice, Policy, choose
from gproj_lsp.surface import Surface

__all__ = ["Chooser"]


class Chooser:
    """Chooses at the holes of one surface.

    Args:
        surface: The language.
        allow_base: Whether a hole without candidates may take an undeclared name.
    """

    def __init__(self, surface: Surface, *, allow_base: bool = False) -> None:
        self._surface = surface
        self._allow_base = allow_base
        self._near = Nearby(surface)
        self.policies = {name: spec.policy for name, spec in surface.sorts.items()}

    def choice(self, hole: Hole) -> Choice:
        """What π chooses at a hole: G[Γ] and its rung.

        Raises:
            EmptyQueryError: Nothing fits.
            InputError: The hole's sort is not known, or nothing produces it.
        """
        if reason := self.unfit(hole):
            raise InputError(reason)
        return choose(
            self._surface.fragments[hole.sort],
            self.environment(hole),
            self.policies.get(hole.sort, Policy()),
            region=hole.region,
            allow_base=self._allow_base,
            pin=pinned(hole, self._surface),
            hole=hole.mark.text,
        )

    def environment(self, hole: Hole) -> Environment:
        """The part of Γ that a name at a hole can mean."""
        return self._near.environment(hole.environment)

    def unfit(self, hole: Hole) -> str:
        """Why a hole can't be filled at all; empty where it can."""
        if not hole.sort:
            return "what fits here can't be told from the position; name a sort, as in {:Column}"
        return "" if hole.sort in self._surface.fragments else f"no fragment produces a {hole.sort}"
