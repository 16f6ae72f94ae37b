"""Grammar calls as grammar: fragments inlined into each other, and pieces of fragments put behind one another.

Where the executor has to look ahead, past a region's end or into the choices before it, it looks at the finite
substitution of all calls (paper, 4.3, "Grammar call and nesting"), instantiated at the Γ of the moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gproj_lsp.decode.completion import Rest
from gproj_lsp.errors import DepthError, SurfaceError
from gproj_lsp.fragment import Fragment
from gproj_lsp.gbnf import (
    EMPTY,
    Alt,
    Expr,
    Grammar,
    Literal,
    Names,
    Ref,
    Region,
    Repeat,
    Seq,
    Slot,
    alternation,
    nullable,
    sequence,
    walk,
)

__all__ = [
    "DEPTH",
    "Call",
    "beginning",
    "called",
    "concatenated",
    "ending_before",
    "interpreted",
    "literal_of",
    "may_be_empty",
    "own_end",
    "piece",
    "substituted",
    "united",
]

DEPTH = 32
"""How deep grammar calls may nest."""


@dataclass(frozen=True)
class Call:
    """One fragment being decoded.

    Attributes:
        fragment: The fragment.
        path: The sorts of the calls around it and its own, outermost first; ρ within a hole.
    """

    fragment: Fragment
    path: tuple[str, ...]

    @property
    def depth(self) -> int:
        """How many calls are around it."""
        return len(self.path) - 1


def called(call: Call, region: Region, fragments: Mapping[str, Fragment]) -> Call:
    """The call that a region makes.

    Raises:
        DepthError: Calls would nest deeper than 32, or call themselves.
        SurfaceError: There is no fragment for the region's sort.
    """
    place = call.fragment.place
    made = call.fragment.regions.get(region.name)
    if made is None:
        raise SurfaceError(f"the region @{region.name}@ has no call", place=place)
    if made.sort not in fragments:
        raise SurfaceError(f"no fragment produces {made.sort}", place=place)
    path = (*call.path, made.sort)
    if made.sort in call.path:
        raise DepthError(f"grammar calls form a cycle: {' → '.join(path)}", place=place)
    if len(path) > DEPTH + 1:
        raise DepthError(f"grammar calls nest deeper than {DEPTH}", place=place)
    return Call(fragments[made.sort], path)


def interpreted(fragment: Fragment, expr: Expr) -> bool:
    """Whether an expression holds a region or a declaration, so that the executor walks it instead of an engine."""
    seen: set[str] = set()
    waiting = [expr]
    while waiting:
        for part in walk(waiting.pop()):
            if isinstance(part, Region) or (isinstance(part, Slot) and _declares(fragment, part)):
                return True
            if isinstance(part, Ref) and part.rule not in seen:
                seen.add(part.rule)
                waiting.append(fragment.grammar.rules[part.rule])
    return False


def _declares(fragment: Fragment, slot: Slot) -> bool:
    return slot.name in fragment.slots and bool(fragment.slots[slot.name].declares)


def piece(fragment: Fragment, expr: Expr) -> Fragment:
    """The fragment cut down to one of its expressions."""
    if expr == Ref(fragment.grammar.start):
        return fragment
    start = "piece"
    while start in fragment.grammar.rules:
        start += "-of"
    return replace(fragment, grammar=Grammar({**fragment.grammar.rules, start: expr}, start))


def concatenated(*parts: Grammar | bytes) -> Grammar:
    """One grammar for texts that follow each other; rules are renamed apart."""
    rules: dict[str, Expr] = {}
    items: list[Expr] = []
    closed: set[str] = set()
    for at, part in enumerate(parts):
        if isinstance(part, bytes):
            if part:
                items.append(Literal(part.decode()))
            continue
        prefix = f"p{at}-"
        rules.update((prefix + name, renamed(rule, prefix)) for name, rule in part.rules.items())
        closed.update(prefix + name for name in part.closed)
        items.append(Ref(prefix + part.start))
    return Grammar({"root": _renamed(sequence(tuple(items)), ""), **rules}, "root", frozenset(closed))


def united(grammars: Sequence[Grammar]) -> Grammar:
    """One grammar for the texts of any of several; rules are renamed apart."""
    rules: dict[str, Expr] = {}
    for at, grammar in enumerate(grammars):
        rules.update((f"u{at}-{name}", renamed(rule, f"u{at}-")) for name, rule in grammar.rules.items())
    choices = tuple(Ref(f"u{at}-{grammar.start}") for at, grammar in enumerate(grammars))
    closed = frozenset(f"u{at}-{name}" for at, grammar in enumerate(grammars) for name in grammar.closed)
    return Grammar({"root": alternation(choices), **rules}, "root", closed)


def renamed(expr: Expr, prefix: str, regions: Mapping[str, str] | None = None) -> Expr:
    """The expression with every rule it names renamed, and regions replaced by the rules given for them."""
    return _renamed(expr, prefix) if regions is None else _replaced(expr, prefix, regions)


@lru_cache(maxsize=8_192)
def _renamed(expr: Expr, prefix: str) -> Expr:
    """The same object for the same rule: engines keep what they know of a grammar by the objects it is made of."""
    return _replaced(expr, prefix, None)


def _replaced(expr: Expr, prefix: str, regions: Mapping[str, str] | None) -> Expr:
    if isinstance(expr, Ref):
        return Ref(prefix + expr.rule)
    if isinstance(expr, Region) and regions is not None:
        return Ref(regions[expr.name])
    if isinstance(expr, Seq):
        return Seq(tuple(_replaced(item, prefix, regions) for item in expr.items))
    if isinstance(expr, Alt):
        return Alt(tuple(_replaced(choice, prefix, regions) for choice in expr.choices))
    if isinstance(expr, Repeat):
        return Repeat(_replaced(expr.item, prefix, regions), expr.least, expr.most)
    return expr


def substituted(
    call: Call,
    expr: Expr,
    fragments: Mapping[str, Fragment],
    instance: Callable[[Fragment, Sequence[str]], Grammar],
) -> Grammar:
    """An expression with every call in it inlined.

    Args:
        call: Whose expression it is.
        expr: The expression.
        fragments: By sort.
        instance: τ_Γ at the moment, for a fragment and ρ.

    Raises:
        DepthError: As `called`.
    """
    rules: dict[str, Expr] = {}
    closed: set[str] = set()

    def add(inner: Call, fragment: Fragment) -> str:
        prefix = f"c{len(rules)}-"
        grammar = instance(fragment, inner.path)
        rules[prefix + grammar.start] = EMPTY  # taken, so that the next prefix differs
        found = {
            part.name for rule in grammar.rules.values() for part in walk(rule) if isinstance(part, Region)
        }
        starts: dict[str, str] = {}
        for name in sorted(found):
            child = called(inner, Region(name), fragments)
            starts[name] = add(child, child.fragment)
        rules.update((prefix + name, renamed(rule, prefix, starts)) for name, rule in grammar.rules.items())
        closed.update(prefix + name for name in grammar.closed)
        return prefix + grammar.start

    start = add(call, piece(call.fragment, expr))
    return Grammar(rules, start, frozenset(closed))


def may_be_empty(grammar: Grammar) -> bool:
    """Whether the empty text is in the language."""
    return grammar.start in nullable(grammar.rules)


def beginning(grammar: Grammar) -> Grammar:
    """What the grammar's texts begin with, as far as their first part that is not empty: enough to tell that they began."""
    empty = nullable(grammar.rules)
    items: list[Expr] = []
    last: Expr = Ref(grammar.start)
    seen = set(grammar.closed)
    while isinstance(last, Ref) and last.rule not in seen:
        seen.add(last.rule)
        rule = grammar.rules[last.rule]
        if isinstance(rule, Seq):
            at = next(
                (at for at, item in enumerate(rule.items) if not _may_be_empty(item, empty)),
                len(rule.items) - 1,
            )
            items += rule.items[:at]
            last = rule.items[at]
        elif isinstance(rule, Ref):
            last = rule
    start = "beginning"
    while start in grammar.rules:
        start += "-of"
    return Grammar({**grammar.rules, start: sequence((*items, last))}, start, grammar.closed)


def _may_be_empty(expr: Expr, empty: frozenset[str]) -> bool:
    if isinstance(expr, Literal):
        return not expr.text
    if isinstance(expr, Ref):
        return expr.rule in empty
    if isinstance(expr, Repeat):
        return expr.least == 0 or _may_be_empty(expr.item, empty)
    if isinstance(expr, Names):
        return "" in expr.texts
    if isinstance(expr, Alt):
        return any(_may_be_empty(choice, empty) for choice in expr.choices)
    return isinstance(expr, Seq) and all(_may_be_empty(item, empty) for item in expr.items)


def ending_before(text: str, grammar: Grammar, following: Grammar) -> int | None:
    """Where the first part of a text ends that is of `grammar` and has the rest in `following`; None where there is none."""
    rest = Rest(grammar)
    for at in range(len(text) + 1):
        if rest.shortest() == "" and Rest(following).after(text[at:]).shortest() == "":
            return at
        if at < len(text):
            rest = rest.after(text[at])
    return None


def own_end(text: bytes, grammar: Grammar, follow: Grammar | None) -> int:
    """Where the grammar's own part of a text ends, before what follows it."""
    if follow is None:
        return len(text)
    literal = literal_of(follow)
    if literal and text.endswith(literal):
        return len(text) - len(literal)
    chars = text.decode()
    end = ending_before(chars, grammar, follow)
    return len(text) if end is None else len(chars[:end].encode())


def literal_of(grammar: Grammar | None) -> bytes:
    """The text of a grammar that is one literal; empty where it is not."""
    expr: Expr | None = Ref(grammar.start) if grammar else None
    while grammar and isinstance(expr, Ref):
        expr = grammar.rules[expr.rule]
    return expr.text.encode() if isinstance(expr, Literal) else b""
