r"""GBNF as values: a syntax tree, to be parsed from text, printed and matched.

The language is llama.cpp's GBNF. Denotation as in the paper, A.1: a literal is one string, concatenation a product,
alternation a union, parentheses group only. `Slot` and `Region` extend it for fragments: `%name%` and `@name@`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Alt", "CharClass", "Expr", "Grammar", "Literal", "Ref", "Region", "Repeat", "Seq", "Slot"]


@dataclass(frozen=True)
class Literal:
    """One string, unescaped; may be empty."""

    text: str


@dataclass(frozen=True)
class CharClass:
    """One character out of (or, negated, outside of) inclusive ranges of code points."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False


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
    """Concatenation; empty: the empty string."""

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


Expr = Literal | CharClass | Ref | Slot | Region | Seq | Alt | Repeat


@dataclass(frozen=True)
class Grammar:
    """Rules by name and where to start.

    Attributes:
        rules: Each rule's expression.
        start: The start rule.
        closed: Names of rules whose language is a finite set of names (instantiated slots); engines compile them as
            terminals.
    """

    rules: Mapping[str, Expr]
    start: str = "root"
    closed: frozenset[str] = frozenset()
