"""What may stand in a hole, told without any model: its rung, its candidates, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from gproj_lsp.decode.chooser import Chooser
from gproj_lsp.environment import Frame
from gproj_lsp.errors import EmptyQueryError, InputError
from gproj_lsp.fragment import Rung
from gproj_lsp.holes import Hole
from gproj_lsp.ide.memory import Recent
from gproj_lsp.policy import Choice
from gproj_lsp.surface import Surface

__all__ = ["Offer", "Offers"]

_KEPT = 500
"""How many holes' offers are kept; an edit elsewhere leaves a hole's as it was."""


@dataclass(frozen=True)
class Offer:
    """What may stand in one hole.

    Attributes:
        hole: The hole.
        names: The candidates as they would be written, in order of scope; of a hole that is more than one name, none.
        choice: What policy chose: G[Γ] and its rung. None where the hole can't be filled.
        reason: Why it can't be filled, in one clause; else empty.
    """

    hole: Hole
    names: tuple[str, ...] = ()
    choice: Choice | None = None
    reason: str = ""

    @property
    def rung(self) -> Rung | None:
        """How strongly it is constrained."""
        return self.choice.instance.rung if self.choice else None

    @property
    def closed(self) -> bool:
        """Whether it is one declared name and nothing else, so that `names` are all there is to choose from."""
        return bool(self.choice and self.choice.instance.only)


_Known = tuple[tuple[Frame, ...], str, str, tuple[str, ...], bool]


class Offers:
    """Tells what may stand in holes of one surface.

    Args:
        surface: The language.
    """

    def __init__(self, surface: Surface) -> None:
        self._choosers = {allow_base: Chooser(surface, allow_base=allow_base) for allow_base in (False, True)}
        self._known: Recent[_Known, Choice | str] = Recent(_KEPT)

    def of(self, hole: Hole, *, allow_base: bool = False) -> Offer:
        """What may stand in a hole.

        Args:
            hole: The hole.
            allow_base: Whether the user lets a hole be filled without the guarantee.
        """
        key = (hole.environment.frames, hole.sort, hole.mark.text, hole.region, allow_base)
        found = self._known.get(key)
        if found is None:
            found = self._known.put(key, self._chosen(hole, allow_base=allow_base))
        if isinstance(found, str):
            return Offer(hole, reason=found)
        instance = found.instance
        return Offer(hole, instance.candidates[instance.only] if instance.only else (), found)

    def _chosen(self, hole: Hole, *, allow_base: bool) -> Choice | str:
        try:
            return self._choosers[allow_base].choice(hole)
        except (EmptyQueryError, InputError) as error:
            return error.message
