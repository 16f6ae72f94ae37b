"""Γ and G[Γ] at a place, to be looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from gproj_lsp.decode.nearby import Nearby
from gproj_lsp.environment import Binding
from gproj_lsp.errors import InputError
from gproj_lsp.fragment import Rung, grammar_text
from gproj_lsp.holes import Hole
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.offers import Offers
from gproj_lsp.lexer import HoleMark
from gproj_lsp.surface import Surface
from gproj_lsp.text import Span

__all__ = ["Grammar", "Shown", "environment_at", "grammar_at"]

_BUILTIN = "builtin"


@dataclass(frozen=True)
class Shown:
    """Γ at a place.

    Attributes:
        bindings: What may be named there, nearest first, without the language's own names.
        builtin: How many of the language's own names there are, by sort.
        frames: How many frames lie on one another.
        sort: What a name there would have to be, or empty.
    """

    bindings: tuple[Binding, ...]
    builtin: Mapping[str, int]
    frames: int
    sort: str


@dataclass(frozen=True)
class Grammar:
    """G[Γ] at a place.

    Attributes:
        text: It as GBNF.
        sort: What it writes.
        rung: How strongly it is constrained.
        candidates: How many names it admits.
        guaranteed: Whether no ghost can be written.
    """

    text: str
    sort: str
    rung: Rung
    candidates: int
    guaranteed: bool


def environment_at(analysis: Analysis, offset: int, surface: Surface) -> Shown:
    """Γ at a byte offset.

    Args:
        analysis: The document.
        offset: The place.
        surface: The language.
    """
    environment = analysis.environment_at(offset)
    known = surface.sorts
    bindings = [each for each in Nearby(surface).environment(environment) if each.sort in known]
    builtin = Counter(each.sort for each in bindings if each.origin.provider == _BUILTIN)
    shown = tuple(each for each in bindings if each.origin.provider != _BUILTIN)
    sort = analysis.expectation_at(offset).sort
    return Shown(shown, dict(builtin), len(environment.frames), sort)


def grammar_at(analysis: Analysis, offset: int, offers: Offers) -> Grammar:
    """G[Γ] at a byte offset: of the hole there, or of a hole that would stand there.

    Args:
        analysis: The document.
        offset: The place.
        offers: What may stand in holes.

    Raises:
        InputError: What fits there can't be told, or nothing does.
    """
    hole = next((each for each in analysis.holes if each.span.touches(offset)), None) or _hole(
        analysis, offset
    )
    offer = offers.of(hole)
    if offer.choice is None:
        raise InputError(offer.reason, place=analysis.lines.place(offset))
    instance = offer.choice.instance
    count = sum(map(len, instance.candidates.values()))
    return Grammar(grammar_text(instance), hole.sort, instance.rung, count, offer.choice.guaranteed)


def _hole(analysis: Analysis, offset: int) -> Hole:
    """The hole that a name at an offset would fill."""
    expected = analysis.expectation_at(offset)
    here = Span(offset, offset)
    mark = HoleMark(here, "", expected.sort)
    return Hole(here, mark, expected.sort, analysis.environment_at(offset), expected.region, here)
