"""Facts: what a provider knows of the world, as plain values.

A provider reads (a database, DDL files, an API) and gives `Facts`; surfaces join them into Γ. `closed` says which sorts it
knows *completely*: only there may a name it lacks be called a ghost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from gproj_lsp.environment import Binding

__all__ = ["NOTHING", "Facts", "Provider", "Request"]


@dataclass(frozen=True)
class Facts:
    """What one provider found.

    Attributes:
        bindings: The declared names.
        closed: Sorts of which `bindings` holds every name the world has.
        problems: What it could not read, once each, as a user should see it (no secrets).
        details: What else tells readers apart ("dialect": "sqlite").
    """

    bindings: tuple[Binding, ...] = ()
    closed: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)


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
    """

    root: Path
    settings: Mapping[str, str | tuple[str, ...]]
    declared: Callable[[Sequence[tuple[str, str]]], Facts]
    seconds: float = 10.0


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
