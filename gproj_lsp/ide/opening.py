"""Holes in the place of names that stand there."""

from __future__ import annotations

from gproj_lsp.holes import Hole
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.analyzer import Analyzer
from gproj_lsp.text import Span

__all__ = ["hole_for_ghost", "hole_for_reference"]

_SIZE = 10_000
"""A statement of more bytes is not resolved once more for each ghost that somebody looks at."""


def hole_for_ghost(analyzer: Analyzer, analysis: Analysis, span: Span) -> Hole | None:
    """The hole that a model would fill in a ghost's place; its mark tells the model what was written there.

    Args:
        analyzer: Made the analysis.
        analysis: The document.
        span: The ghost's bytes.

    Returns:
        The hole, in bytes of the document that has it; None where no hole would be understood.
    """
    ghost = next((each for each in analysis.diagnostics if each.span == span), None)
    index = analysis.source.at(span.start)
    if ghost is None or index is None or len(analysis.source.span(index)) > _SIZE:
        return None
    told = f' "{ghost.name}"' if ghost.name.isprintable() and '"' not in ghost.name else ""
    return _hole(analyzer, analysis, span, f"{{:{ghost.sort}{told}}}", ghost.sort)


def hole_for_reference(analyzer: Analyzer, analysis: Analysis, span: Span) -> Hole | None:
    """The hole that stands for a reference: `??` where that is understood there, else one that names its sort.

    Args:
        analyzer: Made the analysis.
        analysis: The document.
        span: The reference's bytes.

    Returns:
        The hole, in bytes of the document that has it; None where there is no reference, or no hole would be understood.
    """
    found = analysis.reference_at(span.start)
    if found is None or found[0] != span or not (sort := found[1].sort):
        return None
    tried = (_hole(analyzer, analysis, span, mark, sort) for mark in ("??", f"{{:{sort}}}"))
    return next((hole for hole in tried if hole is not None), None)


def _hole(analyzer: Analyzer, analysis: Analysis, span: Span, mark: str, sort: str) -> Hole | None:
    holes = analyzer.instead(analysis, span, mark)
    return next((hole for hole in holes if hole.span.start == span.start and hole.sort == sort), None)
