"""Grammars of nothing but names and fixed texts, as rows of words and what follows each (Glushkov's automaton)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gproj_lsp.gbnf import Alt, CharClass, Expr, Grammar, Literal, Names, Ref, Repeat, Seq, recursive, walk

__all__ = ["Row", "rows"]

_PARTS = 400
"""The most parts, those of a rule counted wherever it is used."""
_DEPTH = 64
_PAIRS = 100_000
"""The most pairs of a word and one that may follow it directly: a token may run over both, so they are all looked at."""


class Row(NamedTuple):
    """One occurrence of a set of words in a grammar.

    Attributes:
        texts: The words; an empty one counts for nothing here.
        following: The rows that may come next.
        last: Whether the grammar may end after it.
    """

    texts: tuple[str, ...]
    following: tuple[int, ...]
    last: bool


def rows(grammar: Grammar) -> tuple[Row, ...] | None:
    """The rows of a grammar; None where it holds more than names and literals, recurses, or has too many.

    The first row has no words; what may come first follows it.

    Args:
        grammar: Valid, without slots and regions, its rules all needed.
    """
    if any(isinstance(each, CharClass) for rule in grammar.rules.values() for each in walk(rule)):
        return None
    if recursive(grammar.rules):
        return None
    found = _Rows(grammar)
    try:
        whole = found.part(Ref(grammar.start))
    except _Refused:
        return None
    found.follow(frozenset({0}), whole.first)
    last = whole.last | ({0} if whole.nullable else set())
    made = tuple(
        Row(texts, tuple(sorted(found.following[at])), at in last) for at, texts in enumerate(found.texts)
    )
    pairs = (len(row.texts) * len(made[each].texts) for row in made for each in row.following)
    return None if max(pairs, default=0) > _PAIRS else made


class _Refused(Exception):  # noqa: N818  (never leaves this module)
    """The grammar is not one of words."""


@dataclass(frozen=True)
class _Part:
    """What a grammar's part may begin and end with, by the numbers of rows."""

    nullable: bool
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()


@dataclass
class _Rows:
    grammar: Grammar
    texts: list[tuple[str, ...]] = field(default_factory=lambda: [()])
    following: list[set[int]] = field(default_factory=lambda: [set()])
    parts: int = 0

    def follow(self, ones: frozenset[int], others: frozenset[int]) -> None:
        """Let some rows be followed by others."""
        for one in ones:
            self.following[one] |= others

    def part(self, expr: Expr, depth: int = 0) -> _Part:
        """Add the rows of an expression."""
        self.parts += 1
        if self.parts > _PARTS or depth > _DEPTH:
            raise _Refused
        if (texts := _texts(expr)) is not None:
            return self._row(texts)
        if isinstance(expr, Ref):
            return self.part(self.grammar.rules[expr.rule], depth + 1)
        if isinstance(expr, Seq):
            return self._all([self.part(item, depth + 1) for item in expr.items])
        if isinstance(expr, Alt):
            return _either([self.part(choice, depth + 1) for choice in expr.choices])
        if isinstance(expr, Repeat):
            return self._repeated(expr, depth + 1)
        raise _Refused

    def _row(self, texts: tuple[str, ...]) -> _Part:
        if not texts:
            raise _Refused
        here: frozenset[int] = frozenset()
        if any(texts):
            here = frozenset({len(self.texts)})
            self.texts.append(texts)
            self.following.append(set())
        return _Part("" in texts, here, here)

    def _all(self, parts: list[_Part]) -> _Part:
        whole = _Part(nullable=True)
        for part in parts:
            self.follow(whole.last, part.first)
            first = whole.first | part.first if whole.nullable else whole.first
            last = whole.last | part.last if part.nullable else part.last
            whole = _Part(whole.nullable and part.nullable, first, last)
        return whole

    def _repeated(self, expr: Repeat, depth: int) -> _Part:
        """As many as there must be, then those that may be; the last of an open end follows itself."""
        times = max(expr.least, 1) if expr.most is None else expr.most
        parts = [self.part(expr.item, depth) for _ in range(times)]
        if expr.most is None:
            self.follow(parts[-1].last, parts[-1].first)
        return self._all(
            [
                part if at < expr.least else _Part(nullable=True, first=part.first, last=part.last)
                for at, part in enumerate(parts)
            ]
        )


def _either(parts: list[_Part]) -> _Part:
    return _Part(
        any(part.nullable for part in parts),
        frozenset().union(*(part.first for part in parts)),
        frozenset().union(*(part.last for part in parts)),
    )


def _texts(expr: Expr) -> tuple[str, ...] | None:
    """The words of an expression that is a set of them, written out."""
    if isinstance(expr, Literal):
        return (expr.text,)
    if isinstance(expr, Names):
        return expr.texts
    if isinstance(expr, Alt) and all(isinstance(choice, Literal | Names) for choice in expr.choices):
        return tuple(text for choice in expr.choices for text in _texts(choice) or ())
    return None
