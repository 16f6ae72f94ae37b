"""What an edit changed in Γ, and which statements that can concern.

After an edit of one declaration, every statement behind it sees another Γ. Most of them mention nothing that changed; what was
found out about those still holds, and looking that up costs a thousandth of resolving them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gproj_lsp.environment import Binding, Key
from gproj_lsp.resolve import Effect
from gproj_lsp.surface import Surface
from gproj_lsp.syntax import Statement

__all__ = ["Drift"]

_MANY = 100
"""With more changed names than this, everything is resolved again."""


class Drift:
    """The difference between Γ as statements saw it before an edit and Γ as they see it now.

    Args:
        surface: Its sorts tell names that matter only where they are mentioned from what matters everywhere.
    """

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._names: set[str] = set()
        self._everything = False

    def replace(self, old: Sequence[Effect], new: Sequence[Effect]) -> None:
        """Take in that statements with the effects `new` stand where those with `old` stood."""
        if tuple(old) == tuple(new):
            return
        if len(old) == len(new) == 1:
            self._take(_changed(old[0], new[0]))
        else:
            self._take(_all(effect for effects in (old, new) for effect in effects))
        if any(effect.opens for effects in (old, new) for effect in effects):
            self._everything = True

    def concerns(self, statement: Statement) -> bool:
        """Whether a statement that declares nothing may mean something else now."""
        if self._everything:
            return True
        if not self._names:
            return False
        listing = statement.lexer.patterns.listing
        folded = statement.folded
        return any(name in folded for name in self._names) or (
            listing is not None and bool(listing.search(folded))
        )

    def _take(self, changed: Iterable[tuple[Key, Binding | None]]) -> None:
        for key, binding in changed:
            sort = self._surface.sorts.get(binding.sort) if binding else None
            if binding is not None and sort is None:
                self._everything = True  # no name: a mark that the resolver leaves for itself
            self._names.add(key.folded.casefold())
            if binding is not None:
                self._names.add(binding.name.casefold())
            if key.owner and not (sort and sort.plural):
                self._names.add(key.owner.casefold())  # the first of a schema makes the schema known
        if len(self._names) > _MANY or any(not name or set(name) & set("\"'`[]\\") for name in self._names):
            self._everything = True


def _changed(old: Effect, new: Effect) -> Iterable[tuple[Key, Binding | None]]:
    before = {binding.key: binding for binding in reversed(old.declares)}
    after = {binding.key: binding for binding in reversed(new.declares)}
    shared = [key for key in before if key in after]
    if shared != [key for key in after if key in before]:
        yield from _all((old, new))
        return
    for key in {**before, **after}:
        if before.get(key) != after.get(key):
            yield key, after.get(key) or before.get(key)
    yield from ((key, None) for key in set(old.drops) ^ set(new.drops))


def _all(effects: Iterable[Effect]) -> Iterable[tuple[Key, Binding | None]]:
    for effect in effects:
        yield from ((binding.key, binding) for binding in effect.declares)
        yield from ((key, None) for key in effect.drops)
