"""A grammar without its names: the part that stays the same while Γ changes with every keystroke.

What an engine works out of a grammar depends on its names by little: that there are some, with which characters they begin and
of which they are made. A *shape* holds every rule that is no list of names as the object that it is, and a sketch of each that
is one, so that grammars which differ in the names alone have equal shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import ascii_letters, digits

from gproj_lsp.gbnf import (
    Alt,
    AnyCase,
    CharClass,
    Expr,
    Grammar,
    Literal,
    Names,
    Repeat,
    Seq,
    Word,
    alternation,
)

__all__ = ["Shape", "is_listed", "shape_of", "sketch"]


@dataclass(frozen=True)
class Shape:
    """A grammar without its names; compared quickly.

    Attributes:
        start: The start rule.
        listed: A sketch of each rule that lists names; None where one lists none, or the empty one.
        cased: Whether no list holds names that may be written in any case.
    """

    start: str
    listed: tuple[tuple[str, Expr | None], ...]
    cased: bool
    _fixed: _Rules

    @cached_property
    def _hash(self) -> int:
        return hash((self.start, self.listed, self.cased, self._fixed))

    def __hash__(self) -> int:
        return self._hash

    @property
    def sound(self) -> bool:
        """Whether every list has names, none of them empty; else what is known of the shape may not hold of the grammar."""
        return all(sketched is not None for _, sketched in self.listed)

    @cached_property
    def sketched(self) -> Grammar:
        """The grammar with a sketch in the place of each list; at least the language of any grammar of the shape."""
        lists = {name: sketched for name, sketched in self.listed if sketched is not None}
        return Grammar({**self._fixed.rules, **lists}, self.start)


class _Rules:
    """Rules compared by which objects they are."""

    def __init__(self, rules: Mapping[str, Expr]) -> None:
        self.rules = rules
        self._key = tuple((name, id(rule)) for name, rule in rules.items())
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rules) and self._key == other._key


def shape_of(grammar: Grammar) -> Shape:
    """The grammar's shape."""
    fixed: dict[str, Expr] = {}
    listed: list[tuple[str, Expr | None]] = []
    for name, rule in grammar.rules.items():
        if is_listed(rule):
            listed.append((name, _sketched(rule)))
        else:
            fixed[name] = rule
    cased = not any(isinstance(each, AnyCase) for name, _ in listed for each in _choices(grammar.rules[name]))
    return Shape(grammar.start, tuple(listed), cased, _Rules(fixed))


def _choices(rule: Expr) -> tuple[Expr, ...]:
    return rule.choices if isinstance(rule, Alt) else (rule,)


def is_listed(rule: Expr) -> bool:
    """Whether a rule lists names, or stands open but for some words."""
    if isinstance(rule, Alt):
        return all(isinstance(choice, Names | AnyCase) for choice in rule.choices)
    return isinstance(rule, Names | AnyCase | Word)


def _sketched(rule: Expr) -> Expr | None:
    if isinstance(rule, Alt):
        parts = [_sketched(choice) for choice in rule.choices]
        return Alt(tuple(part for part in parts if part is not None)) if None not in parts else None
    if isinstance(rule, Word):
        return None if rule.admits("") else Word(rule.first, rule.rest, rule.least, rule.most, frozenset())
    return _sketch(rule.texts) if isinstance(rule, Names | AnyCase) else None


@lru_cache(maxsize=1_024)
def _sketch(texts: tuple[str, ...]) -> Expr | None:
    return None if not texts or "" in texts else alternation(tuple(sketch(texts)))


def sketch(texts: Iterable[str]) -> Iterable[Expr]:
    """A few patterns that take at least some texts. They are rough, so that other texts of the kind have the same."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(_kind(text), []).append(text)
    for kind, group in groups.items():
        if kind == _MARK:
            yield from map(Literal, group)
        elif kind in _MORE:
            first = _class_of((text[0] for text in group), _FIRST)
            chars = [text.rstrip("*") for text in group]
            rest = Repeat(_class_of(chars, _FIRST + _MORE[kind]), 0, None)
            yield Seq((first, rest, Literal("*")) if kind == _STAR else (first, rest))
        elif kind == _OTHER:
            first = _class_of((text[0] for text in group), "")
            yield Seq((first, Repeat(_class_of(group, _PRINTED), 0, None)))
        else:
            yield Seq(tuple(_quoted(group, kind)))


def _quoted(group: Iterable[str], kind: str) -> Iterator[Expr]:
    """A name in quotes, behind a path where the kind begins with a dot; a quote inside is doubled."""
    mark = kind[-1]
    paths, names = zip(*(text[:-1].split(mark, 1) for text in group), strict=True)
    if kind != mark:
        yield _class_of((path[0] for path in paths), _FIRST)
        yield Repeat(_class_of(paths, _FIRST + _MORE[_PATH]), 0, None)
    yield Literal(mark)
    single = [name.replace(mark * 2, "") for name in names]
    inner = _class_of(single, _PRINTED.replace(mark, ""))
    yield Repeat(Alt((inner, Literal(mark * 2))), 0, None)
    yield Literal(mark)


def _kind(text: str) -> str:
    """What a text is like: a mark, a name, a path, something else, or the mark around it or (behind a dot) around its end."""
    if len(text) < 2 and not text.isidentifier():
        return _MARK
    if text.isidentifier():
        return _NAME
    path = text.replace(".", "_")
    if path.isidentifier():
        return _PATH
    if path.endswith("*") and path[:-1].isidentifier():
        return _STAR
    if text[-1] not in _MARKS or text.find(text[-1]) == len(text) - 1:
        return _OTHER
    before = text[: text.index(text[-1])]
    if not before:
        return text[-1]
    return f".{text[-1]}" if before.endswith(".") and before.replace(".", "_").isidentifier() else _OTHER


_MARK, _NAME, _PATH, _STAR, _OTHER = "mark", "name", "path", "star", "other"
_MARKS = "\"`'"
_FIRST = ascii_letters + "_"
_MORE = {_NAME: digits, _PATH: digits + ".", _STAR: digits + "."}
_PRINTED = "".join(map(chr, range(0x20, 0x7F)))


def _class_of(texts: Iterable[str], chars: str) -> CharClass:
    """A class of some characters, and of what the texts have besides."""
    points = sorted(set(map(ord, chars)).union(*(map(ord, text) for text in texts)))
    return CharClass(tuple((point, point) for point in points))
