"""Facts: what a provider knows of the world, as plain values.

A provider reads (a database, DDL files, an API) and gives `Facts`; surfaces join them into Γ. `closed` says which sorts it
knows *completely*: only there may a name it lacks be called a ghost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import InputError

__all__ = [
    "DEPRECATED",
    "DISPUTED",
    "NOTHING",
    "REPLACEMENT",
    "Facts",
    "Provider",
    "Request",
    "facts_from_table",
]

DISPUTED = "disputed"
"""The attribute of a name that may not be there: who says that it is and who that it is not. References to it are unknown."""

DEPRECATED = "deprecated"
"""The attribute of a name that is on its way out: what its declaration says of that."""

REPLACEMENT = "replacement"
"""The attribute of such a name that says what is written instead."""

Entries = Sequence[tuple[str, Mapping[str, object]]]
"""Names with their attributes."""


@dataclass(frozen=True)
class Facts:
    """What one provider found.

    Attributes:
        bindings: The declared names.
        closed: Sorts of which `bindings` holds every name the world has.
        problems: What it could not read, once each, as a user should see it (no secrets).
        details: What else tells readers apart ("dialect": "sqlite").
        partial: Whether a part could not be read that may say more of any name: then of none is everything known.
    """

    bindings: tuple[Binding, ...] = ()
    closed: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False


NOTHING = Facts()


@dataclass(frozen=True)
class Request:
    """What a provider is asked.

    Attributes:
        root: The workspace; relative paths in settings start there.
        settings: The surface's settings (`database`, `ddl`, `dialect`), as validated strings and lists of strings.
        declared: What source texts of this surface declare, (text, label of its place) each, each on top of those before
            it; lets a provider that reads files stay ignorant of their language.
        seconds: The time limit.
        surface: The surface's name.
        patterns: Which files are in its language, as globs.
        shelf: The folder of facts that the surface itself brings.
    """

    root: Path
    settings: Mapping[str, str | tuple[str, ...]]
    declared: Callable[[Sequence[tuple[str, str]]], Facts]
    seconds: float = 10.0
    surface: str = ""
    patterns: tuple[str, ...] = ()
    shelf: Path | None = None

    def key(self, setting: str) -> str:
        """A setting as gproj.toml and messages write it."""
        return f"surfaces.{self.surface}.{setting}"


class Provider(Protocol):
    """A source of facts; one file a source in `providers/`."""

    @property
    def name(self) -> str:
        """As `surface.toml` and provenance name it."""
        ...

    def fingerprint(self, request: Request) -> str | None:
        """What the result depends on, cheap to compute (paths, sizes, times); None: nothing configured to read."""
        ...

    def read(self, request: Request) -> Facts:
        """What the world says now.

        Raises:
            ProviderError: Nothing could be read; `place` names the file or database and `mend` what to do.
        """
        ...


class Sort(Protocol):
    """What facts need to know of a sort."""

    @property
    def plural(self) -> str:
        """The key that lists such names under their owner."""
        ...

    @property
    def exhaustive(self) -> bool:
        """Whether a source that declares some such names declares them all."""
        ...


class SortTable(Protocol):
    """What facts need to know of a surface."""

    @property
    def sorts(self) -> Mapping[str, Sort]:
        """Its sorts by name."""
        ...


def facts_from_table(surface: SortTable, table: Mapping[str, object], place: str = "") -> Facts:
    """Facts written out as a table, as settings, gates and literate tests do.

    ::

        [facts.Table.users]
        kind = "view"
        columns = ["id", { name = "email", type = "text" }]
        [facts]
        Function = ["now", "lower"]

    Args:
        surface: Whose sorts are named; a sort's `plural` is the key that lists its names under their owner.
        table: What is below `facts`.
        place: Where it is written, for provenance and messages.

    Raises:
        InputError: A sort is unknown, or a name is neither a text nor a table with a `name`.
    """
    members = {sort.plural: name for name, sort in surface.sorts.items() if sort.plural}
    found: list[Binding] = []
    closed: set[str] = set()
    for sort, names in table.items():
        if sort not in surface.sorts:
            known = ", ".join(surface.sorts)
            raise InputError(f'facts name an unknown sort "{sort}"', place=place, mend=f"known: {known}")
        closed.add(sort)
        for name, attrs in _entries(names, place):
            owned = {key: _entries(attrs[key], place) for key in members if key in attrs}
            plain = {key: _attribute(value) for key, value in attrs.items() if key not in owned}
            if surface.sorts[sort].exhaustive:
                plain |= {key: "open" for key in members if key not in owned}
            found.append(Binding(name, sort, attrs=plain, origin=Origin("facts", place)))
            around = {sort.lower(): name, **{key: plain[key] for key in ("schema",) if key in plain}}
            for key, entries in owned.items():
                closed.add(members[key])
                found += (_owned(members[key], name, entry, around, place) for entry in entries)
    return Facts(tuple(found), frozenset(closed))


def _owned(
    sort: str, owner: str, entry: tuple[str, Mapping[str, object]], around: Mapping[str, str], place: str
) -> Binding:
    name, attrs = entry
    said = {key: _attribute(value) for key, value in attrs.items()}
    return Binding(name, sort, owner=owner, attrs={**around, **said}, origin=Origin("facts", place))


def _entries(raw: object, place: str) -> Entries:
    """Names with their attributes: `["a", { name = "b", type = "int" }]` or `{ a = {}, b = { type = "int" } }`."""
    if isinstance(raw, Mapping):
        return [(str(name), attrs if isinstance(attrs, Mapping) else {}) for name, attrs in raw.items()]
    found: list[tuple[str, Mapping[str, object]]] = []
    for each in raw if isinstance(raw, list | tuple) else [raw]:
        name = each.get("name") if isinstance(each, Mapping) else each
        if not isinstance(name, str) or not name:
            raise InputError(f"a name in facts is a text, not {each!r}", place=place)
        attrs = (
            {key: value for key, value in each.items() if key != "name"} if isinstance(each, Mapping) else {}
        )
        found.append((name, attrs))
    return found


def _attribute(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
