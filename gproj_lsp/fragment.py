"""Fragments: pieces of GBNF with an anchor sort, whose reference positions are slots with queries on Γ (paper, 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType

from gproj_lsp.environment import Environment, Query
from gproj_lsp.errors import EmptyQueryError, GrammarError
from gproj_lsp.gbnf import (
    Expr,
    Grammar,
    Names,
    Ref,
    Slot,
    check,
    portable,
    prune,
    reachable,
    rebuild,
    render,
    slots,
)

__all__ = [
    "Fragment",
    "GateCase",
    "Instance",
    "RegionCall",
    "Rung",
    "SlotLadder",
    "candidates",
    "grammar_text",
    "instantiate",
]


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
        unless: The words that an open name can't be, whatever their case; composite fragments only.
        either_case: Whether names may be written all in capitals here too; composite fragments only.
        infix: A text inside every name, and the rule that stands for it there; composite fragments only.
    """

    base: str
    queries: Mapping[Rung, Query]
    declares: str = ""
    unless: Query | None = None
    either_case: bool = False
    infix: tuple[str, str] | None = None

    def query(self, rung: Rung) -> Query | None:
        """The query at a rung: its own, else the next looser one's; None where the position is open."""
        for looser in range(rung, Rung.BASE, -1):
            if (query := self.queries.get(Rung(looser))) is not None:
                return query
        return None


@dataclass(frozen=True)
class RegionCall:
    """What an `@name@` calls.

    Attributes:
        sort: The sort whose fragment is decoded there.
        order: The order to decode siblings in.
        clause: The clause that begins there, as the surface's `order` of regions names it; empty where none does.
        nests: Whether a scope of its own begins there.
        swaps: The sorts that stand for others from here on, until a scope begins or they are swapped again.
        prefers: The sort whose fragment is decoded there instead at CTX, where Γ holds a name for each of its slots.
    """

    sort: str
    order: int = 0
    clause: str = ""
    nests: bool = False
    swaps: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    prefers: str = ""


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
    _carriers: dict[frozenset[str], _Carrier] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __hash__(self) -> int:
        return hash((self.anchor, self.place))


@dataclass(frozen=True)
class Instance:
    """G[Γ]: a fragment whose slots are replaced by the names in Γ.

    Attributes:
        grammar: Plain GBNF (regions may remain, for the executor).
        rung: At which rung.
        candidates: The spellings admitted at each slot, in Γ's order, de-duplicated; slots that stand open have no entry.
        only: The slot's name where the whole fragment is one closed slot, else empty; such a hole can be ranked.
    """

    grammar: Grammar
    rung: Rung
    candidates: Mapping[str, tuple[str, ...]]
    only: str = ""

    @property
    def guaranteed(self) -> bool:
        """Whether a ghost has no token path here."""
        return self.rung.guaranteed


@dataclass(frozen=True)
class _Carrier:
    """What all instances at one rung share: the rules with a reference in each slot's place.

    Attributes:
        grammar: Checked; the rules of closed slots are missing.
        rules: For each closed slot, the name its rule is to have.
        only: The slot the start rule consists of, or empty.
    """

    grammar: Grammar
    rules: Mapping[str, str]
    only: str


def candidates(
    ladder: SlotLadder, environment: Environment, rung: Rung, pin: str = ""
) -> tuple[str, ...] | None:
    """The spellings a slot admits, in Γ's order and once each; None where the position stays open.

    A declaration is open at every rung, unless it is pinned to the name it must have.

    Args:
        ladder: The slot's queries.
        environment: Γ.
        rung: How strong.
        pin: The one name (or spelling) admitted at PIN.
    """
    if rung is Rung.PIN and ladder.declares and pin:
        return (pin,)
    query = ladder.query(rung)
    if query is None:
        return None
    found = environment.names(query)
    if rung is Rung.PIN and pin:
        found = tuple(binding for binding in found if pin in (binding.spelling, binding.name))
    return tuple(dict.fromkeys([binding.spelling for binding in found if binding.spelling]))


def instantiate(
    fragment: Fragment, environment: Environment, rung: Rung, *, pin: str = "", hole: str = ""
) -> Instance:
    """τ_Γ: the fragment with each slot replaced by its candidates (paper, 4.1).

    The slot's language is exactly the candidate set, whatever characters the names hold: names are values in the tree,
    escaped only where an engine wants text. Rules that an empty slot makes uninhabited are pruned.

    Args:
        fragment: What to instantiate.
        environment: Γ at the hole.
        rung: At which strength.
        pin: The one name admitted at PIN.
        hole: How the hole reads in the source, for the error.

    Raises:
        EmptyQueryError: No string is left, because a slot has no candidate.
    """
    found = {name: candidates(ladder, environment, rung, pin) for name, ladder in fragment.slots.items()}
    closed = {name: texts for name, texts in found.items() if texts is not None}
    carrier = _carrier(fragment, frozenset(closed))
    rules = {name: Names(closed[slot]) for slot, name in carrier.rules.items()}
    grammar = Grammar({**carrier.grammar.rules, **rules}, carrier.grammar.start, frozenset(rules))
    if not all(names.texts for names in rules.values()):
        pruned = prune(grammar)
        if pruned is None:
            raise _nothing(fragment, environment, closed, hole)
        grammar = pruned
    return Instance(grammar, rung, closed, carrier.only)


def grammar_text(instance: Instance) -> str:
    """G[Γ] as plain GBNF, to paste into any other engine."""
    return render(portable(instance.grammar))


def _nothing(
    fragment: Fragment, environment: Environment, closed: Mapping[str, tuple[str, ...]], hole: str
) -> EmptyQueryError:
    """The diagnosis: the first slot without candidates, and what Γ does hold of its sorts."""
    empty = next(name for name, texts in closed.items() if not texts)
    query = fragment.slots[empty].query(Rung.PIN)
    sorts = query.sorts if query else frozenset({fragment.anchor})
    declared = dict.fromkeys(binding.spelling for binding in environment.names(Query(sorts)))
    return EmptyQueryError(
        " or ".join(sorted(sorts)), hole=hole or f"{{:{fragment.anchor}}}", declared=tuple(declared)
    )


def _carrier(fragment: Fragment, closed: frozenset[str]) -> _Carrier:
    carrier = fragment._carriers.get(closed)  # noqa: SLF001  (the fragment's own cache, filled here only)
    if carrier is None:
        carrier = fragment._carriers.setdefault(closed, _build(fragment, closed))  # noqa: SLF001
    return carrier


def _build(fragment: Fragment, closed: frozenset[str]) -> _Carrier:
    grammar = fragment.grammar
    names = {slot: _rule_name(slot, grammar) for slot in closed}
    missing = [slot for slot in slots(grammar) if slot not in fragment.slots]
    if missing:
        raise GrammarError(f"the slot %{missing[0]}% has no query", place=fragment.place)
    targets = {slot: Ref(names.get(slot) or ladder.base) for slot, ladder in fragment.slots.items()}

    def splice(leaf: Expr) -> Expr:  # a reference is one item, so nothing splits around it
        return targets[leaf.name] if isinstance(leaf, Slot) else leaf

    rules = {name: rebuild(rule, splice) for name, rule in grammar.rules.items()}
    # A slot always has a name and never the empty one, so any name will do to check the rules around it.
    stand_ins = {name: Names(("x",)) for name in names.values()}
    whole = Grammar({**rules, **stand_ins}, grammar.start)
    check(whole, lambda _: fragment.place)
    kept = frozenset(reachable(whole))
    carried = Grammar({name: rule for name, rule in rules.items() if name in kept}, grammar.start)
    return _Carrier(
        carried, {slot: name for slot, name in names.items() if name in kept}, _only(fragment, closed)
    )


def _only(fragment: Fragment, closed: frozenset[str]) -> str:
    top: Expr = Ref(fragment.grammar.start)
    while isinstance(top, Ref):
        top = fragment.grammar.rules[top.rule]
    return top.name if isinstance(top, Slot) and top.name in closed else ""


def _rule_name(slot: str, grammar: Grammar) -> str:
    name = "slot-" + slot.replace("_", "-")
    while name in grammar.rules:
        name += "-names"
    return name
