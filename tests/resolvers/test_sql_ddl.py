"""What DDL does to Γ, statement by statement.

Γ is shown as `{table: columns}`, where `...` at the end of the columns says that there may be more.
"""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot.errors import SqlglotError

from gproj_lsp.environment import EMPTY, Binding, Environment
from gproj_lsp.resolve import World
from gproj_lsp.resolvers.sql.catalog import Catalog
from gproj_lsp.resolvers.sql.ddl import effect_of
from gproj_lsp.resolvers.sql.names import RELATION, adopt, is_open, table_key
from gproj_lsp.resolvers.sql.scopes import ANYTHING, Outputs
from gproj_lsp.surface import shipped
from gproj_lsp.syntax import lexer_of, split
from gproj_lsp.text import Span


class Script:
    """A text, and Γ and the open sorts after it."""

    def __init__(self, dialect: str, text: str, before: Environment = EMPTY) -> None:
        self.world = World(frozenset({"Table"}), {"dialect": dialect})
        self.environment = before
        self.opens: set[str] = set()
        for piece in split(text, lexer_of(shipped()["sql"], dialect)).pieces:
            statement = piece.statement

            def outputs(span: Span, data: bytes = statement.data) -> Outputs:
                return named(data[span.start : span.end].decode(), dialect)

            effect = effect_of(statement, self.environment, self.world, outputs)
            self.environment = effect.apply(self.environment)
            self.opens |= effect.opens

    def tables(self) -> dict[str, str]:
        catalog = Catalog(self.environment, self.world)
        found: dict[str, str] = {}
        for each in catalog.relations:
            key = table_key(each.owner, each.folded)
            columns = [column.name for column in catalog.columns(key).values()]
            more = ["..."] if each.attrs.get("columns") == "open" else []
            found[key] = " ".join(columns + more)
        return found

    def names(self, sort: str) -> list[str]:
        return sorted(each.name for each in self.environment if each.sort == sort)

    def binding(self, sort: str, name: str) -> Binding:
        return next(each for each in self.environment if each.sort == sort and each.name == name)


def named(query: str, dialect: str) -> Outputs:
    """A query's columns as far as they have names; `*` leaves them open."""
    try:
        tree = sqlglot.parse_one(query, dialect=dialect)
    except SqlglotError:
        return ANYTHING
    names = tree.named_selects
    return Outputs(
        tuple(Binding(name, "Column") for name in names if name not in ("", "*")), open="*" in names
    )


def tables(dialect: str, text: str, before: Environment = EMPTY) -> dict[str, str]:
    return Script(dialect, text, before).tables()


class TestCreateTable:
    def test_columns_with_types_and_constraints(self):
        text = """
        CREATE TABLE IF NOT EXISTS app.users (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            "Full Name" varchar(200) NOT NULL DEFAULT 'a, b',
            price numeric(10, 2) CHECK (price > 0),
            tags text[] DEFAULT '{}', -- a comment
            team int REFERENCES teams (id) ON DELETE CASCADE,
            UNIQUE (price, team),
            CONSTRAINT positive CHECK (price > 0),
            EXCLUDE USING gist (team WITH =)
        );
        """
        script = Script("postgres", text)
        assert script.tables() == {"app.users": "id Full Name price tags team"}
        assert dict(script.binding("Column", "id").attrs) == {
            "table": "users",
            "schema": "app",
            "type": "bigint",
            "primary": "yes",
            "nullable": "no",
        }
        assert script.binding("Column", "price").attrs["type"] == "numeric(10, 2)"
        assert script.binding("Column", "team").attrs["references"] == "teams.id"
        assert script.binding("Column", "Full Name").spelling == '"Full Name"'

    def test_case_is_folded_as_the_dialect_does(self):
        text = 'CREATE TABLE Users (Id int, "Mail" text)'
        script = Script("postgres", text)
        assert script.tables() == {"users": "id Mail"}
        assert Script("sqlite", text).tables() == {"users": "Id Mail"}

    def test_table_constraints_are_no_columns(self):
        text = """
        CREATE TABLE t (
            a INT, b INT, c TEXT,
            PRIMARY KEY (a), UNIQUE KEY uk (b), KEY k (c(10)), INDEX i USING BTREE (b), FULLTEXT KEY f (c),
            CONSTRAINT fk FOREIGN KEY (a, b) REFERENCES s.o (x, y), CHECK (a > 0)
        ) ENGINE=InnoDB;
        """
        script = Script("mysql", text)
        assert script.tables() == {"t": "a b c"}
        assert script.binding("Column", "b").attrs["references"] == "s.o.y"
        assert script.binding("Column", "a").attrs["primary"] == "yes"

    @pytest.mark.parametrize("name", ["key", "period", "comment", "first", "match", "fulltext", "exclude"])
    def test_words_of_constraints_may_name_columns(self, name):
        assert tables("sqlite", f"CREATE TABLE t (a, {name} TEXT NOT NULL, b)") == {"t": f"a {name} b"}

    @pytest.mark.parametrize(
        ("dialect", "text", "columns"),
        [
            ("sqlite", "CREATE TABLE t AS SELECT a, b + 1 AS c FROM u", "a c"),
            ("postgres", "CREATE TEMP TABLE t ON COMMIT DROP AS (SELECT a FROM u) WITH NO DATA", "a"),
            ("postgres", "CREATE UNLOGGED TABLE t (x, y) AS VALUES (1, 2)", "x y"),
            ("postgres", "CREATE TABLE t AS TABLE src", "id name"),
            ("postgres", "CREATE TABLE t AS EXECUTE q", "..."),
            ("mysql", "CREATE TABLE t (id int) SELECT a FROM u", "id a"),
            ("mysql", "CREATE TABLE t LIKE src", "id name"),
            ("postgres", "CREATE TABLE t (LIKE src INCLUDING ALL, extra int)", "id name extra"),
            ("postgres", "CREATE TABLE t (LIKE elsewhere, extra int)", "extra ..."),
            ("postgres", "CREATE TABLE t (extra int) INHERITS (src)", "id name extra"),
            ("postgres", "CREATE TABLE t PARTITION OF src FOR VALUES FROM (1) TO (9)", "id name"),
            ("postgres", "CREATE TABLE t OF some_type", "..."),
            ("duckdb", "CREATE OR REPLACE TABLE t AS FROM src", "id name"),
            ("duckdb", "CREATE TABLE t AS SELECT * FROM 'x.parquet'", "..."),
            ("sqlite", "CREATE TABLE t (a, ??, b)", "a b ..."),
            ("sqlite", "CREATE TABLE t", "..."),
        ],
    )
    def test_columns_that_come_from_elsewhere(self, dialect, text, columns):
        assert tables(dialect, f"CREATE TABLE src (id int, name text); {text};")["t"] == columns

    def test_a_table_without_rowid_says_so(self):
        script = Script("sqlite", "CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID")
        assert script.binding("Table", "t").attrs["rowid"] == "no"

    def test_created_twice_alike_is_one_table(self):
        text = "CREATE TABLE t (a, b); CREATE TABLE IF NOT EXISTS t (a, b);"
        assert tables("sqlite", text) == {"t": "a b"}

    def test_created_twice_with_other_columns_is_left_open(self):
        text = "CREATE TABLE t (a, b); CREATE TEMP TABLE t (b, c);"
        assert tables("sqlite", text) == {"t": "a b c ..."}

    def test_a_template_in_place_of_the_name_declares_nothing(self):
        assert tables("postgres", "CREATE TABLE {{ schema }} (a int)") == {}


class TestCreateTheRest:
    @pytest.mark.parametrize(
        ("dialect", "text", "columns"),
        [
            ("sqlite", "CREATE VIEW v AS SELECT a, b AS c FROM t", "a c"),
            ("sqlite", "CREATE VIEW v (x, y) AS SELECT a, b FROM t", "x y"),
            (
                "sqlite",
                "CREATE TEMP VIEW IF NOT EXISTS v AS WITH q AS (SELECT 1 AS one) SELECT one FROM q",
                "one",
            ),
            ("postgres", "CREATE OR REPLACE VIEW v AS SELECT a FROM t WITH CASCADED CHECK OPTION", "a"),
            (
                "postgres",
                "CREATE MATERIALIZED VIEW v WITH (fillfactor=70) AS SELECT a FROM t WITH NO DATA",
                "a",
            ),
            ("postgres", "CREATE RECURSIVE VIEW v (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM v", "n ..."),
            ("postgres", "CREATE VIEW v (x) AS SELECT a, b FROM t", "x b"),
            (
                "mysql",
                "CREATE ALGORITHM=MERGE DEFINER=`root`@`%` SQL SECURITY DEFINER VIEW v AS SELECT a FROM t",
                "a",
            ),
            (
                "sqlite",
                "CREATE VIRTUAL TABLE v USING fts5(title, body UNINDEXED, content='')",
                "title body v rank",
            ),
            (
                "sqlite",
                "CREATE VIRTUAL TABLE v USING fts4(title TEXT, tokenize=porter)",
                "title v docid languageid",
            ),
            ("sqlite", "CREATE VIRTUAL TABLE v USING rtree(id, x0, x1, +label TEXT)", "id x0 x1 label"),
            ("sqlite", "CREATE VIRTUAL TABLE v USING csv(filename='x.csv')", "..."),
            ("postgres", "CREATE FOREIGN TABLE v (a int OPTIONS (x 'y')) SERVER s", "a"),
            ("postgres", "CREATE SEQUENCE IF NOT EXISTS v START 1", "last_value log_cnt is_called"),
        ],
    )
    def test_relations(self, dialect, text, columns):
        assert tables(dialect, text + ";")["v"] == columns

    def test_select_into_creates_a_table(self):
        assert tables("postgres", "SELECT a, b INTO TEMP made FROM t WHERE a > 1") == {"made": "a b"}
        assert tables("postgres", "INSERT INTO t SELECT a FROM u") == {}
        assert tables("mysql", "SELECT a INTO @x FROM t") == {}

    @pytest.mark.parametrize(
        ("text", "sort", "name"),
        [
            (
                "CREATE OR REPLACE FUNCTION app.tax(a int) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$",
                "Function",
                "tax",
            ),
            ("CREATE PROCEDURE Tidy() LANGUAGE sql AS 'SELECT 1'", "Function", "tidy"),
            ("CREATE AGGREGATE mean (float8) (sfunc = f, stype = float8)", "Function", "mean"),
            ("CREATE TRIGGER stamp BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()", "Trigger", "stamp"),
            ("CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS by_a ON t (a)", "Index", "by_a"),
            ("CREATE TYPE mood AS ENUM ('ok')", "Type", "mood"),
            ("CREATE DOMAIN positive AS int CHECK (VALUE > 0)", "Type", "positive"),
            ("CREATE SCHEMA IF NOT EXISTS app", "Schema", "app"),
        ],
    )
    def test_other_names(self, text, sort, name):
        assert Script("postgres", text).names(sort) == [name]

    @pytest.mark.parametrize(
        "text",
        [
            "CREATE INDEX ON t (a)",
            "CREATE USER u",
            "CREATE POLICY p ON t USING (true)",
            "CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING",
            "CREATE FOREIGN DATA WRAPPER w",
            "CREATE",
            "CREATE TABLE",
            "ALTER",
            "DROP TABLE",
            "EXPLAIN SELECT 1",
        ],
    )
    def test_what_names_nothing_here(self, text):
        assert list(Script("postgres", text).environment) == []


class TestAlter:
    BEFORE = "CREATE TABLE t (a int, b int, c int); "

    @pytest.mark.parametrize(
        ("dialect", "text", "after"),
        [
            ("sqlite", "ALTER TABLE t ADD COLUMN d TEXT DEFAULT 'x, y'", {"t": "a b c d"}),
            (
                "postgres",
                "ALTER TABLE IF EXISTS ONLY t ADD IF NOT EXISTS d int, ADD COLUMN e int",
                {"t": "a b c d e"},
            ),
            ("mysql", "ALTER TABLE t ADD COLUMN (d int, e int), ADD INDEX k (a)", {"t": "a b c d e"}),
            ("postgres", "ALTER TABLE t ADD CONSTRAINT u UNIQUE (a), ADD PRIMARY KEY (b)", {"t": "a b c"}),
            ("generic", "ALTER TABLE t ADD d int, e int", {"t": "a b c d e"}),
            ("sqlite", "ALTER TABLE t DROP COLUMN b", {"t": "a c"}),
            (
                "postgres",
                "ALTER TABLE t DROP b, DROP COLUMN IF EXISTS zzz, ALTER c SET NOT NULL",
                {"t": "a c"},
            ),
            ("postgres", "ALTER TABLE t DROP CONSTRAINT b", {"t": "a b c"}),
            ("sqlite", "ALTER TABLE t RENAME COLUMN b TO bb", {"t": "a c bb"}),
            ("mysql", "ALTER TABLE t CHANGE COLUMN b bb varchar(10) NOT NULL", {"t": "a c bb"}),
            ("sqlite", "ALTER TABLE t RENAME TO u", {"u": "a b c"}),
            ("mysql", "RENAME TABLE t TO u", {"u": "a b c"}),
            ("postgres", "ALTER TABLE t SET SCHEMA app", {"app.t": "a b c"}),
            ("sqlite", "ALTER TABLE t ADD COLUMN ??", {"t": "a b c ..."}),
            ("postgres", "ALTER TABLE t OWNER TO me", {"t": "a b c"}),
        ],
    )
    def test_tables(self, dialect, text, after):
        assert tables(dialect, self.BEFORE + text + ";") == after

    def test_children_take_new_columns_over(self):
        text = "CREATE TABLE kid (k int) INHERITS (t); ALTER TABLE t ADD COLUMN d int;"
        assert tables("postgres", self.BEFORE + text) == {"t": "a b c d", "kid": "a b c k d"}

    def test_a_renamed_table_keeps_its_schema(self):
        text = "CREATE TABLE app.t (a int); ALTER TABLE app.t RENAME TO u;"
        assert tables("postgres", text) == {"app.u": "a"}

    def test_an_unknown_table_that_gets_a_known_name_is_open(self):
        assert tables("sqlite", "ALTER TABLE old RENAME TO new") == {"new": "..."}


class TestDrop:
    BEFORE = "CREATE TABLE a (x int); CREATE TABLE b (y int); "

    @pytest.mark.parametrize(
        ("text", "left"),
        [
            ("DROP TABLE a", {"b": "y"}),
            ("DROP TABLE IF EXISTS a, zzz, b CASCADE", {}),
            ("DROP TABLE public.a", {"b": "y"}),
            ("DROP TABLE other.a", {"a": "x", "b": "y"}),
            ("DROP INDEX a", {"a": "x", "b": "y"}),
        ],
    )
    def test_tables(self, text, left):
        assert tables("postgres", self.BEFORE + text) == left

    def test_a_dropped_table_may_come_back_with_other_columns(self):
        text = "DROP TABLE a; CREATE TABLE a (z int);"
        assert tables("sqlite", self.BEFORE + text) == {"a": "z", "b": "y"}

    def test_what_a_view_needs_may_still_be_there(self):
        text = "CREATE VIEW v AS SELECT x FROM a; DROP TABLE a;"
        assert tables("postgres", self.BEFORE + text)["a"] == "x ..."

    def test_cascade_takes_views_along(self):
        text = "CREATE VIEW v AS SELECT x FROM a; CREATE VIEW w AS SELECT x FROM v; DROP TABLE a CASCADE;"
        assert tables("postgres", self.BEFORE + text) == {"b": "y"}

    def test_a_rollback_may_bring_back_what_was_dropped(self):
        text = "BEGIN; DROP TABLE a; ALTER TABLE b DROP COLUMN y; ROLLBACK;"
        assert tables("postgres", self.BEFORE + text) == {"a": "x", "b": "y"}

    def test_a_schema_goes_with_its_tables(self):
        text = "CREATE SCHEMA s; CREATE TABLE s.t (q int); DROP SCHEMA s CASCADE;"
        script = Script("postgres", self.BEFORE + text)
        assert script.tables() == {"a": "x", "b": "y"}
        assert script.names("Column") == ["x", "y"]

    def test_one_of_several_overloads_leaves_the_name(self):
        text = (
            "CREATE FUNCTION f(int) RETURNS int; CREATE FUNCTION f(text) RETURNS int; DROP FUNCTION f(int);"
        )
        assert Script("postgres", text).names("Function") == ["f"]
        assert (
            Script("postgres", "CREATE FUNCTION f(int) RETURNS int; DROP FUNCTION f(int);").names("Function")
            == []
        )


class TestWhatOpensTheWorld:
    @pytest.mark.parametrize(
        ("dialect", "text", "opens"),
        [
            ("postgres", "CREATE EXTENSION IF NOT EXISTS pgcrypto", {"Function", "Type"}),
            ("postgres", "CREATE EXTENSION postgis", {"Table", "Column", "Function", "Type", "Schema"}),
            ("postgres", "SET search_path TO app, public", {"Table"}),
            ("postgres", "SET search_path = public", set()),
            ("postgres", "SELECT pg_catalog.set_config('search_path', '', false)", set()),
            ("postgres", "SELECT pg_catalog.set_config('search_path', 'app', false)", {"Table"}),
            ("mysql", "USE shop", {"Table"}),
            ("sqlite", "ATTACH 'other.db' AS other", {"Table"}),
            ("sqlite", "ATTACH ':memory:' AS other", set()),
            (
                "postgres",
                "DO $$ BEGIN EXECUTE 'CREATE TABLE x (a int)'; END $$",
                {"Table", "Column", "Function", "Type", "Schema"},
            ),
            ("sqlite", "SELECT load_extension('x')", {"Table", "Column", "Function", "Type", "Schema"}),
            ("sqlite", "SELECT 1", set()),
        ],
    )
    def test_sorts(self, dialect, text, opens):
        assert Script(dialect, text).opens == opens

    def test_an_attached_file_is_a_schema_of_unknown_tables(self):
        script = Script("sqlite", "ATTACH DATABASE 'other.db' AS other")
        assert script.names("Schema") == ["other"]
        assert is_open(script.environment, RELATION, "other")

    def test_a_known_schema_on_the_search_path_shows_its_tables(self):
        text = "CREATE TABLE app.t (a int); SET search_path TO app;"
        assert tables("postgres", text) == {"app.t": "a", "t": "a"}


def test_a_database_and_the_file_that_made_it_agree_on_case():
    world = World(frozenset({"Table"}), {"dialect": "postgres"})
    facts = (Binding("users", "Table"), Binding("id", "Column", attrs={"table": "users", "schema": "public"}))
    before = Environment.of(adopt(facts, world))
    assert tables("postgres", "CREATE TABLE Users (ID int)", before) == {"users": "id"}
