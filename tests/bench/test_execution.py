"""Answers are judged by running them: read-only, within limits, and compared as Spider's test suites compare."""

import sqlite3
from contextlib import closing

import pytest

from gproj_lsp.bench.execution import Judge, absent, matches
from gproj_lsp.errors import InputError


@pytest.fixture
def judge(tmp_path):
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE users (id INT, name TEXT); INSERT INTO users VALUES (1, 'Ada'), (2, 'Bob');"
            "CREATE TABLE big (n INT); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 300)"
            " INSERT INTO big SELECT n FROM c;"
        )
    with closing(Judge(path, seconds=120)) as found:
        yield found


def test_a_query_gives_its_rows_or_the_complaint(judge):
    assert judge.run("SELECT name FROM users ORDER BY id").rows == (("Ada",), ("Bob",))
    assert judge.run("SELECT nmae FROM users").error == "no such column: nmae"
    assert absent("no such column: nmae") == ("column", "nmae")
    assert absent("no such table: main.x") == ("table", "main.x")
    assert absent('near "FORM": syntax error') == ("", "")


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM users",
        "CREATE TABLE x (y)",
        "ATTACH DATABASE 'other.db' AS other",
        "PRAGMA user_version = 7",
        "PRAGMA table_info(users)",
        "SELECT load_extension('evil')",
        "SELECT 1; DROP TABLE users",
        "VACUUM INTO 'copy.db'",
        "SELECT zeroblob(2000000000)",
        "SELECT \0",
        "",
    ],
)
def test_what_is_no_plain_reading_does_not_run(judge, query):
    assert not judge.run(query).rows
    assert judge.run("SELECT count(*) FROM users").rows == ((2,),)


def test_a_query_is_stopped_when_its_rows_or_its_time_are_used_up(judge):
    assert judge.run("SELECT a.n FROM big a, big b").error.startswith("more than")
    judge.seconds = 0.1
    assert judge.run("SELECT count(*) FROM big a, big b, big c, big d, big e").error == "interrupted"


def test_double_quotes_hide_no_absent_name(judge):
    assert judge.run('SELECT "nmae" FROM users').rows == (("nmae",), ("nmae",))
    assert absent(judge.strictly('SELECT "nmae" FROM users')) == ("column", "nmae")
    assert not judge.strictly("""SELECT "name" FROM users WHERE name = '"nmae"' -- "nmae" """)


def test_what_is_no_database_is_told(tmp_path):
    (tmp_path / "text.sqlite").write_text("this is only a text, and a long one, but no database at all")
    for name in ("text.sqlite", "absent.sqlite"):
        with pytest.raises(InputError):
            Judge(tmp_path / name)
    assert not (tmp_path / "absent.sqlite").exists()


PLAIN, ORDERED = "SELECT a FROM t", "SELECT a FROM t ORDER BY a"


@pytest.mark.parametrize(
    ("expected", "given", "query", "same"),
    [
        ([(1,), (2,)], [(2,), (1,)], PLAIN, True),
        ([(1,), (2,)], [(2,), (1,)], ORDERED, False),
        ([(1,), (2,)], [(1,), (2,)], ORDERED, True),
        ([(1, "x"), (2, "y")], [("y", 2), ("x", 1)], PLAIN, True),
        ([(1, "x"), (2, "y")], [("x", 2), ("y", 1)], PLAIN, False),
        ([(1, 1), (1, 2)], [(1, 1), (2, 1)], PLAIN, True),
        ([(1,), (1,)], [(1,)], PLAIN, False),
        ([(1,)], [(1, 1)], PLAIN, False),
        ([], [], PLAIN, True),
        ([], [(1,)], PLAIN, False),
        ([(0.1 + 0.2,)], [(0.3,)], PLAIN, True),
        ([(2,)], [(2.0,)], PLAIN, True),
        ([(None,)], [(None,)], PLAIN, True),
        ([("1",)], [(1,)], PLAIN, False),
    ],
)
def test_results_are_compared_as_the_convention_says(expected, given, query, same):
    assert matches(expected, given, query) is same


def test_many_equal_columns_take_no_time():
    row = tuple([1] * 40)
    assert matches([row] * 9, [row] * 9, PLAIN)
    assert not matches([row] * 9, [(*row[:-1], 2)] * 9, PLAIN)
