"""What may be done at a place of a document: what it is called, and how its edit comes about.

Listing asks no model and computes no edit; `gproj_lsp.ide.plans` says what one action does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from weakref import WeakKeyDictionary

from gproj_lsp.fragment import Rung
from gproj_lsp.ghosts import GHOST, UNKNOWN_SORT, Diagnostic, clear
from gproj_lsp.holes import Hole
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.analyzer import Analyzer
from gproj_lsp.ide.offers import Offer, Offers
from gproj_lsp.ide.opening import hole_for_ghost
from gproj_lsp.ide.suppression import suppression
from gproj_lsp.text import Span, decode

__all__ = ["Action", "Actions", "Deed", "is_clear", "shown"]

_NEAREST = 3
"""How many of the nearest names are offered for a ghost."""
_FEW = 8
"""Up to so many candidates of a hole are offered one by one."""
_FINDINGS = 10
"""Of a long selection the first findings are looked at."""
_ANYTHING = "any name"


class Deed(Enum):
    """What an action does."""

    CHANGE = "change"  # write the text in the span's place
    CHOOSE = "choose"  # let the model choose what stands in a ghost's place
    FIX_ALL = "fix-all"  # change every ghost whose nearest name is clear
    IGNORE = "ignore"  # silence the line
    FILL = "fill"  # let the model fill a hole
    FILL_STATEMENT = "fill-statement"  # ... all holes of the statement around it
    FILL_FILE = "fill-file"  # ... all holes
    OPEN = "open"  # replace a reference by a hole


@dataclass(frozen=True)
class Action:
    """One thing to do.

    Attributes:
        title: For people.
        deed: What it does.
        span: The bytes it is about.
        text: What is written, where that is known.
        preferred: Whether it is what most users would want here.
        finding: The finding that it mends, if it mends one.
    """

    title: str
    deed: Deed
    span: Span
    text: str = ""
    preferred: bool = False
    finding: Diagnostic | None = None

    @property
    def asks_model(self) -> bool:
        """Whether a model decides what is written."""
        return self.deed in {Deed.CHOOSE, Deed.FILL, Deed.FILL_STATEMENT, Deed.FILL_FILE}


class Actions:
    """Lists what may be done in documents of one surface.

    Args:
        analyzer: Made the analyses that are asked about.
        offers: What may stand in holes.
        allow_base: Whether a hole without candidates may take an undeclared name.
    """

    def __init__(self, analyzer: Analyzer, offers: Offers, *, allow_base: bool = False) -> None:
        self._analyzer = analyzer
        self._offers = offers
        self._allow_base = allow_base
        self._clears: WeakKeyDictionary[Analysis, int] = WeakKeyDictionary()

    def at(self, analysis: Analysis, span: Span) -> tuple[Action, ...]:
        """What may be done where a cursor or a selection is, what is likeliest first.

        Args:
            analysis: The document.
            span: The selection in bytes; empty for a cursor.
        """
        found = [each for each in analysis.diagnostics if _meet(each.span, span)][:_FINDINGS]
        holes = [hole for hole in analysis.holes if _meet(hole.span, span)]
        return (
            *(action for each in found for action in self._mending(analysis, each)),
            *self._fixing_all(analysis, found),
            *(action for hole in holes[:1] for action in self._filling(analysis, hole)),
            *(action for each in found[:1] for action in _ignoring(analysis, each)),
            *(() if holes else self._opening(analysis, span)),
        )

    def fix_all(self, analysis: Analysis) -> tuple[Action, ...]:
        """Changing every ghost of a document whose nearest name is clear, if there is one."""
        clears = self._clears.get(analysis)
        if clears is None:
            clears = self._clears[analysis] = sum(map(is_clear, analysis.diagnostics))
        title = f"Fix all ghosts in file ({clears} clear)"
        return (Action(title, Deed.FIX_ALL, Span(0, 0)),) if clears else ()

    def _mending(self, analysis: Analysis, found: Diagnostic) -> Iterator[Action]:
        """What mends one finding."""
        for number, spelling in enumerate(found.suggestions[:_NEAREST]):
            title = f"Change to `{shown(spelling)}`"
            likely = number == 0 and clear(found.name, found.suggestions)
            yield Action(title, Deed.CHANGE, found.span, _instead(analysis, found, spelling), likely, found)
        if found.code != GHOST:
            return
        hole = hole_for_ghost(self._analyzer, analysis, found.span)
        count = _count(self._offers.of(hole)) if hole is not None else 0
        if count > 1:
            yield Action(f"Let the model choose ({count} candidates)", Deed.CHOOSE, found.span, finding=found)

    def _fixing_all(self, analysis: Analysis, found: list[Diagnostic]) -> tuple[Action, ...]:
        """Changing all ghosts, where the cursor is at one and there are others."""
        if not any(each.code == GHOST for each in found) or len(analysis.diagnostics) < 2:
            return ()
        return self.fix_all(analysis)

    def _filling(self, analysis: Analysis, hole: Hole) -> Iterator[Action]:
        """What fills a hole, and others with it."""
        yield from self._filling_one(hole)
        if len(within := [each for each in analysis.holes if each.statement == hole.statement]) > 1:
            yield Action(f"Fill all {len(within)} holes in statement", Deed.FILL_STATEMENT, hole.span)
        if len(analysis.holes) > max(len(within), 1):
            yield Action(f"Fill all {len(analysis.holes)} holes in file", Deed.FILL_FILE, hole.span)

    def _filling_one(self, hole: Hole) -> Iterator[Action]:
        offer = self._offers.of(hole, allow_base=self._allow_base)
        if offer.choice is None:  # the hole's own hint says why
            return
        names = offer.names
        if offer.closed and len(names) == 1:
            yield Action(f"Fill with `{shown(names[0])}`", Deed.CHANGE, hole.span, names[0], preferred=True)
            return
        told = f"{_count(offer)} candidates" if _count(offer) else _ANYTHING
        if not offer.choice.guaranteed:
            told = f"{_ANYTHING}, not guaranteed"
        yield Action(f"Fill: {hole.sort} ({told})", Deed.FILL, hole.span, preferred=True)
        if len(names) <= _FEW:
            for name in names:
                yield Action(f"Fill with `{shown(name)}`", Deed.CHANGE, hole.span, name)

    def _opening(self, analysis: Analysis, span: Span) -> Iterator[Action]:
        """Putting a hole in a reference's place."""
        found = analysis.reference_at(span.start)
        if found is not None and found[1].sort and found[0].contains(span):
            yield Action("Replace with a hole", Deed.OPEN, found[0])


def shown(name: str) -> str:
    """A name in one line of plain text, whatever a schema calls its tables."""
    text = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in name)
    return text if len(text) <= 60 else text[:59] + "…"


def _meet(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def is_clear(found: Diagnostic) -> bool:
    """Whether a finding is a ghost that its nearest name may replace unseen."""
    return found.code == GHOST and clear(found.name, found.suggestions)


def _instead(analysis: Analysis, found: Diagnostic, spelling: str) -> str:
    """What is written for a suggestion; of a hole with an unknown sort, all but the sort stays."""
    if found.code != UNKNOWN_SORT:
        return spelling
    written = decode(analysis.source.data[found.span.start : found.span.end])
    return written.replace(f":{found.name}", f":{spelling}", 1)


def _ignoring(analysis: Analysis, found: Diagnostic) -> Iterator[Action]:
    if suppression(analysis, found.span.start) is not None:
        yield Action("Ignore this line", Deed.IGNORE, Span(found.span.start, found.span.start), finding=found)


def _count(offer: Offer) -> int:
    """How many names may stand in a hole; 0 where it is open or can't be filled."""
    if offer.choice is None or offer.rung is Rung.BASE:
        return 0
    return sum(map(len, offer.choice.instance.candidates.values()))
