"""What is told of one thing, as plain values; names in it are as strange as the schema that they come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gproj_lsp.environment import Binding, Environment, Origin, Query
from gproj_lsp.facts import DISPUTED
from gproj_lsp.surface import Surface

__all__ = ["Card", "card_of", "provenance"]

_MEMBERS = 12
"""How many members of a thing are named."""
_UNITS = (
    (60.0, 1.0, "s"),
    (3_600.0, 60.0, "min"),
    (86_400.0, 3_600.0, "h"),
    (float("inf"), 86_400.0, "days"),
)
"""Up to how many seconds an age is told in units of how many."""


@dataclass(frozen=True)
class Card:
    """What is told of one thing.

    Attributes:
        title: What it is called.
        sort: What kind of thing it is, or what is wrong with it.
        facts: What is known: a label and a text each.
        code: Something to be read as it is written, or empty.
    """

    title: str
    sort: str
    facts: tuple[tuple[str, str], ...] = ()
    code: str = ""


def card_of(
    binding: Binding, environment: Environment, surface: Surface, now: float, declared: str = ""
) -> Card:
    """What is told of a declared name.

    Args:
        binding: What the name stands for.
        environment: Γ where it stands; knows its members.
        surface: Says which attributes are worth telling.
        now: Seconds since the epoch.
        declared: Where the text itself declares it (`line 3`), or empty.
    """
    return Card(binding.name, binding.sort, tuple(_facts(binding, environment, surface, now, declared)))


def _facts(
    binding: Binding, environment: Environment, surface: Surface, now: float, declared: str
) -> Iterator[tuple[str, str]]:
    spec = surface.sorts.get(binding.sort)
    for key in spec.shows if spec is not None else ():
        if text := binding.attrs.get(key):
            yield key, text
    members = tuple(_members(binding, environment, surface))
    if members:
        shown = ", ".join(_member(each) for each in members[:_MEMBERS])
        yield f"{len(members)} {members[0].sort.lower()}s", shown + (", …" if len(members) > _MEMBERS else "")
    if doubt := binding.attrs.get(DISPUTED):
        yield "in doubt", doubt
    yield "declared", declared or provenance(binding.origin, now)


def _members(binding: Binding, environment: Environment, surface: Surface) -> Iterator[Binding]:
    """What belongs to it: names of member sorts whose owner it is."""
    owner = f"{binding.owner}.{binding.folded}" if binding.owner else binding.folded
    sorts = [name for name, spec in surface.sorts.items() if spec.plural and name != binding.sort]
    for sort in sorts:
        yield from environment.names(Query.of(sort, owner=owner))


def _member(binding: Binding) -> str:
    return f"{binding.name} {binding.attrs.get('type', '')}".strip()


def provenance(origin: Origin, now: float) -> str:
    """Where a name comes from and how old that is: `ddl schema.sql:12, read 3 s ago`.

    Args:
        origin: Where it was declared.
        now: Seconds since the epoch.
    """
    if origin.provider == "builtin":
        return "by the language itself"
    if origin.provider == "buffer":
        return "in this text"
    told = f"{origin.provider} {origin.place}".strip()
    return f"{told}, read {_age(now - origin.read)} ago" if origin.read else told


def _age(seconds: float) -> str:
    size, unit = next((size, unit) for below, size, unit in _UNITS if seconds < below)
    return f"{max(int(seconds / size), 0)} {unit}"
