"""What can be written at a place, and how it has to be spelled there."""

from __future__ import annotations

import sqlite3

import pytest
from sqlcase import Schema

SHOP = {"users": "id name email", "orders": "id user_id total", "odd": "order Id"}


@pytest.fixture(scope="module")
def shop():
    return Schema("sqlite", SHOP)


@pytest.fixture(scope="module")
def pg():
    return Schema("postgres", {**SHOP, "app.events": "id x"})


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT ?? FROM users", "Column in Select/Select"),
        ("SELECT u.?? FROM users u", "Column in Select/Select"),
        ("SELECT ??.id FROM users u", "Alias in Select/Select"),
        ("SELECT ??.* FROM users u", "Alias in Select/Select"),
        ("SELECT ??(id) FROM users", "Function in Select/Select"),
        ("SELECT id FROM ??", "Table in Select/From"),
        ("SELECT id FROM users JOIN ?? ON 1", "Table in Select/Join"),
        ("SELECT id FROM users u JOIN orders o ON u.id = ??", "Column in Select/Join"),
        ("SELECT 1 FROM users JOIN orders USING (??)", "Column in Select/Join"),
        ("SELECT id FROM users WHERE ?? = 1", "Column in Select/Where"),
        ("SELECT id FROM users WHERE id IN (SELECT ?? FROM orders)", "Column in Select/Where/Select"),
        ("SELECT id FROM users WHERE id IN (SELECT id FROM ??)", "Table in Select/Where/From"),
        ("SELECT id FROM users GROUP BY ??", "Column in Select/Group"),
        ("SELECT id FROM users GROUP BY id HAVING ?? > 1", "Column in Select/Having"),
        ("SELECT id FROM users ORDER BY ??", "Column in Select/Order"),
        ("SELECT id FROM users LIMIT ??", "anything in Select/Limit"),
        ("SELECT id AS ?? FROM users", "anything in Select/Select"),
        ("SELECT id FROM users ??", "anything in Select/From"),
        ("SELECT sum(id) OVER ?? FROM users WINDOW w AS (ORDER BY id)", "Window in Select/Select"),
        ("WITH q AS (SELECT ?? FROM users) SELECT 1", "Column in Select/With/Select"),
        ("WITH ?? AS (SELECT 1) SELECT 1", "TableDecl in Select/With"),
        ("INSERT INTO ?? VALUES (1)", "Table in Insert/Into"),
        ("INSERT INTO users (id, ??) VALUES (1, 2)", "Column in Insert/Into"),
        ("INSERT INTO users (id) VALUES (??)", "anything in Insert/Select"),
        ("UPDATE ?? SET a = 1", "Table in Update"),
        ("UPDATE users SET ?? = 1", "Column in Update/Set"),
        ("UPDATE users SET name = ??", "Column in Update/Set"),
        ("DELETE FROM ??", "Table in Delete/From"),
        ("CREATE TABLE ?? (a INT)", "TableDecl in Create"),
        ("CREATE TABLE t (?? INT)", "ColDecl in Create"),
        ("CREATE TABLE t (a INT REFERENCES ??)", "Table in Create/Columns"),
        ("CREATE TABLE t (a INT REFERENCES users(??))", "Column in Create/Columns"),
        ("CREATE TABLE t (a INT CHECK (?? > 1))", "Column in Create/Columns"),
        ("CREATE INDEX i ON ?? (a)", "Table in Create"),
        ("CREATE INDEX i ON users (??)", "Column in Create/Columns"),
        ("ALTER TABLE ?? ADD COLUMN a INT", "Table in Alter"),
        ("ALTER TABLE users DROP COLUMN ??", "Column in Alter"),
        ("ALTER TABLE users ADD COLUMN ?? INT", "ColDecl in Alter"),
        ("DROP TABLE ??", "Table in Drop"),
    ],
)
def test_a_place_expects_a_sort(shop, sql, expected):
    assert shop.expected(sql) == expected


@pytest.mark.parametrize(
    ("sql", "spellings"),
    [
        ("SELECT ?? FROM users", "id name email"),
        ("SELECT ?? FROM users u JOIN orders o ON u.id = o.user_id", "u.id name email o.id user_id total"),
        ("SELECT u.?? FROM users u, orders o", "id name email"),
        ("SELECT ?? FROM users JOIN orders USING (id)", "id name email user_id total"),
        ("SELECT 1 FROM users JOIN orders USING (??)", "id"),
        ("SELECT ?? FROM users a, users b", "a.id a.name a.email b.id b.name b.email"),
        ("SELECT ?? FROM odd", '"order" Id'),
        ("SELECT o.?? FROM odd o", '"order" Id'),
        ("SELECT 1 FROM users WHERE EXISTS (SELECT ?? FROM orders)", "id user_id total users.id name email"),
        ("SELECT 1 FROM users u, orders o WHERE EXISTS (SELECT ?? FROM orders)",
         "id user_id total u.id name email o.id o.user_id o.total"),
        ("SELECT 1 FROM orders WHERE EXISTS (SELECT ?? FROM orders)", "id user_id total"),
        ("SELECT ?? FROM (SELECT id AS k, count(*), name FROM users) x", "k name"),
        ("WITH q(a, b) AS (SELECT id, name FROM users) SELECT ?? FROM q", "a b"),
        ("SELECT ?? FROM users u, nope n", "u.id u.name u.email"),
        ("SELECT 1 FROM users a JOIN users b ON a.id = ?? JOIN orders o ON 1",
         "a.id a.name a.email b.id b.name b.email"),
        ("SELECT count(*) AS n FROM users ORDER BY ??", "id name email n"),
        ("SELECT ?? FROM users UNION SELECT total FROM orders", "id name email"),
        ("INSERT INTO users (id, ??) VALUES (1, 2)", "name email"),
        ("UPDATE users SET ?? = 1", "id name email"),
        ("UPDATE users AS u SET name = o.?? FROM orders o", "id user_id total"),
        ("DELETE FROM users WHERE ??", "id name email"),
        ("CREATE TABLE t (a INT, b INT, CHECK (?? > 1))", "a b"),
        ("CREATE INDEX i ON orders (??)", "id user_id total"),
        ("SELECT id FROM users LIMIT ??", ""),
        ("INSERT INTO users (id) VALUES (??)", ""),
    ],
)  # fmt: skip
def test_columns_are_spelled_as_they_must_be(shop, sql, spellings):
    assert shop.visible(sql, "Column") == spellings.split()


@pytest.mark.parametrize(
    ("sql", "spellings"),
    [
        ("SELECT ??.id FROM users u JOIN orders ON 1", "u orders"),
        ("SELECT ??.total FROM users u JOIN orders ON 1", "orders"),
        ("SELECT 1 FROM users u WHERE EXISTS (SELECT ??.id FROM orders o)", "o u"),
    ],
)
def test_aliases_that_fit(shop, sql, spellings):
    assert shop.visible(sql, "Alias") == spellings.split()


def test_tables_are_qualified_where_their_schema_must_be_said(pg):
    assert pg.visible("SELECT 1 FROM ??", "Table") == ["users", "orders", "odd", "app.events"]
    assert pg.visible("SELECT 1 FROM app.??", "Table") == ["events"]


def test_a_common_table_expression_can_be_named_after_it(pg):
    assert "q" in pg.visible("WITH q AS (SELECT 1) SELECT 1 FROM ??", "Table")
    assert "q" not in pg.visible("WITH q AS (SELECT 1) INSERT INTO ?? SELECT 1", "Table")


TEMPLATES = [
    "SELECT {} FROM users",
    "SELECT {} FROM users u JOIN orders o ON u.id = o.user_id",
    "SELECT {} FROM users a, users b",
    "SELECT {} FROM users NATURAL JOIN orders",
    "SELECT {} FROM users JOIN orders USING (id) JOIN odd ON 1",
    "SELECT {} FROM (SELECT id AS k, count(*), name FROM users) x, odd",
    "SELECT 1 FROM users u, orders o WHERE EXISTS (SELECT {} FROM orders)",
    "SELECT 1 FROM users WHERE EXISTS (SELECT 1 FROM orders WHERE {} = 1)",
    "SELECT name AS n FROM users, odd WHERE {} = 1 ORDER BY n",
    "SELECT name AS n, count(*) AS c FROM users GROUP BY {}",
    "SELECT u.id, o.id AS id FROM users u, orders o ORDER BY {}",
    "WITH q(a, id) AS (SELECT id, name FROM users) SELECT {} FROM q, users",
    "SELECT 1 FROM users u JOIN orders o ON {} = 1 JOIN odd ON odd.id = u.id",
    "SELECT o.{} FROM users u JOIN odd o ON 1",
    "SELECT 1 FROM users JOIN orders USING ({})",
    "INSERT INTO odd ({}) VALUES (1)",
    "UPDATE users SET {} = 1",
    "UPDATE users SET name = {} FROM orders o WHERE o.user_id = users.id",
    "DELETE FROM odd WHERE {} = 1",
    "INSERT INTO users (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = {}",
    "SELECT id FROM users UNION SELECT total FROM orders ORDER BY {}",
    "SELECT * FROM {}",
    "SELECT {}.id FROM users u, orders",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_sqlite_accepts_every_name_that_is_offered(shop, template):
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, name, email)")
    database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id, total)")
    database.execute('CREATE TABLE odd ("order", Id)')
    offered = shop.visible(template.format("??"), shop.expected(template.format("??")).split()[0])
    assert offered
    for spelling in offered:
        database.execute(template.format(spelling)).fetchall()
    database.close()
