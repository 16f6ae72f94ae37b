"""Whether names mean after edits what they meant before."""

from __future__ import annotations

from collections.abc import Sequence

from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.edits import Edit, shifted
from gproj_lsp.ide.names import Meaning, Name, names_of
from gproj_lsp.text import Span

__all__ = ["difference"]


def difference(before: Analysis, after: Analysis, edits: Sequence[Edit]) -> Span | None:
    """The first place of a text whose meaning edits change; None if all names mean after them what they meant."""
    old, new = names_of(before), names_of(after)
    pairs = _Pairs()
    for index, (one, other) in enumerate(zip(before.statements, after.statements, strict=True)):
        if one.references is other.references and one.declarations is other.declarations:
            continue  # nothing that changed concerns it
        place = _verdicts_differ(before, after, index, edits) or pairs.differ(
            old.of(index), new.of(index), edits
        )
        if place is None and not pairs.match(old.implied(index), new.implied(index)):
            place = before.source.span(index)
        if place is not None:
            return place
    return None


class _Pairs:
    """What meanings became, one for one."""

    def __init__(self) -> None:
        self._there: dict[Meaning, Meaning] = {}
        self._back: dict[Meaning, Meaning] = {}

    def take(self, one: Meaning, other: Meaning) -> bool:
        """Whether a meaning may have become another, and nothing else."""
        alike = one.local == other.local and one.binding.sort == other.binding.sort
        there = self._there.setdefault(one, other) == other
        return alike and there and self._back.setdefault(other, one) == one

    def differ(self, one: Sequence[Name], other: Sequence[Name], edits: Sequence[Edit]) -> Span | None:
        """The first name of a statement that means something else, or whose fellows do."""
        for left, right in zip(one, other, strict=False):
            same = shifted(left.span.start, edits) == right.span.start and left.declares == right.declares
            if not (same and self.take(left.meaning, right.meaning)):
                return left.span
        return (one or other)[-1].span if len(one) != len(other) else None

    def match(self, one: Sequence[tuple[Span, Meaning]], other: Sequence[tuple[Span, Meaning]]) -> bool:
        """Whether what counts unwritten is the same."""
        return len(one) == len(other) and all(
            self.take(left, right) for (_, left), (_, right) in zip(one, other, strict=True)
        )


def _verdicts_differ(before: Analysis, after: Analysis, index: int, edits: Sequence[Edit]) -> Span | None:
    one, other = before.statements[index].references, after.statements[index].references
    here, there = before.source.span(index).start, after.source.span(index).start
    for left, right in zip(one, other, strict=False):
        span = left.span.shift(here)
        moved = shifted(span.start, edits)
        if left.verdict is not right.verdict or moved != right.span.start + there:
            return span
    if len(one) != len(other):
        return before.source.span(index)
    return None
