"""Γ from each source as the command line joins them: DDL files, a snapshot, a live database, the buffer on top."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gproj_lsp.facts import NOTHING, Facts, Request
from gproj_lsp.ide import Analyzer
from gproj_lsp.providers.database import Database
from gproj_lsp.providers.files import DdlFiles
from gproj_lsp.providers.snapshot import Snapshot, write
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped


def analyzer(dialect: str, *facts: Facts) -> Analyzer:
    surface = shipped()["sql"]
    return Analyzer(surface, resolver_of(surface), facts, {"dialect": dialect})


def ghosts(dialect: str, text: str, *facts: Facts) -> list[str]:
    found = analyzer(dialect, *facts).analyse(text).diagnostics
    return [each.name for each in found if each.code == "ghost-reference"]


def declared(dialect: str, root: Path, *patterns: str) -> Facts:
    return DdlFiles().read(Request(root, {"ddl": patterns}, analyzer(dialect).declared))


class TestDdlFiles:
    def test_a_migration_changes_what_earlier_ones_made(self, tmp_path):
        (tmp_path / "V1__users.sql").write_text("CREATE TABLE users (id int, nick text, old int);")
        (tmp_path / "V2__names.sql").write_text(
            "ALTER TABLE users RENAME COLUMN nick TO name; ALTER TABLE users DROP COLUMN old;"
        )
        (tmp_path / "V10__orders.sql").write_text(
            "CREATE TABLE orders (id int, buyer int);\nCREATE VIEW v AS SELECT name FROM users;"
        )
        facts = declared("postgres", tmp_path, "*.sql")
        assert (
            ghosts(
                "postgres", "SELECT id, name FROM users; SELECT name FROM v; SELECT buyer FROM orders;", facts
            )
            == []
        )
        assert ghosts(
            "postgres", "SELECT nick, old FROM users; SELECT id FROM v; SELECT 1 FROM orderz;", facts
        ) == [
            "nick",
            "old",
            "id",
            "orderz",
        ]

    def test_provenance_is_file_and_line(self, tmp_path):
        (tmp_path / "schema.sql").write_text("-- users\n\nCREATE TABLE users (id int);\n")
        places = {
            each.name: each.origin.place for each in declared("sqlite", tmp_path, "schema.sql").bindings
        }
        assert places["users"] == places["id"] == "schema.sql:3"

    def test_a_file_that_cannot_be_read_may_say_more_of_any_table(self, tmp_path):
        (tmp_path / "V1.sql").write_text("CREATE TABLE users (id int);")
        (tmp_path / "V2.sql").write_bytes(b"ALTER TABLE users ADD mail text; -- \xff")
        facts = declared("postgres", tmp_path, "*.sql")
        assert ghosts("postgres", "SELECT id, mail FROM users; SELECT 1 FROM orders;", facts) == []

    def test_an_extension_leaves_functions_unknown(self, tmp_path):
        (tmp_path / "schema.sql").write_text("CREATE EXTENSION pgcrypto; CREATE TABLE t (a int);")
        assert ghosts("postgres", "SELECT crypt(a) FROM t;", declared("postgres", tmp_path, "*.sql")) == []


class TestDatabases:
    def test_an_sqlite_file(self, tmp_path):
        with sqlite3.connect(tmp_path / "shop.db") as connection:
            connection.executescript('CREATE TABLE "Users" (id INTEGER PRIMARY KEY, "full name" TEXT);')
        connection.close()
        facts = Database().read(Request(tmp_path, {"database": "shop.db"}, lambda _: NOTHING))
        assert ghosts("sqlite", 'SELECT ID, "full name", rowid FROM users;', facts) == []
        found = (
            analyzer("sqlite", facts).analyse("SELECT fullname FROM users; SELECT 1 FROM usrs;").diagnostics
        )
        assert [(each.name, each.suggestions[0]) for each in found] == [
            ("fullname", '"full name"'),
            ("usrs", "Users"),
        ]
        assert found[0].origin is not None
        assert found[0].origin.place == "shop.db"

    def test_the_buffer_goes_on_top(self, tmp_path):
        with sqlite3.connect(tmp_path / "shop.db") as connection:
            connection.execute("CREATE TABLE users (id INTEGER)")
        connection.close()
        facts = Database().read(Request(tmp_path, {"database": "shop.db"}, lambda _: NOTHING))
        text = "ALTER TABLE users ADD COLUMN age INT; SELECT id, age FROM users; DROP TABLE users; SELECT id FROM users;"
        assert ghosts("sqlite", text, facts) == ["users"]

    def test_a_snapshot_says_what_the_database_said(self, tmp_path):
        with sqlite3.connect(tmp_path / "shop.db") as connection:
            connection.executescript(
                "CREATE TABLE users (id INTEGER); CREATE VIEW v AS SELECT id AS x FROM users;"
            )
        connection.close()
        live = Database().read(Request(tmp_path, {"database": "shop.db"}, lambda _: NOTHING))
        write(tmp_path / "schema.json", live)
        frozen = Snapshot().read(Request(tmp_path, {"snapshot": "schema.json"}, lambda _: NOTHING))
        text = "SELECT x FROM v; SELECT y FROM v; SELECT id FROM usrs;"
        assert ghosts("sqlite", text, frozen) == ghosts("sqlite", text, live) == ["y", "usrs"]

    def test_postgres_with_schemas_a_search_path_and_functions(self, new_database):
        pytest.importorskip("psycopg", reason="psycopg is not installed")
        url = new_database(
            """
            CREATE SCHEMA app;
            CREATE TABLE app.orders (id int, "Total" numeric);
            CREATE TABLE users (id int, name text);
            CREATE FUNCTION app.tax(a numeric) RETURNS numeric LANGUAGE sql AS 'SELECT a';
            DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = app, public', current_database()); END $$;
            """
        )
        facts = Database().read(Request(Path(), {"database": url}, lambda _: NOTHING))
        good = """
        SELECT o.id, "Total", tax("Total"), app.tax(1), lower('A') FROM orders o JOIN app.orders p USING (id);
        SELECT name FROM users JOIN public.users u USING (name);
        SELECT relname FROM pg_class; SELECT ctid FROM users;
        """
        assert ghosts("postgres", good, facts) == []
        bad = (
            "SELECT total FROM orders; SELECT taxx(1); SELECT 1 FROM app.users; SELECT relnam FROM pg_class;"
        )
        assert ghosts("postgres", bad, facts) == ["total", "taxx", "users", "relnam"]
