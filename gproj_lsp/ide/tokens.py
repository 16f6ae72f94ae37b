"""The names of a text by what they are, for colouring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.names import names_of
from gproj_lsp.text import Span

__all__ = ["Coloured", "coloured"]


@dataclass(frozen=True)
class Coloured:
    """One name.

    Attributes:
        span: Its bytes.
        sort: What it names.
        declares: Whether it is declared there.
        builtin: Whether the language itself declares it.
    """

    span: Span
    sort: str
    declares: bool
    builtin: bool


def coloured(analysis: Analysis, within: Span | None = None) -> Iterator[Coloured]:
    """The names whose meaning is known, in order; what is not known keeps the colour it has.

    Args:
        analysis: The document.
        within: Only statements that meet these bytes; None: all.
    """
    names = names_of(analysis)
    for index in range(len(analysis.statements)):
        span = analysis.source.span(index)
        if within is not None and not (span.start <= within.end and within.start <= span.end):
            continue
        for name in names.of(index):
            binding = name.meaning.binding
            sort = name.reference.sort if name.reference is not None else binding.sort
            yield Coloured(name.span, sort, name.declares, binding.origin.provider == "builtin")
