"""The effect of one statement in the making, and the Γ it is made against."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType

from gproj_lsp.environment import Binding, Environment, Key
from gproj_lsp.resolve import NO_EFFECT, Effect
from gproj_lsp.resolvers.sql.catalog import Catalog
from gproj_lsp.resolvers.sql.ddl.columns import ColumnDef
from gproj_lsp.resolvers.sql.ddl.kinds import kind_of
from gproj_lsp.resolvers.sql.ddl.reader import Name, Path
from gproj_lsp.resolvers.sql.names import RELATION, opened, relation_key, schema_key, spell, table_key
from gproj_lsp.resolvers.sql.scopes import Outputs
from gproj_lsp.text import Span

__all__ = ["DEFINING", "EVERYTHING", "PINNED", "READ_ONLY", "UNSURE", "Draft", "Target"]

EVERYTHING = frozenset({"Table", "Column", "Function", "Type", "Schema"})
"""What a statement opens that may declare anything."""

_TRANSACTION = Key("Transaction", "", "transaction")
_DROPPED = "Dropped"
READ_ONLY = Key("Session", "", "read only")

DEFINING = "defining"
"""An attribute of routines that create, alter or drop what can't be told, and a name that says that there is one."""

PINNED = "pinned"
"""An attribute of tables whose columns something else names (a trigger, a partition key): DROP COLUMN may be refused."""

UNSURE = "unsure"
"""An attribute of tables that hide another, or that may not be there: dropped or renamed, the name may still mean one."""


@dataclass(frozen=True)
class Target:
    """A relation that a statement names.

    Attributes:
        key: Its key.
        owner: The key of its columns.
        name: Its name as a declaration gives it.
        binding: What Γ has under the key.
        span: Where its name is written, if it is.
    """

    key: Key
    owner: str
    name: str
    binding: Binding | None
    span: Span | None = None

    @property
    def said(self) -> dict[str, str]:
        """The attributes by which its columns name it."""
        return {"table": self.name, **({"schema": self.key.owner} if self.key.owner else {})}

    @property
    def open(self) -> bool:
        """Whether it may have columns that Γ does not know."""
        return self.binding is None or _open(self.binding)


class Draft:
    """What a statement declares, drops and opens, as far as it is read.

    Attributes:
        dialect: The dialect's name.
        environment: Γ before the statement.
        catalog: Γ as SQL looks names up in it.
        outputs: The columns of the query in a span of the statement.
        opens: The sorts that are no longer known completely.
    """

    def __init__(
        self, dialect: str, environment: Environment, catalog: Catalog, outputs: Callable[[Span], Outputs]
    ) -> None:
        self.dialect = dialect
        self.environment = environment
        self.catalog = catalog
        self.outputs = outputs
        self.opens: set[str] = set()
        self._declares: dict[Key, Binding] = {}
        self._drops: dict[Key, None] = {}
        self._places: dict[Key, Span] = {}

    # -- the effect ---------------------------------------------------------------------------------------------------

    def declare(self, binding: Binding) -> None:
        """Declare a name; the last declaration of a key counts."""
        self._declares[binding.key] = binding

    def place(self, key: Key, span: Span | None) -> None:
        """Write down where a name that is declared is written."""
        if span is not None:
            self._places.setdefault(key, span)

    def drop(self, key: Key) -> None:
        """Take a name away; inside a transaction a copy stays aside, for the rollback."""
        lost = self.environment.lookup(key)
        if lost is not None and lost.origin.provider == "builtin":
            return  # no database lets its catalogs be changed
        self._declares.pop(key, None)
        self._drops[key] = None
        if lost is not None and self.environment.lookup(_TRANSACTION) is not None:
            aside = {**lost.attrs, "was": lost.sort}
            self.declare(replace(lost, sort=_DROPPED, namespace=f"{_DROPPED} {lost.namespace}", attrs=aside))

    def lookup(self, key: Key) -> Binding | None:
        """What the key means after what is drafted so far."""
        if key in self._declares:
            return self._declares[key]
        return None if key in self._drops else self.environment.lookup(key)

    def put(self, binding: Binding) -> None:
        """Declare in place of what may be there."""
        self.drop(binding.key)
        self.declare(binding)

    def drop_relation(self, target: Target) -> None:
        """Take a relation away with its columns. What it hid, or what was never sure to be there, leaves the name open."""
        if target.binding is None:
            return
        columns = self.columns(target)
        if UNSURE in target.binding.attrs:
            self.leave_open(target.binding)
        else:
            self.drop(target.key)
        for column in columns:
            self.drop(column.key)

    def pin(self, target: Target) -> None:
        """From here on the database may refuse to drop the table's columns: something else names them."""
        if target.binding is not None and PINNED not in target.binding.attrs:
            self.put(replace(target.binding, attrs={**target.binding.attrs, PINNED: "yes"}))

    def inherit(self, child: Target, parent: Target) -> None:
        """From here on a table inherits from another."""
        if child.binding is None:
            return
        attrs = dict(child.binding.attrs)
        for key in ("inherits", "uses"):
            attrs[key] = f"{attrs.get(key, '')} {parent.owner}".strip()
        self.put(replace(child.binding, attrs=attrs))

    def follow(self, target: Target, *, added: bool = False) -> None:
        """A table's columns changed, and with them SQLite's views over it: all, or after an addition those over a star."""
        if self.dialect in ("sqlite", "generic"):
            for user in self.users(target.owner):
                if "star" in user.attrs or not added:
                    self.leave_open(user)

    def leave_open(self, table: Binding) -> None:
        """From here on a table may have other columns, or be gone."""
        self.put(replace(table, attrs={**table.attrs, "columns": "open"}))

    def begin(self) -> None:
        """A transaction begins."""
        self.declare(Binding(_TRANSACTION.folded, "Transaction"))

    def read_only(self, *, said: bool) -> None:
        """From here on definitions are refused, or no longer."""
        if said:
            self.declare(Binding(READ_ONLY.folded, READ_ONLY.namespace))
        else:
            self._drops[READ_ONLY] = None

    def commit(self) -> None:
        """What was dropped since the transaction began is gone for good."""
        if self.environment.lookup(_TRANSACTION) is not None:
            self._drops[_TRANSACTION] = None
            for each in self._aside():
                self._drops[each.key] = None

    def restore(self, *, to_savepoint: bool = False) -> None:
        """What was dropped since the transaction began is back; after a savepoint, it may be.

        Where no transaction began, the client begins them by itself, and anything dropped so far may be back.
        """
        if self.environment.lookup(_TRANSACTION) is None and not to_savepoint:
            self.opens |= EVERYTHING
            self.declare(opened(RELATION, ""))
        for each in self._aside():
            attrs = {name: value for name, value in each.attrs.items() if name != "was"}
            namespace = each.namespace.removeprefix(f"{_DROPPED} ")
            self.declare(replace(each, sort=each.attrs["was"], namespace=namespace, attrs=attrs))
        if not to_savepoint:
            self.commit()

    def _aside(self) -> tuple[Binding, ...]:
        if self.environment.lookup(_TRANSACTION) is None:
            return ()
        return tuple(each for each in self.environment if each.sort == _DROPPED)

    def effect(self) -> Effect:
        """What was drafted."""
        if not (self._declares or self._drops or self.opens or self._places):
            return NO_EFFECT
        places = MappingProxyType(self._places)
        return Effect(tuple(self._declares.values()), tuple(self._drops), frozenset(self.opens), places)

    # -- what Γ has ---------------------------------------------------------------------------------------------------

    def target(self, path: Path) -> Target:
        """The relation a path names."""
        schema = path.schema_key(self.dialect)
        folded = path.name.folded(self.dialect)
        key = relation_key(schema, folded)
        name = path.name.declared(self.dialect)
        return Target(key, table_key(schema, folded), name, self.lookup(key), path.name.span)

    def columns(self, target: Target) -> tuple[Binding, ...]:
        """The columns Γ knows of it, in order."""
        return tuple(self.catalog.columns(target.owner).values()) if target.binding else ()

    # -- making bindings ----------------------------------------------------------------------------------------------

    def table(self, target: Target, kind: str, **attrs: str) -> Binding:
        """A declaration of the relation; empty attributes are left out."""
        self.place(target.key, target.span)
        said = {name: value for name, value in attrs.items() if value}
        schema = {"schema": target.key.owner} if target.key.owner else {}
        return Binding(
            target.name,
            "Table",
            owner=target.key.owner,
            namespace=RELATION,
            folded=target.key.folded,
            attrs={"kind": kind, **schema, **said},
            spelling=spell(target.name, self.dialect),
        )

    def column(self, target: Target, name: Name, **attrs: str) -> Binding:
        """A declaration of one of its columns; empty attributes are left out."""
        declared = name.declared(self.dialect)
        said = {key: value for key, value in attrs.items() if value}
        column = Binding(
            declared,
            "Column",
            owner=target.owner,
            folded=name.folded(self.dialect),
            attrs={**target.said, **said},
            spelling=spell(declared, self.dialect),
        )
        self.place(column.key, name.span)
        return column

    def defined(self, target: Target, column: ColumnDef) -> Binding:
        """A declaration of a column as its table's list defines it."""
        references = ""
        if column.references is not None:
            other = self.target(column.references)
            field = f".{column.target.folded(self.dialect)}" if column.target else ""
            references = f"{other.owner}{field}"
        return self.column(
            target,
            column.name,
            type=column.type,
            references=references,
            primary="yes" if column.primary else "",
            nullable="" if column.nullable else "no",
        )

    def moved(self, column: Binding, target: Target) -> Binding:
        """A column as another table has it."""
        kept = {key: value for key, value in column.attrs.items() if key in ("type", "nullable")}
        return replace(column, owner=target.owner, attrs={**target.said, **kept})

    def establish(self, table: Binding, columns: Iterable[Binding], *, replacing: bool = False) -> None:
        """Declare a relation. One of that name with other columns leaves both, and the relation open."""
        given = {column.key: column for column in columns}
        old = self.lookup(table.key)
        if old is None or old.sort != "Table":
            self.declare(table)
            for column in given.values():
                self.declare(column)
            return
        known = self.catalog.columns(table_key(table.owner, table.folded))
        alike = kind_of(old.attrs.get("kind", "")) == kind_of(table.attrs["kind"])
        if not alike:
            table = replace(table, attrs={**table.attrs, "kind": old.attrs.get("kind", ""), UNSURE: "yes"})
        if (
            replacing
            and alike
            and (self.dialect != "postgres" or known.keys() <= {key.folded for key in given})
        ):
            for column in known.values():
                self.drop(column.key)
        elif (
            UNSURE in table.attrs
            or _open(old)
            or _open(table)
            or {each.key for each in known.values()} != given.keys()
        ):
            table = replace(table, attrs={**table.attrs, "columns": "open"})
        else:
            return
        self.put(table)
        for column in given.values():
            if self.lookup(column.key) is None:
                self.declare(column)

    def rename(self, old: Target, new: Target) -> None:
        """Give a relation another name: its columns move, and what hung on the old name is gone."""
        table = old.binding
        if new.binding is not None:
            # Refused, unless one of the two is not what it seems.
            for each in (table, new.binding):
                if each is not None:
                    self.leave_open(each)
            return
        columns = self.columns(old)
        known = not old.open
        attrs = dict(table.attrs) if table else {"kind": "table"}
        attrs.pop("schema", None)
        attrs.pop("kind", None)
        attrs["columns"] = "" if known else "open"
        attrs.pop(UNSURE, None)
        kind = table.attrs.get("kind", "table") if table else "table"
        if table is None:
            attrs[UNSURE] = "yes"
        self.drop_relation(old)
        self.establish(self.table(new, kind, **attrs), [self.moved(each, new) for each in columns])

    def open_schema(self, name: Name) -> None:
        """Declare a schema whose tables are not known."""
        folded = schema_key(name.text, name.quoted, self.dialect)
        if folded:
            self.declare(self.schema(name, folded))
            self.declare(opened(RELATION, folded))

    def schema(self, name: Name, folded: str) -> Binding:
        """A declaration of a schema."""
        declared = name.declared(self.dialect)
        spelling = spell(declared, self.dialect)
        schema = Binding(declared, "Schema", folded=folded, attrs={"kind": "schema"}, spelling=spelling)
        self.place(schema.key, name.span)
        return schema

    def routine(self, key: Key, name: str, kind: str, *, overloaded: bool) -> Binding:
        """A declaration of a function."""
        attrs = {"kind": kind, **({"overloads": "yes"} if overloaded else {})}
        spelling = spell(name, self.dialect)
        return Binding(name, "Function", owner=key.owner, folded=key.folded, attrs=attrs, spelling=spelling)

    def users(self, owner: str) -> Iterator[Binding]:
        """The relations that need a table: views over it, children, and (PostgreSQL, MySQL) tables that refer to it."""
        refers = self.dialect in ("postgres", "mysql", "duckdb")
        seen: set[Key] = set()
        for binding in self.catalog.users(owner):
            user: Binding | None = None
            if binding.sort == "Table":
                user = binding
            elif refers and binding.owner != owner:
                user = self._owning(binding)
            if user is not None and user.key not in seen:
                seen.add(user.key)
                yield user

    def _owning(self, column: Binding) -> Binding | None:
        """The table that a column belongs to."""
        schema, _, folded = column.owner.rpartition(".")
        return self.environment.lookup(relation_key(schema, folded))


def _open(table: Binding) -> bool:
    return table.attrs.get("columns") == "open"
