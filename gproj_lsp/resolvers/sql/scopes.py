"""What a query's names are looked up in: relations with their columns, and scopes of relations."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from gproj_lsp.environment import Binding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlglot import exp

    from gproj_lsp.resolvers.sql.catalog import Catalog
    from gproj_lsp.text import Span

__all__ = ["ANYTHING", "NO_CTES", "Ctes", "Outputs", "Relation", "Scope", "Visible"]


@dataclass(frozen=True)
class Outputs:
    """The columns that a query gives.

    Attributes:
        columns: In order; None for one that no plain name can be told for (`count(*)`).
        open: Whether there may be more.
        guess: Whether those without a name may have a plain one all the same, as the database makes it up.
        exact: Whether each stands at its place, so that a column list renames them one by one.
        places: Where each is given its name, where that is known and asked for.
    """

    columns: tuple[Binding | None, ...] = ()
    open: bool = False
    guess: bool = False
    exact: bool = True
    places: tuple[Span | None, ...] = ()

    @property
    def named(self) -> Iterator[Binding]:
        """Those with a name."""
        return (column for column in self.columns if column is not None)

    def relabelled(self, names: tuple[Binding, ...]) -> Outputs:
        """The outputs under a column list, which names the first of them."""
        if not names:
            return self
        if self.open or not self.exact:
            return Outputs(names, open=True, exact=False)
        return Outputs((*names, *self.columns[len(names) :]), guess=self.guess)


ANYTHING = Outputs(open=True, exact=False)
"""The outputs of a query that can't be read."""


class Relation:
    """Something with columns that a FROM clause brings into scope.

    Attributes:
        name: The folded name that its columns are qualified by; empty if it has none.
        spelling: That name as it must be written.
        owner: The key of its columns in Γ, or its own name where Γ has none.
        schema: The folded schema, if it goes by its table's name; empty where that need not be said.
        binding: The table in Γ or the common table expression, if it is one.
        base: Whether it may have the dialect's system columns.
        anonymous: Whether some of its columns have names that only quotes could spell.
        repeated: Folded names that more than one of its columns has.
        row: Whether it is one row (`NEW`, `excluded`), whose columns have to be qualified.
    """

    __slots__ = (
        "_alias",
        "_catalog",
        "_given",
        "_known",
        "_open",
        "anonymous",
        "base",
        "binding",
        "name",
        "owner",
        "repeated",
        "row",
        "schema",
        "spelling",
    )

    def __init__(  # noqa: PLR0913  (each is one independent fact about it)
        self,
        name: str,
        spelling: str,
        *,
        owner: str = "",
        schema: str | None = None,
        binding: Binding | None = None,
        catalog: Catalog | None = None,
        known: Mapping[str, Binding] | None = None,
        is_open: bool = False,
        base: bool = False,
        given: Outputs | None = None,
        anonymous: bool = False,
        repeated: frozenset[str] = frozenset(),
        row: bool = False,
    ) -> None:
        self.name = name
        self.spelling = spelling
        self.owner = owner or name
        self.schema = schema
        self.binding = binding
        self.base = base
        self.anonymous = anonymous
        self.repeated = repeated
        self.row = row
        self._alias: Binding | None = None
        self._catalog = catalog
        self._given = given
        self._known = known if known is not None or catalog is not None else MappingProxyType({})
        self._open = is_open

    @classmethod
    def derived(
        cls,
        name: str,
        spelling: str,
        outputs: Outputs,
        *,
        base: bool = False,
        binding: Binding | None = None,
    ) -> Relation:
        """The relation that a query in FROM or WITH is."""
        known: dict[str, Binding] = {}
        repeated: set[str] = set()
        for column in outputs.named:
            if known.setdefault(column.folded, column) is not column:
                repeated.add(column.folded)
        unnamed = None in outputs.columns
        return cls(
            name,
            spelling,
            binding=binding,
            known=known,
            is_open=outputs.open or (unnamed and outputs.guess),
            base=base,
            given=outputs,
            anonymous=unnamed,
            repeated=frozenset(repeated),
        )

    @classmethod
    def table(
        cls, catalog: Catalog, binding: Binding | None, name: str, spelling: str, schema: str | None
    ) -> Relation:
        """A table by its binding in Γ; of one that is not there, no column is known."""
        if binding is None:
            return cls(name, spelling, schema=schema, known={}, is_open=True, base=True)
        return cls(
            name,
            spelling,
            owner=catalog.owner(binding),
            schema=schema,
            binding=binding,
            catalog=catalog,
            is_open=binding.attrs.get("columns") == "open",
            base=True,
        )

    @property
    def alias(self) -> Binding:
        """What its name in this block declares."""
        if self._alias is None:
            attrs = MappingProxyType({"table": self.owner})
            self._alias = Binding(self.spelling, "Alias", namespace="Alias", folded=self.name, attrs=attrs)
        return self._alias

    @property
    def open(self) -> bool:
        """Whether it may have columns that are not known; a table of which no column is known has."""
        return self._open or (self._known is None and not self.columns())

    def find(self, folded: str) -> Binding | None:
        """Its column of that folded name."""
        if self._known is not None:
            return self._known.get(folded)
        return self._catalog.column(self.owner, folded) if self._catalog is not None else None

    def columns(self) -> Mapping[str, Binding]:
        """Its known columns by folded name, in order."""
        if self._known is not None:
            return self._known
        return self._catalog.columns(self.owner) if self._catalog is not None else {}

    def one(self, name: str) -> Relation:
        """One of its rows, under a name of its own: `NEW`, `excluded`."""
        return self.under(name, name, row=True)

    def under(self, name: str, spelling: str, schema: str | None = None, *, row: bool = False) -> Relation:
        """The same relation under another name."""
        return Relation(
            name,
            spelling,
            owner=self.owner,
            schema=schema,
            binding=self.binding,
            catalog=self._catalog,
            known=self._known,
            is_open=self._open,
            base=self.base,
            given=self._given,
            anonymous=self.anonymous,
            repeated=self.repeated,
            row=row,
        )

    def outputs(self) -> Outputs:
        """What `*` gives of it."""
        if self._given is not None:
            return self._given
        shown = (column for column in self.columns().values() if "hidden" not in column.attrs)
        return Outputs(tuple(shown), self.open)


Ctes = MappingProxyType[str, Relation]
NO_CTES: Ctes = MappingProxyType({})


@dataclass(frozen=True)
class Visible:
    """A column that can be written at a place, and how."""

    binding: Binding
    relation: Relation | None
    spelling: str
    qualified: bool


@dataclass(eq=False)
class Scope:
    """One query block's names.

    Attributes:
        parent: The block around it whose names it sees too.
        ctes: The common table expressions that can be named here.
        relations: What FROM brings in, in order.
        merged: Columns that USING or NATURAL made one, and of which relations.
        lenient: Whether several matches of a bare name prove nothing (a NATURAL join with unknown columns).
        aliases: What a SELECT list's outputs are called, folded.
        explicit: Those of them that are aliases.
        aggregates: Aliases of aggregates and windows, which are not there before rows are grouped.
        names_open: Whether there may be relations that can't be seen (a hole, a template, a FROM still being typed).
        behind: Whether a qualifier may name a relation that the block can't see (ORDER BY of a set operation).
        windows: What the WINDOW clause declares, folded.
        clause: Which clause is being read, for the blocks inside it.
        start: How many relations stand before the last comma of FROM.
        item: How many are hidden while an ON clause is read: those before the comma, where JOIN binds tighter.
        pending: ON clauses still to be read: each with the number of relations joined so far, and its regions.
    """

    parent: Scope | None = None
    ctes: Ctes = field(default_factory=lambda: NO_CTES)
    relations: list[Relation] = field(default_factory=list)
    merged: dict[str, set[int]] = field(default_factory=dict)
    lenient: bool = False
    aliases: dict[str, Binding] = field(default_factory=dict)
    explicit: set[str] = field(default_factory=set)
    aggregates: set[str] = field(default_factory=set)
    names_open: bool = False
    behind: bool = False
    windows: dict[str, Binding] = field(default_factory=dict)
    clause: str = ""
    start: int = 0
    item: int = 0
    pending: list[tuple[exp.Expr, int, tuple[str, ...]]] = field(default_factory=list)

    def alone(self) -> Scope:
        """The same block without those around it."""
        return replace(self, parent=None)

    def twins(self, relation: Relation) -> list[Relation]:
        """The relations of this block that have the name of one of them, that one included."""
        return [each for each in self.relations if each.name and each.name == relation.name]

    def chain(self) -> Iterator[Scope]:
        """This scope and those around it, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    @property
    def open(self) -> bool:
        """Whether a bare name that matches nothing may still be a column of this block."""
        return self.names_open or any(relation.open and not relation.row for relation in self.relations)

    def named(self, folded: str, schema: str | None = None) -> Relation | None:
        """The nearest relation of that name, in this block or around it; of several in a block, the one of the schema."""
        for scope in self.chain():
            found = [relation for relation in scope.relations[scope.item :] if relation.name == folded]
            if found:
                return next((relation for relation in found if relation.schema == schema), found[0])
        return None

    def matches(self, folded: str) -> list[tuple[Relation, Binding]]:
        """This block's columns of that name; those that a join merged count once."""
        found = [
            (at, relation, column)
            for at, relation in enumerate(self.relations)
            if at >= self.item and not relation.row and (column := relation.find(folded)) is not None
        ]
        if len(found) > 1 and (merged := self.merged.get(folded)):
            first = next((at for at, _, _ in found if at in merged), None)
            found = [each for each in found if each[0] not in merged or each[0] == first]
        return [(relation, column) for _, relation, column in found]

    def merge(self, folded: str, right: int, first: int = 0) -> None:
        """Make one of the columns of that name of relation `right` and of those before it, from `first` on."""
        group = self.merged.setdefault(folded, set())
        group.add(right)
        group.update(at for at in range(first, right) if self.relations[at].find(folded) is not None)

    def visible(self, upto: int | None = None) -> Iterator[Visible]:
        """The columns that can be named here and how: qualified only where the bare name is not clear.

        Args:
            upto: How many of this block's relations are visible (in an ON clause, those joined so far).
        """
        inner = _Inner()
        for scope in self.chain():
            yield from scope.shown(inner, upto if scope is self else None)
            inner.add(scope)

    def shown(self, inner: _Inner, upto: int | None) -> Iterator[Visible]:
        """This block's own columns, as they must be written inside the blocks of `inner`."""
        once = self._once() - inner.columns if self._clear(inner) else frozenset()
        seen: set[str] = set()
        for relation in self.relations[:upto]:
            named = bool(relation.name) and relation.name not in inner.names
            for name, column in relation.columns().items():
                if name in relation.repeated or name in seen:
                    continue
                if name in once and not relation.row:
                    seen.add(name)
                    yield Visible(column, relation, column.spelling, qualified=False)
                elif named:
                    yield Visible(column, relation, f"{relation.spelling}.{column.spelling}", qualified=True)

    def _clear(self, inner: _Inner) -> bool:
        """Whether a bare name that one known relation has can mean nothing else."""
        return not inner.open and not (len(self.relations) > 1 and self.open)

    def _once(self) -> frozenset[str]:
        """The names that a bare reference finds exactly once."""
        counts = Counter(name for each in self.relations if not each.row for name in each.columns())
        for name, merged in self.merged.items():
            if counts[name] == len(merged):
                counts[name] = 1
        return frozenset(name for name, count in counts.items() if count == 1)


class _Inner:
    """What the blocks inside a block hide of it."""

    def __init__(self) -> None:
        self.columns: set[str] = set()
        self.names: set[str] = set()
        self.open = False

    def add(self, scope: Scope) -> None:
        self.columns.update(column for relation in scope.relations for column in relation.columns())
        self.names.update(relation.name for relation in scope.relations)
        self.open = self.open or scope.open
