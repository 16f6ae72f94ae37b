"""What each name of a text means: which names are one thing, and where it is declared."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakKeyDictionary

from gproj_lsp.environment import Binding, Key
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.spelled import Spelled, spelled_in
from gproj_lsp.resolve import Reference
from gproj_lsp.text import Span

__all__ = ["Meaning", "Name", "Names", "names_of"]

_WORDS = re.compile(r"[\w$]+")


@dataclass(frozen=True)
class Meaning:
    """What a name means in one text; two names mean the same iff their meanings are equal.

    Attributes:
        binding: What it stands for.
        statement: The index of the statement that declares it inside itself; -1 where it outlives its statement.
        place: Where that statement declares it, relative to it.
        key: Its key in Γ, where it outlives its statement.
        since: For such a name: the last statement before it that took the key away, so that another thing had it; -1: none.
    """

    binding: Binding = field(compare=False)
    statement: int = -1
    place: Span | None = None
    key: Key | None = None
    since: int = -1

    @property
    def local(self) -> bool:
        """Whether it is declared inside one statement and can be named only there."""
        return self.key is None


@dataclass(frozen=True)
class Name:
    """A name in the text.

    Attributes:
        span: Its bytes in the document, quotes included.
        statement: The index of its statement.
        meaning: What it means.
        declares: Whether it is a place that declares that.
        reference: The reference that it is, if it is one.
    """

    span: Span
    statement: int
    meaning: Meaning
    declares: bool
    reference: Reference | None = None


def names_of(analysis: Analysis) -> Names:
    """The names of a text; what was read of them is kept as long as its analysis is."""
    return Names(analysis, _known.setdefault(analysis, {}))


class Names:
    """Follows the names of one text.

    Args:
        analysis: What is known of the text.
        read: The names of statements that were read before, by the statement's index.
    """

    def __init__(self, analysis: Analysis, read: dict[int, tuple[Name, ...]]) -> None:
        self.analysis = analysis
        self._read = read

    def at(self, offset: int) -> Name | None:
        """The name that a cursor at a byte offset touches; of two that meet there, the one that begins there."""
        index = self.analysis.source.at(offset)
        if index is None:
            return None
        touching = [name for name in self.of(index) if name.span.touches(offset)]
        return max(touching, key=lambda name: name.span.start, default=None)

    def of(self, index: int) -> tuple[Name, ...]:
        """The names of a statement whose meaning is known, in order."""
        found = self._read.get(index)
        if found is None:
            found = self._read[index] = tuple(self._named(index))
        return found

    def all(self) -> Iterator[Name]:
        """Every name whose meaning is known, in order."""
        for index in range(len(self.analysis.statements)):
            yield from self.of(index)

    def occurrences(self, meaning: Meaning) -> tuple[Name, ...]:
        """The names that mean it, in order."""
        return tuple(
            name for index in self.reach(meaning) for name in self.of(index) if name.meaning == meaning
        )

    def implied(self, index: int) -> tuple[tuple[Span, Meaning], ...]:
        """Where in a statement something counts that is not written, as a NATURAL join compares columns."""
        if index >= len(self.analysis.statements):
            return ()
        start = self.analysis.source.span(index).start
        _, found = spelled_in(self.analysis.statements[index])
        return tuple((each.span.shift(start), self._meaning(index, each)) for each in found)

    def declarations(self, meaning: Meaning) -> tuple[Span, ...]:
        """Where the text declares it.

        Where it does so without spelling the name (a view's column), the name of what the statement declares stands for it.
        """
        spelled = tuple(name.span for name in self.occurrences(meaning) if name.declares)
        return spelled or tuple(self._unspelled(meaning))

    def outside(self, meaning: Meaning) -> Binding | None:
        """What the world says of it: the binding that was there before the text began."""
        if meaning.key is None or meaning.since >= 0:
            return None
        return self.analysis.start.lookup(meaning.key)

    def _named(self, index: int) -> Iterator[Name]:
        if index >= len(self.analysis.statements):
            return
        start = self.analysis.source.span(index).start
        found, _ = spelled_in(self.analysis.statements[index])
        for each in found:
            reference = each.reference
            yield Name(
                each.span.shift(start), index, self._meaning(index, each), reference is None, reference
            )

    def _meaning(self, index: int, name: Spelled) -> Meaning:
        if name.place is not None:
            return Meaning(name.binding, index, name.place)
        key = name.binding.key
        taken = self._taken.get(key, [])
        before = bisect_left(taken, index)
        return Meaning(name.binding, key=key, since=taken[before - 1] if before else -1)

    @cached_property
    def _taken(self) -> Mapping[Key, list[int]]:
        """The statements that take a key away, in order."""
        found: dict[Key, list[int]] = {}
        for index, each in enumerate(self.analysis.statements):
            if each.effect.drops:
                again = {binding.key for binding in each.effect.declares}
                for key in each.effect.drops:
                    if key not in again:
                        found.setdefault(key, []).append(index)
        return found

    def reach(self, meaning: Meaning) -> Iterator[int]:
        """The statements that may name it."""
        if meaning.local:
            yield meaning.statement
            return
        words = frozenset(_WORDS.findall(meaning.binding.name.casefold()))
        for index in self.life(meaning):
            if words <= self.analysis.statements[index].statement.mentions:
                yield index

    def life(self, meaning: Meaning) -> range:
        """The statements in which its key means it; the one that takes it away is the last."""
        if meaning.local:
            return range(meaning.statement, meaning.statement + 1)
        taken = self._taken.get(meaning.key, []) if meaning.key is not None else []
        after = next((index for index in taken if index > meaning.since), None)
        last = len(self.analysis.statements) if after is None else after + 1
        return range(meaning.since + 1, last)

    def _unspelled(self, meaning: Meaning) -> Iterator[Span]:
        for index in self.life(meaning):
            effect = self.analysis.statements[index].effect
            if effect.places and any(binding.key == meaning.key for binding in effect.declares):
                yield min(effect.places.values()).shift(self.analysis.source.span(index).start)
                return


_known: WeakKeyDictionary[Analysis, dict[int, tuple[Name, ...]]] = WeakKeyDictionary()
"""No value may hold its key: that would keep both for good."""
