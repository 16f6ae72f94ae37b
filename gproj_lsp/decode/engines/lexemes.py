"""Whether a lexer that always takes the longest lexeme reads a grammar exactly.

After the lexeme `w` of one terminal, the lexer goes on with another (or the same) whose words begin with `w` and the next byte.
That is wrong only where the next byte could also begin what follows `w` in the grammar. Asked of bytes, since lexers step by
bytes: two characters that share their first byte count as one, and so do a letter's two cases. The answer may err towards a
clash, never the other way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from gproj_lsp.decode.engines.automaton import Automaton, automaton, class_bytes, lead
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
    lowered,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Lexemes"]


class Lexemes:
    """The lexemes of a grammar, to be asked whether they can be told from each other.

    Args:
        grammar: Whose `rules` hold references only; every other rule they refer to is one lexeme.
        rules: Names of rules that are not lexemes.
        lists: Names of rules that are sketches of lists of names, which are told when asking.
        cased: Whether names on those lists are told apart by the case of their letters.
    """

    def __init__(
        self,
        grammar: Grammar,
        rules: frozenset[str],
        lists: frozenset[str] = frozenset(),
        *,
        cased: bool = True,
    ) -> None:
        self._cased = cased and not any(
            isinstance(each, AnyCase) for rule in grammar.rules.values() for each in walk(rule)
        )
        self._words: dict[tuple[str, ...], int] = {}
        self._patterns: dict[Automaton, int] = {}
        self._lists: dict[str, int] = {}
        for name, after in _Followers(grammar, rules, cased=self._cased).of.items():
            if name not in rules:
                for part in _parts(Ref(name), grammar.rules, lists):
                    self._add(part, after, grammar)
        self._hopeless = self._patterns_meet(self._words) or any(
            one.continues(other) & after for one, after in self._patterns.items() for other in self._patterns
        )

    def _add(self, part: Expr, after: int, grammar: Grammar) -> None:
        if isinstance(part, Ref):
            self._lists[part.rule] = self._lists.get(part.rule, 0) | after
        elif (known := _words(part, cased=self._cased)) is not None:
            self._words[known] = self._words.get(known, 0) | after
        else:
            pattern = automaton(part, grammar, cased=self._cased)
            self._patterns[pattern] = self._patterns.get(pattern, 0) | after

    def clash(self, lists: Mapping[str, Expr]) -> bool:
        """Whether two lexemes may be split wrongly somewhere in the grammar.

        Args:
            lists: The rules that were sketches.
        """
        if self._hopeless:
            return True
        words: dict[tuple[str, ...], int] = {}
        for name, after in self._lists.items():
            for part in _parts(lists[name], lists):
                known = _words(part, cased=self._cased)
                if known is not None:
                    words[known] = words.get(known, 0) | after
        return self._patterns_meet(words) or _words_clash((self._words, words), cased=self._cased)

    def _patterns_meet(self, words: Mapping[tuple[str, ...], int]) -> bool:
        for pattern, follow in self._patterns.items():
            for known, after in words.items():
                beyond, inside = pattern.beside(known)
                if beyond & after or inside & follow:
                    return True
        return False


def _parts(expr: Expr, rules: Mapping[str, Expr], lists: frozenset[str] = frozenset()) -> Iterable[Expr]:
    """A terminal's choices: what holds of each of them holds of it. Of lists, the reference."""
    if isinstance(expr, Ref) and expr.rule not in lists:
        yield from _parts(rules[expr.rule], rules, lists)
    elif isinstance(expr, Alt):
        for choice in expr.choices:
            yield from _parts(choice, rules, lists)
    else:
        yield expr


def _words(expr: Expr, *, cased: bool) -> tuple[str, ...] | None:
    """All its words where it is a list of them."""
    if isinstance(expr, Literal):
        return (expr.text,) if cased else (lowered(expr.text),)
    if isinstance(expr, Names | AnyCase):
        return expr.texts if cased else _lowered(expr.texts)
    return None


@lru_cache(maxsize=256)
def _lowered(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(lowered, texts))


def _words_clash(lists: Iterable[Mapping[tuple[str, ...], int]], *, cased: bool) -> bool:
    """The question, asked of terminals that are words; sorted, a word stands before what it begins."""
    after: dict[str, int] = {}
    for words, follow in chain.from_iterable(known.items() for known in lists):
        for word in words:
            after[word] = after.get(word, 0) | follow
    beginnings: list[str] = []
    for word in sorted(after):
        while beginnings and not word.startswith(beginnings[-1]):
            beginnings.pop()
        if any(lead(word[len(shorter)], cased=cased) & after[shorter] for shorter in beginnings if shorter):
            return True
        beginnings.append(word)
    return False


@dataclass(frozen=True)
class _Edge:
    """What a text may begin with: bytes as bits, and whether it may be empty."""

    first: int
    nullable: bool


_NEVER = _Edge(0, nullable=False)
_EMPTY = _Edge(0, nullable=True)


class _Followers:
    """For each rule and lexeme that a rule refers to, the first bytes of what may come after it, as bits.

    First sets are least fixed points, asked again of a rule when one that it uses has grown; follow sets flow from a rule to
    what may end it.
    """

    def __init__(self, grammar: Grammar, rules: frozenset[str], *, cased: bool) -> None:
        self._grammar = grammar
        self._cased = cased
        self._rules = rules
        self._edges: dict[str, _Edge] = dict.fromkeys(rules, _NEVER)
        self._ends: dict[str, set[str]] = {}
        self.of: dict[str, int] = {}
        self._settle_edges()
        for name in rules:
            self._visit(grammar.rules[name], 0, name)
        self._settle_follow()

    def _settle_edges(self) -> None:
        users: dict[str, set[str]] = {}
        for name in self._rules:
            for expr in walk(self._grammar.rules[name]):
                if isinstance(expr, Ref) and expr.rule in self._rules:
                    users.setdefault(expr.rule, set()).add(name)
        asked = set(self._rules)
        while asked:
            name = asked.pop()
            now = self._edge(self._grammar.rules[name])
            if now != self._edges[name]:
                self._edges[name] = now
                asked |= users.get(name, set())

    def _settle_follow(self) -> None:
        asked = set(self._rules)
        while asked:
            name = asked.pop()
            after = self.of.get(name, 0)
            for other in self._ends.get(name, ()):
                if after & ~self.of.get(other, 0):
                    self.of[other] = self.of.get(other, 0) | after
                    if other in self._rules:
                        asked.add(other)

    def _visit(self, expr: Expr, after: int, within: str) -> None:
        """`within`: the rule whose own followers come after the expression too, or nothing."""
        if isinstance(expr, Ref):
            self.of[expr.rule] = self.of.get(expr.rule, 0) | after
            if within:
                self._ends.setdefault(within, set()).add(expr.rule)
        elif isinstance(expr, Alt):
            for choice in expr.choices:
                self._visit(choice, after, within)
        elif isinstance(expr, Repeat):
            self._visit(expr.item, after | (self._edge(expr.item).first if expr.most != 1 else 0), within)
        elif isinstance(expr, Seq):
            for item in reversed(expr.items):
                self._visit(item, after, within)
                edge = self._edge(item)
                after = edge.first | (after if edge.nullable else 0)
                within = within if edge.nullable else ""

    def _edge(self, expr: Expr) -> _Edge:
        if isinstance(expr, Ref):
            return self._rule(expr.rule)
        if isinstance(expr, Alt):
            first, nullable = 0, False
            for choice in expr.choices:
                edge = self._edge(choice)
                first, nullable = first | edge.first, nullable or edge.nullable
            return _Edge(first, nullable)
        if isinstance(expr, Seq):
            first = 0
            for item in expr.items:
                edge = self._edge(item)
                first |= edge.first
                if not edge.nullable:
                    return _Edge(first, nullable=False)
            return _Edge(first, nullable=True)
        if isinstance(expr, Repeat):
            edge = self._edge(expr.item)
            return _Edge(edge.first, edge.nullable or expr.least == 0)
        return self._leaf(expr)

    def _rule(self, name: str) -> _Edge:
        found = self._edges.get(name)
        if found is None:
            found = self._edges[name] = self._edge(self._grammar.rules[name])
        return found

    def _leaf(self, expr: Expr) -> _Edge:
        if isinstance(expr, Literal):
            return _Edge(self._lead(expr.text[0]), nullable=False) if expr.text else _EMPTY
        if isinstance(expr, Names | AnyCase):
            first = 0
            for char in {text[0] for text in expr.texts if text}:
                first |= self._lead(char)
            return _Edge(first, "" in expr.texts)
        if isinstance(expr, CharClass):
            return _Edge(class_bytes(expr, cased=self._cased), nullable=False)
        if isinstance(expr, Word):
            return _Edge(class_bytes(expr.first, cased=self._cased), expr.admits(""))
        raise AssertionError(expr)

    def _lead(self, char: str) -> int:
        return lead(char, cased=self._cased)
