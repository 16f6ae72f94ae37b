"""Where SQLite reads a common table expression, and what it sees there: judged by SQLite itself."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

SCHEMA = "CREATE TABLE t (a, b); CREATE TABLE u (c, d);"
QUERIES = (
    "WITH x AS (SELECT c FROM u WHERE c = a) SELECT * FROM t WHERE EXISTS (SELECT 1 FROM x)",
    "WITH x AS (SELECT c FROM u WHERE c = t.a) SELECT * FROM t WHERE EXISTS (SELECT 1 FROM x)",
    "WITH x AS (SELECT c FROM u WHERE c = a) SELECT (SELECT c FROM x) FROM t",
    "WITH x AS (SELECT c FROM u WHERE c = b), y AS (SELECT c FROM x) SELECT (SELECT c FROM y) FROM t",
    "SELECT * FROM t WHERE EXISTS (WITH x AS (SELECT c FROM u WHERE c = a) SELECT * FROM x)",
    "WITH x AS (SELECT c FROM u WHERE c = a) SELECT * FROM x, t",
    "WITH x AS (SELECT c FROM u WHERE c = a) SELECT * FROM t JOIN x ON true UNION SELECT 1, 2, 3 FROM t",
    "WITH x AS (SELECT zz FROM u), y AS (SELECT * FROM x) SELECT * FROM y",
    "WITH x AS (SELECT c, a FROM u), y AS (SELECT c FROM x UNION SELECT c FROM x) SELECT * FROM t, y",
    "WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + b FROM x) SELECT * FROM x",
    "WITH x AS (SELECT a FROM u) SELECT * FROM t, x WHERE b IN (SELECT a FROM x)",
)


@pytest.fixture(scope="module")
def analyzer(sql):
    resolver, settings = resolver_of(sql), {"dialect": "sqlite"}
    facts = Analyzer(sql, resolver, settings=settings).declared([(SCHEMA, "schema.sql")])
    return Analyzer(sql, resolver, facts, settings)


def refused(query):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        try:
            connection.execute(query)
        except sqlite3.OperationalError as error:
            return "no such column" in str(error)
    return False


@pytest.mark.parametrize("query", QUERIES)
def test_a_name_is_a_ghost_where_sqlite_finds_none(analyzer, query):
    assert bool(analyzer.analyse(f"{query};").diagnostics) == refused(query)
