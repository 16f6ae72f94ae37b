"""A terminal as an automaton over first bytes of characters (Glushkov 1961), to ask how far its words go beyond others.

It takes at least the terminal's words: bounds of repetitions are dropped, characters that share their first byte are one, and
so are a letter's two cases where that is asked for; names inside a larger terminal become a pattern of their characters.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from gproj_lsp.decode.engines.shape import sketch
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
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Automaton", "automaton", "class_bytes", "lead"]

_Key = TypeVar("_Key")
_Found = TypeVar("_Found")

_EVERY = (1 << 256) - 1
_KEPT = 256
_WORDS = 4_096


@lru_cache(maxsize=2_048)
def lead(char: str, *, cased: bool = True) -> int:
    """A character's first byte, as a bit; where they are not `cased`, a letter's lower case stands for both."""
    return 1 << (char if cased else lowered(char)).encode("utf-8", "surrogatepass")[0]


@lru_cache(maxsize=512)
def class_bytes(expr: CharClass, *, cased: bool = True) -> int:
    """The first bytes of a class's characters; of a negated one, every byte above ASCII."""
    found = 0
    if expr.negated:
        for char in map(chr, range(128)):
            if expr.admits(char):
                found |= lead(char, cased=cased)
        return found | _EVERY & ~((1 << 128) - 1)
    for low, high in expr.ranges:
        for byte in range(_first_byte(low), _first_byte(high) + 1):
            found |= lead(chr(byte), cased=cased) if byte < 128 else 1 << byte
    return found


def _first_byte(point: int) -> int:
    return chr(point).encode("utf-8", "surrogatepass")[0]


@dataclass(frozen=True)
class _Piece:
    """A part of an automaton: where it may begin and end, as sets of positions, and whether it may be empty."""

    first: int
    last: int
    nullable: bool


_EMPTY = _Piece(0, 0, nullable=True)


@dataclass(frozen=True)
class _Table:
    """An automaton's states: sets of positions are bits of an int.

    Attributes:
        labels: The bytes that each position takes.
        following: The positions that may come after each.
        start: Those that may come first.
        ends: Those that may come last.
    """

    labels: tuple[int, ...]
    following: tuple[int, ...]
    start: int
    ends: int


class Automaton:
    """The automaton of one terminal; equal ones are the same object, so that what they were asked before is known."""

    def __init__(self, table: _Table, *, cased: bool) -> None:
        self._table = table
        self._cased = cased
        self._walked: dict[str, tuple[int, int]] = {}
        self._lists: OrderedDict[tuple[str, ...], tuple[int, int]] = OrderedDict()
        self._others: OrderedDict[Automaton, int] = OrderedDict()

    def beside(self, words: tuple[str, ...]) -> tuple[int, int]:
        """How far words of a list and its own words go beyond each other.

        Returns:
            The bytes that may come next where one of the list begins a longer one of its own, and those that come next where
            one of its own begins a longer one of the list.
        """
        if len(words) == 1:
            return self._beside(words[0])
        return _remembered(self._lists, words, self._beside_all)

    def continues(self, other: Automaton) -> int:
        """The bytes that may come next where one of its own words begins a longer one of the other's."""
        return _remembered(self._others, other, self._product)

    def _beside_all(self, words: tuple[str, ...]) -> tuple[int, int]:
        beyond = inside = 0
        first = self._bytes(self._table.start)
        for word in words:
            if word and lead(word[0], cased=self._cased) & first:
                more, less = self._walk(word)
                beyond |= more
                inside |= less
        return beyond, inside

    def _beside(self, word: str) -> tuple[int, int]:
        found = self._walked.get(word)
        if found is None:
            if len(self._walked) >= _WORDS:
                self._walked.clear()
            found = self._walked[word] = self._beside_all((word,))
        return found

    def _walk(self, word: str) -> tuple[int, int]:
        """What may come beyond a word, and what comes inside it where one of its own ends."""
        places, inside, ended = self._table.start, 0, False
        for char in word:
            byte = lead(char, cased=self._cased)
            inside |= byte if ended else 0
            reached = self._reached(places, byte)
            if not reached:
                return 0, inside
            ended = bool(reached & self._table.ends)
            places = self._following(reached)
        return self._bytes(places), inside

    def _product(self, other: Automaton) -> int:
        """Walk both at once, byte by byte, over every pair of sets of positions that one text leads to."""
        found = 0
        pairs = [(self._table.start, other._table.start)]
        seen = set(pairs)
        while pairs:
            mine, theirs = pairs.pop()
            for byte in _classes(self, mine, other, theirs):
                reached = self._reached(mine, byte)
                also = other._reached(theirs, byte)
                if not (reached and also):
                    continue
                onward = other._following(also)
                if reached & self._table.ends:
                    found |= other._bytes(onward)
                pair = (self._following(reached), onward)
                if pair not in seen:
                    seen.add(pair)
                    pairs.append(pair)
        return found

    def labels(self, places: int) -> list[int]:
        """The bytes of each of some positions."""
        return [self._table.labels[at] for at in _bits(places)]

    def _bytes(self, places: int) -> int:
        found = 0
        for label in self.labels(places):
            found |= label
        return found

    def _reached(self, places: int, byte: int) -> int:
        """Those of some positions that take a byte."""
        found = 0
        for at in _bits(places):
            if self._table.labels[at] & byte:
                found |= 1 << at
        return found

    def _following(self, places: int) -> int:
        found = 0
        for at in _bits(places):
            found |= self._table.following[at]
        return found


class _Builder:
    """Numbers the positions of a terminal, and links those that may follow each other."""

    def __init__(self, grammar: Grammar, *, cased: bool) -> None:
        self._grammar = grammar
        self._cased = cased
        self._labels: list[int] = []
        self._next: list[int] = []

    def table(self, expr: Expr) -> _Table:
        whole = self._piece(expr)
        return _Table(tuple(self._labels), tuple(self._next), whole.first, whole.last)

    def _piece(self, expr: Expr) -> _Piece:
        if isinstance(expr, Ref):
            return self._piece(self._grammar.rules[expr.rule])
        if isinstance(expr, Alt):
            return self._either(self._piece(choice) for choice in expr.choices)
        if isinstance(expr, Seq):
            return self._joined(expr.items)
        if isinstance(expr, Repeat):
            item = self._piece(expr.item)
            if expr.most != 1:
                self._link(item.last, item.first)
            return _Piece(item.first, item.last, item.nullable or expr.least == 0)
        if isinstance(expr, Literal):
            return self._joined(tuple(CharClass(((ord(char), ord(char)),)) for char in expr.text))
        if isinstance(expr, Names | AnyCase):
            return self._either(self._piece(each) for each in sketch(expr.texts))
        if isinstance(expr, CharClass):
            return self._position(class_bytes(expr, cased=self._cased))
        if isinstance(expr, Word):
            tail = Repeat(expr.rest, 0, None)
            return self._piece(Seq((Repeat(expr.first, min(expr.least, 1), 1), tail)))
        raise AssertionError(expr)

    def _position(self, label: int) -> _Piece:
        self._labels.append(label)
        self._next.append(0)
        here = 1 << (len(self._labels) - 1)
        return _Piece(here, here, nullable=False)

    def _either(self, pieces: Iterable[_Piece]) -> _Piece:
        first = last = 0
        nullable = False
        for piece in pieces:
            first |= piece.first
            last |= piece.last
            nullable = nullable or piece.nullable
        return _Piece(first, last, nullable)

    def _joined(self, items: tuple[Expr, ...]) -> _Piece:
        whole = _EMPTY
        for item in items:
            piece = self._piece(item)
            self._link(whole.last, piece.first)
            whole = _Piece(
                whole.first | (piece.first if whole.nullable else 0),
                piece.last | (whole.last if piece.nullable else 0),
                whole.nullable and piece.nullable,
            )
        return whole

    def _link(self, lasts: int, firsts: int) -> None:
        for at in _bits(lasts):
            self._next[at] |= firsts


def automaton(expr: Expr, grammar: Grammar, *, cased: bool) -> Automaton:
    """The automaton of a terminal's expression.

    Args:
        expr: The terminal.
        grammar: The rules that it refers to.
        cased: Whether a letter's two cases are told apart.
    """
    return _automaton(_Builder(grammar, cased=cased).table(expr), cased)


@lru_cache(maxsize=_KEPT)
def _automaton(table: _Table, cased: bool) -> Automaton:  # noqa: FBT001  (the key of a cache)
    return Automaton(table, cased=cased)


def _remembered(known: OrderedDict[_Key, _Found], key: _Key, find: Callable[[_Key], _Found]) -> _Found:
    found = known.get(key)
    if found is None:
        found = known[key] = find(key)
        if len(known) > _KEPT:
            known.popitem(last=False)
    return found


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def _classes(one: Automaton, mine: int, other: Automaton, theirs: int) -> set[int]:
    """One byte, as a bit, for each way in which the labels of some positions tell bytes apart."""
    blocks = [_EVERY]
    for label in {*one.labels(mine), *other.labels(theirs)}:
        blocks = [part for block in blocks for part in (block & label, block & ~label) if part]
    return {block & -block for block in blocks}
