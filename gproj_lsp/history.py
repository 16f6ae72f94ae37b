"""Sources that apply one on top of another (migrations), and what is declared where one of them begins.

A migration is written for the world as it is before it: the column that it renames is not there any more at the end. So such a
file is never judged by what all files together declare.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from gproj_lsp.environment import Binding
from gproj_lsp.facts import NOTHING, Facts, SortTable

__all__ = ["History"]


@dataclass(frozen=True)
class History:
    """The texts that one provider had read for it, in the order they apply.

    Attributes:
        root: Where relative labels start.
        sources: (text, label of its place) each.
        whole: What all of them declare.
        declared: What such texts declare, each on top of those before it.
    """

    root: Path
    sources: tuple[tuple[str, str], ...]
    whole: Facts
    declared: Callable[[Sequence[tuple[str, str]]], Facts]

    def index(self, path: Path) -> int | None:
        """Which of the sources a file is, or None."""
        return self._places.get(path.resolve())

    @cached_property
    def _places(self) -> dict[Path, int]:
        return {(self.root / label).resolve(): index for index, (_, label) in enumerate(self.sources)}

    def before(self, index: int, end: Iterable[Facts], surface: SortTable) -> Facts:
        """What is declared where a source begins.

        What only comes later, of unknown members, is there too: files that make up one schema may apply in another order than
        it seems.

        Args:
            index: Which source.
            end: What is declared in the end, by any provider.
            surface: Whose sorts they are.
        """
        members = {sort.plural: name for name, sort in surface.sorts.items() if sort.plural}
        start = self.declared(self.sources[:index]) if index else NOTHING
        own = self.declared(self.sources[: index + 1])
        found = {binding.key: binding for binding in start.bindings}
        known = found.keys() | {binding.key for binding in own.bindings}
        for binding in (binding for facts in (self.whole, *end) for binding in facts.bindings):
            if binding.key not in known and binding.sort not in members.values():
                found.setdefault(binding.key, _opened(binding, members))
        return replace(self.whole, bindings=tuple(found.values()))


def _opened(binding: Binding, members: Collection[str]) -> Binding:
    return replace(binding, attrs={**binding.attrs, **dict.fromkeys(members, "open")})
