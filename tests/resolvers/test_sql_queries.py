"""Which names of a statement are declared, ghosts, ambiguous or unknown, clause by clause and dialect by dialect."""

from __future__ import annotations

import pytest
from sqlcase import DIALECTS, Schema

SHOP = {
    "users": "id name email age",
    "orders": "id user_id total day",
    "items": "order_id sku n",
    "app.events": "id x",
}

ALL = " ".join(DIALECTS)


@pytest.fixture(scope="module")
def shops():
    return {dialect: Schema(dialect, SHOP) for dialect in DIALECTS}


def cases(*groups):
    """Test parameters from (dialects, one statement a line or paragraph) pairs."""
    found = []
    for dialects, text in groups:
        for sql in filter(None, (line.strip() for line in text.strip().split("\n"))):
            found += [pytest.param(dialect, sql, id=f"{dialect}: {sql[:60]}") for dialect in dialects.split()]
    return pytest.mark.parametrize(("dialect", "sql"), found)


@cases(
    (
        ALL,
        """
        SELECT id, name FROM users
        SELECT u.id, [-zz-] FROM users u
        SELECT u.id, u.[-nmae-] FROM users AS u
        SELECT [-b.id-] FROM users u
        SELECT [-users.id-] FROM users u
        SELECT u.id FROM users u, orders o WHERE [~id~] = 1
        SELECT * FROM [-nope-]
        SELECT n.[?x?], [?y?], u.[-y-] FROM [-nope-] n, users u
        SELECT app.events.x, events.id, events.[-zz-] FROM app.events
        SELECT [?id?] FROM zzz.[?users?]
        SELECT u.*, [-b-].* FROM users u
        SELECT a.id FROM users a JOIN users b ON a.id = b.id WHERE [~name~] = 'x'
        SELECT CASE WHEN age > 1 THEN name ELSE [-zz-] END FROM users
        SELECT name FROM users WHERE name LIKE '%x' ESCAPE '!' AND age BETWEEN 1 AND [-zz-]
        SELECT current_date, current_timestamp, CAST(age AS integer) FROM users
        SELECT name FROM users LIMIT 5 OFFSET 2
        SELECT DISTINCT name FROM users ORDER BY age
        SELECT count(*) FILTER (WHERE [-zz-] > 1) FROM users
        """,
    ),
    ("postgres", 'SELECT "name", USERS.ID, [-"Name"-], [-"naame"-] FROM Users'),
    ("sqlite", 'SELECT "NAME", "naame", [-`naame`-], [-[naame]-], users.[-"naame"-] FROM Users'),
    ("mysql", "SELECT `name`, [-`zz`-] FROM `users`"),
    ("sqlite postgres", "SELECT [?id?] FROM [?events?]"),
    ("sqlite", "SELECT id FROM users WHERE name COLLATE nocase = 'x'"),
    ("sqlite", "SELECT id FROM users WHERE id IN orders AND id IN [-nope-]"),
    ("sqlite postgres", "SELECT [-foo-]"),
    ("postgres", "SELECT name FROM users WHERE (id, age) IN (SELECT id, user_id FROM orders)"),
    (
        "postgres",
        "SELECT extract(epoch FROM day), day + interval '1 day', total::numeric, day AT TIME ZONE 'utc' FROM orders",
    ),
)
def test_names_in_one_block(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        ALL,
        """
        SELECT id FROM users JOIN orders USING (id)
        SELECT u.id FROM users u JOIN orders USING ([-zz-])
        SELECT u.name, o.total FROM users u LEFT JOIN orders o ON u.id = o.[-zz-]
        SELECT id, users.id, o.id FROM users NATURAL JOIN orders o
        SELECT q.id, q.[-zz-] FROM (users JOIN orders USING (id)) q
        SELECT users.name, orders.total FROM (users JOIN orders USING (id))
        SELECT name FROM users u JOIN orders o ON u.id = o.user_id JOIN items i ON i.order_id = o.id
        """,
    ),
    (
        "sqlite postgres mysql",
        "SELECT [~id~] FROM users JOIN orders USING (id) JOIN app.events ON events.x = 1",
    ),
    ("duckdb generic", "SELECT id FROM users JOIN orders USING (id) JOIN app.events ON events.x = 1"),
    (
        "sqlite generic",
        "SELECT u.id FROM users u JOIN orders o ON u.id = i.n JOIN items i ON i.order_id = o.id",
    ),
    (
        "postgres mysql duckdb",
        "SELECT u.id FROM users u JOIN orders o ON u.id = [-i.n-] JOIN items i ON i.order_id = o.id",
    ),
    ("sqlite", "SELECT u.id FROM users u JOIN orders o ON [~id~] = 1 JOIN items i ON i.order_id = o.id"),
)
def test_joins(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        ALL,
        """
        SELECT x.id, x.[-qq-] FROM (SELECT id, name FROM users) x
        SELECT x.a, x.[-id-], x.name FROM (SELECT id, name FROM users) AS x(a)
        SELECT x.id, x.[-zz-], email FROM (SELECT * FROM users) x
        SELECT x.k, x.total, x.[-zz-] FROM (SELECT u.id AS k, o.* FROM users u, orders o) x WHERE x.total > 1
        SELECT t.c, t.[-d-] FROM (SELECT count(*) FROM users) AS t(c)
        SELECT v.a, v.[-c-] FROM (VALUES (1, 2)) AS v(a, b)
        SELECT name FROM users u WHERE EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id AND total > age)
        SELECT name FROM users u WHERE EXISTS (SELECT 1 FROM orders o WHERE o.user_id = [-v.id-])
        SELECT name FROM users WHERE id IN (SELECT user_id FROM orders WHERE [-zz-] = 1)
        SELECT name, (SELECT max(total) FROM orders WHERE user_id = users.id) AS m FROM users ORDER BY m
        SELECT * FROM users u CROSS JOIN LATERAL (SELECT total FROM orders WHERE user_id = u.id) q WHERE q.total > 1
        SELECT x.id FROM (SELECT u.id FROM (SELECT id FROM users) u) x WHERE x.[-name-] = 1
        """,
    ),
    ("sqlite postgres", "SELECT * FROM users u, (SELECT [-u.id-]) q"),
    ("sqlite postgres", "SELECT column1, [-column3-] FROM (VALUES (1, 2)) AS v"),
    ("mysql", "SELECT column_0, [-column_2-] FROM (VALUES ROW(1, 2)) AS v"),
    ("postgres", "SELECT x.[~id~] FROM (SELECT u.id, o.id FROM users u, orders o) x"),
    ("sqlite duckdb", "SELECT x.id FROM (SELECT u.id, o.id FROM users u, orders o) x"),
    ("sqlite mysql", "SELECT [-c-] FROM (SELECT count(*) FROM users) x"),
    ("postgres", "SELECT count, upper, [?c?] FROM (SELECT count(*), upper(name), 1 FROM users) x"),
)
def test_derived_tables_and_subqueries(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        ALL,
        """
        WITH a AS (SELECT id FROM users), b AS (SELECT id FROM a) SELECT id, b.[-zz-] FROM b
        WITH c(a, b) AS (SELECT id, name FROM users) SELECT a, [-z-], c.b, c.[-y-] FROM c ORDER BY a
        WITH users AS (SELECT id AS k FROM users) SELECT k, [-name-] FROM users
        WITH a AS (SELECT * FROM users) SELECT id, email, [-zz-] FROM a
        WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n, r.[-m-] FROM r
        WITH RECURSIVE r AS (SELECT id, age FROM users UNION ALL SELECT r.id, r.[-zz-] FROM r) SELECT id, age FROM r
        WITH q AS (SELECT id FROM users) SELECT id FROM (SELECT id FROM q WHERE EXISTS (SELECT [-zz-] FROM q)) x
        SELECT * FROM (WITH q AS (SELECT id FROM users) SELECT id, [-zz-] FROM q) x
        WITH q AS (SELECT id FROM users) SELECT * FROM [-r-]
        """,
    ),
    ("sqlite duckdb generic", "WITH p AS (SELECT [?k?] FROM q), q AS (SELECT 1 AS k) SELECT k FROM p"),
    ("postgres", "WITH p AS (SELECT [?k?] FROM [-q-]), q AS (SELECT 1 AS k) SELECT k FROM p"),
    ("postgres", "WITH d AS (DELETE FROM users RETURNING id, name) SELECT id, d.[-zz-] FROM d"),
    (
        "sqlite postgres",
        """
        WITH q AS (SELECT id FROM users) UPDATE orders SET total = (SELECT id FROM q) WHERE id IN (SELECT q.[-zz-] FROM q)
        WITH q AS (SELECT id FROM users) DELETE FROM orders WHERE id IN (SELECT q.[-zz-] FROM q)
        WITH q AS (SELECT id FROM users) INSERT INTO orders (id) SELECT [-zz-] FROM q
        """,
    ),
)
def test_common_table_expressions(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        ALL,
        """
        SELECT id FROM users UNION SELECT user_id FROM orders ORDER BY id
        SELECT id FROM users UNION SELECT user_id FROM orders ORDER BY [-qqq-]
        SELECT id FROM users UNION ALL SELECT [-zz-] FROM orders EXCEPT SELECT order_id FROM items
        SELECT x.id, x.[-user_id-] FROM (SELECT id FROM users UNION SELECT user_id FROM orders) x
        (SELECT id FROM users) UNION (SELECT [-zz-] FROM orders)
        """,
    ),
    ("sqlite duckdb", "SELECT id FROM users UNION SELECT user_id FROM orders ORDER BY user_id"),
    ("sqlite duckdb", "SELECT id FROM users UNION SELECT user_id FROM orders ORDER BY users.[?id?]"),
)
def test_set_operations(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        ALL,
        """
        SELECT count(*) AS c, name FROM users GROUP BY name ORDER BY c
        SELECT name AS n FROM users GROUP BY n ORDER BY n
        SELECT age AS q FROM users ORDER BY q, [-r-]
        """,
    ),
    ("sqlite mysql duckdb generic", "SELECT count(*) AS c, name AS n FROM users GROUP BY n HAVING c > 1"),
    ("postgres", "SELECT count(*) AS c FROM users HAVING [?c?] > 1"),
    ("sqlite duckdb generic", "SELECT age AS q FROM users WHERE q > 1"),
    ("postgres mysql", "SELECT age AS q FROM users WHERE [-q-] > 1"),
    ("duckdb generic", "SELECT 1 AS one, one + 1 AS two FROM users"),
    ("sqlite postgres", "SELECT 1 AS one, [-one-] + 1 AS two FROM users"),
    ("sqlite", "SELECT u.id FROM users u, orders o ORDER BY [~id~]"),
    ("postgres mysql duckdb", "SELECT u.id FROM users u, orders o ORDER BY id"),
    ("sqlite postgres duckdb", "SELECT u.id AS id FROM users u, orders o GROUP BY [~id~]"),
    ("sqlite", "SELECT total AS name FROM users, orders WHERE name = 1"),
)
def test_select_aliases(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        ALL,
        """
        SELECT sum(total) OVER w, count(*) OVER [-q-] FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY [-zz-])
        SELECT row_number() OVER (PARTITION BY [-zz-] ORDER BY name) FROM users
        """,
    ),
    ("postgres", "SELECT string_agg(name, ',' ORDER BY [-zz-]) FROM users"),
    ("postgres", "SELECT name FROM users GROUP BY GROUPING SETS ((name), ([-zz-]))"),
    ("postgres", "SELECT DISTINCT ON (name) name, age FROM users ORDER BY name, [-zz-]"),
    ("postgres", "SELECT name FROM users u FOR UPDATE OF u"),
    ("postgres", "SELECT name FROM users u FOR UPDATE OF [-v-]"),
    ("duckdb", "SELECT * EXCLUDE (name) FROM users"),
    ("duckdb", "FROM users SELECT name, [-zz-]"),
    ("duckdb", "SELECT list_transform([1, 2], x -> x + age), struct_pack(a := age) FROM users"),
)
def test_clauses(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    ("postgres", "SELECT u, (u).name, (u).[-zz-], u.ctid, u.[-zz-] FROM users u"),
    ("postgres", "SELECT jsonb_agg(o ORDER BY o.day) FROM orders o"),
    ("sqlite", "SELECT rowid, users._rowid_, oid FROM users"),
    ("postgres", "SELECT g.i, i FROM generate_series(1, 3) AS g(i) WHERE g.i > 1 AND i < 3"),
    ("postgres", "SELECT x FROM generate_series(1, 3) x"),
    ("postgres", "SELECT x.[?a?], [?q?] FROM unnest(ARRAY[1]) AS x"),
    ("sqlite", "SELECT j.key, value, j.[-zz-] FROM users, json_each(users.name) AS j"),
    ("sqlite", "SELECT name, sql FROM sqlite_master"),
    ("postgres", "SELECT a.attname FROM pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid"),
    ("postgres", "SELECT table_name FROM information_schema.tables"),
    ("postgres", "SELECT pg_catalog.lower(name) FROM users"),
)
def test_what_the_database_brings(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        ALL,
        """
        INSERT INTO users (id, [-nmae-]) VALUES (1, 'x')
        INSERT INTO users (id, name) SELECT id, [-zz-] FROM orders
        UPDATE users SET name = 'x', [-zz-] = age WHERE id = 1 AND [-yy-] = 2
        DELETE FROM users WHERE [-zz-] = 1
        INSERT INTO [-nope-] ([?a?]) VALUES (1)
        """,
    ),
    (
        "sqlite postgres",
        """
        INSERT INTO users (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = excluded.name, [-zz-] = excluded.[-yy-]
        INSERT INTO users AS u (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = u.email WHERE u.[-zz-] > 1
        INSERT INTO users (id) VALUES (1) ON CONFLICT ([-zz-]) DO NOTHING
        INSERT INTO users (id) VALUES (1) RETURNING id, [-zz-]
        UPDATE users SET name = o.total FROM orders o WHERE o.user_id = users.id AND o.[-zz-] = 1
        UPDATE users AS u SET (name, [-zz-]) = (SELECT sku, n FROM items WHERE order_id = u.id)
        """,
    ),
    ("sqlite", "REPLACE INTO users (id, [-zz-]) VALUES (1, 2)"),
    ("sqlite", "UPDATE OR IGNORE users SET [-zz-] = 1"),
    ("sqlite", "UPDATE users SET name = o.total FROM orders o RETURNING name, [-o.total-]"),
    ("postgres", "UPDATE users SET name = o.total FROM orders o RETURNING name, o.total"),
    ("postgres", "DELETE FROM users u USING orders o WHERE u.id = o.user_id AND o.[-zz-] = 1 RETURNING u.id"),
    (
        "postgres generic",
        (
            "MERGE INTO users u USING orders o ON u.id = o.user_id WHEN MATCHED THEN UPDATE SET name = o.total, [-zz-] = 1"
            " WHEN NOT MATCHED THEN INSERT (id, [-yy-]) VALUES (o.id, o.[-xx-])"
        ),
    ),
    ("mysql", "UPDATE users u JOIN orders o ON o.user_id = u.id SET u.name = o.total, u.[-zz-] = 1"),
    ("mysql", "DELETE u FROM users u JOIN orders o ON o.user_id = u.id WHERE o.[-zz-] = 1"),
    ("mysql", "INSERT INTO users (id) VALUES (1) ON DUPLICATE KEY UPDATE name = VALUES(name), [-zz-] = 1"),
    ("postgres", "COPY users (id, [-zz-]) FROM stdin"),
    ("postgres", "COMMENT ON COLUMN users.[-zz-] IS 'x'"),
    ("postgres", "TRUNCATE users, [-nope-]"),
)
def test_data_changes(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        ALL,
        """
        CREATE VIEW v AS SELECT id, [-zz-] FROM users
        CREATE TABLE t AS SELECT id, [-zz-] FROM users
        CREATE INDEX i ON users (name, [-zz-])
        CREATE TABLE t (a INT, b INT CHECK (b > a AND [-zz-] > 1))
        CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES users (id), FOREIGN KEY ([-q-]) REFERENCES users ([-qq-]))
        CREATE TABLE t (a INT, PRIMARY KEY (a, [-r-]))
        CREATE TABLE t (a INT REFERENCES t(a), b INT REFERENCES t([-zz-]))
        ALTER TABLE users ADD COLUMN q INT
        ALTER TABLE users DROP COLUMN [-zz-]
        ALTER TABLE users RENAME COLUMN [-zz-] TO y
        DROP TABLE [-nope-]
        DROP TABLE IF EXISTS [?nope?]
        """,
    ),
    ("sqlite", "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + [-zz-]) VIRTUAL)"),
    ("postgres", "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + [-zz-]) STORED)"),
    ("sqlite postgres", "CREATE INDEX i ON users (lower(name)) WHERE [-zz-] > 1"),
    ("sqlite", "CREATE TABLE t (a INT REFERENCES [?later?] ([?id?]))"),
    ("postgres", "CREATE TABLE t (a INT REFERENCES [-later-] ([?id?]))"),
    ("postgres", "CREATE POLICY p ON users USING ([-zz-] = 1)"),
)
def test_definitions(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        "postgres",
        """
        CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS $$ SELECT a + f.a + age + [-zz-] FROM users $$
        CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS 'SELECT [-zz-] FROM users'
        CREATE FUNCTION f(a int) RETURNS int BEGIN ATOMIC SELECT [-zz-] + a FROM users; END
        CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT zz FROM users); END $$
        CREATE TRIGGER t BEFORE UPDATE OF name, [-zz-] ON users FOR EACH ROW WHEN (NEW.age > OLD.[-qq-]) EXECUTE FUNCTION f()
        """,
    ),
    (
        "sqlite",
        (
            "CREATE TRIGGER t AFTER UPDATE OF name ON users WHEN new.[-zz-] > 1 BEGIN"
            " UPDATE orders SET total = new.age WHERE user_id = old.[-qq-];"
            " INSERT INTO items (sku, [-yy-]) VALUES (new.name, 1); END"
        ),
    ),
)
def test_bodies(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    ("sqlite", "EXPLAIN QUERY PLAN SELECT [-zz-] FROM users"),
    ("postgres", "EXPLAIN (ANALYZE, BUFFERS) SELECT [-zz-] FROM users"),
    ("postgres", "PREPARE p (int) AS SELECT [-zz-] FROM users WHERE id = $1"),
    ("postgres", "DECLARE c CURSOR FOR SELECT [-zz-] FROM users"),
    ("mysql", "EXPLAIN SELECT [-zz-] FROM users"),
)
def test_statements_inside_commands(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql


@cases(
    (
        ALL,
        """
        SELECT [?name?] FROM {{ ref('users') }} WHERE [?zz?] = 1
        SELECT u.[?zz?] FROM {{ ref('users') }} AS u
        SELECT {{ columns }}, name, [-zz-] FROM users
        """,
    ),
    ("sqlite postgres mysql generic", "SELECT :x, name FROM users WHERE id = :id"),
    ("postgres", "SELECT name FROM users WHERE id = $1 AND [-zz-] = $2"),
    ("sqlite", "SELECT name FROM users WHERE id = ?1 AND [-zz-] = ?"),
)
def test_parameters_and_templates_are_no_names(shops, dialect, sql):
    assert shops[dialect].marked(sql) == sql
