"""The names that one statement spells, and what each stands for, wherever the statement is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from gproj_lsp.environment import Binding
from gproj_lsp.facts import DISPUTED
from gproj_lsp.ide.analysis import Resolved
from gproj_lsp.resolve import Reference, Verdict
from gproj_lsp.text import Span

__all__ = ["Spelled", "spelled_in"]


@dataclass(frozen=True)
class Spelled:
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

    def names(self) -> Iterator[Spelled]:
        """The names that stand there."""
        local = {each.span: each.binding for each in self._local.values()}
        for span in sorted({*self._references, *self._lasting, *local} - self._doubtful):
            reference = self._references.get(span)
            binding = reference.binding if reference is not None else local.get(span)
            if (found := self._at(span, binding, frozenset())) is not None:
                yield Spelled(span, *found, reference)

    def implied(self) -> Iterator[Spelled]:
        """Where something counts that is not written, as a NATURAL join compares columns."""
        for each in self._implied:
            if (found := self._of(each.binding, frozenset())) is not None:
                yield Spelled(each.span, *found)

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

_known: WeakKeyDictionary[Resolved, tuple[tuple[Spelled, ...], tuple[Spelled, ...]]] = WeakKeyDictionary()


def spelled_in(resolved: Resolved) -> tuple[tuple[Spelled, ...], tuple[Spelled, ...]]:
    """The names of a statement and what counts there unwritten; found once, however the text around it changes."""
    found = _known.get(resolved)
    if found is None:
        statement = _Statement(resolved)
        found = _known[resolved] = tuple(statement.names()), tuple(statement.implied())
    return found


def _is_sure(reference: Reference) -> bool:
    """Whether it is known what a reference means, though sources may disagree whether that is there."""
    if reference.binding is None:
        return False
    doubt = reference.binding.attrs.get(DISPUTED)
    return reference.verdict is Verdict.DECLARED or (doubt is not None and reference.reason == doubt)
