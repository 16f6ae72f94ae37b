"""Random scripts of DDL, judged by the databases: what exists is declared, and what is declared and known exists.

First only the statements that the database takes are told to Γ: the two must agree. Then the refused ones stay in the script,
as they do in a file: Γ can't know that they were refused and may declare too much, but it must not lack what is there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gproj_lsp.environment import EMPTY, Environment
from gproj_lsp.resolve import World, resolver_of
from gproj_lsp.resolvers.sql.catalog import Catalog
from gproj_lsp.resolvers.sql.names import fold, table_key
from gproj_lsp.surface import shipped
from gproj_lsp.syntax import lexer_of, split

Schema = Mapping[str, "list[str] | None"]

tables = st.sampled_from(["t", "u", '"t"', "T", "v", '"odd name"'])
columns = st.sampled_from(["a", "b", "c", '"a"', "B", '"d e"', "key_"])
unquoted = st.sampled_from(["a", "b", "c", "B", "key_"])  # SQLite reads an absent "name" as a string
lists = st.lists(columns, min_size=1, max_size=3, unique_by=lambda name: name.strip('"').lower())

_PLAIN = st.one_of(
    st.builds(
        "CREATE TABLE {} ({})".format,
        tables,
        lists.map(lambda names: ", ".join(f"{each} int" for each in names)),
    ),
    st.builds("CREATE TABLE IF NOT EXISTS {} ({} int)".format, tables, columns),
    st.builds("DROP TABLE {}".format, tables),
    st.builds("DROP TABLE IF EXISTS {}, {}".format, tables, tables),
    st.builds("DROP VIEW {}".format, tables),
    st.builds("ALTER TABLE {} ADD COLUMN {} int".format, tables, columns),
    st.builds("ALTER TABLE {} DROP COLUMN {}".format, tables, columns),
    st.builds("ALTER TABLE {} RENAME COLUMN {} TO {}".format, tables, columns, columns),
    st.builds("ALTER TABLE {} RENAME TO {}".format, tables, tables),
)
_QUERIES = st.one_of(
    st.builds("CREATE TABLE {} AS SELECT * FROM {}".format, tables, tables),
    st.builds("CREATE TABLE {} AS SELECT {} AS x, {} FROM {}".format, tables, unquoted, unquoted, tables),
    st.builds("CREATE VIEW {} AS SELECT {} FROM {}".format, tables, unquoted, tables),
    st.builds("CREATE VIEW {} AS SELECT * FROM {}".format, tables, tables),
    st.builds("CREATE VIEW {} (p, q) AS SELECT {}, {} FROM {}".format, tables, unquoted, unquoted, tables),
)
_TRANSACTIONS = st.sampled_from(["BEGIN", "COMMIT", "ROLLBACK"])

every = st.lists(st.one_of(_PLAIN, _QUERIES, _TRANSACTIONS), min_size=1, max_size=8)
plain = st.lists(_PLAIN, min_size=1, max_size=8)


def gamma(dialect: str, script: list[str]) -> tuple[Environment, World]:
    world = World(frozenset({"Table", "Column"}), {"dialect": dialect})
    surface = shipped()["sql"]
    resolver = resolver_of(surface)
    environment = EMPTY
    text = "".join(f"{statement};\n" for statement in script)
    for piece in split(text, lexer_of(surface, dialect)).pieces:
        environment = resolver.resolve(piece.statement, environment, world).effect.apply(environment)
    return environment, world


def judge(dialect: str, script: list[str], *, real: Schema, exactly: bool) -> None:
    """Compare Γ after a script with the real schema; not exactly: only for what it lacks."""
    environment, world = gamma(dialect, script)
    catalog = Catalog(environment, world)
    declared = {table_key(each.owner, each.folded): each for each in catalog.relations}
    certain = {key for key, each in declared.items() if each.attrs.get("columns") != "open"}
    folded = {fold(table, quoted=True, dialect=dialect): names for table, names in real.items()}
    assert folded.keys() <= declared.keys()
    broken = {table for table, names in folded.items() if names is None}
    there = {
        table: {fold(name, quoted=True, dialect=dialect) for name in names}
        for table, names in folded.items()
        if names is not None
    }
    known = {key: set(catalog.columns(key)) for key in certain - broken}
    if exactly:
        assert known == {key: there[key] for key in known.keys() & there.keys()}
    lacking = {key: there[key] - known[key] for key in known.keys() & there.keys()}
    assert not any(lacking.values()), lacking


class Sqlite:
    """An empty database in memory."""

    dialect = "sqlite"
    error = sqlite3.Error

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)

    def execute(self, statement: str) -> None:
        self.connection.execute(statement)

    def schema(self) -> Schema:
        found: dict[str, list[str] | None] = {}
        query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        for (name,) in self.connection.execute(query).fetchall():
            quoted = '"' + name.replace('"', '""') + '"'
            found[name] = None  # a view over what is gone: SQLite finds out when the view is used
            with suppress(sqlite3.OperationalError):
                found[name] = [row[1] for row in self.connection.execute(f"PRAGMA table_info({quoted})")]
        return found

    def close(self) -> None:
        self.connection.close()


class Postgres:
    """An empty schema on a real server."""

    dialect = "postgres"

    def __init__(self, cursor) -> None:
        self.cursor = cursor
        self.error = import_module("psycopg").Error
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")

    def execute(self, statement: str) -> None:
        self.cursor.execute(statement)

    def schema(self) -> Schema:
        self.cursor.execute(_COLUMNS)
        return dict(self.cursor.fetchall())

    def close(self) -> None:
        pass


_COLUMNS = """
SELECT c.relname, coalesce(array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attname IS NOT NULL), '{}')
  FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') GROUP BY 1
"""


def accepted(database: Sqlite | Postgres, script: list[str]) -> list[str]:
    """Run a script; the statements that the database took. A transaction with a refused one ends, undone."""
    taken: list[str] = []
    open_ = False
    for statement in script:
        try:
            database.execute(statement)
        except database.error:
            if open_ and database.dialect == "postgres":
                database.execute("ROLLBACK")
                taken.append("ROLLBACK")
                open_ = False
            continue
        taken.append(statement)
        open_ = statement == "BEGIN" or (open_ and statement not in ("COMMIT", "ROLLBACK"))
    if open_:
        database.execute("COMMIT")
        taken.append("COMMIT")
    return taken


def undone(script: list[str]) -> bool:
    """Whether what was created may have been undone, which Γ does not follow."""
    return "ROLLBACK" in script


@given(script=every)
@settings(max_examples=100, deadline=None)
def test_sqlite_agrees_on_what_it_takes(script):
    database = Sqlite()
    try:
        taken = accepted(database, script)
        judge("sqlite", taken, real=database.schema(), exactly=not undone(taken))
    finally:
        database.close()


@given(script=plain)
@settings(max_examples=100, deadline=None)
def test_nothing_that_sqlite_has_is_lacking(script):
    database = Sqlite()
    try:
        accepted(database, script)
        judge("sqlite", script, real=database.schema(), exactly=False)
    finally:
        database.close()


@pytest.fixture(scope="module")
def cursor(server):
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    server.create("judge")
    connection = psycopg.connect(host=str(server.socket), user=server.user, dbname="judge", autocommit=True)
    with connection, connection.cursor() as cursor:
        yield cursor


@given(script=every)
@settings(max_examples=30, deadline=None)
def test_postgres_agrees_on_what_it_takes(cursor, script):
    database = Postgres(cursor)
    taken = accepted(database, script)
    judge("postgres", taken, real=database.schema(), exactly=not undone(taken))


@given(script=plain)
@settings(max_examples=30, deadline=None)
def test_nothing_that_postgres_has_is_lacking(cursor, script):
    database = Postgres(cursor)
    accepted(database, script)
    judge("postgres", script, real=database.schema(), exactly=False)
