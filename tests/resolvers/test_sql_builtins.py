"""What each dialect declares by itself, held against the databases themselves."""

from __future__ import annotations

import json
import sqlite3
from time import process_time

import pytest

from gproj_lsp.environment import Environment, Key
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import World, resolver_of
from gproj_lsp.resolvers.sql.builtins import builtins
from gproj_lsp.resolvers.sql.lexicon import DIALECTS, _folder, lexicon_of
from gproj_lsp.resolvers.sql.names import function_key, is_open, relation_key
from gproj_lsp.surface import shipped


def gamma(dialect: str) -> Environment:
    return Environment.of(builtins(World(frozenset(), {"dialect": dialect})).bindings)


def columns(environment: Environment, owner: str) -> list[str]:
    return [each.name for each in environment if each.sort == "Column" and each.owner == owner]


class TestSqlite:
    def test_every_function_it_has_is_declared(self):
        connection = sqlite3.connect(":memory:")
        names = {row[0] for row in connection.execute("PRAGMA function_list") if row[0].isidentifier()}
        connection.close()
        environment = gamma("sqlite")
        assert {name for name in names if environment.lookup(function_key("", name)) is None} == set()

    def test_catalogs_have_their_columns(self):
        environment = gamma("sqlite")
        connection = sqlite3.connect(":memory:")
        for table in (
            "sqlite_master",
            "sqlite_schema",
            "sqlite_temp_master",
            "pragma_table_info",
            "json_each",
            "dbstat",
        ):
            found = connection.execute(f"SELECT * FROM {table} LIMIT 0").description
            shown = [
                each.name
                for each in environment
                if each.sort == "Column" and each.owner == table and "hidden" not in each.attrs
            ]
            assert shown == [each[0] for each in found]
        connection.close()

    def test_functions_that_give_tables_are_both(self):
        environment = gamma("sqlite")
        assert environment.lookup(function_key("", "json_each")).attrs["kind"] == "table"
        assert environment.lookup(relation_key("", "json_each")) is not None
        assert "json" in columns(environment, "json_each")

    def test_all_functions_are_known(self):
        assert builtins(World(frozenset(), {"dialect": "sqlite"})).closed == {"Function"}


class TestPostgres:
    @pytest.fixture
    def rows(self, server):
        psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
        with psycopg.connect(host=str(server.socket), user=server.user, dbname="postgres") as connection:
            yield lambda query: connection.execute(query).fetchall()

    def test_every_function_of_release_15_is_declared(self, rows):
        environment = gamma("postgres")
        query = "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace"
        missing = {name for (name,) in rows(query) if environment.lookup(function_key("", name)) is None}
        assert missing == set()

    def test_every_catalog_of_release_15_has_its_columns(self, rows):
        environment = gamma("postgres")
        query = """
        SELECT CASE n.nspname WHEN 'pg_catalog' THEN '' ELSE n.nspname END, c.relname, a.attname
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v') AND a.attnum > 0
        """
        for schema, table, column in rows(query):
            assert environment.lookup(relation_key(schema, table)) is not None
            owner = f"{schema}.{table}" if schema else table
            assert environment.lookup(Key("Column", owner, column)) is not None

    def test_what_other_releases_have_too_is_left_open(self):
        environment = gamma("postgres")
        assert environment.lookup(relation_key("", "pg_stat_activity")).attrs["columns"] == "open"
        assert environment.lookup(relation_key("", "pg_stat_io")).attrs["columns"] == "open"
        assert "columns" not in environment.lookup(relation_key("", "pg_class")).attrs

    def test_operators_functions_are_told_from_those_to_be_called(self):
        environment = gamma("postgres")
        assert environment.lookup(function_key("", "int4pl")).attrs["kind"] == "internal"
        assert environment.lookup(function_key("", "lower")).attrs["kind"] == "scalar"
        assert environment.lookup(function_key("", "coalesce")).attrs["kind"] == "syntax"
        assert environment.lookup(function_key("", "row_number")).attrs["kind"] == "window"
        assert environment.lookup(function_key("", "array_agg")).attrs["kind"] == "aggregate"
        assert environment.lookup(function_key("", "generate_series")).attrs["kind"] == "table"

    def test_without_its_database_not_all_functions_are_known(self):
        assert builtins(World(frozenset(), {"dialect": "postgres"})).closed == frozenset()


def test_duckdb_declares_its_own_functions():
    duckdb = pytest.importorskip("duckdb", reason="the driver duckdb is not installed")
    environment = gamma("duckdb")
    with duckdb.connect() as connection:
        query = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type <> 'pragma'"
        names = {row[0].lower() for row in connection.execute(query).fetchall() if row[0].isidentifier()}
    missing = {name for name in names if environment.lookup(function_key("", name)) is None}
    # Another release than the one that was asked may have a few more.
    assert len(missing) <= len(names) / 20


@pytest.mark.parametrize(
    ("dialect", "function"),
    [
        ("mysql", "date_format"),
        ("mysql", "group_concat"),
        ("mysql", "json_extract"),
        ("sqlite", "strftime"),
        ("sqlite", "bm25"),
        ("postgres", "greatest"),
        ("postgres", "to_char"),
        ("duckdb", "list_transform"),
        ("generic", "ifnull"),
        ("generic", "to_tsvector"),
    ],
)
def test_common_functions(dialect, function):
    assert gamma(dialect).lookup(function_key("", function)) is not None


def test_system_columns_and_pseudo_tables():
    sqlite, postgres = gamma("sqlite"), gamma("postgres")
    assert {each.name for each in sqlite if each.sort == "SystemColumn"} == {"rowid", "oid", "_rowid_"}
    assert "ctid" in {each.name for each in postgres if each.sort == "SystemColumn"}
    where = {each.name: each.attrs["where"] for each in postgres if each.sort == "PseudoTable"}
    assert where == {"new": "trigger", "old": "trigger", "excluded": "conflict"}


def test_system_schemas_without_a_list_are_open():
    assert is_open(gamma("mysql"), "relation", "performance_schema")


def test_generic_is_the_union_and_closes_nothing():
    facts = builtins(World(frozenset(), {}))
    assert facts.closed == frozenset()
    assert is_open(Environment.of(facts.bindings), "Function")
    names = {each.name for each in facts.bindings if each.sort == "Function"}
    for dialect in DIALECTS:
        assert names.issuperset(name for kind in lexicon_of(dialect).functions.values() for name in kind)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_data_has_its_shape(dialect):
    data = json.loads((_folder() / f"{dialect}.json").read_text())
    assert list(data) == [
        "about",
        "reserved",
        "functions",
        "forms",
        "tables",
        "system_columns",
        "pseudo_tables",
        "open_schemas",
    ]
    for lines in (
        data["reserved"],
        *data["functions"].values(),
        data["system_columns"],
        data["open_schemas"],
    ):
        assert all(isinstance(line, str) for line in lines)
    words = [word for lines in data["functions"].values() for line in lines for word in line.split()]
    assert all(word.isidentifier() for word in words)


def test_no_key_is_declared_twice():
    for dialect in (*DIALECTS, "generic"):
        keys = [each.key for each in builtins(World(frozenset(), {"dialect": dialect})).bindings]
        assert len(keys) == len(set(keys))


def test_equal_dialects_share_one_value_and_loading_is_quick():
    first = builtins(World(frozenset(), {"dialect": "sqlite"}))
    start = process_time()
    assert builtins(World(frozenset({"Table"}), {"dialect": "sqlite"})) is first
    assert process_time() - start < 0.001


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb", "generic"])
def test_every_system_table_is_found_by_its_spelling(dialect):
    analyzer = Analyzer(shipped()["sql"], resolver_of(shipped()["sql"]), settings={"dialect": dialect})
    tables = [each for each in analyzer.start if each.sort == "Table"]
    text = "".join(f"SELECT 1 FROM {each.spelling};\n" for each in tables)
    found = [
        reference.binding and reference.binding.key
        for statement in analyzer.analyse(text).statements
        for reference in statement.references
        if reference.sort == "Table"
    ]
    assert found == [each.key for each in tables]
