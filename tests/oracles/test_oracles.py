"""The judges say what the tools themselves say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gproj_lsp.oracles.postgres import OracleUnavailableError, postgres
from gproj_lsp.oracles.sqlite import SQLiteOracle

SCHEMA = "CREATE TABLE users (id integer, name text); CREATE TABLE posts (id integer, author integer);"


@pytest.fixture
def sqlite() -> Iterator[SQLiteOracle]:
    with closing(SQLiteOracle(SCHEMA)) as oracle:
        yield oracle


@pytest.mark.parametrize("statement", ["SELECT nmae FROM users", "SELECT 1 FROM nobody", "SELECT nofunc(1)"])
def test_sqlite_says_that_a_name_is_absent(sqlite, statement):
    judgement = sqlite.judge(statement)
    assert judgement.absent
    assert not judgement.accepted


def test_sqlite_tells_ambiguity_from_absence(sqlite):
    judgement = sqlite.judge("SELECT id FROM users, posts")
    assert judgement.ambiguous
    assert not judgement.absent


def test_sqlite_runs_nothing_that_it_judges(sqlite):
    assert sqlite.judge("INSERT INTO users (id) VALUES (1)").accepted
    assert sqlite.judge("DROP TABLE users").accepted
    assert sqlite.judge("SELECT id FROM users").accepted


def test_sqlite_sees_what_was_run(sqlite):
    assert sqlite.run("CREATE TABLE fresh (a)").accepted
    assert sqlite.judge("SELECT a FROM fresh").accepted


def test_sqlite_owns_up_where_it_is_blind(sqlite):
    assert sqlite.judge('SELECT "nothing" FROM users').accepted is not sqlite.sees_quoted


def test_a_text_that_is_no_statement_is_refused_without_an_exception(sqlite):
    assert not sqlite.judge("SELECT \0").accepted
    assert not sqlite.judge("SELECT \ud800").accepted


def test_postgres_gives_the_line_on_which_the_refused_statement_ends(server, tmp_path):
    server.create("lines")
    file = _readable(
        tmp_path / "file.sql",
        "SELECT 1;\nSELECT id\nFROM nobody;\nCREATE TABLE t (a int);\nSELECT b FROM t;\n",
    )
    complaints = server.complaints(file, "lines")
    assert [(complaint.line, complaint.code, complaint.absent) for complaint in complaints] == [
        (3, "42P01", True),
        (5, "42703", True),
    ]


def test_postgres_is_reached_by_a_url_that_names_no_host_of_the_network(server):
    assert server.url("lines").startswith("postgresql+psycopg://postgres@/lines?host=/")


def test_postgres_stops_when_it_is_done():
    try:
        with postgres() as oracle:
            socket = oracle.socket
            assert socket.is_dir()
    except OracleUnavailableError as error:
        pytest.skip(str(error))
    assert not socket.exists()


def _readable(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
