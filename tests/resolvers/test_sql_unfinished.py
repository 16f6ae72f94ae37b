"""Statements that are still being typed: nothing false is said of them, and what fits at the cursor is known."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlcase import DIALECTS, Schema

from gproj_lsp.resolve import Resolution, Verdict
from gproj_lsp.resolvers.sql import resolver
from gproj_lsp.resolvers.sql.outline import outline_of, readable
from gproj_lsp.resolvers.sql.parse import parse
from gproj_lsp.resolvers.sql.repair import DUMMY, Mend, build, repaired
from gproj_lsp.text import Span

SHOP = {"users": "id name email", "orders": "id user_id total", "items": "order_id sku qty"}
WORLDS = {dialect: Schema(dialect, SHOP) for dialect in DIALECTS}
LITE = WORLDS["sqlite"]

GOOD = (
    "SELECT name, email FROM users",
    "SELECT T1.name, T2.total FROM users AS T1 JOIN orders AS T2 ON T1.id = T2.user_id WHERE T2.total BETWEEN 1 AND 2",
    "SELECT u.name FROM users u LEFT JOIN orders o ON u.id = o.user_id WHERE o.id IS NOT NULL ORDER BY u.name DESC LIMIT 3",
    "SELECT u.id, count(*) AS n FROM users u, orders WHERE u.id = user_id GROUP BY u.id HAVING count(*) > 1 ORDER BY n",
    "SELECT name FROM users WHERE id IN (SELECT user_id FROM orders WHERE total > (SELECT avg(total) FROM orders))",
    "SELECT name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.user_id = u.id)",
    "WITH big AS (SELECT user_id AS k FROM orders WHERE total > 9) SELECT name FROM users JOIN big ON users.id = big.k",
    "SELECT id FROM users UNION ALL SELECT user_id FROM orders EXCEPT SELECT order_id FROM items ORDER BY id",
    "SELECT CASE WHEN total > 1 THEN 'a' ELSE sku END AS kind FROM orders JOIN items ON order_id = orders.id",
    "SELECT x.n FROM (SELECT count(*) AS n, user_id FROM orders GROUP BY user_id) AS x WHERE x.n > 1",
    "SELECT rank() OVER (PARTITION BY user_id ORDER BY total) FROM orders WHERE CAST(total AS INT) = 1",
    "INSERT INTO users (id, name) SELECT user_id, 'x' FROM orders WHERE total > 1",
    "INSERT INTO users (id, name) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET name = excluded.name",
    "UPDATE users SET name = (SELECT sku FROM items WHERE qty = users.id) WHERE email IS NULL",
    "UPDATE users SET name = sku FROM items WHERE qty = users.id",
    "DELETE FROM orders WHERE user_id NOT IN (SELECT id FROM users)",
    "SELECT strftime('%Y', name) FROM users WHERE name LIKE '%é🙂%' AND email <> \"name\"",
)


def at_cursor(text: str, world: Schema = LITE, *, complete: bool = False) -> tuple[str, str, list[str]]:
    """The sort expected at the `|`, its regions, and the names of that sort that can be written there."""
    before, _, after = text.partition("|")
    resolution = world.resolve(before + after, complete=complete)
    offset = len(before.encode())
    found = resolution.expectation_at(offset)
    frames = resolution.frames_at(offset)
    bindings = frames[-1].bindings.values() if frames else ()
    names = [
        each.spelling for each in bindings if each.sort == found.sort and each.attrs.get("scope") == "visible"
    ]
    return found.sort, "/".join(found.region), names


def ghosts(resolution: Resolution) -> set[tuple[int, str]]:
    return {
        (each.span.start, each.name)
        for each in resolution.references
        if each.verdict in (Verdict.GHOST, Verdict.AMBIGUOUS)
    }


USERS = ["id", "name", "email"]
ORDERS = ["id", "user_id", "total"]
BOTH = ["u.id", "name", "email", "o.id", "user_id", "total"]
TABLES = ["users", "orders", "items"]


class TestWhatFitsAtTheCursor:
    """A name that is missing, in a statement that its absence makes unreadable or not."""

    @pytest.mark.parametrize(
        ("text", "region", "names"),
        [
            ("SELECT | FROM users", "Select/Select", USERS),
            ("SELECT DISTINCT | FROM users", "Select/Select", USERS),
            ("SELECT id, | FROM users", "Select/Select", USERS),
            ("SELECT u.| FROM users u", "Select/Select", USERS),
            ("SELECT u. | FROM users u", "Select/Select", USERS),
            ("SELECT na| FROM users", "Select/Select", USERS),
            ("SELECT count(|) FROM users", "Select/Select", USERS),
            ("SELECT count(| FROM users", "Select/Select", USERS),
            ("SELECT CASE WHEN | FROM users", "Select/Select", USERS),
            ("SELECT CASE WHEN id THEN | END FROM users", "Select/Select", USERS),
            ("SELECT rank() OVER (ORDER BY | FROM users", "Select/Select", USERS),
            ("SELECT * FROM users WHERE |", "Select/Where", USERS),
            ("SELECT * FROM users WHERE id = |", "Select/Where", USERS),
            ("SELECT * FROM users WHERE id = 1 AND |", "Select/Where", USERS),
            ("SELECT * FROM users WHERE id BETWEEN 1 AND |", "Select/Where", USERS),
            ("SELECT * FROM users WHERE id BETWEEN | ORDER BY id", "Select/Where", USERS),
            ("SELECT * FROM users WHERE | ORDER BY id", "Select/Where", USERS),
            ("SELECT * FROM users WHERE (id = 1 OR |", "Select/Where", USERS),
            ("SELECT * FROM users GROUP BY |", "Select/Group", USERS),
            ("SELECT name AS n FROM users ORDER BY |", "Select/Order", [*USERS, "n"]),
            ("SELECT * FROM users ORDER BY id DESC, |", "Select/Order", USERS),
            ("SELECT * FROM users u JOIN orders o ON |", "Select/Join", BOTH),
            ("SELECT * FROM users u JOIN orders o ON u.id = o.|", "Select/Join", ORDERS),
            ("SELECT * FROM users u JOIN orders o ON u.id = |", "Select/Join", BOTH),
            ("SELECT * FROM users JOIN orders USING (|", "Select/Join", ["id"]),
            ("SELECT * FROM users WHERE id IN (SELECT |", "Select/Where/Select", USERS),
            (
                "SELECT 1 FROM users u WHERE EXISTS (SELECT 1 FROM orders o WHERE o.|",
                "Select/Where/Where",
                ORDERS,
            ),
            ("WITH a AS (SELECT id AS k FROM users) SELECT | FROM a", "Select/Select", ["k"]),
            ("WITH a AS (SELECT | FROM users", "Select/With/Select", USERS),
            ("SELECT id FROM users UNION SELECT | FROM orders", "Select/Select", ORDERS),
            ("INSERT INTO users (|", "Insert/Into", USERS),
            ("INSERT INTO users (id, |) VALUES (1, 2)", "Insert/Into", ["name", "email"]),
            ("INSERT INTO users (id) VALUES (1) ON CONFLICT (|", "Insert/Conflict", USERS),
            ("INSERT INTO users (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET |", "Insert/Conflict", USERS),
            ("INSERT INTO users (id) VALUES (1) RETURNING |", "Insert/Returning", USERS),
            ("UPDATE users SET |", "Update/Set", USERS),
            ("UPDATE users SET name = 1, |", "Update/Set", USERS),
            ("UPDATE users SET name = |", "Update/Set", USERS),
            ("UPDATE users SET name = 1 WHERE |", "Update/Where", USERS),
            ("DELETE FROM users WHERE |", "Delete/Where", USERS),
            ("MERGE INTO users u USING orders o ON u.id = |", "Merge/Join", BOTH),
            ("CREATE INDEX i ON users (|", "Create/Columns", USERS),
            ("CREATE VIEW v AS SELECT | FROM users", "Create/Select", USERS),
            ("ALTER TABLE users DROP COLUMN |", "Alter", USERS),
            ("EXPLAIN SELECT | FROM users", "Select/Select", USERS),
        ],
    )
    def test_a_column(self, text, region, names):
        assert at_cursor(text) == ("Column", region, names)

    @pytest.mark.parametrize(
        ("text", "region"),
        [
            ("SELECT * FROM |", "Select/From"),
            ("SELECT * FROM users, |", "Select/Join"),
            ("SELECT * FROM users JOIN |", "Select/Join"),
            ("SELECT * FROM main.|", "Select/From"),
            ("SELECT * FROM | WHERE id = 1", "Select/From"),
            ("SELECT * FROM us|", "Select/From"),
            ("INSERT INTO |", "Insert/Into"),
            ("UPDATE |", "Update"),
            ("DELETE FROM |", "Delete/From"),
            ("CREATE TABLE x (a INT REFERENCES |", "Create/Columns"),
            ("CREATE INDEX i ON |", "Create"),
            ("DROP TABLE |", "Drop"),
            ("ALTER TABLE |", "Alter"),
        ],
    )
    def test_a_table(self, text, region):
        assert at_cursor(text) == ("Table", region, TABLES)

    def test_a_table_of_the_statement_itself(self):
        assert at_cursor("WITH a AS (SELECT 1) SELECT * FROM |") == ("Table", "Select/From", ["a", *TABLES])

    def test_an_alias(self):
        assert at_cursor("SELECT |.id FROM users u JOIN orders o") == ("Alias", "Select/Select", ["u", "o"])
        assert at_cursor("SELECT |.qty FROM users u JOIN items o") == ("Alias", "Select/Select", ["o"])

    def test_a_function(self):
        assert at_cursor("SELECT |(id) FROM users")[0] == "Function"

    @pytest.mark.parametrize(
        ("text", "sort"),
        [
            ("CREATE TABLE |", "TableDecl"),
            ("CREATE TABLE x (|", "ColDecl"),
            ("CREATE TABLE x (a INT, |", "ColDecl"),
            ("ALTER TABLE users ADD COLUMN |", "ColDecl"),
            ("WITH |", "TableDecl"),
            ("WITH a AS (SELECT 1), |", "TableDecl"),
        ],
    )
    def test_a_new_name(self, text, sort):
        assert at_cursor(text)[0] == sort

    @pytest.mark.parametrize(
        "text",
        [
            "|",
            "SEL|",
            "SELECT id | FROM users",
            "SELECT id AS | FROM users",
            "SELECT * FROM users |",
            "SELECT * FROM users u |",
            "SELECT * FROM users WHERE id = 1 |",
            "SELECT * FROM users WHERE name = 'a|b'",
            "SELECT * FROM users WHERE name = 'a|",
            "SELECT * FROM users WHERE id = 1|2",
            "SELECT * FROM users LIMIT |",
            "INSERT INTO users VALUES (|",
            "SELECT id FROM users -- all of them |",
            "SELECT /* | */ id FROM users",
            "CREATE TABLE x (a |",
        ],
    )
    def test_no_name(self, text):
        assert at_cursor(text)[0] == ""

    def test_a_place_between_finished_words_has_the_names_of_its_block(self):
        frames = LITE.resolve("SELECT id  FROM users").frames_at(10)
        assert [each.spelling for each in frames[-1].bindings.values() if each.sort == "Column"] == USERS

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("SELECT ! ! FROM users u JOIN orders o ON (( WHERE u.|", USERS),
            ("SELECT ] FROM users u WHERE THEN u.| GROUP HAVING", USERS),
            ("WITH a AS (SELECT id AS k FROM users) SELECT ! ! FROM a x WHERE + = ) x.|", ["k"]),
            ("SELECT ! FROM (SELECT qty AS q FROM items) x WHERE ) x.|", ["q"]),
            ("SELECT ! FROM (SELECT ! ! 1 FROM items) x, users u WHERE ) u.|", USERS),
        ],
    )
    def test_a_statement_beyond_repair_still_has_its_from_clause(self, text, names):
        assert parse(text.replace("|", f" {DUMMY} "), "sqlite") is None
        assert at_cursor(text)[2] == names

    def test_a_statement_above_another_without_a_terminator(self):
        assert at_cursor("SELECT name FROM users WHERE |\nSELECT * FROM orders")[2] == USERS
        assert at_cursor("SELECT name FROM users\nSELECT | FROM orders")[2] == ORDERS
        assert at_cursor("SELECT | FROM users\nUPDATE orders SET id = 1")[2] == USERS

    @pytest.mark.parametrize("text", GOOD)
    def test_every_name_that_is_taken_out_is_offered_again(self, text):
        whole = LITE.resolve(text)
        data = text.encode()
        for reference in whole.references:
            if reference.verdict is not Verdict.DECLARED or reference.sort not in (
                "Column",
                "Table",
                "Alias",
            ):
                continue
            start, end = reference.span.start, reference.span.end
            cut = f"{data[:start].decode()}|{data[end:].decode()}"
            sort, region, names = at_cursor(cut, complete=True)
            assert (sort, region) == (reference.sort, "/".join(whole.expectation_at(start).region)), cut
            assert reference.name in {name.rpartition(".")[2] for name in names}, cut


class TestVerdictsOfWhatCannotBeRead:
    """Unknown, unless the repaired text finds a declaration."""

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT nmae, FROM users WHERE",
            "SELECT nmae FROM users WHERE id = ",
            "SELECT nmae FROM usres u JOIN",
            "SELECT b.id FROM users WHERE (",
            "INSERT INTO users (nmae, ",
            "UPDATE users SET nmae = 1 WHERE",
            "SELECT nmae + FROM users; SELECT",
            "SELECT nmae ! ! FROM users u WHERE u.idd (( ",
            "SELECT nmae FROM users\nSELECT idd FROM orders",
        ],
    )
    @pytest.mark.parametrize("complete", [True, False])
    def test_nothing_is_a_ghost(self, text, complete):
        for world in WORLDS.values():
            assert ghosts(world.resolve(text, complete=complete)) == set()

    def test_what_is_declared_is_found(self):
        found = LITE.resolve("SELECT u.name, u. FROM users u WHERE", complete=False).references
        assert [(each.name, each.sort, each.verdict.value) for each in found] == [
            ("u", "Alias", "declared"),
            ("name", "Column", "declared"),
            ("u", "Alias", "declared"),
            ("users", "Table", "declared"),
        ]

    def test_what_nothing_can_read_is_counted_as_unknown(self):
        found = LITE.resolve(
            "SELECT u.name ! FROM users u WHERE THEN u.idd GROUP HAVING", complete=False
        ).references
        assert [(each.name, each.verdict.value) for each in found] == [
            ("name", "unknown"),
            ("users", "unknown"),
            ("idd", "unknown"),
        ]

    def test_explain_is_read_as_the_statement_it_explains(self):
        text = "EXPLAIN QUERY PLAN SELECT [-nmae-] FROM users"
        assert LITE.marked(text) == text

    def test_a_string_without_its_end(self):
        text = "SELECT name FROM users WHERE name = 'O''Neil and FROM orders"
        assert [each.name for each in LITE.resolve(text, complete=False).references] == [
            "name",
            "users",
            "name",
        ]


class TestWhatLaterTextCanChange:
    """A prefix that can be read, and may mean something else in the end."""

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT nmae",
            "SELECT nmae ",
            "SELECT nmae, x.id",
            "SELECT T1.nmae FROM users",
            "SELECT T1.nmae FROM users AS T1",
            "SELECT nmae FROM users ORDER",
            "SELECT nmae FROM users JOIN orders",
            "SELECT nmae FROM users JOIN orders ON users.id = user_id",
            "SELECT id FROM users JOIN orders",
            "SELECT name FROM users WHERE nmae",
            "SELECT name FROM users WHERE nmae ",
            "SELECT name FROM users WHERE T9.nmae",
            "SELECT name FROM usres",
            "SELECT (SELECT nmae FROM users)",
            "SELECT sum(id) OVER w FROM users WHERE id = 1",
            "UPDATE users SET name = sku",
            "UPDATE users SET name = items.sku",
            "DELETE T1",
            "CREATE TABLE t (a int CHECK (b > 1))",
        ],
    )
    def test_it_is_unknown_at_the_end_of_a_buffer(self, text):
        for world in WORLDS.values():
            assert ghosts(world.resolve(text, complete=False)) == set()

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT [-nmae-] FROM users WHERE id = 1",
            "SELECT [-T1.id-] FROM users GROUP BY id",
            "SELECT id FROM users WHERE [-nmae-] = 1",
            "SELECT id FROM users ORDER BY [-nmae-] DESC",
            "SELECT [?id?] FROM [-usres-] AS u",
            "SELECT id FROM users WHERE id IN (SELECT [-nmae-] FROM orders)",
            "SELECT id FROM users WHERE id IN (SELECT [-nmae-] FROM orders) AND name = 'x'",
            "SELECT [-nmae-] FROM users UNION SELECT [?sku?]",
            "INSERT INTO users (id, [-nmae-]) VALUES (1, 2)",
            "UPDATE users SET [-nmae-] = 1",
            "WITH a AS (SELECT [-nmae-] FROM users) SELECT [?x?]",
        ],
    )
    def test_what_nothing_can_change_is_a_ghost_at_once(self, text):
        assert LITE.marked(text, complete=False) == text

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT id FROM users WHERE id IN (SELECT nmae |)",
            "SELECT * FROM (SELECT T1.nmae FROM users |) x",
            "SELECT nmae, T1.x FROM |\nSELECT 1",
            "SELECT x.nmae, (SELECT 1 |)",
            "WITH a AS (SELECT * FROM b |)\nSELECT 1",
            "SELECT nmae FROM users |;",
        ],
    )
    def test_where_someone_types_inside_brackets_or_above_another_statement(self, text):
        before, _, after = text.rstrip(";").partition("|")
        complete = bool(after.strip())
        statement = LITE.lexer.statement(before + after, complete=complete, cursor=len(before.encode()))
        assert ghosts(resolver.resolve(statement, LITE.environment, LITE.world)) == set()

    def test_elsewhere_in_the_statement_ghosts_stay(self):
        text = "SELECT nmae FROM users WHERE id IN (SELECT idd )"
        statement = LITE.lexer.statement(text, cursor=len(text) - 1)
        found = resolver.resolve(statement, LITE.environment, LITE.world)
        assert {name for _, name in ghosts(found)} == {"nmae"}

    @pytest.mark.parametrize("text", GOOD)
    def test_no_prefix_shows_a_ghost_that_the_finished_text_lacks(self, text):
        finished = ghosts(LITE.resolve(text))
        assert finished == set()
        for end in range(len(text)):
            assert ghosts(LITE.resolve(text[:end], complete=False)) == set(), text[:end]


class TestRepair:
    """The first text that can be read; `·` stands for a dummy."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("SELECT u. FROM users u", "SELECT u. · FROM users u"),
            ("SELECT * FROM t WHERE", "SELECT * FROM t WHERE ·"),
            ("SELECT * FROM t LEFT", "SELECT * FROM t LEFT JOIN ·"),
            ("SELECT a FROM t ORDER BY", "SELECT a FROM t ORDER BY ·"),
            ("SELECT CASE FROM t", "SELECT CASE WHEN · THEN · END FROM t"),
            ("SELECT CASE WHEN a THEN 1 ELSE", "SELECT CASE WHEN a THEN 1 ELSE · END"),
            ("SELECT a FROM t WHERE b BETWEEN 1", "SELECT a FROM t WHERE b BETWEEN 1 AND ·"),
            ("SELECT a FROM t WHERE b IN (SELECT", "SELECT a FROM t WHERE b IN (SELECT · )"),
            ("SELECT a FROM t WHERE b NOT", "SELECT a FROM t WHERE b NOT IN (·)"),
            ("SELECT count( FROM t", "SELECT count( · ) FROM t"),
            ("SELECT a FROM t UNION ALL", "SELECT a FROM t UNION ALL SELECT ·"),
            ("WITH a(x", "WITH a(x ) AS (SELECT ·) SELECT ·"),
            ("WITH a AS (SELECT 1),", "WITH a AS (SELECT 1), · AS (SELECT ·) SELECT ·"),
            ("INSERT INTO t (a,", "INSERT INTO t (a, · )"),
            ("UPDATE t SET a =", "UPDATE t SET a = ·"),
            ("MERGE INTO t USING s", "MERGE INTO t USING s ON · WHEN MATCHED THEN DELETE"),
            ("SELECT EXTRACT(year", "SELECT EXTRACT(year FROM · )"),
            ("SELECT a FROM t WHERE b LI", "SELECT a FROM t WHERE b"),
            ("SELECT a FROM t WHERE b )", "SELECT a FROM t WHERE b"),
            ("SELECT 'a", "SELECT 'a'"),
            ("SELECT a FROM t WHERE /* why", "SELECT a FROM t WHERE · /* why*/"),
        ],
    )
    def test_what_is_put_in(self, text, expected):
        statement = LITE.statement(text, complete=False)
        found = repaired(outline_of(statement), readable(statement), ())
        first = next(each for each in found if parse(each.text, "sqlite"))
        assert " ".join(first.text.replace(DUMMY, "·").split()) == expected

    def test_places_map_to_and_fro(self):
        data = "SELECT é. FROM t".encode()
        found = build(data, [Mend(10, " \0 ", Span(10, 11))], (Span(7, 9),))
        assert found.text == f"SELECT é. {DUMMY}  FROM t"
        assert [found.text.encode()[each.start : each.end].decode() for each in found.dummies] == ["é", DUMMY]
        assert found.place(10) == found.place(11) == found.dummies[1].start
        assert found.back(found.dummies[1]) is None
        start = found.text.encode().index(b"FROM")
        assert found.back(Span(start, start + 4)) == Span(11, 15)
        assert found.back(Span(7, 9)) == Span(7, 9)

    @given(
        st.binary(max_size=30),
        st.lists(st.tuples(st.integers(0, 30), st.text("ab\0 ", max_size=5)), max_size=5),
    )
    def test_every_byte_of_the_original_is_found_again(self, data, raw):
        data = bytes(byte & 0x7F for byte in data)
        mends = [Mend(min(at, len(data)), text, Span(at, at)) for at, text in sorted(raw)]
        found = build(data, mends, ())
        written = found.text.encode()
        for at in range(len(data)):
            there = found.forward(at)
            assert written[there] == data[at]
            assert found.back(Span(there, there + 1)) == Span(at, at + 1)


WORDS = """SELECT FROM WHERE JOIN LEFT ON USING ( ) , . ; * = < + - | :: [ ] { } AND OR NOT IN IS LIKE BETWEEN CASE WHEN
THEN ELSE END GROUP BY ORDER HAVING LIMIT UNION ALL EXCEPT WITH RECURSIVE AS INSERT INTO VALUES UPDATE SET DELETE MERGE CREATE
TABLE VIEW INDEX ALTER DROP EXISTS OVER PARTITION RETURNING CONFLICT DO BEGIN TRIGGER users orders u id name total 'a' 'b "q"
"z ` 1 $$ $a$ -- /* */ é 🙂 ?? {:Column} {{x}} :p $1 count EXTRACT CAST INTERVAL DISTINCT"""
SOUP = (*WORDS.split(), "\n", "\0", "\ud800", "\udcff")


def check_laws(world: Schema, text: str, *, complete: bool) -> None:
    statement = world.statement(text, complete=complete)
    data = statement.data
    edges = {0, len(data), *(at for at, byte in enumerate(data) if byte & 0xC0 != 0x80)}
    resolution = world.resolve(text, complete=complete)
    for reference in resolution.references:
        assert reference.span.start < reference.span.end
        assert {reference.span.start, reference.span.end} <= edges
    for offset in (-1, 0, len(data) // 3, len(data) // 2, len(data), len(data) + 9):
        assert isinstance(resolution.expectation_at(offset).sort, str)
        for frame in resolution.frames_at(offset):
            assert all(binding.spelling for binding in frame.bindings.values())


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(SOUP), max_size=25), st.sampled_from(DIALECTS), st.booleans())
@example(["SELECT", "(", "FROM", "users", ")", ")"], "sqlite", True)  # noqa: FBT003  (examples are positional)
def test_any_tokens_at_all(words, dialect, complete):
    check_laws(WORLDS[dialect], " ".join(words), complete=complete)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(GOOD), st.data(), st.sampled_from(DIALECTS), st.booleans())
def test_any_piece_cut_out_of_good_sql(text, data, dialect, complete):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    check_laws(WORLDS[dialect], text[:start] + text[end:], complete=complete)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "(" * 60_000,
        "SELECT " + ")" * 60_000,
        "SELECT " + "([{" * 20_000 + ")" * 60_000,
        "SELECT * FROM (" * 10_000,
        "WITH " + "a AS (" * 10_000,
        "SELECT " + "," * 20_000,
        "SELECT " + "CASE " * 40_000,
        "SELECT * FROM users " + "JOIN users ON " * 4_000,
        "SELECT id FROM users\n" * 5_000,
    ],
    ids=["open", "closed", "mixed", "queries", "ctes", "commas", "cases", "joins", "statements"],
)
def test_size_and_depth_are_harmless(text):
    started = time.perf_counter()
    resolution = LITE.resolve(text, complete=False)
    assert ghosts(resolution) == set()
    resolution.frames_at(len(text) // 2)
    resolution.expectation_at(len(text))
    assert time.perf_counter() - started < 20
