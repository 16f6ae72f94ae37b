"""Names in SQL: what is one name, how it is written, and that the databases agree."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gproj_lsp.environment import Binding, Environment, Key
from gproj_lsp.resolve import World
from gproj_lsp.resolvers.sql.lexicon import lexicon_of
from gproj_lsp.resolvers.sql.names import (
    RELATION,
    adopt,
    exact,
    fold,
    is_open,
    opened,
    relation_key,
    schema_key,
    spell,
    table_key,
    writable,
)

DIALECTS = ["sqlite", "postgres", "mysql", "duckdb", "generic"]

anything = st.text(min_size=1, max_size=12)
adversarial = st.one_of(
    anything,
    st.sampled_from(
        [
            "select",
            "SELECT",
            "order",
            "Group",
            "a b",
            'a"b',
            '"',
            "`",
            "a`b",
            "]",
            "[x]",
            "a|b",
            "a);--",
            "/*",
            "a\nb",
            "a.b",
            "1a",
            "é",
            "É",
            "ß",
            "İ",
            "名前",
            "a\\",
            "\\",
            "$1",
            ":x",
            "??",
            "{{x}}",
            "x" * 256,
            "user",
            "rowid",
            "_",
            " ",
            "a ",
            "%s",
        ]
    ),
)


class TestFold:
    def test_postgres_forgets_the_case_of_unquoted_names_only(self):
        assert fold("Users", quoted=False, dialect="postgres") == fold(
            "users", quoted=True, dialect="postgres"
        )
        assert fold("Users", quoted=True, dialect="postgres") != fold(
            "users", quoted=True, dialect="postgres"
        )
        assert fold("É", quoted=False, dialect="postgres") == "É"

    def test_postgres_counts_63_bytes(self):
        assert (
            fold("x" * 63 + "y", quoted=True, dialect="postgres")
            == fold("x" * 63 + "z", quoted=True, dialect="postgres")
            == "x" * 63
        )
        assert fold("é" * 40, quoted=True, dialect="postgres") == "é" * 31

    @pytest.mark.parametrize("dialect", ["sqlite", "mysql", "duckdb", "generic"])
    def test_elsewhere_case_never_tells_names_apart(self, dialect):
        assert (
            fold("Users", quoted=True, dialect=dialect)
            == fold("USERS", quoted=False, dialect=dialect)
            == "users"
        )

    @pytest.mark.parametrize("dialect", DIALECTS)
    @given(name=adversarial, quoted=st.booleans())
    def test_folding_twice_changes_nothing(self, dialect, name, quoted):
        folded = fold(name, quoted, dialect)
        assert fold(folded, quoted=True, dialect=dialect) == folded

    def test_a_declaration_keeps_case_where_it_may_be_read_again(self):
        assert exact("Users", quoted=False, dialect="postgres") == "users"
        assert (
            exact("Users", quoted=True, dialect="postgres")
            == exact("Users", quoted=False, dialect="sqlite")
            == "Users"
        )


class TestSpell:
    @pytest.mark.parametrize(
        ("name", "dialect", "spelling"),
        [
            ("users", "postgres", "users"),
            ("Users", "postgres", '"Users"'),
            ("Users", "sqlite", "Users"),
            ("order", "sqlite", '"order"'),
            ("order", "mysql", "`order`"),
            ("a`b", "mysql", "`a``b`"),
            ('a"b', "duckdb", '"a""b"'),
            ("first name", "generic", '"first name"'),
            ("año", "postgres", "año"),
            ("1st", "sqlite", '"1st"'),
            ("$x", "postgres", '"$x"'),
            ("key", "sqlite", "key"),
            ("", "sqlite", '""'),
        ],
    )
    def test_quotes_only_where_they_are_needed(self, name, dialect, spelling):
        assert spell(name, dialect) == spelling

    @given(name=adversarial)
    @settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    def test_sqlite_reads_every_spelling_as_the_name(self, name):
        assume(writable(name, "sqlite") and name.lower() not in ("rowid", "oid", "_rowid_", "x"))
        assume(not name.lower().startswith("sqlite_"))
        spelling = spell(name, "sqlite")
        connection = sqlite3.connect(":memory:")
        try:
            connection.execute(f"CREATE TABLE {spelling} (x INT, {spelling} INT)")
            connection.execute(f"INSERT INTO {spelling} ({spelling}) VALUES (7)")
            read = connection.execute(
                f"SELECT {spelling}, t.{spelling} FROM {spelling} AS t WHERE {spelling} = 7 ORDER BY {spelling}"
            ).fetchall()
            assert read == [(7, 7)]
            assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [(name,)]
            assert [row[1] for row in connection.execute(f"PRAGMA table_info({spelling})")] == ["x", name]
        finally:
            connection.close()

    @given(name=adversarial)
    @settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    def test_postgres_reads_every_spelling_as_the_name(self, postgres_cursor, name):
        assume(writable(name, "postgres"))
        folded = fold(name, quoted=True, dialect="postgres")
        assume(folded not in ("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "x"))
        spelling = spell(name, "postgres")
        run = postgres_cursor.execute
        run(f"CREATE TEMP TABLE {spelling} (x int, {spelling} int)")
        try:
            run(f"INSERT INTO {spelling} ({spelling}) VALUES (7)")
            run(
                f"SELECT {spelling}, t.{spelling} FROM {spelling} AS t WHERE {spelling} = 7 ORDER BY {spelling}"
            )
            assert postgres_cursor.fetchall() == [(7, 7)]
            assert [column.name for column in postgres_cursor.description] == [folded, folded]
        finally:
            run(f"DROP TABLE {spelling}")

    def test_words_the_database_reserves_are_quoted(self, postgres_cursor):
        postgres_cursor.execute("SELECT word FROM pg_get_keywords() WHERE catcode <> 'U'")
        words = [row[0] for row in postgres_cursor.fetchall()]
        assert [word for word in words if spell(word, "postgres") == word] == []

    def test_words_sqlite_reserves_are_quoted(self):
        def refused(word: str) -> bool:
            connection = sqlite3.connect(":memory:")
            try:
                connection.execute(f"CREATE TABLE {word} (x, {word})")
                connection.execute(f"SELECT {word}, t.{word} FROM {word} AS t GROUP BY {word}")
            except sqlite3.OperationalError:
                return True
            finally:
                connection.close()
            return False

        words = lexicon_of("generic").reserved
        assert [word for word in words if refused(word) and spell(word, "sqlite") == word] == []

    def test_words_duckdb_reserves_are_quoted(self):
        duckdb = pytest.importorskip("duckdb", reason="the driver duckdb is not installed")
        query = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
        with duckdb.connect() as connection:
            words = [row[0] for row in connection.execute(query).fetchall()]
        assert [word for word in words if spell(word, "duckdb") == word] == []


@pytest.fixture(scope="session")
def postgres_cursor(server):
    """A cursor on the real server."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    connection = psycopg.connect(
        host=str(server.socket), user=server.user, dbname="postgres", autocommit=True
    )
    with connection, connection.cursor() as cursor:
        yield cursor


class TestKeys:
    @pytest.mark.parametrize(
        ("schema", "dialect", "key"),
        [
            ("main", "sqlite", ""),
            ("public", "postgres", ""),
            ("pg_catalog", "postgres", ""),
            ("App", "postgres", "app"),
            ("dbo", "generic", ""),
            ("other", "mysql", "other"),
        ],
    )
    def test_schemas_that_need_not_be_said(self, schema, dialect, key):
        assert schema_key(schema, quoted=False, dialect=dialect) == key

    @given(anything, anything, anything, anything)
    def test_two_tables_have_two_keys(self, schema, table, other_schema, other_table):
        assume((schema, table) != (other_schema, other_table))
        assert table_key(schema, table) != table_key(other_schema, other_table)
        assert table_key("", table) != table_key(schema, other_table)

    def test_a_schema_can_be_left_open(self):
        gamma = Environment.of([opened(RELATION, "other")])
        assert is_open(gamma, RELATION, "other")
        assert not is_open(gamma, RELATION)


class TestAdopt:
    WORLD = World(frozenset(), {"dialect": "postgres"})

    def adopted(self, *bindings: Binding) -> dict[Key, Binding]:
        return {each.key: each for each in adopt(bindings, self.WORLD)}

    def test_tables_and_columns_get_their_keys_and_spellings(self):
        found = self.adopted(
            Binding("Users", "Table", attrs={"schema": "app"}),
            Binding("Full Name", "Column", owner="Users", attrs={"table": "Users", "schema": "app"}),
        )
        assert found[relation_key("app", "Users")].spelling == '"Users"'
        assert found[Key("Column", "app.Users", "Full Name")].spelling == '"Full Name"'

    def test_literate_facts_name_the_owner_alone(self):
        found = self.adopted(
            Binding("users", "Table", attrs={"schema": "app"}), Binding("id", "Column", owner="users")
        )
        assert Key("Column", "app.users", "id") in found

    def test_what_the_search_path_shows_has_both_names(self):
        found = self.adopted(
            Binding("t", "Table", owner="app", attrs={"schema": "app", "bare": "yes"}),
            Binding("a", "Column", owner="app.t", attrs={"table": "t", "schema": "app", "bare": "yes"}),
            Binding("f", "Function", owner="app", attrs={"schema": "app", "bare": "yes"}),
        )
        assert set(found) == {
            relation_key("app", "t"),
            relation_key("", "t"),
            Key("Column", "app.t", "a"),
            Key("Column", "t", "a"),
            Key("Function", "app", "f"),
            Key("Function", "", "f"),
        }

    def test_a_name_with_two_shapes_is_left_open(self):
        found = self.adopted(
            Binding("t", "Table", owner="app", attrs={"schema": "app", "bare": "yes"}),
            Binding("a", "Column", attrs={"table": "t", "schema": "app", "bare": "yes"}),
            Binding("t", "Table", owner="public", attrs={"schema": "public", "bare": "yes"}),
            Binding("b", "Column", attrs={"table": "t", "schema": "public", "bare": "yes"}),
        )
        assert found[relation_key("", "t")].attrs["columns"] == "open"
        assert "columns" not in found[relation_key("app", "t")].attrs

    def test_names_no_spelling_can_write_are_left_out(self):
        assert self.adopted(Binding("a\0b", "Table"), Binding("\ud800", "Table")) == {}

    @pytest.mark.parametrize("dialect", DIALECTS)
    @given(st.lists(st.tuples(adversarial, adversarial, st.sampled_from(["", "app", "Odd.One"])), max_size=4))
    def test_adopting_twice_changes_nothing(self, dialect, names):
        world = World(frozenset(), {"dialect": dialect})
        given_names = [
            each
            for table, column, schema in names
            for each in (
                Binding(table, "Table", owner=schema, attrs={"schema": schema} if schema else {}),
                Binding(column, "Column", attrs={"table": table, "schema": schema}),
            )
        ]
        once = adopt(given_names, world)
        assert adopt(once, world) == once
