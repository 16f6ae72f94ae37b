"""Sources that apply one on top of another (migrations), and what is declared where one of them begins.

A migration is written for the world as it is before it: the column that it renames is not there any more at the end. So such a
file is never judged by what all files together declare.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from gproj_lsp.environment import Binding
from gproj_lsp.facts import Facts, SortTable

__all__ = ["History"]


@dataclass(frozen=True)
class History:
    """The texts that one provider had read for it, in the order they apply.

    Attributes:
        root: Where relative labels start.
        labels: The place of each.
        stage: What the first n of them declare.
    """

    root: Path
    labels: tuple[str, ...]
    stage: Callable[[int], Facts]

    def index(self, path: Path) -> int | None:
        """Which of the sources a file is, or None."""
        return self._places.get(path.resolve())

    @cached_property
    def _places(self) -> dict[Path, int]:
        return {(self.root / label).resolve(): index for index, label in enumerate(self.labels)}

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
        whole = self.stage(len(self.labels))
        found = {binding.key: binding for binding in self.stage(index).bindings}
        known = found.keys() | {binding.key for binding in self.stage(index + 1).bindings}
        for binding in (binding for facts in (whole, *end) for binding in facts.bindings):
            if binding.key not in known and binding.sort not in members.values():
                found.setdefault(binding.key, _opened(binding, members))
        return replace(whole, bindings=tuple(found.values()))


def _opened(binding: Binding, members: Collection[str]) -> Binding:
    return replace(binding, attrs={**binding.attrs, **dict.fromkeys(members, "open")})
