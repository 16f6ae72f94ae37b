"""Migrations and schemas in several files: each is read on top of those before it, and none is judged by the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gproj_lsp.facts import Facts
from gproj_lsp.history import History
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SQL = shipped()["sql"]
ROOT = Path("/work")
TABLES = ("orders", "people", "goods", "lines")
COLUMNS = ("id", "name", "price", "day", "note", "kind")


def history(texts, dialect="postgres"):
    reader = Analyzer(SQL, resolver_of(SQL), settings={"dialect": dialect})
    sources = [(text, f"V{index}.sql") for index, text in enumerate(texts, 1)]
    return History(ROOT, tuple(label for _, label in sources), reader.stages(sources))


def ghosts(texts, index, *end, dialect="postgres"):
    start = history(texts, dialect=dialect).before(index, end, SQL)
    analysis = Analyzer(SQL, resolver_of(SQL), start, {"dialect": dialect}).analyse(texts[index])
    return [found.name for found in analysis.diagnostics]


@st.composite
def migrations(draw):
    """Texts of a history in which every statement names only what is there when it runs."""
    tables = {"start": ["id", "name"]}
    texts = ["CREATE TABLE start (id int, name text);"]
    fresh = iter(f"{name}{index}" for index in range(50) for name in TABLES + COLUMNS)
    for _ in range(draw(st.integers(1, 12))):
        table = draw(st.sampled_from(sorted(tables)))
        column = draw(st.sampled_from(tables[table]))
        match draw(st.sampled_from(["create", "add", "rename", "move", "drop", "view", "gone"])):
            case "create":
                name = next(fresh)
                tables[name] = ["id", next(fresh)]
                text = f"CREATE TABLE {name} ({' int, '.join(tables[name])} int);"
            case "add":
                tables[table] = [*tables[table], next(fresh)]
                text = f"ALTER TABLE {table} ADD COLUMN {tables[table][-1]} int;"
            case "rename":
                new = next(fresh)
                tables[table] = [new if each == column else each for each in tables[table]]
                text = f"ALTER TABLE {table} RENAME COLUMN {column} TO {new};"
            case "move":
                new = next(fresh)
                tables[new] = tables.pop(table)
                text = f"ALTER TABLE {table} RENAME TO {new};"
            case "drop" if len(tables[table]) > 1:
                tables[table] = [each for each in tables[table] if each != column]
                text = f"ALTER TABLE {table} DROP COLUMN {column};"
            case "gone" if len(tables) > 1:
                del tables[table]
                text = f"DROP TABLE {table};"
            case _:
                text = f"UPDATE {table} SET {column} = 1 WHERE {column} = 2;"
        texts.append(text)
    return texts


@settings(deadline=None, max_examples=50)
@given(migrations(), st.sampled_from(["postgres", "sqlite", "mysql", "duckdb", "generic"]))
def test_no_migration_is_a_ghost_for_what_comes_after_it(texts, dialect):
    assert [ghosts(texts, index, dialect=dialect) for index in range(len(texts))] == [[] for _ in texts]


def test_a_migration_is_judged_by_what_is_there_before_it():
    texts = (
        "CREATE TABLE orders (id int, total int);",
        "ALTER TABLE orders RENAME COLUMN total TO amount;",
        "UPDATE orders SET total = 1; UPDATE orders SET amount = 1; UPDATE ordres SET amount = 1;",
    )
    assert ghosts(texts, 2) == ["total", "ordres"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_files_of_one_schema_may_name_each_other(order):
    parts = (
        "CREATE TABLE people (id int primary key);",
        "CREATE TABLE orders (person int references people (id)); CREATE VIEW v AS SELECT id, id2 FROM orders, people;",
    )
    texts = [parts[index] for index in order]
    assert [ghosts(texts, index) for index in range(2)] in ([[], ["id2"]], [[], []])


def test_what_another_source_declares_is_no_ghost_in_a_migration():
    texts = ("CREATE TABLE a (id int);", "CREATE TABLE b (x int references by_hand (id));")
    by_hand = Analyzer(SQL, resolver_of(SQL), settings={"dialect": "postgres"}).declared(
        [("CREATE TABLE by_hand (id int);", "database")]
    )
    assert ghosts(texts, 1) == ["by_hand"]
    assert ghosts(texts, 1, by_hand) == []
    assert ghosts(texts, 1, Facts()) == ["by_hand"]


def test_only_a_source_has_a_place_in_a_history(tmp_path):
    told = history(["CREATE TABLE a (id int);", "CREATE TABLE b (id int);"])
    assert told.index(ROOT / "V2.sql") == 1
    assert told.index(ROOT / "queries" / ".." / "V1.sql") == 0
    assert told.index(tmp_path / "V1.sql") is None


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("sqlite", "CREATE TABLE t (a int, b int, c text UNIQUE);"),
        ("postgres", "CREATE TABLE t (a int, b int, c int); CREATE VIEW v AS SELECT a FROM t;"),
    ],
)
def test_a_column_that_may_be_dropped_or_needed_is_neither_there_nor_a_ghost(dialect, text):
    analysis = Analyzer(SQL, resolver_of(SQL), settings={"dialect": dialect}).analyse(
        f"{text} ALTER TABLE t DROP COLUMN b; SELECT b FROM t; SELECT t.b FROM t; SELECT a FROM t;"
    )
    assert analysis.diagnostics == ()
    assert [each.unknown for each in analysis.statements[-3:]] == [1, 1, 0]
