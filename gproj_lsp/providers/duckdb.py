"""A DuckDB file's schema, through DuckDB's own driver and its own description of itself."""

from __future__ import annotations

from importlib import import_module
from threading import Timer
from typing import Protocol, cast

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import ProviderError, UnreachableError
from gproj_lsp.facts import Facts
from gproj_lsp.providers.connection import Address, existing
from gproj_lsp.providers.reflection import Column, Relation, bindings_of

__all__ = ["read_duckdb"]

_RELATIONS = """
SELECT schema_name, table_name, 'table' FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()
UNION ALL
SELECT schema_name, view_name, 'view' FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
ORDER BY 1, 2
"""
_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, is_nullable FROM duckdb_columns()
 WHERE NOT internal AND database_name = current_database() ORDER BY schema_name, table_name, column_index
"""
_KEYS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names
  FROM duckdb_constraints()
 WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
"""
_MACROS = """
SELECT DISTINCT schema_name, function_name, function_type FROM duckdb_functions()
 WHERE NOT internal AND database_name = current_database() ORDER BY ALL
"""


class _Cursor(Protocol):
    """What this module needs of DuckDB's connection."""

    def execute(self, query: str) -> _Cursor:
        """Run a statement."""
        ...

    def fetchall(self) -> list[tuple[str, ...]]:
        """Its rows."""
        ...

    def interrupt(self) -> None:
        """Stop what is running, from another thread."""
        ...

    def close(self) -> None:
        """Let the file go."""
        ...


class _Driver(Protocol):
    """What this module needs of `duckdb`."""

    Error: type[Exception]

    def connect(self, database: str, *, read_only: bool) -> _Cursor:
        """Open a file."""
        ...


def read_duckdb(address: Address, origin: Origin, seconds: float) -> Facts:
    """Every table, view, column, key and macro of a file.

    Functions are not closed: DuckDB loads extensions by itself when one of their functions is called.

    Args:
        address: The file.
        origin: Where its names come from.
        seconds: After how long to give up.

    Raises:
        ProviderError: The driver is not installed, the file is absent or no database.
        UnreachableError: It is locked, or takes too long.
    """
    try:
        driver = cast("_Driver", import_module("duckdb"))
    except ModuleNotFoundError as error:
        mend = 'pip install "gproj-lsp[duckdb]"'
        raise address.failure("the driver duckdb is not installed", mend=mend) from error
    path = existing(address)
    try:
        connection = driver.connect(str(path), read_only=True)
        limit = Timer(seconds, connection.interrupt)
        limit.start()
        try:
            bindings = tuple(_bindings(connection, origin))
        finally:
            limit.cancel()
            limit.join()
            connection.close()
    except driver.Error as error:
        raise _failure(address, str(error)) from None
    return Facts(bindings, frozenset({"Table", "Column", "Schema"}), details={"dialect": "duckdb"})


def _failure(address: Address, said: str) -> ProviderError:
    if "could not set lock" in said.lower():
        return UnreachableError("is locked by another program", place=address.shown)
    if said.startswith("INTERRUPT"):
        return UnreachableError("took too long to read", place=address.shown)
    return address.failure(f"can't be read: {address.scrubbed(said)}")


def _bindings(connection: _Cursor, origin: Origin) -> list[Binding]:
    columns: dict[tuple[str, str], list[Column]] = {}
    primary, foreign = _keys(connection)
    for schema, table, name, kind, nullable in connection.execute(_COLUMNS).fetchall():
        key = (schema, table, name)
        column = Column(name, kind, bool(nullable), key in primary, foreign.get(key, ""))
        columns.setdefault((schema, table), []).append(column)
    found: list[Binding] = []
    for schema, name, kind in connection.execute(_RELATIONS).fetchall():
        relation = Relation(schema, name, kind, tuple(columns.get((schema, name), ())))
        found.extend(bindings_of(relation, origin, bare=schema == "main"))
    for schema, name, kind in connection.execute(_MACROS).fetchall():
        attrs = {"kind": "table" if "table" in kind else "scalar", "schema": schema}
        if schema == "main":
            attrs["bare"] = "yes"
        found.append(Binding(name, "Function", owner=schema, attrs=attrs, origin=origin))
    schemas = dict.fromkeys(each.attrs["schema"] for each in found)
    found.extend(Binding(schema, "Schema", attrs={"kind": "schema"}, origin=origin) for schema in schemas)
    return found


_ColumnPath = tuple[str, str, str]


def _keys(connection: _Cursor) -> tuple[set[_ColumnPath], dict[_ColumnPath, str]]:
    primary: set[_ColumnPath] = set()
    foreign: dict[_ColumnPath, str] = {}
    for schema, table, kind, own, other, theirs in connection.execute(_KEYS).fetchall():
        for at, name in enumerate(own):
            if kind == "PRIMARY KEY":
                primary.add((schema, table, name))
            else:
                foreign[schema, table, name] = f"{other}.{theirs[at]}" if at < len(theirs) else other
    return primary, foreign
