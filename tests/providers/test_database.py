"""A live database's schema: SQLite, PostgreSQL and DuckDB for real, read-only, and never a password told."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from subprocess import PIPE, Popen
from sys import executable, modules
from threading import Event

import pytest

from gproj_lsp.errors import ProviderError, UnreachableError
from gproj_lsp.facts import NOTHING, Facts, Request
from gproj_lsp.providers.database import Database

SHOP = """
CREATE TABLE users (id INTEGER PRIMARY KEY, "Full Name" TEXT NOT NULL, mail VARCHAR(80));
CREATE TABLE orders (id INTEGER PRIMARY KEY, buyer INT REFERENCES users (id), total NUMERIC(10, 2));
CREATE VIEW spent AS SELECT buyer, sum(total) AS total FROM orders GROUP BY buyer;
CREATE VIRTUAL TABLE notes USING fts5(title, body);
"""


def request(url: str, root: Path = Path(), seconds: float = 10.0) -> Request:
    return Request(root, {"database": url}, lambda _: NOTHING, seconds)


def read(url: str, root: Path = Path(), seconds: float = 10.0) -> Facts:
    return Database().read(request(url, root, seconds))


def tables(facts: Facts) -> dict[str, str]:
    """Each relation's columns, as `schema.table`; ! marks those that need no schema."""
    columns: dict[tuple[str, str], list[str]] = {}
    for each in facts.bindings:
        if each.sort == "Column":
            columns.setdefault((each.attrs.get("schema", ""), each.attrs["table"]), []).append(each.name)
    return {
        f"{each.owner}.{each.name}".lstrip(".") + ("!" if each.attrs.get("bare") else ""): " ".join(
            columns.get((each.owner, each.name), []) + ["..."] * (each.attrs.get("columns") == "open")
        )
        for each in facts.bindings
        if each.sort == "Table"
    }


def attrs(facts: Facts, table: str, column: str, schema: str = "") -> dict[str, str]:
    found = next(
        each
        for each in facts.bindings
        if (each.sort, each.name) == ("Column", column)
        and (each.attrs["table"], each.attrs.get("schema", "")) == (table, schema)
    )
    return dict(found.attrs)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(SHOP)
    connection.close()
    return path


class TestSqlite:
    def test_tables_views_keys_and_types(self, shop):
        facts = read("sqlite:///shop.db", shop.parent)
        found = tables(facts)
        assert found["users"] == "id Full Name mail"
        assert found["orders"] == "id buyer total"
        assert found["spent"] == "buyer total"
        assert found["notes"] == "title body notes rank"
        assert facts.closed == {"Table", "Column", "Schema"}
        assert facts.details == {"dialect": "sqlite"}
        buyer = attrs(facts, "orders", "buyer")
        assert buyer == {"table": "orders", "type": "INTEGER", "references": "users.id"}
        assert attrs(facts, "users", "id")["primary"] == "yes"
        assert attrs(facts, "users", "Full Name")["nullable"] == "no"
        assert attrs(facts, "notes", "rank")["hidden"] == "yes"

    def test_provenance_says_the_file_and_when(self, shop):
        origin = read(f"sqlite:///{shop}").bindings[0].origin
        assert (origin.provider, origin.place) == ("database", str(shop))
        assert origin.read > 0

    def test_a_path_is_an_sqlite_file(self, shop):
        assert "users" in tables(read("shop.db", shop.parent))

    def test_reading_changes_nothing(self, shop):
        def state() -> tuple[str, list[str]]:
            files = sorted(each.name for each in shop.parent.iterdir())
            return hashlib.sha256(shop.read_bytes()).hexdigest(), files

        before = state()
        read("shop.db", shop.parent)
        assert state() == before

    def test_a_missing_file_is_an_error_and_is_not_created(self, tmp_path):
        with pytest.raises(ProviderError, match="no such database file") as caught:
            read("sqlite:///absent.db", tmp_path)
        assert caught.value.place == "absent.db"
        assert list(tmp_path.iterdir()) == []

    def test_what_is_no_database_is_an_error(self, tmp_path):
        (tmp_path / "text.db").write_text("hello, I am a text file and no database at all" * 20)
        with pytest.raises(ProviderError, match="not a readable SQLite database"):
            read("text.db", tmp_path)
        with pytest.raises(ProviderError, match="is a folder"):
            read(str(tmp_path))
        with pytest.raises(ProviderError, match="in-memory"):
            read("sqlite://")

    def test_a_truncated_database_is_an_error(self, shop):
        shop.write_bytes(shop.read_bytes()[:5000])
        with pytest.raises(ProviderError, match=r"shop\.db"):
            read("shop.db", shop.parent)

    def test_a_locked_database_is_an_error(self, shop):
        connection = sqlite3.connect(shop, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        try:
            with pytest.raises(ProviderError, match="locked by another program"):
                read("shop.db", shop.parent, seconds=0.2)
        finally:
            connection.close()

    def test_a_broken_view_is_told_and_left_open(self, shop):
        with sqlite3.connect(shop) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(
                "UPDATE sqlite_master SET sql = replace(sql, 'FROM orders', 'FROM gone') WHERE name = 'spent'"
            )
        connection.close()
        facts = read("shop.db", shop.parent)
        assert tables(facts)["spent"] == "..."
        assert tables(facts)["users"] == "id Full Name mail"
        assert len(facts.problems) == 1
        assert facts.problems[0].startswith("shop.db: spent can't be read: no such table")

    def test_the_fingerprint_changes_with_the_file(self, shop):
        provider = Database()
        asked = request("shop.db", shop.parent)
        before = provider.fingerprint(asked)
        assert provider.fingerprint(asked) == before
        with sqlite3.connect(shop) as connection:
            connection.execute("CREATE TABLE more (x)")
        connection.close()
        assert provider.fingerprint(asked) != before

    def test_an_empty_setting_asks_nothing(self):
        assert Database().fingerprint(Request(Path(), {}, lambda _: NOTHING)) is None

    def test_names_with_anything_in_them(self, tmp_path):
        odd = ['a"b', "sel ect", "é\n|", "x'y", "tab%le", "[b]"]
        with sqlite3.connect(tmp_path / "odd.db") as connection:
            for name in odd:
                quoted = '"' + name.replace('"', '""') + '"'
                connection.execute(f"CREATE TABLE {quoted} ({quoted} INT, plain INT)")
        connection.close()
        assert tables(read("odd.db", tmp_path)) == {name: f"{name} plain" for name in odd}


SCRIPT = """
CREATE SCHEMA app; CREATE SCHEMA "Odd.Schema";
CREATE TYPE app.mood AS ENUM ('ok'); CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE users (id bigint PRIMARY KEY, "Full Name" text NOT NULL, tags text[], mood app.mood);
CREATE TABLE app.orders (id int PRIMARY KEY, buyer bigint REFERENCES users (id), parent int REFERENCES app.orders);
CREATE TABLE "Odd.Schema"."T" (x int);
CREATE VIEW app.names AS SELECT "Full Name" AS name FROM users;
CREATE MATERIALIZED VIEW counts AS SELECT count(*) AS n FROM users;
CREATE TABLE parts (k int, v text) PARTITION BY LIST (k);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE SEQUENCE ticket;
CREATE FUNCTION app.tax(a numeric) RETURNS numeric LANGUAGE sql AS 'SELECT a';
CREATE FUNCTION app.tax(a int) RETURNS int LANGUAGE sql AS 'SELECT a';
CREATE FUNCTION many() RETURNS SETOF int LANGUAGE sql AS 'SELECT 1';
CREATE AGGREGATE total(int) (sfunc = int4pl, stype = int);
"""


@pytest.fixture(scope="module")
def url(server):
    server.create("shop")
    server.run(SCRIPT, "shop")
    return server.url("shop")


class TestPostgres:
    def test_every_schema_with_kinds_keys_and_types(self, url):
        facts = read(url)
        found = tables(facts)
        assert found["public.users!"] == "id Full Name tags mood"
        assert found["app.orders"] == "id buyer parent"
        assert found["Odd.Schema.T"] == "x"
        assert found["app.names"] == "name"
        assert found["public.counts!"] == "n"
        assert found["public.parts!"] == found["public.parts_1!"] == "k v"
        assert found["public.ticket!"] == "last_value log_cnt is_called"
        assert not any(name.startswith(("pg_", "information_schema")) for name in found)
        assert facts.closed == {"Table", "Column", "Schema", "Function", "Type"}
        assert facts.details == {"dialect": "postgres"}
        assert attrs(facts, "orders", "buyer", "app")["references"] in ("users.id", "public.users.id")
        assert attrs(facts, "orders", "parent", "app")["references"] == "app.orders.id"
        assert attrs(facts, "users", "tags", "public")["type"] == "TEXT[]"

    def test_functions_and_types(self, url):
        facts = read(url)
        functions = {
            (each.owner, each.name): each.attrs for each in facts.bindings if each.sort == "Function"
        }
        assert functions["app", "tax"]["overloads"] == "yes"
        assert functions["public", "many"] == {"kind": "table", "schema": "public", "bare": "yes"}
        assert functions["public", "total"]["kind"] == "aggregate"
        assert all(name != "lower" for _, name in functions)
        types = {
            (each.owner, each.name): each.attrs["kind"] for each in facts.bindings if each.sort == "Type"
        }
        assert types["app", "mood"] == "enum"
        assert types["public", "positive"] == "domain"
        assert ("public", "users") not in types

    def test_the_search_path_decides_what_needs_no_schema(self, server, url):
        server.run("ALTER DATABASE shop SET search_path = app, public")
        try:
            found = tables(read(url))
        finally:
            server.run("ALTER DATABASE shop RESET search_path")
        assert found["app.orders!"] == "id buyer parent"
        assert found["public.users!"] == "id Full Name tags mood"

    def test_an_absent_database_and_a_silent_server_are_errors(self, server):
        with pytest.raises(ProviderError, match="does not exist"):
            read(server.url("absent"))
        with pytest.raises(ProviderError, match="can't be read"):
            read("postgresql://u:hunter2@127.0.0.1:1/shop", seconds=2)


class TestDuckdb:
    def test_tables_views_and_macros(self, tmp_path):
        duckdb = pytest.importorskip("duckdb", reason="the driver duckdb is not installed")
        path = tmp_path / "shop.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL)")
            connection.execute("CREATE SCHEMA app")
            connection.execute("CREATE TABLE app.orders (id INTEGER, total DECIMAL(10, 2))")
            connection.execute("CREATE TABLE visits (who INTEGER REFERENCES users (id))")
            connection.execute("CREATE VIEW v AS SELECT name FROM users")
            connection.execute("CREATE MACRO twice(a) AS a * 2")
        facts = read("duckdb:///shop.duckdb", tmp_path)
        found = tables(facts)
        assert found == {
            "main.users!": "id name",
            "app.orders": "id total",
            "main.visits!": "who",
            "main.v!": "name",
        }
        assert attrs(facts, "visits", "who", "main")["references"] == "users.id"
        assert attrs(facts, "users", "id", "main")["primary"] == "yes"
        assert facts.closed == {"Table", "Column", "Schema"}
        assert facts.details == {"dialect": "duckdb"}
        assert [each.name for each in facts.bindings if each.sort == "Function"] == ["twice"]

    def test_a_file_that_another_program_writes_is_locked_and_not_broken(self, tmp_path):
        pytest.importorskip("duckdb", reason="the driver duckdb is not installed")
        holds = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"
        path = str(tmp_path / "shop.duckdb")
        with Popen([executable, "-c", holds, path], stdin=PIPE, stdout=PIPE, text=True) as holder:
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(UnreachableError, match="is locked by another program"):
                read("duckdb:///shop.duckdb", tmp_path)
            holder.communicate("\n")

    def test_what_takes_too_long_is_stopped(self, tmp_path, monkeypatch):
        class Slow:
            Error = RuntimeError

            def __init__(self):
                self.stopped = Event()

            def connect(self, database, *, read_only):
                assert (database, read_only) == (str(tmp_path / "shop.duckdb"), True)
                return self

            def execute(self, query):
                assert query
                self.stopped.wait()
                raise self.Error("INTERRUPT Error: Interrupted!")

            def interrupt(self):
                self.stopped.set()

            def close(self):
                pass

        monkeypatch.setitem(modules, "duckdb", Slow())
        (tmp_path / "shop.duckdb").write_bytes(b"x")
        with pytest.raises(UnreachableError, match="took too long"):
            read("duckdb:///shop.duckdb", tmp_path, 0.05)

    def test_a_missing_file_is_not_created(self, tmp_path):
        pytest.importorskip("duckdb", reason="the driver duckdb is not installed")
        with pytest.raises(ProviderError, match="no such database file"):
            read("duckdb:///absent.duckdb", tmp_path)
        assert list(tmp_path.iterdir()) == []


class TestSecrets:
    """A password stands in no message, whatever fails."""

    @pytest.mark.parametrize(
        "url",
        [
            "postgresql://me:hunter2@127.0.0.1:1/shop",
            "postgresql://me:hunter%402@127.0.0.1:1/shop",
            "postgresql://127.0.0.1:1/shop?user=me&password=hunter2",
            "postgresql://127.0.0.1:1/shop?passfile=hunter2&bogus=1",
            "mysql://me:hunter2@127.0.0.1:1/shop",
            "oracle://me:hunter2@127.0.0.1:1/shop",
            "nonsense://me:hunter2@127.0.0.1:1/shop",
            "postgresql://me:hunter2@127.0.0.1:port/shop",
            "postgresql://me:hunter2@[/shop",
            "postgresql://me:hun/ter2@127.0.0.1:port/shop",
            "postgresql://127.0.0.1:port/shop?password=hunter2",
            "post gres://me:hunter2@127.0.0.1/shop",
        ],
    )
    def test_in_no_error(self, url):
        with pytest.raises(ProviderError) as caught:
            read(url, seconds=1)
        error: BaseException | None = caught.value
        while error is not None:
            if isinstance(error, ProviderError):
                assert "hunter" not in str(error)
                assert "ter2" not in str(error)
            error = error.__cause__
        assert str(caught.value).count("\n") == 0

    def test_in_no_provenance_and_no_fingerprint(self, new_database):
        url = new_database("CREATE TABLE t (a int)")
        secret = f"{url}{'&' if '?' in url else '?'}password=hunter2"
        for each in read(secret).bindings:
            assert "hunter2" not in each.origin.place
        assert "hunter2" not in str(Database().fingerprint(request(secret)))


def test_an_absent_driver_names_the_extra_that_brings_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pymysql", None)
    with pytest.raises(ProviderError) as caught:
        read("mysql://me@127.0.0.1:1/shop")
    assert 'pip install "gproj-lsp[mysql]"' in str(caught.value)
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(ProviderError) as caught:
        read("duckdb:///x.duckdb")
    assert 'pip install "gproj-lsp[duckdb]"' in str(caught.value)
