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
from gproj_lsp.resolve import Reference, Verdict
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
    """The names of a text; kept as long as its analysis is."""
    found = _known.get(analysis)
    if found is None:
        found = _known[analysis] = Names(analysis)
    return found


class Names:
    """Follows the names of one text.

    Args:
        analysis: What is known of the text.
    """

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._read: dict[int, tuple[Name, ...]] = {}

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
            known = index < len(self.analysis.statements)
            found = self._read[index] = tuple(_Statement(self, index).names()) if known else ()
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
        known = index < len(self.analysis.statements)
        return tuple(_Statement(self, index).implied()) if known else ()

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

    def outliving(self, index: int, binding: Binding) -> Meaning:
        """The meaning of a binding that is no statement's own, as the statement of that index names it."""
        taken = self._taken.get(binding.key, [])
        before = bisect_left(taken, index)
        return Meaning(binding, key=binding.key, since=taken[before - 1] if before else -1)

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


_known: WeakKeyDictionary[Analysis, Names] = WeakKeyDictionary()


class _Statement:
    """One statement's names on the way to their meanings."""

    def __init__(self, names: Names, index: int) -> None:
        self._names = names
        self._index = index
        resolved = names.analysis.statements[index]
        # Bindings are told apart as objects, so everything must come from one resolution.
        resolution = resolved.resolution
        self._references = {each.span: each for each in resolution.references if _is_sure(each)}
        self._doubtful = {each.span for each in resolution.references if not _is_sure(each)}
        self._local = {id(each.binding): each for each in resolution.declarations if len(each.span)}
        self._implied = [each for each in resolution.declarations if not len(each.span)]
        self._lasting = {span: key for key, span in resolved.effect.places.items()}
        self._declared = {each.key: each for each in resolved.effect.declares}
        self._after = resolved.after

    def names(self) -> Iterator[Name]:
        start = self._names.analysis.source.span(self._index).start
        local = {each.span: each.binding for each in self._local.values()}
        for span in sorted({*self._references, *self._lasting, *local} - self._doubtful):
            reference = self._references.get(span)
            binding = reference.binding if reference is not None else local.get(span)
            meaning = self._at(span, binding, frozenset())
            if meaning is not None:
                yield Name(span.shift(start), self._index, meaning, reference is None, reference)

    def implied(self) -> Iterator[tuple[Span, Meaning]]:
        """Where something counts that is not written, as a NATURAL join compares columns."""
        start = self._names.analysis.source.span(self._index).start
        for each in self._implied:
            meaning = self._of(each.binding, frozenset())
            if meaning is not None:
                yield each.span.shift(start), meaning

    def _at(self, span: Span, binding: Binding | None, seen: frozenset[Span]) -> Meaning | None:
        """What stands at a place: a reference, the declaration of what outlives the statement, or one of its own."""
        reference = self._references.get(span)
        if reference is not None and reference.binding is not None and span not in seen:
            return self._of(reference.binding, seen | {span})
        if span in self._doubtful:
            return None  # what is not known is handed on
        if span in self._lasting:
            key = self._lasting[span]
            lasting = self._declared.get(key) or self._after.lookup(key)
            if lasting is not None:
                return self._names.outliving(self._index, lasting)
        return Meaning(binding, self._index, span) if binding is not None else None

    def _of(self, binding: Binding, seen: frozenset[Span]) -> Meaning | None:
        declared = self._local.get(id(binding))
        if declared is not None:
            return self._at(declared.span, declared.binding, seen)
        if self._names.analysis.statements[self._index].before.lookup(binding.key) is None:
            return None  # declared where it can't be seen
        return self._names.outliving(self._index, binding)


def _is_sure(reference: Reference) -> bool:
    return reference.verdict is Verdict.DECLARED and reference.binding is not None
