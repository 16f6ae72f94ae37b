"""What may reach an engine's native code, where a mistake ends the process instead of raising."""

from __future__ import annotations

from functools import lru_cache

from gproj_lsp.decode.engines.shape import Shape, shape_of
from gproj_lsp.errors import EngineError
from gproj_lsp.gbnf import Expr, Grammar, Ref, chain, check, is_text, reachable, rebuild, regions, slots, walk

__all__ = ["admit", "renamed"]

_RULES = 50_000
_CHAIN = 1_000
"""How many rules may refer to each other in a row before text is reached; native code follows references recursively."""


def admit(grammar: Grammar) -> Grammar:
    """The grammar reduced to the rules it needs, if every engine can be trusted with it.

    Raises:
        EngineError: A slot or region is left in it, or it is too large.
        GrammarError: It is not valid.
    """
    shape = shape_of(grammar)
    kept = _needed(shape) if shape.sound and _are_text(grammar, shape) else _checked(grammar)
    return Grammar({name: grammar.rules[name] for name in kept}, grammar.start, grammar.closed & set(kept))


@lru_cache(maxsize=64)
def _needed(shape: Shape) -> tuple[str, ...]:
    """The rules that any grammar of a shape needs."""
    return _checked(shape.sketched)


def _are_text(grammar: Grammar, shape: Shape) -> bool:
    return all(is_text(each) for name, _ in shape.listed for each in walk(grammar.rules[name]))


def _checked(grammar: Grammar) -> tuple[str, ...]:
    """The rules that a grammar needs, if every engine can be trusted with them."""
    check(grammar)
    left = slots(grammar) + regions(grammar)
    if left:
        raise EngineError(
            f"{left[0]} is not instantiated", mend="instantiate the fragment, and decode its regions apart"
        )
    kept = reachable(grammar)
    if len(kept) > _RULES:
        raise EngineError(f"the grammar has {len(kept):,} rules; at most {_RULES:,} are compiled")
    if chain({name: grammar.rules[name] for name in kept}) > _CHAIN:
        raise EngineError(f"rules refer to each other more than {_CHAIN} deep")
    return kept


def renamed(grammar: Grammar) -> Grammar:
    """The same grammar with names that every engine reads: `root` and `r1`, `r2`, …."""
    names = {name: f"r{number}" for number, name in enumerate(grammar.rules, 1)}
    names[grammar.start] = "root"

    def rename(leaf: Expr) -> Expr:
        return Ref(names[leaf.rule]) if isinstance(leaf, Ref) else leaf

    rules = {names[name]: rebuild(rule, rename) for name, rule in grammar.rules.items()}
    return Grammar(rules, "root", frozenset(names[name] for name in grammar.closed))
