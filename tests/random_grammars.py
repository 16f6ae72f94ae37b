"""Small grammars at random, free of left recursion, full of literals that begin each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gproj_lsp.errors import GrammarError
from gproj_lsp.gbnf import (
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
    check,
    prune,
    sample,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

LETTERS = "abé"


def random_grammar(rng: Random, depth: int = 3, *, worded: bool = False) -> Grammar:
    """A valid grammar in which every rule is inhabited and used.

    Args:
        rng: The source of randomness.
        depth: Bounds the nesting of one rule.
        worded: Whether names in any case, words but some and white space take part.
    """
    extra = _WORDED if worded else ()
    while True:
        names = ["root", *(f"x{i}" for i in range(rng.randint(0, 3)))]
        rules = {name: _expr(rng, names, depth, extra) for name in names}
        if worded:
            rules["blank"] = CharClass(((ord(" "), ord(" ")),))
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


_AB = CharClass(((ord("A"), ord("B")), (ord("a"), ord("b"))))

_WORDED: tuple[Callable[[Random], Expr], ...] = (
    lambda rng: AnyCase(tuple(dict.fromkeys(_word(rng) for _ in range(rng.randint(1, 3))))),
    lambda rng: Word(
        _AB, _AB, rng.randint(1, 2), rng.randint(2, 4), frozenset(_plain(rng) for _ in range(2))
    ),
    lambda _: Ref("blank"),
    lambda _: Seq((Ref("blank"), Literal("a"))),
)


def _plain(rng: Random) -> str:
    return "".join(rng.choices("ab", k=rng.randint(1, 2)))


def _expr(
    rng: Random, names: list[str], depth: int, extra: tuple[Callable[[Random], Expr], ...] = ()
) -> Expr:
    kind = rng.random()
    if extra and kind < 0.2:
        return rng.choice(extra)(rng)
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
        return Seq(tuple(_expr(rng, names, depth - 1, extra) for _ in range(rng.randint(2, 3))))
    if kind < 0.85:
        return Alt(tuple(_expr(rng, names, depth - 1, extra) for _ in range(rng.randint(2, 3))))
    least, most = rng.choice([(0, 1), (0, None), (1, None), (1, 2), (2, 3)])
    return Repeat(_expr(rng, names, depth - 1, extra), least, most)


def texts(grammar: Grammar, rng: Random, count: int, letters: str = LETTERS) -> list[str]:
    """Strings of the language, strings close to them, and strings at random."""
    found: list[str] = []
    for _ in range(count):
        word = sample(grammar, rng, steps=15)[:40]
        near = list(word)
        for _ in range(rng.randint(1, 2)):
            at = rng.randint(0, len(near))
            near[at : at + rng.randint(0, 1)] = rng.choice(["", rng.choice(letters)])
        found += [word, "".join(near), "".join(rng.choices(letters, k=rng.randint(0, 6)))]
    return list(dict.fromkeys(found))
