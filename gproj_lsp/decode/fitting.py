"""Operands of a line that is written: whether they fit together, and others where they do not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.environment import Query
from gproj_lsp.fragment import Rung, candidates
from gproj_lsp.gbnf import Grammar, Literal, Names, sequence
from gproj_lsp.text import encode

if TYPE_CHECKING:
    from gproj_lsp.decode.fill import Analysed
    from gproj_lsp.environment import Environment
    from gproj_lsp.holes import Hole
    from gproj_lsp.surface import Surface

__all__ = ["Fitting", "Here", "Reader"]

_WORD = re.compile(r"[^\W\d]\w*")
_HOLE = "??"

_Spot = tuple[int, int]
"""Where in a line a name stands."""


class Reader(Protocol):
    """Analyses documents."""

    def analyse(self, text: str, cursor: int | None = None) -> Analysed:
        """What is known of a text; with a cursor, of one that somebody still writes there."""
        ...


@dataclass(frozen=True)
class Here:
    """Where a line is to stand.

    Attributes:
        base: The document up to it.
        after: The document behind it.
        environment: Γ there.
    """

    base: str
    after: str
    environment: Environment


@dataclass(frozen=True)
class Fitting:
    """Finds and mends operands that do not fit.

    Attributes:
        surface: The language.
        reader: Analyses documents.
        admits: Whether a line may begin so.
        choose: Has the model write one of the texts that a grammar holds.
    """

    surface: Surface
    reader: Reader
    admits: Callable[[str], bool]
    choose: Callable[[Grammar], str]

    def line(self, here: Here, line: str) -> str | None:
        """A line with its operands chosen once more, from left to right, where they do not fit; None where none do.

        Args:
            here: Where it stands.
            line: The line.

        Raises:
            Cancelled: The model was stopped.
            ModelError: The model failed.
        """
        spots = list(self._operands(here, line))
        if all(line[start:end] in self._names(here, line, [(start, end)]) for start, end in spots):
            return line
        for at, (start, end) in enumerate(spots):
            behind = spots[at + 1][0] if at + 1 < len(spots) else len(line)
            fitting = self._names(here, line, spots[at:])
            names = [name for name in fitting if self.admits(f"{line[:start]}{name}{line[end:behind]}")]
            if not names:
                return None
            written = self.choose(
                Grammar({"line": sequence((Literal(line[:start]), Names(tuple(names))))}, "line")
            )
            line, shift = written + line[end:], len(written) - end
            spots = [(one + shift, other + shift) if one > start else (one, other) for one, other in spots]
        return line

    def _operands(self, here: Here, line: str) -> Iterator[_Spot]:
        """Where names stand that have to fit."""
        asked = self._asked
        known = {each.name for each in here.environment.names(Query(asked))}
        for word in _WORD.finditer(line):
            if word[0] in known:
                hole = self._hole(here, line, [word.span()])
                if hole is not None and hole.sort in asked:
                    yield word.span()

    def _names(self, here: Here, line: str, spots: Sequence[_Spot]) -> tuple[str, ...]:
        """The names that fit at the first of several places, all of which are open."""
        hole = self._hole(here, line, spots)
        if hole is None:
            return ()
        ladders = self.surface.fragments[hole.sort].slots.values()
        found = (candidates(ladder, hole.environment, Rung.CTX) or () for ladder in ladders)
        return tuple(name for names in found for name in names)

    def _hole(self, here: Here, line: str, spots: Sequence[_Spot]) -> Hole | None:
        """The hole at the first of several places, all of which are open."""
        offset = len(encode(here.base + line[: spots[0][0]]))
        for start, end in reversed(spots):
            line = line[:start] + _HOLE + line[end:]
        holes = self.reader.analyse(f"{here.base}{line}\n{here.after}").holes
        return next((each for each in holes if each.span.start == offset), None)

    @property
    def _asked(self) -> frozenset[str]:
        """The sorts of names that have to fit where they stand, which share a name space with others."""
        sorts = self.surface.sorts
        return frozenset(
            name for name, sort in sorts.items() if sort.namespace != name and Rung.CTX in sort.rungs
        )
