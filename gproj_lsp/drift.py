"""What an edit changed in Γ, and which statements that can concern.

After an edit of one declaration, every statement behind it sees another Γ. Most of them mention nothing that changed; what was
found out about those still holds, and seeing that costs a thousandth of resolving them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gproj_lsp.environment import Binding, Key
from gproj_lsp.resolve import Effect
from gproj_lsp.surface import Surface
from gproj_lsp.syntax import Statement

__all__ = ["Drift"]

_MANY = 200
"""With more changed names than this, everything is resolved again."""
_PARTS = re.compile(r"[\w$]+")


class Drift:
    """The difference between Γ as statements saw it before an edit and Γ as they see it now.

    A name that belongs to another (a column) concerns who mentions both; any other concerns who mentions it. Whatever a
    declaration means to others is in its effect, so what follows from a change is a change of other effects.

    Args:
        surface: Its sorts tell which names belong to others.
    """

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._names: set[str] = set()
        self._members: dict[str, set[str]] = {}  # what changed below a name, by the name
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

    def concerns(self, statement: Statement, effect: Effect) -> bool:
        """Whether a statement that had this effect may mean something else now."""
        if self._everything or effect.drops or effect.opens:
            return True
        mentions = statement.mentions
        if not self._names.isdisjoint(mentions):
            return True
        owners = [names for owner, names in self._members.items() if owner in mentions]
        return bool(owners) and (
            bool(effect.declares)
            or any(not names.isdisjoint(mentions) for names in owners)
            or _lists(statement)
        )

    def _belongs(self, binding: Binding) -> bool:
        sort = self._surface.sorts.get(binding.sort)
        return sort is not None and bool(sort.plural) and bool(binding.owner)

    def _take(self, changed: Iterable[tuple[Key, Binding | None]]) -> None:
        for key, binding in changed:
            if binding is None or binding.sort not in self._surface.sorts:
                self._everything = True  # a drop, or a mark that the resolver leaves for itself
                return
            names = {key.folded.casefold(), binding.name.casefold()}
            owners = {part.casefold() for part in _PARTS.findall(key.owner)}
            if self._belongs(binding):
                for owner in owners:
                    self._members.setdefault(owner, set()).update(names)
            else:
                self._names |= names | owners  # the first of a schema makes the schema known
        count = len(self._names) + sum(1 + len(names) for names in self._members.values())
        texts = (name for names in (self._names, *self._members.values()) for name in names)
        if count > _MANY or not all(map(_PARTS.fullmatch, texts)):
            self._everything = True


def _lists(statement: Statement) -> bool:
    listing = statement.lexer.patterns.listing
    return listing is not None and listing.search(statement.text) is not None


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
