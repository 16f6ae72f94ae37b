"""What sqlglot does not read is put so that it does, and every character keeps its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.resolvers.sql.respell import respelled


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("SELECT a FROM t", "SELECT a FROM t"),
        ("REPLACE INTO t VALUES (1)", "INSERT INTO t VALUES (1)"),
        ("INSERT LOW_PRIORITY INTO t VALUES (1)", "INSERT INTO t VALUES (1)"),
        ("UPDATE OR IGNORE t SET a = 1", "UPDATE t SET a = 1"),
        ("UPDATE IGNORE t SET a = 1", "UPDATE t SET a = 1"),
        ("explain query plan select 1", "select 1"),
        ("EXPLAIN (ANALYZE, BUFFERS) SELECT 1", "SELECT 1"),
        ("PREPARE p(int, numeric(3, 2)) AS SELECT 1", "SELECT 1"),
        ("DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT 1", "SELECT 1"),
        ("COPY (SELECT (a) FROM t) TO 'file'", "SELECT (a) FROM t"),
        ('SELECT U&"a" FROM t', 'SELECT "a" FROM t'),
        ("SELECT a FROM t WHERE b = ?12", "SELECT a FROM t WHERE b = ?"),
        ("DESCRIBE t", "DESCRIBE t"),
    ],
)
def test_statements(written, read):
    found = respelled(written)
    assert len(found) == len(written)
    assert found.split() == read.split()


def test_rows_of_literals_are_left_out_of_long_inserts():
    rows = ["(1, 'x''(),')", "(2, NULL)", "(name, 3)", *["(4, 'y')"] * 1000]
    written = f"INSERT INTO t (a, b) VALUES {', '.join(rows)} ON CONFLICT (a) DO NOTHING"
    found = respelled(written)
    assert len(found) == len(written)
    assert " ".join(found.split()) == (
        "INSERT INTO t (a, b) VALUES (1, 'x''(),') , (name, 3) ON CONFLICT (a) DO NOTHING"
    )


@given(st.text(st.sampled_from("REPLACINTOUDSVX ()?1'\"&,;\n"), max_size=60))
def test_length_never_changes(text):
    assert len(respelled(text)) == len(text)
