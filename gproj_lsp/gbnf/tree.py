r"""GBNF as values.

The language is llama.cpp's GBNF. Denotation as in the paper, A.1: a literal is one string, concatenation a product,
alternation a union, parentheses group only. `Slot` and `Region` extend it for fragments (`%name%` and `@name@`); `Names`
is what instantiation puts in a slot's place, `AnyCase` the same where letter case does not tell names apart, and `Word` what
a name that is only being declared may be.

A tree is *canonical* where every `Seq` has at least two items and every `Alt` at least two choices; `parse` gives nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "ANY",
    "EMPTY",
    "NESTING",
    "Alt",
    "AnyCase",
    "CharClass",
    "Expr",
    "Grammar",
    "Literal",
    "Names",
    "Ref",
    "Region",
    "Repeat",
    "Seq",
    "Slot",
    "Word",
    "alternation",
    "children",
    "lowered",
    "rebuild",
    "sequence",
]

NESTING = 100
"""How deep one rule's expression may nest; deeper text is refused, so that nothing here or in an engine overflows a stack."""


@dataclass(frozen=True)
class Literal:
    """One string, unescaped; may be empty."""

    text: str


@dataclass(frozen=True)
class CharClass:
    """One character out of (or, negated, outside of) inclusive ranges of code points."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False

    def admits(self, char: str) -> bool:
        """Whether the class holds the character."""
        point = ord(char)
        return any(low <= point <= high for low, high in self.ranges) != self.negated


@dataclass(frozen=True)
class Names:
    """A finite set of strings, in order and without duplicates: an instantiated slot.

    Its language is exactly these strings (the Escaping Lemma). Engines compile it as one terminal, printing factors it.
    """

    texts: tuple[str, ...]


@dataclass(frozen=True)
class AnyCase:
    """As `Names`, and every other way to write them in upper and lower case letters of ASCII."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Word:
    """Every word but some, whatever the case of its ASCII letters: how an identifier that is no keyword looks.

    Attributes:
        first: The first character.
        rest: Every other one.
        least: How many characters it has at least.
        most: How many at most.
        avoid: The words that are none of it, in lower case.
    """

    first: CharClass
    rest: CharClass
    least: int
    most: int
    avoid: frozenset[str]

    def admits(self, text: str) -> bool:
        """Whether the text is such a word."""
        return (
            self.least <= len(text) <= self.most
            and lowered(text) not in self.avoid
            and all((self.rest if at else self.first).admits(char) for at, char in enumerate(text))
        )

    def after(self, char: str) -> Word | None:
        """What may follow a first character; None where it is none."""
        if not self.most or not self.first.admits(char):
            return None
        low = lowered(char)
        avoid = frozenset(word[1:] for word in self.avoid if word.startswith(low))
        return Word(self.rest, self.rest, max(self.least - 1, 0), self.most - 1, avoid)


@dataclass(frozen=True)
class Ref:
    """A rule by name."""

    rule: str


@dataclass(frozen=True)
class Slot:
    """`%name%`: a reference position; instantiation replaces it by its candidates."""

    name: str


@dataclass(frozen=True)
class Region:
    """`@name@`: a grammar call; the executor decodes another fragment there."""

    name: str


@dataclass(frozen=True)
class Seq:
    """Concatenation."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Alt:
    """Alternation; at least one choice."""

    choices: tuple[Expr, ...]


@dataclass(frozen=True)
class Repeat:
    """`?`, `*`, `+`, `{m,n}`; `most` None: without bound."""

    item: Expr
    least: int
    most: int | None


Expr = Literal | CharClass | Names | AnyCase | Word | Ref | Slot | Region | Seq | Alt | Repeat

ANY = CharClass((), negated=True)
"""`.`: any one character."""

EMPTY = Literal("")
"""The empty string."""


@dataclass(frozen=True)
class Grammar:
    """Rules by name and where to start.

    Attributes:
        rules: Each rule's expression.
        start: The start rule.
        closed: Names of rules whose expression is `Names` (instantiated slots); engines compile them as terminals.
    """

    rules: Mapping[str, Expr]
    start: str = "root"
    closed: frozenset[str] = frozenset()


_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def lowered(text: str) -> str:
    """The text with its ASCII letters in lower case."""
    return text.translate(_LOWER)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside."""
    if isinstance(expr, Seq):
        return expr.items
    if isinstance(expr, Alt):
        return expr.choices
    if isinstance(expr, Repeat):
        return (expr.item,)
    return ()


def rebuild(expr: Expr, leaf: Callable[[Expr], Expr]) -> Expr:
    """The same shape with every leaf (whatever holds no expression) replaced by what `leaf` gives for it."""
    if isinstance(expr, Seq):
        return Seq(tuple(rebuild(item, leaf) for item in expr.items))
    if isinstance(expr, Alt):
        return Alt(tuple(rebuild(choice, leaf) for choice in expr.choices))
    if isinstance(expr, Repeat):
        return Repeat(rebuild(expr.item, leaf), expr.least, expr.most)
    return leaf(expr)


def sequence(items: tuple[Expr, ...]) -> Expr:
    """A canonical concatenation."""
    if not items:
        return EMPTY
    return items[0] if len(items) == 1 else Seq(items)


def alternation(choices: tuple[Expr, ...]) -> Expr:
    """A canonical alternation of at least one choice."""
    return choices[0] if len(choices) == 1 else Alt(choices)
