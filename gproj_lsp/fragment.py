"""Fragments: pieces of GBNF with an anchor sort, whose reference positions are slots with queries on Γ (paper, 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from gproj_lsp.environment import Query
from gproj_lsp.gbnf import Grammar

__all__ = ["Fragment", "GateCase", "Instance", "RegionCall", "Rung", "SlotLadder"]


class Rung(IntEnum):
    """One position at four strengths; a higher value is tighter. The no-ghost guarantee starts at GAMMA."""

    BASE = 0
    GAMMA = 1
    CTX = 2
    PIN = 3

    @property
    def guaranteed(self) -> bool:
        """Whether a ghost has no token path at this rung."""
        return self >= Rung.GAMMA


@dataclass(frozen=True)
class SlotLadder:
    """A slot's query at each rung.

    Attributes:
        base: The rule of the fragment's grammar that stands for an open name at BASE.
        queries: GAMMA, CTX and (rarely) PIN queries; each tighter one tightens the looser.
        declares: The sort a name written here is declared as (`ColDecl` → `Column`); empty for references.
    """

    base: str
    queries: Mapping[Rung, Query]
    declares: str = ""


@dataclass(frozen=True)
class RegionCall:
    """What an `@name@` calls: the sort whose fragment is decoded there, and the order to decode siblings in."""

    sort: str
    order: int = 0


@dataclass(frozen=True)
class GateCase:
    """One hard-gate case: Γ as facts, what must be accepted, what must be rejected, at a rung."""

    facts: Mapping[str, object]
    rung: Rung
    accept: tuple[str, ...]
    reject: tuple[str, ...]


@dataclass(frozen=True)
class Fragment:
    """A grammar piece for one sort.

    Attributes:
        anchor: The sort it produces.
        grammar: GBNF with slots and regions.
        slots: Every slot's ladder, by slot name.
        regions: Every region's call, by region name; empty for a leaf fragment.
        gate: Its hard-gate cases.
        place: File and line it was read from.
    """

    anchor: str
    grammar: Grammar
    slots: Mapping[str, SlotLadder]
    regions: Mapping[str, RegionCall]
    gate: tuple[GateCase, ...] = ()
    place: str = ""


@dataclass(frozen=True)
class Instance:
    """G[Γ]: a fragment whose slots are replaced by the names in Γ.

    Attributes:
        grammar: Plain GBNF (regions may remain, for the executor).
        rung: At which rung.
        candidates: The spellings admitted at each slot, in Γ's order, de-duplicated.
        only: The slot's name where the whole fragment is one closed slot, else empty; such a hole can be ranked.
    """

    grammar: Grammar
    rung: Rung
    candidates: Mapping[str, tuple[str, ...]]
    only: str = ""
