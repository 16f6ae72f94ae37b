"""What each name of a text means: which names are one thing, and where it is declared."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakKeyDictionary

from gproj_lsp.environment import Binding, Key
from gproj_lsp.facts import DISPUTED
from gproj_lsp.ide.analysis import Analysis, Resolved
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
        _, found = _raw_of(self.analysis.statements[index])
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
        found, _ = _raw_of(self.analysis.statements[index])
        for each in found:
            reference = each.reference
            yield Name(
                each.span.shift(start), index, self._meaning(index, each), reference is None, reference
            )

    def _meaning(self, index: int, name: _Raw) -> Meaning:
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


_known: WeakKeyDictionary[Analysis, Names] = WeakKeyDictionary()


@dataclass(frozen=True)
class _Raw:
    """A name of a statement, wherever the statement stands.

    Attributes:
        span: Its bytes, relative to the statement.
        binding: What it stands for.
        place: Where the statement declares that inside itself; None: it outlives the statement.
        reference: The reference that it is, if it is one.
    """

    span: Span
    binding: Binding
    place: Span | None
    reference: Reference | None = None


class _Statement:
    """One statement's names on the way to their meanings.

    Args:
        resolved: The statement.
    """

    def __init__(self, resolved: Resolved) -> None:
        self._references = {each.span: each for each in resolved.references if _is_sure(each)}
        self._doubtful = {each.span for each in resolved.references if not _is_sure(each)}
        # Bindings are told apart as objects.
        self._local = {id(each.binding): each for each in resolved.declarations if len(each.span)}
        self._implied = [each for each in resolved.declarations if not len(each.span)]
        self._lasting = {span: key for key, span in resolved.effect.places.items()}
        self._declared = {each.key: each for each in resolved.effect.declares}
        self._before, self._after = resolved.before, resolved.after

    def names(self) -> Iterator[_Raw]:
        """The names that stand there."""
        local = {each.span: each.binding for each in self._local.values()}
        for span in sorted({*self._references, *self._lasting, *local} - self._doubtful):
            reference = self._references.get(span)
            binding = reference.binding if reference is not None else local.get(span)
            if (found := self._at(span, binding, frozenset())) is not None:
                yield _Raw(span, *found, reference)

    def implied(self) -> Iterator[_Raw]:
        """Where something counts that is not written, as a NATURAL join compares columns."""
        for each in self._implied:
            if (found := self._of(each.binding, frozenset())) is not None:
                yield _Raw(each.span, *found)

    def _at(self, span: Span, binding: Binding | None, seen: frozenset[Span]) -> _Meant | None:
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
                return lasting, None
        return (binding, span) if binding is not None else None

    def _of(self, binding: Binding, seen: frozenset[Span]) -> _Meant | None:
        declared = self._local.get(id(binding))
        if declared is not None:
            return self._at(declared.span, declared.binding, seen)
        # Else it is declared where that can't be seen.
        return (binding, None) if self._before.lookup(binding.key) is not None else None


_Meant = tuple[Binding, Span | None]
"""A binding, and where its statement declares it inside itself."""

_raw: WeakKeyDictionary[Resolved, tuple[tuple[_Raw, ...], tuple[_Raw, ...]]] = WeakKeyDictionary()


def _raw_of(resolved: Resolved) -> tuple[tuple[_Raw, ...], tuple[_Raw, ...]]:
    """The names of a statement and what counts there unwritten; found once, however the text around it changes."""
    found = _raw.get(resolved)
    if found is None:
        statement = _Statement(resolved)
        found = _raw[resolved] = tuple(statement.names()), tuple(statement.implied())
    return found


def _is_sure(reference: Reference) -> bool:
    """Whether it is known what a reference means, though sources may disagree whether that is there."""
    if reference.binding is None:
        return False
    doubt = reference.binding.attrs.get(DISPUTED)
    return reference.verdict is Verdict.DECLARED or (doubt is not None and reference.reason == doubt)
