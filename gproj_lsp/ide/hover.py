"""What is told of the place under a cursor: a hole, a name that does not exist, or what a name means."""

from __future__ import annotations

from dataclasses import dataclass

from gproj_lsp.fragment import grammar_text
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.card import Card, card_of, provenance
from gproj_lsp.ide.names import Name, names_of
from gproj_lsp.ide.offers import Offer, Offers
from gproj_lsp.resolve import Reference, Verdict
from gproj_lsp.surface import Surface
from gproj_lsp.text import Span

__all__ = ["Hover", "hover_at"]

_SHOWN = 8
"""How many candidates are named."""
_NEAREST = 3
_LINES = 12
"""How many lines of a grammar are shown."""
_WIDTH = 160
_LARGE = 500
"""The grammar of more candidates than this is not written out."""


@dataclass(frozen=True)
class Hover:
    """What is told, and the bytes that it is told of."""

    span: Span
    card: Card


def hover_at(analysis: Analysis, offset: int, surface: Surface, offers: Offers, now: float) -> Hover | None:
    """What is told of the place under a cursor; None where nothing is known.

    Args:
        analysis: The document.
        offset: The cursor, in bytes.
        surface: The language.
        offers: What may stand in its holes.
        now: Seconds since the epoch, for ages.
    """
    for hole in analysis.holes:
        if hole.span.touches(offset):
            return Hover(hole.span, _hole_card(offers.of(hole)))
    name = names_of(analysis).at(offset)
    if name is not None:
        return Hover(name.span, _name_card(analysis, name, surface, now))
    found = analysis.reference_at(offset)
    return Hover(found[0], _reference_card(analysis, *found, now=now)) if found is not None else None


def _hole_card(offer: Offer) -> Card:
    hole = offer.hole
    facts: list[tuple[str, str]] = []
    code = ""
    if hole.mark.instruction:
        facts.append(("wanted", hole.mark.instruction))
    if offer.choice is None:
        facts.append(("can't be filled", offer.reason))
    else:
        instance = offer.choice.instance
        facts.append(("rung", instance.rung.name.lower()))
        if not offer.choice.guaranteed:
            facts.append(("not guaranteed", "any name can be written here"))
        names = [name for each in instance.candidates.values() for name in each]
        if names:
            facts.append((f"{len(names)} candidate{'s' * (len(names) != 1)}", _listed(names)))
        code = _excerpt(grammar_text(instance)) if len(names) <= _LARGE else ""
    return Card(hole.mark.text, f"hole: {hole.sort}" if hole.sort else "hole", tuple(facts), code)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


def _excerpt(grammar: str) -> str:
    lines = grammar.rstrip("\n").splitlines()
    shown = [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…" for line in lines[:_LINES]]
    return "\n".join([*shown, "…"] if len(lines) > _LINES else shown)


def _name_card(analysis: Analysis, name: Name, surface: Surface, now: float) -> Card:
    names = names_of(analysis)
    here = names.declarations(name.meaning)
    line = f"line {analysis.lines.position(here[0].start).line + 1}" if here else ""
    outside = names.outside(name.meaning)
    declaring = name.declares and not name.meaning.local
    after = analysis.statements[name.statement].after
    environment = after if declaring else analysis.environment_at(name.span.start)
    if outside is not None:  # of a notebook's cells, those before this one are buffers too
        line = "before this text" if outside.origin.provider == "buffer" else ""
    return card_of(outside or name.meaning.binding, environment, surface, now, line)


def _reference_card(analysis: Analysis, span: Span, reference: Reference, *, now: float) -> Card:
    finding = next((each for each in analysis.diagnostics if each.span == span), None)
    facts: list[tuple[str, str]] = []
    if reference.reason:
        facts.append(("why", reference.reason))
    nearest = finding.suggestions if finding is not None else ()
    if nearest:
        facts.append(("nearest", ", ".join(nearest[:_NEAREST])))
    if finding is not None and finding.origin is not None and nearest:
        facts.append((f"{nearest[0]} is declared", provenance(finding.origin, now)))
    told = {Verdict.GHOST: "does not exist", Verdict.AMBIGUOUS: "ambiguous"}.get(
        reference.verdict, "not known"
    )
    return Card(reference.name, f"{reference.sort}, {told}", tuple(facts))
