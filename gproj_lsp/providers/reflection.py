"""A database's schema as bindings, through SQLAlchemy's inspector and, for PostgreSQL and MySQL, their catalogs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic

from sqlalchemy import Connection, inspect, text
from sqlalchemy.engine import Inspector
from sqlalchemy.engine.interfaces import ReflectedColumn, ReflectedForeignKeyConstraint
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import SAWarning, SQLAlchemyError
from sqlalchemy.types import NullType

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.facts import Facts
from gproj_lsp.providers.connection import Address

__all__ = ["Column", "Relation", "bindings_of", "reflect"]

_SYSTEM_SCHEMAS = frozenset(
    {"information_schema", "pg_catalog", "mysql", "performance_schema", "sys", "pg_toast"}
)

_SHIPPED_POSTGRES = 15
"""The PostgreSQL release whose catalogs are shipped with the surface; another one's are read from the server itself."""


@dataclass(frozen=True)
class Column:
    """A column as the database tells it."""

    name: str
    type: str = ""
    nullable: bool = True
    primary: bool = False
    references: str = ""
    hidden: bool = False


@dataclass(frozen=True)
class Relation:
    """A table or view as the database tells it; `columns` is None where they could not be read."""

    schema: str
    name: str
    kind: str
    columns: tuple[Column, ...] | None


@dataclass
class _Reading:
    """A database being read: how, until when, and what was found."""

    connection: Connection
    inspector: Inspector
    address: Address
    origin: Origin
    deadline: float
    bindings: list[Binding] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    late: bool = False

    def out_of_time(self) -> bool:
        """Whether the limit is over; once it is, it stays."""
        self.late = self.late or monotonic() > self.deadline
        return self.late

    def fail(self, name: str, error: Exception) -> None:
        """Note that a relation can't be read."""
        cause = str(getattr(error, "orig", None) or error)
        self.problems.append(f"{self.address.shown}: {name} can't be read: {self.address.scrubbed(cause)}")


def bindings_of(relation: Relation, origin: Origin, *, bare: bool = False) -> Iterator[Binding]:
    """The bindings of a relation and its columns.

    Args:
        relation: What was read.
        origin: Where.
        bare: Whether it can also be named without its schema.
    """
    schema = _schema_attrs(relation.schema, bare=bare)
    attrs = {"kind": relation.kind, **schema}
    if relation.columns is None:
        attrs["columns"] = "open"
    yield Binding(relation.name, "Table", owner=relation.schema, attrs=attrs, origin=origin)
    owner = f"{relation.schema}.{relation.name}" if relation.schema else relation.name
    for column in relation.columns or ():
        said = {"table": relation.name, **schema, **dict(_column_attrs(column))}
        yield Binding(column.name, "Column", owner=owner, attrs=said, origin=origin)


def _schema_attrs(schema: str, *, bare: bool) -> dict[str, str]:
    if not schema:
        return {}
    return {"schema": schema, "bare": "yes"} if bare else {"schema": schema}


def _column_attrs(column: Column) -> Iterator[tuple[str, str]]:
    if column.type:
        yield "type", column.type
    if not column.nullable:
        yield "nullable", "no"
    if column.primary:
        yield "primary", "yes"
    if column.references:
        yield "references", column.references
    if column.hidden:
        yield "hidden", "yes"


def reflect(connection: Connection, address: Address, origin: Origin, seconds: float) -> Facts:
    """Every table, view, column, key, sequence, function and type outside the system's own schemas.

    What can't be read in time or at all is told in `problems`, and closes nothing.

    Raises:
        SQLAlchemyError: Not even the list of tables could be read.
    """
    inspector = inspect(connection)
    reading = _Reading(connection, inspector, address, origin, monotonic() + seconds)
    visible = _visible(reading)
    with warnings.catch_warnings():
        # SQLAlchemy warns of every type it has no class for; a type is shown here as the database writes it.
        warnings.simplefilter("ignore", SAWarning)
        for schema in _schemas(reading, visible):
            for relation in _relations(reading, schema):
                reading.bindings.extend(bindings_of(relation, origin, bare=schema in visible))
            if schema:
                reading.bindings.append(Binding(schema, "Schema", attrs={"kind": "schema"}, origin=origin))
    closed = {"Table", "Column", "Schema"}
    if address.dialect == "postgres":
        _read_postgres(reading, visible)
        closed |= {"Function", "Type"}
    elif address.dialect == "mysql":
        _read_routines(reading, visible)
    if reading.late:
        reading.problems.append(
            f"{address.shown}: took over {seconds:g} s to read; some names are left unknown"
        )
        closed = set()
    details = {"dialect": address.dialect} if address.dialect else {}
    return Facts(tuple(reading.bindings), frozenset(closed), tuple(reading.problems), details)


def _visible(reading: _Reading) -> tuple[str, ...]:
    """The schemas whose tables need no qualification, first to last."""
    if reading.address.dialect == "sqlite":
        return ("",)
    if reading.address.dialect == "postgres":
        return tuple(reading.connection.execute(text("SELECT unnest(current_schemas(false))")).scalars())
    default = reading.inspector.default_schema_name
    return (default,) if default else ()


def _schemas(reading: _Reading, visible: tuple[str, ...]) -> tuple[str, ...]:
    if reading.address.dialect == "sqlite":
        return ("",)
    names = sorted(reading.inspector.get_schema_names())
    return tuple(dict.fromkeys([*visible, *(name for name in names if name.lower() not in _SYSTEM_SCHEMAS)]))


def _relations(reading: _Reading, schema: str) -> Iterator[Relation]:
    inspector = reading.inspector
    said = schema or None
    named = [(name, "table") for name in inspector.get_table_names(said)]
    named += [(name, "view") for name in inspector.get_view_names(said)]
    if reading.address.dialect == "postgres":
        named += [(name, "materialized") for name in inspector.get_materialized_view_names(said)]
        sequences = (Column("last_value"), Column("log_cnt"), Column("is_called"))
        for name in inspector.get_sequence_names(said):
            yield Relation(schema, name, "sequence", sequences)
    read = _one_by_one if reading.address.dialect == "sqlite" else _together
    shape_of = read(reading, said)
    for name, kind in named:
        shape = None if reading.out_of_time() else shape_of(name)
        yield Relation(
            schema, name, kind, None if shape is None else tuple(_columns(shape, reading.inspector))
        )


@dataclass(frozen=True)
class _Shape:
    """What the inspector says of one relation."""

    columns: Sequence[ReflectedColumn]
    primary: Sequence[str]
    foreign: Sequence[ReflectedForeignKeyConstraint]
    hidden: Sequence[str] = ()


def _together(reading: _Reading, schema: str | None) -> Callable[[str], _Shape | None]:
    """The shapes of a server's schema, asked for all at once."""
    inspector = reading.inspector
    columns = inspector.get_multi_columns(schema, kind=ObjectKind.ANY)
    primary = inspector.get_multi_pk_constraint(schema)
    foreign = inspector.get_multi_foreign_keys(schema)

    def shape_of(name: str) -> _Shape | None:
        key = (schema, name)
        if key not in columns:
            return None
        keys = primary.get(key)
        return _Shape(columns[key], keys["constrained_columns"] if keys else (), foreign.get(key, ()))

    return shape_of


def _one_by_one(reading: _Reading, schema: str | None) -> Callable[[str], _Shape | None]:
    """The shapes of an SQLite file, where one table may fail alone: a view over a dropped table, a module not loaded."""
    inspector = reading.inspector
    virtual = frozenset(reading.connection.execute(text(_SQLITE_VIRTUAL)).scalars())

    def shape_of(name: str) -> _Shape | None:
        try:
            return _Shape(
                inspector.get_columns(name, schema),
                inspector.get_pk_constraint(name, schema)["constrained_columns"],
                inspector.get_foreign_keys(name, schema),
                _hidden(reading.connection, name) if name in virtual else (),
            )
        except (SQLAlchemyError, LookupError, AttributeError) as error:
            reading.fail(name, error)
            return None

    return shape_of


def _columns(shape: _Shape, inspector: Inspector) -> Iterator[Column]:
    foreign = _references(shape.foreign)
    for each in shape.columns:
        name = each["name"]
        primary = name in shape.primary
        nullable = each.get("nullable", True) and not primary
        yield Column(name, _type(each, inspector), nullable, primary, foreign.get(name, ""))
    for name in shape.hidden:
        yield Column(name, hidden=True)


def _type(column: ReflectedColumn, inspector: Inspector) -> str:
    kind = column["type"]
    if isinstance(kind, NullType):
        return ""
    try:
        return kind.compile(inspector.dialect)
    except SQLAlchemyError:
        return type(kind).__name__.lower()


def _references(keys: Iterable[ReflectedForeignKeyConstraint]) -> dict[str, str]:
    """What each column of a foreign key refers to: `users.id`, `app.users.id`."""
    found: dict[str, str] = {}
    for key in keys:
        schema = key["referred_schema"]
        table = f"{schema}.{key['referred_table']}" if schema else key["referred_table"]
        own, theirs = key["constrained_columns"], key["referred_columns"]
        for at, column in enumerate(own):
            found.setdefault(column, f"{table}.{theirs[at]}" if at < len(theirs) else table)
    return found


_SQLITE_VIRTUAL = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"


def _hidden(connection: Connection, table: str) -> tuple[str, ...]:
    """Columns of SQLite's virtual tables that only their name reaches."""
    query = text("SELECT name FROM pragma_table_xinfo(:name) WHERE hidden = 1")
    return tuple(connection.execute(query, {"name": table}).scalars())


_POSTGRES_FUNCTIONS = """
SELECT n.nspname, p.proname,
       CASE WHEN bool_or(p.prokind = 'a') THEN 'aggregate' WHEN bool_or(p.prokind = 'w') THEN 'window'
            WHEN bool_or(p.proretset) THEN 'table' ELSE 'scalar' END,
       count(*)
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
 WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') OR :system
 GROUP BY 1, 2 ORDER BY 1, 2
"""

_POSTGRES_TYPES = """
SELECT n.nspname, t.typname,
       CASE t.typtype WHEN 'e' THEN 'enum' WHEN 'd' THEN 'domain' WHEN 'c' THEN 'composite' ELSE 'type' END
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
 WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_toast'
   AND t.typelem = 0 AND (t.typtype <> 'c' OR c.relkind = 'c')
 ORDER BY 1, 2
"""

_POSTGRES_CATALOGS = """
SELECT n.nspname, c.relname, array_agg(a.attname::text ORDER BY a.attnum)
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
 GROUP BY 1, 2 ORDER BY 1, 2
"""


def _read_postgres(reading: _Reading, visible: tuple[str, ...]) -> None:
    """Functions and types; of a release whose catalogs are not shipped, those too."""
    connection, origin = reading.connection, reading.origin
    version = connection.dialect.server_version_info or (0,)
    foreign = version[0] != _SHIPPED_POSTGRES
    for schema, name, kind, count in connection.execute(text(_POSTGRES_FUNCTIONS), {"system": foreign}):
        attrs = {"kind": kind, **_schema_attrs(schema, bare=schema in visible)}
        if count > 1:
            attrs["overloads"] = "yes"
        reading.bindings.append(Binding(name, "Function", owner=schema, attrs=attrs, origin=origin))
    for schema, name, kind in connection.execute(text(_POSTGRES_TYPES)):
        attrs = {"kind": kind, **_schema_attrs(schema, bare=schema in visible)}
        reading.bindings.append(Binding(name, "Type", owner=schema, attrs=attrs, origin=origin))
    if foreign:
        for schema, name, columns in connection.execute(text(_POSTGRES_CATALOGS)):
            relation = Relation(schema, name, "system", tuple(Column(each) for each in columns))
            reading.bindings.extend(bindings_of(relation, origin))


def _read_routines(reading: _Reading, visible: tuple[str, ...]) -> None:
    connection, origin = reading.connection, reading.origin
    query = text("SELECT ROUTINE_SCHEMA, ROUTINE_NAME FROM information_schema.ROUTINES ORDER BY 1, 2")
    for schema, name in connection.execute(query):
        if schema.lower() not in _SYSTEM_SCHEMAS:
            attrs = {"kind": "scalar", **_schema_attrs(schema, bare=schema in visible)}
            reading.bindings.append(Binding(name, "Function", owner=schema, attrs=attrs, origin=origin))
