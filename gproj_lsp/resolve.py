"""References resolved against Γ: the protocol that resolvers implement, and its values.

A resolver reads one statement and the Γ before it. It says what the statement refers to, what it declares for the statements
after it, and which frames are open at each of its places. It never raises on any text, and where it can't be sure it says
*unknown*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, cast

from gproj_lsp.environment import Binding, Environment, Frame, Key
from gproj_lsp.errors import SurfaceError
from gproj_lsp.facts import Facts
from gproj_lsp.text import Span

if TYPE_CHECKING:
    from gproj_lsp.surface import Surface
    from gproj_lsp.syntax import Statement

__all__ = [
    "NO_EFFECT",
    "UNREAD",
    "Clause",
    "Declaration",
    "Effect",
    "Expectation",
    "Reference",
    "Resolution",
    "Resolver",
    "Scope",
    "Unread",
    "Verdict",
    "World",
    "resolver_of",
]

GROUP = "gproj_lsp.resolvers"
"""The entry points under which installed packages offer resolvers; our own lie in the package of that name."""

LEXICAL = "lexical"
"""The resolver of every surface that names no other."""


class Verdict(Enum):
    """What is known of a reference."""

    DECLARED = "declared"
    GHOST = "ghost"
    UNKNOWN = "unknown"
    AMBIGUOUS = "ambiguous"
    UNFIT = "unfit"  # declared, and certainly not what may stand there


@dataclass(frozen=True, slots=True)
class Reference:
    """One name at a reference position.

    Attributes:
        span: Its bytes, relative to the statement; the tight range of the name itself, with its quotes.
        name: As written, unquoted.
        sort: What the position expects.
        verdict: What is known.
        binding: What it resolves to, if declared.
        owner: Folded owner its candidates are looked up under (`users.` in `users.nmae`), or empty.
        reason: Why it is unknown, ambiguous or unfit, or what a ghost's message should add; one short clause.
        candidates: Spellings that could stand in place of the span, for suggestions; empty: the query of its sort decides.
    """

    span: Span
    name: str
    sort: str
    verdict: Verdict
    binding: Binding | None = None
    owner: str = ""
    reason: str = ""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Declaration:
    """A name in a statement that declares something inside it.

    References say which one they mean by their binding, the very object; several bindings of one span are one name. Where a
    reference stands too, what it means is handed on under its own name: a column that a query lists, a table without an alias.
    An empty span says that the name counts there though it is not written: the columns that a NATURAL join compares.

    Attributes:
        span: The name's bytes, relative to the statement.
        binding: What is declared.
    """

    span: Span
    binding: Binding


@dataclass(frozen=True)
class Effect:
    """What a statement does to Γ for the statements after it: first `drops`, then `declares`.

    Attributes:
        declares: New names; a name that already had another sort is hidden by the new one.
        drops: Names that no longer resolve.
        opens: Sorts that are no longer known completely (an extension is loaded, another file is included): the analyser
            takes them out of `World.closed` for the statements after it.
        places: Where in the statement names that it declares are written, as far as they are; no part of what it does.
    """

    declares: tuple[Binding, ...] = ()
    drops: tuple[Key, ...] = ()
    opens: frozenset[str] = frozenset()
    places: Mapping[Key, Span] = field(default_factory=lambda: MappingProxyType({}), compare=False)

    def apply(self, environment: Environment) -> Environment:
        """Γ after the statement."""
        return environment.settle(self._frame) if self.declares or self.drops else environment

    @cached_property
    def _frame(self) -> Frame:
        first: dict[Key, Binding] = {}
        for binding in self.declares:
            first.setdefault(binding.key, binding)
        return Frame(MappingProxyType(first), frozenset(self.drops))


NO_EFFECT = Effect()


@dataclass(frozen=True)
class Expectation:
    """What a place expects.

    Attributes:
        sort: The sort of name that fits, or empty where that can't be told.
        region: The path ρ of regions around the place, outermost first: `("Select", "Where")`.
    """

    sort: str
    region: tuple[str, ...] = ()


@dataclass(frozen=True)
class Clause:
    """A region of a scope.

    Attributes:
        name: The region (`Where`), or empty.
        span: Its bytes behind the words that begin it.
    """

    name: str
    span: Span


@dataclass(frozen=True)
class Scope:
    """A stretch of a statement whose names mean what it says itself, told from its words alone.

    Attributes:
        span: Its bytes; what encloses them (brackets) is not part of it.
        kind: The word that begins it (`SELECT`).
        clauses: Its regions, in order.
        region: The region that is being written at the statement's end; empty where it ended before.
        since: The byte that the region's own text begins at.
        decided: The regions in which everything that says what names mean has been written.
        is_open: Whether text at the statement's end belongs to it, or to a scope inside it.
    """

    span: Span
    kind: str
    clauses: tuple[Clause, ...]
    region: str
    since: int
    decided: frozenset[str]
    is_open: bool


@dataclass(frozen=True)
class World:
    """What stays the same over one document.

    Attributes:
        closed: Sorts whose every name Γ knows; elsewhere an absent name is *unknown*.
        settings: The surface's settings that resolution depends on (`dialect`).
    """

    closed: frozenset[str]
    settings: Mapping[str, str]


class Resolution(Protocol):
    """One statement, resolved. All spans and offsets are bytes relative to the statement."""

    @property
    def references(self) -> tuple[Reference, ...]:
        """Every reference position, in order."""
        ...

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """What it declares inside itself: aliases, common table expressions, columns of derived tables."""
        ...

    @property
    def effect(self) -> Effect:
        """What it declares and drops."""
        ...

    @property
    def readable(self) -> bool:
        """Whether all of it was read as the language has it; false where something was repaired or guessed, or nothing read."""
        ...

    def frames_at(self, offset: int) -> tuple[Frame, ...]:
        """The frames to push on the Γ before the statement to get Γ at the offset, outermost first."""
        ...

    def expectation_at(self, offset: int) -> Expectation:
        """What a name at the offset would have to be; at a hole, the hole's inferred sort."""
        ...


class Resolver(Protocol):
    """Resolution that is not lexical; comes only from installed packages (entry points `gproj_lsp.resolvers`)."""

    def resolve(self, statement: Statement, environment: Environment, world: World) -> Resolution:
        """Resolve one statement; never raises on any text."""
        ...

    def scopes(self, statement: Statement) -> tuple[Scope, ...]:
        """The scopes of a statement that may still be being written, in order of place."""
        ...

    def adopt(self, bindings: Iterable[Binding], world: World) -> tuple[Binding, ...]:
        """A provider's bindings as this language names them: case folded, owners qualified, spelling quoted where needed."""
        ...

    def builtins(self, world: World) -> Facts:
        """What the language itself declares (functions, system catalogs) under these settings, and which sorts that closes."""
        ...


class Unread:
    """The resolution of a statement that was not read (too large, too deep): nothing is known of it."""

    references: tuple[Reference, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    effect: Effect = NO_EFFECT
    readable = False

    def frames_at(self, offset: int) -> tuple[Frame, ...]:  # noqa: ARG002  (a protocol's method)
        """No frames."""
        return ()

    def expectation_at(self, offset: int) -> Expectation:  # noqa: ARG002  (a protocol's method)
        """Nothing in particular."""
        return Expectation("")


UNREAD = Unread()


def resolver_of(surface: Surface) -> Resolver:
    """A surface's resolver: the one it names, from an installed package; else the lexical one.

    Raises:
        SurfaceError: No installed package offers the resolver it names.
    """
    if surface.resolver in ("", LEXICAL):
        # It is built on this module, so it can't be imported above.
        return cast("Resolver", import_module(f"{GROUP}.{LEXICAL}").LexicalResolver(surface))
    if surface.resolver.isidentifier() and find_spec(f"{GROUP}.{surface.resolver}") is not None:
        return cast("Resolver", import_module(f"{GROUP}.{surface.resolver}").resolver)
    for entry in entry_points(group=GROUP, name=surface.resolver):
        return cast("Resolver", entry.load())
    raise SurfaceError(
        f'no installed package offers the resolver "{surface.resolver}"',
        place=str(surface.root / "surface.toml"),
        mend="a surface without one resolves names by its locals.scm",
    )
