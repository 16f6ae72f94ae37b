"""How a filling came about, as a client gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gproj_lsp.ide.explanation import explanation
from gproj_lsp.ide.filling import Filling
from gproj_lsp.lsp.session import Snapshot

if TYPE_CHECKING:
    from gproj_lsp.decode.fill import FilledHole

__all__ = ["explained"]


def explained(snapshot: Snapshot, filling: Filling) -> dict[str, object]:
    """`{markdown, holes}` of a filling; holds on to nothing of the document.

    Args:
        snapshot: The document that was filled.
        filling: What was done.
    """
    holes = [_hole(snapshot, hole) for hole in filling.filled]
    return {"markdown": explanation(filling, snapshot.analysis.lines), "holes": holes}


def _hole(snapshot: Snapshot, hole: FilledHole) -> dict[str, object]:
    return {
        "range": snapshot.range(hole.span),
        "sort": hole.sort,
        "rung": hole.rung.name.lower(),
        "candidates": len(hole.candidates),
        "text": hole.text,
        "guaranteed": hole.guaranteed,
        "masks": list(hole.masks),
        "free_bits": hole.free_bits,
        "forced": list(hole.forced),
        "tokens": hole.tokens,
        "model_calls": hole.model_calls,
        "milliseconds": round(hole.milliseconds, 1),
    }
