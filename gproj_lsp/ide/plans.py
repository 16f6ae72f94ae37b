"""How an edit comes about: what Γ alone decides, and which holes a model is to fill after that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gproj_lsp.errors import InputError
from gproj_lsp.holes import Hole
from gproj_lsp.ide.actions import Deed, is_clear
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.analyzer import Analyzer
from gproj_lsp.ide.edits import Edit
from gproj_lsp.ide.opening import hole_for_ghost, hole_for_reference
from gproj_lsp.ide.suppression import suppression
from gproj_lsp.text import Span

__all__ = ["Plan", "plan"]


@dataclass(frozen=True)
class Plan:
    """What an action does to a document.

    Attributes:
        edits: What Γ alone decides; spans are of the text as it is.
        holes: The holes that a model fills then, in bytes of the text after the edits.
    """

    edits: tuple[Edit, ...] = ()
    holes: tuple[Span, ...] = ()


def plan(analyzer: Analyzer, analysis: Analysis, deed: Deed, span: Span, text: str = "") -> Plan:
    """What an action does that was listed for this analysis.

    Args:
        analyzer: Made the analysis.
        analysis: The document.
        deed: The action's.
        span: The action's.
        text: The action's.

    Raises:
        InputError: It can't be done there.
    """
    if deed is Deed.CHANGE:
        return Plan((Edit(span, text),))
    if deed is Deed.FIX_ALL:
        return Plan(
            tuple(Edit(each.span, each.suggestions[0]) for each in analysis.diagnostics if is_clear(each))
        )
    if deed is Deed.IGNORE and (edit := suppression(analysis, span.start)) is not None:
        return Plan((edit,))
    if deed is Deed.CHOOSE and (hole := hole_for_ghost(analyzer, analysis, span)) is not None:
        return Plan((Edit(span, hole.mark.text),), (hole.span,))
    if deed is Deed.OPEN and (hole := hole_for_reference(analyzer, analysis, span)) is not None:
        return Plan((Edit(span, hole.mark.text),))
    if holes := tuple(hole.span for hole in _chosen(analysis, deed, span)):
        return Plan(holes=holes)
    raise InputError("this can't be done here", place=analysis.lines.place(span.start))


def _chosen(analysis: Analysis, deed: Deed, span: Span) -> Iterator[Hole]:
    """The holes that a filling action is about."""
    here = next((hole for hole in analysis.holes if hole.span == span), None)
    for hole in analysis.holes:
        if (
            deed is Deed.FILL_FILE
            or (deed is Deed.FILL and hole is here)
            or (deed is Deed.FILL_STATEMENT and here is not None and hole.statement == here.statement)
        ):
            yield hole
