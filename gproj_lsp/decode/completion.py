"""How far a text is from a grammar's language: what is left of the grammar after it, and the shortest way to its end.

What is left of an expression after a character is its derivative (Brzozowski 1964), here over GBNF trees. The
executor asks only where a budget runs short; masks come from the engines.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gproj_lsp.gbnf import (
    EMPTY,
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
    lowered,
    nullable,
    sequence,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Rest", "shortest"]

_NOTHING = Names(())


@dataclass(frozen=True)
class _Rules:
    """What all quotients of one grammar share."""

    exprs: Mapping[str, Expr]
    empty: frozenset[str]
    shortest: Mapping[str, str]


class Rest:
    """What may follow a text: the quotient of a grammar's language."""

    def __init__(self, grammar: Grammar) -> None:
        """Everything the grammar holds may follow the empty text."""
        self._rules = _Rules(grammar.rules, nullable(grammar.rules), _shortest_of_rules(grammar.rules))
        self._expr: Expr = Ref(grammar.start)

    def after(self, text: str) -> Rest:
        """What may follow once the text is written."""
        rest = copy(self)
        for char in text:
            rest._expr = self._derive(rest._expr, char)  # noqa: SLF001  (its own class)
        return rest

    def shortest(self) -> str | None:
        """The shortest text that ends here; None where the text so far is no beginning of any."""
        return _shortest(self._expr, self._rules.shortest)

    def _derive(self, expr: Expr, char: str) -> Expr:
        if isinstance(expr, Literal):
            return Literal(expr.text[1:]) if expr.text.startswith(char) else _NOTHING
        if isinstance(expr, Names):
            return Names(tuple(text[1:] for text in expr.texts if text.startswith(char)))
        if isinstance(expr, AnyCase):
            texts = tuple(text[1:] for text in expr.texts if lowered(text[:1]) == lowered(char))
            return AnyCase(texts) if texts else _NOTHING
        if isinstance(expr, Word):
            return expr.after(char) or _NOTHING
        if isinstance(expr, CharClass):
            return EMPTY if expr.admits(char) else _NOTHING
        if isinstance(expr, Ref):
            return self._derive(self._rules.exprs[expr.rule], char)
        if isinstance(expr, Alt):
            return _union([self._derive(choice, char) for choice in expr.choices])
        if isinstance(expr, Repeat):
            return self._derive_repeat(expr, char)
        return self._derive_sequence(expr.items, char) if isinstance(expr, Seq) else _NOTHING

    def _derive_sequence(self, items: tuple[Expr, ...], char: str) -> Expr:
        choices = []
        for at, item in enumerate(items):
            first = self._derive(item, char)
            if first != _NOTHING:
                choices.append(_joined(first, items[at + 1 :]))
            if not self._nullable(item):
                break
        return _union(choices)

    def _derive_repeat(self, expr: Repeat, char: str) -> Expr:
        if expr.most == 0:
            return _NOTHING
        first = self._derive(expr.item, char)
        if first == _NOTHING:
            return _NOTHING
        more = Repeat(expr.item, max(expr.least - 1, 0), None if expr.most is None else expr.most - 1)
        return first if more.most == 0 else _joined(first, (more,))

    def _nullable(self, expr: Expr) -> bool:
        return _shortest(expr, dict.fromkeys(self._rules.empty, "")) == ""


def shortest(grammar: Grammar) -> str | None:
    """The shortest string of a grammar; the first of several; None where there is none."""
    return Rest(grammar).shortest()


def _joined(first: Expr, rest: tuple[Expr, ...]) -> Expr:
    if first == EMPTY:
        return sequence(rest)
    return sequence((*(first.items if isinstance(first, Seq) else (first,)), *rest))


def _union(choices: list[Expr]) -> Expr:
    flat: dict[Expr, None] = {}
    for choice in choices:
        for part in choice.choices if isinstance(choice, Alt) else (choice,):
            if part != _NOTHING:
                flat[part] = None
    if not flat:
        return _NOTHING
    return next(iter(flat)) if len(flat) == 1 else Alt(tuple(flat))


def _shortest_of_rules(rules: Mapping[str, Expr]) -> dict[str, str]:
    """Each rule's shortest string, by rounds until none gets shorter."""
    found: dict[str, str] = {}
    changed = True
    while changed:
        changed = False
        for name, rule in rules.items():
            text = _shortest(rule, found)
            if text is not None and (name not in found or len(text) < len(found[name])):
                found[name] = text
                changed = True
    return found


def _shortest(expr: Expr, found: Mapping[str, str]) -> str | None:
    if isinstance(expr, Literal):
        return expr.text
    if isinstance(expr, Names | AnyCase):
        return min(expr.texts, key=len, default=None)
    if isinstance(expr, CharClass):
        return _some_character(expr)
    if isinstance(expr, Word):
        return _some_word(expr)
    if isinstance(expr, Ref):
        return found.get(expr.rule)
    if isinstance(expr, Alt):
        texts = [text for choice in expr.choices if (text := _shortest(choice, found)) is not None]
        return min(texts, key=len, default=None)
    if isinstance(expr, Repeat):
        text = _shortest(expr.item, found) if expr.least else ""
        return None if text is None else text * expr.least
    if isinstance(expr, Seq):
        parts = [_shortest(item, found) for item in expr.items]
        return None if None in parts else "".join(part for part in parts if part)
    return None


def _some_word(expr: Word) -> str | None:
    """A shortest word of it."""
    if expr.admits(""):
        return ""
    rests = [(char, rest) for char in _characters(expr.first) if (rest := expr.after(char)) is not None]
    found = (
        [char + word for char, rest in rests if (word := _some_word(rest)) is not None] if expr.most else []
    )
    return min(found, key=len, default=None)


def _some_character(expr: CharClass) -> str | None:
    return next(_characters(expr), None)


def _characters(expr: CharClass) -> Iterator[str]:
    """Its characters; of a negated class those that are easy to write."""
    if expr.negated:
        return (chr(point) for point in (*range(32, 127), *range(160, 0x3000)) if expr.admits(chr(point)))
    return (chr(point) for low, high in expr.ranges for point in range(low, high + 1))
