"""How a filling came about, as people read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gproj_lsp.ide.actions import shown
from gproj_lsp.text import LineIndex

if TYPE_CHECKING:
    from gproj_lsp.decode.fill import FilledHole
    from gproj_lsp.ide.filling import Filling

__all__ = ["explanation"]

_STEPS = 20
"""Of a long text the masks of so many steps are told."""


def explanation(filling: Filling, lines: LineIndex) -> str:
    """Each hole of a filling in Markdown: its rung, what the model had to choose from at each step, and what was forced.

    Args:
        filling: What was done.
        lines: The text as it was.
    """
    parts = [_filled(hole, lines) for hole in filling.filled]
    parts += (
        f"**{lines.place(hole.span.start)}** {_code(hole.mark)} stays: {hole.reason}" for hole in filling.left
    )
    return "\n\n".join(parts)


def _filled(hole: FilledHole, lines: LineIndex) -> str:
    head = f"**{lines.place(hole.span.start)}** {_code(hole.mark)} → {_code(hole.text)}"
    return "\n".join((head, "", *(f"- {fact}" for fact in _facts(hole))))


def _facts(hole: FilledHole) -> Iterator[str]:
    named = f"{len(hole.candidates)} declared names fit" if hole.candidates else "any name fits"
    sure = (
        "no ghost is possible" if hole.guaranteed else "**not guaranteed**: an undeclared name was possible"
    )
    yield f"{hole.sort} at rung `{hole.rung.name.lower()}`: {named}; {sure}"
    if hole.free_bits is None:
        yield "how much the model had to choose from is not known"
    elif hole.masks:
        more = ", …" if len(hole.masks) > _STEPS else ""
        steps = ", ".join(f"{mask:,}" for mask in hole.masks[:_STEPS])
        yield f"the model chose {_times(len(hole.masks))}, among {steps}{more}: {hole.free_bits:.1f} free bits"
    else:
        yield "there was nothing to choose: 0 free bits"
    if hole.forced:
        yield f"written without asking it: {', '.join(map(_code, hole.forced))}"
    yield f"{hole.tokens} tokens, {hole.model_calls} model calls, {hole.milliseconds:.0f} ms"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _code(text: str) -> str:
    """A text as code, whatever backticks it holds."""
    plain = shown(text)
    fence = "`"
    while fence in plain:
        fence += "`"
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain}{pad}{fence}"
