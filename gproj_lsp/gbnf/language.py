"""What a grammar says about its language, found without recursion over rules: a chain of 60,000 rules is only long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import product

from gproj_lsp.errors import GrammarError
from gproj_lsp.gbnf.tree import (
    EMPTY,
    NESTING,
    Alt,
    AnyCase,
    CharClass,
    Expr,
    Grammar,
    Literal,
    Names,
    Ref,
    Region,
    Repeat,
    Seq,
    Slot,
    Word,
    alternation,
    children,
    sequence,
)

__all__ = [
    "chain",
    "check",
    "is_nullable",
    "is_text",
    "nullable",
    "prune",
    "reachable",
    "recursive",
    "regions",
    "slots",
    "strings",
    "walk",
]


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything inside it, in order of writing; references are not followed."""
    stack = [expr]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(children(top)))


def slots(grammar: Grammar) -> tuple[str, ...]:
    """The names of its slots, in order of writing."""
    found = (e.name for rule in grammar.rules.values() for e in walk(rule) if isinstance(e, Slot))
    return tuple(dict.fromkeys(found))


def regions(grammar: Grammar) -> tuple[str, ...]:
    """The names of its regions, in order of writing."""
    found = (e.name for rule in grammar.rules.values() for e in walk(rule) if isinstance(e, Region))
    return tuple(dict.fromkeys(found))


def check(grammar: Grammar, where: Callable[[str], str] = lambda rule: rule) -> None:
    """Refuse what no engine may see.

    Args:
        grammar: A grammar from any source.
        where: The place of a rule, for the message.

    Raises:
        GrammarError: A rule is unknown, nests too deeply, holds something that is not text, or is left-recursive.
    """
    if grammar.start not in grammar.rules:
        raise GrammarError(f"no rule named {grammar.start}", place=where(grammar.start))
    for name, rule in grammar.rules.items():
        if _depth(rule) > NESTING:
            raise GrammarError(f"rule {name} nests deeper than {NESTING}", place=where(name))
        for expr in walk(rule):
            if isinstance(expr, Ref) and expr.rule not in grammar.rules:
                raise GrammarError(f"rule {name} uses {expr.rule}, which is not defined", place=where(name))
            if not is_text(expr):
                raise GrammarError(
                    f"rule {name} holds a lone surrogate, which is not text", place=where(name)
                )
    cycle = _left_cycle(grammar.rules)
    if cycle:
        raise GrammarError(
            f"left recursion: {' → '.join(cycle)}",
            place=where(cycle[0]),
            mend="let the rule start with something else",
        )


def _depth(expr: Expr) -> int:
    deepest = 0
    stack = [(expr, 1)]
    while stack:
        top, depth = stack.pop()
        deepest = max(deepest, depth)
        if depth <= NESTING:
            stack.extend((child, depth + 1) for child in children(top))
    return deepest


def is_text(expr: Expr) -> bool:
    """Whether what an expression spells out itself, not what is inside it, can be encoded."""
    texts = (
        (expr.text,) if isinstance(expr, Literal) else expr.texts if isinstance(expr, Names | AnyCase) else ()
    )
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def nullable(rules: Mapping[str, Expr]) -> frozenset[str]:
    """The rules whose language holds the empty string (slots and regions are taken not to)."""
    return _least(rules, is_nullable)


def is_nullable(expr: Expr, found: AbstractSet[str]) -> bool:
    """Whether an expression may be empty, given the rules that may be."""
    if isinstance(expr, Literal):
        return not expr.text
    if isinstance(expr, Names | AnyCase):
        return "" in expr.texts
    if isinstance(expr, Word):
        return expr.admits("")
    if isinstance(expr, Ref):
        return expr.rule in found
    if isinstance(expr, Seq):
        return all(is_nullable(item, found) for item in expr.items)
    if isinstance(expr, Alt):
        return any(is_nullable(choice, found) for choice in expr.choices)
    if isinstance(expr, Repeat):
        return expr.least == 0 or is_nullable(expr.item, found)
    return False


def _inhabited(rules: Mapping[str, Expr]) -> frozenset[str]:
    return _least(rules, _is_inhabited)


def _is_inhabited(expr: Expr, found: AbstractSet[str]) -> bool:
    if isinstance(expr, Names | AnyCase):
        return bool(expr.texts)
    if isinstance(expr, CharClass):
        return bool(expr.ranges) or expr.negated
    if isinstance(expr, Ref):
        return expr.rule in found
    if isinstance(expr, Seq):
        return all(_is_inhabited(item, found) for item in expr.items)
    if isinstance(expr, Alt):
        return any(_is_inhabited(choice, found) for choice in expr.choices)
    if isinstance(expr, Repeat):
        return expr.least == 0 or _is_inhabited(expr.item, found)
    return True


def _least(rules: Mapping[str, Expr], holds: Callable[[Expr, set[str]], bool]) -> frozenset[str]:
    """The least set of rules for which a monotone property holds: each rule is asked again when one it uses joins."""
    users: dict[str, list[str]] = {}
    for name, rule in rules.items():
        for expr in walk(rule):
            if isinstance(expr, Ref):
                users.setdefault(expr.rule, []).append(name)
    found: set[str] = set()
    asked = list(rules)
    while asked:
        name = asked.pop()
        if name not in found and holds(rules[name], found):
            found.add(name)
            asked.extend(users.get(name, ()))
    return frozenset(found)


def _left_cycle(rules: Mapping[str, Expr]) -> tuple[str, ...]:
    """A cycle of rules that begin with each other, or nothing."""
    empty = nullable(rules)
    edges = {name: tuple(dict.fromkeys(_leftmost(rule, empty))) for name, rule in rules.items()}
    done: set[str] = set()
    for root in rules:
        path: dict[str, Iterator[str]] = {}
        if root not in done:
            path[root] = iter(edges[root])
        while path:
            name, rest = next(reversed(path.items()))
            following = next(rest, None)
            if following is None:
                done.add(name)
                del path[name]
            elif following in path:
                names = list(path)
                return (*names[names.index(following) :], following)
            elif following not in done and following in edges:
                path[following] = iter(edges[following])
    return ()


def _leftmost(expr: Expr, empty: frozenset[str]) -> Iterator[str]:
    if isinstance(expr, Ref):
        yield expr.rule
    elif isinstance(expr, Seq):
        for item in expr.items:
            yield from _leftmost(item, empty)
            if not is_nullable(item, empty):
                return
    else:
        for child in children(expr):
            yield from _leftmost(child, empty)


def reachable(grammar: Grammar) -> tuple[str, ...]:
    """The rules that the start rule needs, itself first."""
    found = {grammar.start: None}
    stack = [grammar.start]
    while stack:
        for expr in walk(grammar.rules[stack.pop()]):
            if isinstance(expr, Ref) and expr.rule not in found:
                found[expr.rule] = None
                stack.append(expr.rule)
    return tuple(found)


def recursive(rules: Mapping[str, Expr]) -> frozenset[str]:
    """The rules on, or leading to, a cycle of references: those whose language no regular expression need give."""
    return frozenset(rules) - _heights(rules).keys()


def chain(rules: Mapping[str, Expr]) -> int:
    """A bound on how many rules refer to each other in a row, no rule twice."""
    heights = _heights(rules)
    return max(heights.values(), default=0) + len(rules) - len(heights)


def _heights(rules: Mapping[str, Expr]) -> dict[str, int]:
    """For each rule that no cycle can be reached from: the longest chain of references below it, itself included."""
    uses = {name: {e.rule for e in walk(rule) if isinstance(e, Ref)} for name, rule in rules.items()}
    users: dict[str, list[str]] = {name: [] for name in rules}
    for name, used in uses.items():
        for other in used:
            users[other].append(name)
    waits = {name: len(used) for name, used in uses.items()}
    heights = {name: 1 for name, count in waits.items() if not count}
    queue = list(heights)
    for name in queue:
        for user in users[name]:
            waits[user] -= 1
            if not waits[user]:
                heights[user] = 1 + max(heights[other] for other in uses[user])
                queue.append(user)
    return heights


def prune(grammar: Grammar) -> Grammar | None:
    """The same language without uninhabited choices and unreachable rules; None where nothing is left."""
    alive = _inhabited(grammar.rules)
    if grammar.start not in alive:
        return None
    kept = Grammar({name: _pruned(grammar.rules[name], alive) for name in alive}, grammar.start)
    order = frozenset(reachable(kept))
    rules = {name: kept.rules[name] for name in grammar.rules if name in order}
    return Grammar(rules, grammar.start, grammar.closed & order)


def _pruned(expr: Expr, alive: frozenset[str]) -> Expr:
    if isinstance(expr, Seq):
        return sequence(tuple(_pruned(item, alive) for item in expr.items))
    if isinstance(expr, Alt):
        return alternation(
            tuple(_pruned(choice, alive) for choice in expr.choices if _is_inhabited(choice, alive))
        )
    if isinstance(expr, Repeat):
        if not _is_inhabited(expr.item, alive):
            return EMPTY
        return Repeat(_pruned(expr.item, alive), expr.least, expr.most)
    return expr


def strings(grammar: Grammar, limit: int = 100_000) -> tuple[str, ...] | None:
    """Every string of a finite language, in order and once each; None where it is infinite or has more than `limit`."""
    if recursive(grammar.rules) & frozenset(reachable(grammar)):
        return None
    known: dict[str, tuple[str, ...]] = {}
    pending = [grammar.start]
    while pending:
        rule = grammar.rules[pending[-1]]
        missing = [e.rule for e in walk(rule) if isinstance(e, Ref) and e.rule not in known]
        if missing:
            pending.extend(missing)
            continue
        found = _strings(rule, known, limit)
        if found is None:
            return None
        known[pending.pop()] = found
    return known[grammar.start]


def _strings(expr: Expr, known: Mapping[str, tuple[str, ...]], limit: int) -> tuple[str, ...] | None:
    if isinstance(expr, Literal):
        return (expr.text,)
    if isinstance(expr, Names):
        return expr.texts
    if isinstance(expr, Ref):
        return known[expr.rule]
    if isinstance(expr, CharClass):
        return _characters(expr, limit)
    if isinstance(expr, AnyCase):
        return _cased(expr.texts, limit)
    if isinstance(expr, Alt):
        parts = [_strings(choice, known, limit) for choice in expr.choices]
        if any(part is None for part in parts):
            return None
        return _bounded(dict.fromkeys(text for part in parts for text in part or ()), limit)
    if isinstance(expr, Seq):
        return _product([_strings(item, known, limit) for item in expr.items], limit)
    if isinstance(expr, Repeat) and expr.most is not None:
        item = _strings(expr.item, known, limit)
        least = _product([item] * expr.least, limit)
        once = None if item is None else tuple(dict.fromkeys(("", *item)))
        return _product([least, *[once] * (expr.most - expr.least)], limit)
    return None


def _cased(texts: tuple[str, ...], limit: int) -> tuple[str, ...] | None:
    """Every way to write them; a word of n letters has 2 to the n."""
    found: dict[str, None] = {}
    for text in texts:
        if 1 << sum(char.isascii() and char.isalpha() for char in text) > limit - len(found):
            return None
        ways = [
            dict.fromkeys((char, char.lower(), char.upper())) if char.isascii() else (char,) for char in text
        ]
        found.update(dict.fromkeys(map("".join, product(*ways))))
    return tuple(found)


def _characters(expr: CharClass, limit: int) -> tuple[str, ...] | None:
    if expr.negated or sum(high - low + 1 for low, high in expr.ranges) > limit:
        return None
    points = dict.fromkeys(p for low, high in expr.ranges for p in range(low, high + 1))
    return tuple(chr(p) for p in points if not 0xD800 <= p <= 0xDFFF)


def _product(parts: list[tuple[str, ...] | None], limit: int) -> tuple[str, ...] | None:
    whole: tuple[str, ...] = ("",)
    for part in parts:
        if part is None or len(whole) * len(part) > limit:
            return None
        joined = _bounded(dict.fromkeys(head + tail for head in whole for tail in part), limit)
        if joined is None:
            return None
        whole = joined
    return whole


def _bounded(texts: dict[str, None], limit: int) -> tuple[str, ...] | None:
    return tuple(texts) if len(texts) <= limit else None
