"""Small grammars at random, free of left recursion, full of literals that begin each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gproj_lsp.errors import GrammarError
from gproj_lsp.gbnf import (
    Alt,
    CharClass,
    Expr,
    Grammar,
    Literal,
    Names,
    Ref,
    Repeat,
    Seq,
    check,
    prune,
    sample,
)

if TYPE_CHECKING:
    from random import Random

LETTERS = "abé"


def random_grammar(rng: Random, depth: int = 3) -> Grammar:
    """A valid grammar in which every rule is inhabited and used; `depth` bounds the nesting of one rule."""
    while True:
        names = ["root", *(f"x{i}" for i in range(rng.randint(0, 3)))]
        rules = {name: _expr(rng, names, depth) for name in names}
        grammar = prune(Grammar(rules))
        if grammar is None:
            continue
        try:
            check(grammar)
        except GrammarError:
            continue
        return grammar


def _word(rng: Random) -> str:
    return "".join(rng.choices(LETTERS, weights=(4, 4, 1), k=rng.randint(1, 3)))


def _expr(rng: Random, names: list[str], depth: int) -> Expr:
    kind = rng.random()
    if depth == 0 or kind < 0.25:
        return rng.choice(
            [
                lambda: Literal(_word(rng)),
                lambda: Literal(_word(rng)),
                lambda: Names(tuple(dict.fromkeys(_word(rng) for _ in range(rng.randint(1, 4))))),
                lambda: CharClass(((ord("a"), ord("b")),), negated=rng.random() < 0.15),
                lambda: Ref(rng.choice(names)),
                lambda: Ref(rng.choice(names)),
            ]
        )()
    if kind < 0.55:
        return Seq(tuple(_expr(rng, names, depth - 1) for _ in range(rng.randint(2, 3))))
    if kind < 0.85:
        return Alt(tuple(_expr(rng, names, depth - 1) for _ in range(rng.randint(2, 3))))
    least, most = rng.choice([(0, 1), (0, None), (1, None), (1, 2), (2, 3)])
    return Repeat(_expr(rng, names, depth - 1), least, most)


def texts(grammar: Grammar, rng: Random, count: int) -> list[str]:
    """Strings of the language, strings close to them, and strings at random."""
    found: list[str] = []
    for _ in range(count):
        word = sample(grammar, rng, steps=15)[:40]
        near = list(word)
        for _ in range(rng.randint(1, 2)):
            at = rng.randint(0, len(near))
            near[at : at + rng.randint(0, 1)] = rng.choice(["", rng.choice(LETTERS)])
        found += [word, "".join(near), "".join(rng.choices(LETTERS, k=rng.randint(0, 6)))]
    return list(dict.fromkeys(found))
