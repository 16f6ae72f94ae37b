"""Several sources of facts as one; where two disagree, neither is believed alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gproj_lsp.environment import Binding, Key
from gproj_lsp.facts import DISPUTED, Facts

__all__ = ["joined"]


def joined(sources: Sequence[Facts], members: Mapping[str, str]) -> Facts:
    """The facts of several sources as one; where two disagree on a name, it stays, with the attribute `DISPUTED`.

    Args:
        sources: What each says, adopted, in order of precedence.
        members: The sort whose names belong to others, by the attribute that leaves them open (`columns` → `Column`).
    """
    views = [_View(source, members) for source in sources if source.bindings or source.closed]
    found: dict[Key, Binding] = {}
    for view in views:
        for key, binding in view.bindings.items():
            if key not in found:
                against = next((other.name for other in views if other.lacks(key, binding)), "")
                found[key] = _disputed(binding, against) if against else binding
    return Facts(
        tuple(found.values()),
        frozenset().union(*(source.closed for source in sources)),
        tuple(dict.fromkeys(problem for source in sources for problem in source.problems)),
        {key: value for source in reversed(sources) for key, value in source.details.items()},
    )


class _View:
    """One source, to be asked what it lacks."""

    def __init__(self, source: Facts, members: Mapping[str, str]) -> None:
        self.bindings: dict[Key, Binding] = {}
        for binding in source.bindings:
            self.bindings.setdefault(binding.key, binding)
        self.name = next((binding.origin.provider for binding in source.bindings), "")
        self._closed = source.closed
        self._members = frozenset(members.values())
        self._sorts = {each.sort for each in source.bindings}
        self._owners = {each.owner for each in source.bindings if each.sort in self._members}
        self._open = {
            each.name for each in source.bindings if any(each.attrs.get(key) == "open" for key in members)
        }

    def lacks(self, key: Key, binding: Binding) -> bool:
        """Whether it would have the name if there were one, and does not."""
        if key in self.bindings or binding.sort not in self._closed:
            return False
        if binding.sort not in self._members:
            return binding.sort in self._sorts
        return binding.owner in self._owners and self._open.isdisjoint(binding.attrs.values())


def _disputed(binding: Binding, against: str) -> Binding:
    origin = f"{binding.origin.provider} {binding.origin.place}".strip()
    return replace(binding, attrs={**binding.attrs, DISPUTED: f"{origin} declares it, {against} does not"})
