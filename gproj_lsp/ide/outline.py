"""What a text declares, as a tree: things with their members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gproj_lsp.environment import Binding, Key
from gproj_lsp.ide.analysis import Analysis, Resolved
from gproj_lsp.ide.names import Name, names_of
from gproj_lsp.surface import Surface
from gproj_lsp.text import Span

__all__ = ["Entry", "outline_of"]


@dataclass(frozen=True)
class Entry:
    """One thing that a text declares.

    Attributes:
        name: As declared.
        detail: Its type or kind, if that is known.
        sort: What it is.
        span: The bytes of what declares it.
        place: The bytes of its name.
        members: What belongs to it.
    """

    name: str
    detail: str
    sort: str
    span: Span
    place: Span
    members: tuple[Entry, ...] = ()


def outline_of(analysis: Analysis, surface: Surface) -> tuple[Entry, ...]:
    """What a text declares, in order: what outlives its statement, with its members, and common tables of queries.

    Args:
        analysis: The document.
        surface: Says which sorts are members of others.
    """
    members = {name for name, spec in surface.sorts.items() if spec.plural}
    return tuple(
        entry
        for index, resolved in enumerate(analysis.statements)
        if resolved.effect.places or _declares(resolved)
        for entry in _entries(analysis, index, members, surface)
    )


def _declares(resolved: Resolved) -> bool:
    return any(len(each.span) for each in resolved.declarations)


def _entries(analysis: Analysis, index: int, members: set[str], surface: Surface) -> Iterator[Entry]:
    around = analysis.source.span(index)
    declared = [name for name in names_of(analysis).of(index) if name.declares]
    tops = [name for name in declared if _is_top(name, members, surface)]
    for name in tops:
        inside = [each for each in declared if _belongs(each, name, members)] if name.meaning.key else []
        yield _entry(name, around, tuple(_entry(each, each.span) for each in inside))
    taken = {key for name in tops if (key := name.meaning.key)}
    for name in declared:  # a member that another statement's owner gets: ALTER TABLE … ADD
        key = name.meaning.key
        if key is not None and name.meaning.binding.sort in members and not _owner_in(key, taken):
            yield _entry(name, around)


def _is_top(name: Name, members: set[str], surface: Surface) -> bool:
    """Whether it stands on its own: what outlives its statement, and things that have members."""
    sort = name.meaning.binding.sort
    if sort in members:
        return False
    spec = surface.sorts.get(sort)
    return not name.meaning.local or (spec is not None and spec.exhaustive)


def _belongs(member: Name, owner: Name, members: set[str]) -> bool:
    key, whole = member.meaning.key, owner.meaning.key
    return (
        key is not None
        and whole is not None
        and member.meaning.binding.sort in members
        and _owner_in(key, {whole})
    )


def _owner_in(key: Key, owners: set[Key]) -> bool:
    """Whether a member's owner is one of those."""
    return any(key.owner == (f"{each.owner}.{each.folded}" if each.owner else each.folded) for each in owners)


def _entry(name: Name, span: Span, members: tuple[Entry, ...] = ()) -> Entry:
    binding = name.meaning.binding
    return Entry(binding.name, _detail(binding), binding.sort, span, name.span, members)


def _detail(binding: Binding) -> str:
    return binding.attrs.get("type") or binding.attrs.get("kind", "")
