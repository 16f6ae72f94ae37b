"""Whether a lexer that always takes the longest lexeme reads a grammar exactly.

After the lexeme `w` of one terminal, the lexer goes on with another (or the same) whose words begin with `w` and the next byte.
That is wrong only where the next byte could also begin what follows `w` in the grammar. Asked of bytes, since lexers step by
bytes: two characters that share their first byte count as one. The answer may err towards a clash, never the other way.
"""

from __future__ import annotations

from dataclasses import dataclass

from gproj_lsp.gbnf import Alt, CharClass, Expr, Grammar, Literal, Names, Ref, Repeat, Seq, strings

__all__ = ["clash"]

_FINITE = 50_000


@dataclass(frozen=True)
class _Shape:
    """Sets of bytes as bits of an int.

    Attributes:
        first: The first bytes of its words.
        inner: The first bytes of their later characters.
        nullable: Whether the empty word is one.
        words: All its words where they are few.
    """

    first: int
    inner: int
    nullable: bool
    words: tuple[str, ...] | None = None


_NOTHING = _Shape(0, 0, nullable=True)


def clash(grammar: Grammar, rules: frozenset[str]) -> bool:
    """Whether two lexemes may be split wrongly somewhere in the grammar.

    Args:
        grammar: Whose `rules` hold references only; every other rule they refer to is one lexeme.
        rules: Names of rules that are not lexemes.
    """
    shapes = _Shapes(grammar)
    follow = _follow(grammar, rules, shapes)
    known = [(shapes.whole(name), after) for name, after in follow.items() if name not in rules]
    return _words_clash(known) or any(
        _swallows(one, after, other)
        for one, after in known
        for other, _ in known
        if one.words is None or other.words is None
    )


def _swallows(one: _Shape, after: int, other: _Shape) -> bool:
    """Whether a word of `one` may begin a longer word of `other` that goes on with a byte of `after`."""
    if not (one.first & other.first and other.inner & after):
        return False
    if one.words is not None:
        return any(_spells(word, other) for word in one.words if word)
    if other.words is not None:
        return any(_begins(word, one, after) for word in other.words)
    return True


def _spells(word: str, shape: _Shape) -> bool:
    """Whether the word may begin a word of the shape, by its bytes."""
    return bool(_lead(word[0]) & shape.first) and all(_lead(char) & shape.inner for char in word[1:])


def _begins(word: str, shape: _Shape, after: int) -> bool:
    """Whether the shape may have a proper beginning of the word that goes on with a byte of `after`."""
    if not word or not _lead(word[0]) & shape.first:
        return False
    for char in word[1:]:
        if _lead(char) & after:
            return True
        if not _lead(char) & shape.inner:
            return False
    return False


def _words_clash(known: list[tuple[_Shape, int]]) -> bool:
    """The question, asked exactly of terminals whose words are known; sorted, a word stands before what it begins."""
    after: dict[str, int] = {}
    for shape, follow in known:
        for word in shape.words or ():
            after[word] = after.get(word, 0) | follow
    beginnings: list[str] = []
    for word in sorted(after):
        while beginnings and not word.startswith(beginnings[-1]):
            beginnings.pop()
        if any(_lead(word[len(shorter)]) & after[shorter] for shorter in beginnings if shorter):
            return True
        beginnings.append(word)
    return False


class _Shapes:
    """The shapes of expressions; those of recursive rules are least fixed points."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.rules: dict[str, _Shape] = dict.fromkeys(grammar.rules, _Shape(0, 0, nullable=False))
        changed = True
        while changed:
            now = {name: self.shape(rule) for name, rule in grammar.rules.items()}
            changed = now != self.rules
            self.rules = now

    def whole(self, name: str) -> _Shape:
        """A non-recursive rule's shape, with its words where they are few."""
        words = strings(Grammar(self.grammar.rules, name), _FINITE)
        shape = self.rules[name]
        return _Shape(shape.first, shape.inner, shape.nullable, words)

    def shape(self, expr: Expr) -> _Shape:
        if isinstance(expr, Literal):
            return _of_words((expr.text,))
        if isinstance(expr, Names):
            return _of_words(expr.texts)
        if isinstance(expr, CharClass):
            return _Shape(_leads(expr), 0, nullable=False)
        if isinstance(expr, Ref):
            return self.rules[expr.rule]
        if isinstance(expr, Alt):
            parts = [self.shape(choice) for choice in expr.choices]
            first = inner = 0
            for part in parts:
                first |= part.first
                inner |= part.inner
            return _Shape(first, inner, any(part.nullable for part in parts))
        if isinstance(expr, Seq):
            return self._joined(expr.items)
        if isinstance(expr, Repeat):
            item = self.shape(expr.item)
            again = item.first if expr.most != 1 else 0
            return _Shape(item.first, item.inner | again, expr.least == 0 or item.nullable)
        raise AssertionError(expr)

    def _joined(self, items: tuple[Expr, ...]) -> _Shape:
        whole = _NOTHING
        for item in items:
            part = self.shape(item)
            whole = _Shape(
                whole.first | (part.first if whole.nullable else 0),
                whole.inner | part.inner | (part.first if whole.first else 0),
                whole.nullable and part.nullable,
            )
        return whole


def _follow(grammar: Grammar, rules: frozenset[str], shapes: _Shapes) -> dict[str, int]:
    """For each rule and lexeme that a rule refers to, the first bytes of what may come after it."""
    follow: dict[str, int] = {}

    def visit(expr: Expr, after: int) -> None:
        if isinstance(expr, Ref):
            follow[expr.rule] = follow.get(expr.rule, 0) | after
        elif isinstance(expr, Alt):
            for choice in expr.choices:
                visit(choice, after)
        elif isinstance(expr, Repeat):
            visit(expr.item, after | (shapes.shape(expr.item).first if expr.most != 1 else 0))
        elif isinstance(expr, Seq):
            for item in reversed(expr.items):
                visit(item, after)
                shape = shapes.shape(item)
                after = shape.first | (after if shape.nullable else 0)

    before: dict[str, int] | None = None
    while before != follow:
        before = dict(follow)
        for name in rules:
            visit(grammar.rules[name], follow.get(name, 0))
    return follow


def _of_words(words: tuple[str, ...]) -> _Shape:
    first = inner = 0
    for char in {word[0] for word in words if word}:
        first |= _lead(char)
    for char in set().union(*(word[1:] for word in words)):
        inner |= _lead(char)
    return _Shape(first, inner, "" in words)


def _lead(char: str) -> int:
    return 1 << char.encode()[0]


def _leads(expr: CharClass) -> int:
    """The first bytes of a class; every byte a character can begin with, for a negated one."""
    if expr.negated:
        return (1 << 256) - 1
    found = 0
    for low, high in expr.ranges:
        for byte in range(_first_byte(low), _first_byte(high) + 1):
            found |= 1 << byte
    return found


def _first_byte(point: int) -> int:
    return chr(point if not 0xD800 <= point <= 0xDFFF else 0xD7FF).encode()[0]
