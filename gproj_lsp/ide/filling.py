"""A plan carried out: a model fills what the plan leaves open, and all of it is one set of edits of the text as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gproj_lsp.ide.edits import Edit, applied, origin
from gproj_lsp.ide.plans import Plan
from gproj_lsp.text import Span

if TYPE_CHECKING:  # a filler is handed in: who only edits need not import what decodes
    from gproj_lsp.decode.base import Stop
    from gproj_lsp.decode.fill import Analyse, FilledHole, Filler, OpenHole

__all__ = ["Filling", "fill"]


@dataclass(frozen=True)
class Filling:
    """What came of a plan.

    Attributes:
        edits: All of it; spans are of the text as it was.
        filled: What the model wrote, in order of place; spans are of the text as it was.
        left: What it did not.
    """

    edits: tuple[Edit, ...]
    filled: tuple[FilledHole, ...] = ()
    left: tuple[OpenHole, ...] = ()


def fill(filler: Filler, analyse: Analyse, text: str, plan: Plan, stop: Stop | None = None) -> Filling:
    """Carry out a plan.

    A hole that the plan itself puts there is no end in itself: where the model leaves it open, the text stays as it was there.

    Args:
        filler: Has the model.
        analyse: As `Filler.fill` asks for.
        text: The document.
        plan: What to do.
        stop: Asked before each step of the model.

    Raises:
        Cancelled: `stop` said so.
        EngineError: The engine refused a grammar.
        ModelError: The model failed.
    """
    if not plan.holes:
        return Filling(plan.edits)
    changed = applied(text, plan.edits)
    wanted = {at for at, hole in enumerate(analyse(changed).holes) if hole.span in plan.holes}
    result = filler.fill(changed, analyse, wanted, stop)
    asked = {origin(span, plan.edits) for span in plan.holes}
    kept = (edit for edit in plan.edits if edit.span not in asked)
    made = (Edit(origin(hole.span, plan.edits), hole.text) for hole in result.holes)
    left: list[OpenHole] = sorted((*result.empty, *result.incomplete), key=_place)
    return Filling(
        tuple(sorted((*kept, *made))),
        tuple(replace(hole, span=origin(hole.span, plan.edits)) for hole in result.holes),
        tuple(replace(hole, span=origin(hole.span, plan.edits)) for hole in left),
    )


def _place(hole: OpenHole) -> Span:
    return hole.span
