"""Strings drawn at random from a grammar's language, for tests and for seeing what a grammar allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gproj_lsp.gbnf.tree import (
    Alt,
    AnyCase,
    CharClass,
    Expr,
    Grammar,
    Literal,
    Names,
    Ref,
    Repeat,
    Seq,
    Word,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

__all__ = ["Derivations", "sample"]

_NEVER = 1 << 40
_TRIES = 1_000
_PLAIN = tuple(range(0x20, 0x7F))


class Derivations:
    """Random derivations of one grammar; what they need to know of it is worked out once.

    Args:
        grammar: Without slots and regions; every rule it needs inhabited.

    Raises:
        ValueError: The language is empty.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._costs = _costs(grammar.rules)
        if self._costs[grammar.start] >= _NEVER:
            raise ValueError("the language is empty")

    def sample(self, rng: Random, *, steps: int = 60) -> str:
        """One string of the language.

        Args:
            rng: The source of randomness.
            steps: After so many choices the derivation takes the shortest way to an end.
        """
        text: list[str] = []
        stack: list[Expr] = [Ref(self._grammar.start)]
        while stack:
            expr = stack.pop()
            steps -= 1
            if isinstance(expr, Ref):
                stack.append(self._grammar.rules[expr.rule])
            elif isinstance(expr, Alt):
                stack.append(_choice(expr, self._costs, rng, hurried=steps < 0))
            elif isinstance(expr, Seq):
                stack.extend(reversed(expr.items))
            elif isinstance(expr, Repeat):
                stack.extend([expr.item] * _times(expr, rng, hurried=steps < 0))
            else:
                text.append(_leaf(expr, rng))
        return "".join(text)


def sample(grammar: Grammar, rng: Random, *, steps: int = 60) -> str:
    """One string of the language, by a random derivation.

    Args:
        grammar: Without slots and regions; every rule it needs inhabited.
        rng: The source of randomness.
        steps: After so many choices the derivation takes the shortest way to an end.

    Raises:
        ValueError: The language is empty.
    """
    return Derivations(grammar).sample(rng, steps=steps)


def _choice(expr: Alt, costs: Mapping[str, int], rng: Random, *, hurried: bool) -> Expr:
    alive = [choice for choice in expr.choices if _cost(choice, costs) < _NEVER]
    if hurried:
        return min(alive, key=lambda choice: _cost(choice, costs))
    return rng.choice(alive)


def _times(expr: Repeat, rng: Random, *, hurried: bool) -> int:
    most = expr.least + 3 if expr.most is None else min(expr.most, expr.least + 3)
    return expr.least if hurried else rng.randint(expr.least, most)


def _leaf(expr: Expr, rng: Random) -> str:
    if isinstance(expr, Literal):
        return expr.text
    if isinstance(expr, Names):
        return rng.choice(expr.texts)
    if isinstance(expr, CharClass):
        return _character(expr, rng)
    if isinstance(expr, AnyCase):
        return "".join(
            rng.choice((char, char.swapcase())) if char.isascii() else char for char in rng.choice(expr.texts)
        )
    if isinstance(expr, Word):
        return _word(expr, rng)
    raise TypeError(f"{expr} is not instantiated")


def _word(expr: Word, rng: Random) -> str:
    for _ in range(_TRIES):
        length = rng.randint(expr.least, min(expr.most, expr.least + 8))
        text = "".join(_character(expr.rest if at else expr.first, rng) for at in range(length))
        if expr.admits(text):
            return text
    raise ValueError(f"no word was found that is none of {len(expr.avoid)}")


def _character(expr: CharClass, rng: Random) -> str:
    if not expr.negated:
        low, high = rng.choice(expr.ranges)
        return chr(rng.randint(low, high))
    plain = [point for point in _PLAIN if expr.admits(chr(point))]
    if plain:
        return chr(rng.choice(plain))
    return next(chr(p) for p in range(0x110000) if not 0xD800 <= p <= 0xDFFF and expr.admits(chr(p)))


def _costs(rules: Mapping[str, Expr]) -> dict[str, int]:
    """For each rule, how deep its shallowest derivation is."""
    costs = dict.fromkeys(rules, _NEVER)
    changed = True
    while changed:
        now = {name: min(costs[name], 1 + _cost(rule, costs)) for name, rule in rules.items()}
        changed = now != costs
        costs = now
    return costs


def _cost(expr: Expr, costs: Mapping[str, int]) -> int:
    if isinstance(expr, Ref):
        return costs[expr.rule]
    if isinstance(expr, Names | AnyCase):
        return 0 if expr.texts else _NEVER
    if isinstance(expr, Alt):
        return min(_cost(choice, costs) for choice in expr.choices)
    if isinstance(expr, Repeat) and expr.least == 0:
        return 0
    return max((_cost(child, costs) for child in children(expr)), default=0)
