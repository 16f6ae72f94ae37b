"""The comparisons as a user runs them: on a database and questions of one's own, with the real embedded model."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from program import gproj

from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.errors import ModelError

try:
    embedded_path()
except ModelError as error:
    pytest.skip(str(error), allow_module_level=True)

TASKS = [
    {
        "id": 1,
        "db_id": "shop",
        "question": "How many users are there?",
        "query": "SELECT count(*) FROM users",
    },
    {
        "id": 2,
        "db_id": "shop",
        "question": "List all names.",
        "query": "SELECT name FROM users ORDER BY name",
    },
]


@pytest.fixture
def folder(tmp_path):
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE users (id INT, name TEXT); INSERT INTO users VALUES (1, 'Ada');"
        )
    (tmp_path / "tasks.json").write_text(json.dumps(TASKS))
    return tmp_path


def bench(folder, command, *arguments):
    done = gproj(folder, "bench", command, "--tasks", "tasks.json", "--databases", ".", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    (sheet,) = json.loads(done.stdout)
    return sheet


def test_whole_queries_are_compared(folder):
    sheet = bench(folder, "sql", "--arms", "unconstrained,ctx", "--answers", "answers.jsonl")
    assert [row["arm"] for row in sheet["rows"]] == ["unconstrained", "ctx"]
    ctx = sheet["rows"][1]
    assert ctx["ghost columns"] == ctx["ghost tables"] == 0
    answers = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    assert [(answer["task"], answer["arm"]) for answer in answers] == [
        (task, arm) for arm in ("unconstrained", "ctx") for task in (1, 2)
    ]
    assert (folder / "shop.sqlite").stat().st_size > 0


def test_rungs_are_compared(folder):
    rows = {row["rung"]: row for row in bench(folder, "ladder")["rows"]}
    assert rows["pin"]["match"] == 1
    assert rows["base"]["free bits"] > rows["gamma"]["free bits"] >= rows["ctx"]["free bits"] > 0


def test_text_at_the_cursor_is_held_against_how_queries_went_on(folder):
    (folder / "databases").mkdir()
    (folder / "shop.sqlite").rename(folder / "databases" / "shop.sqlite")
    done = gproj(folder, "bench", "inline", ".", "--json")
    assert done.returncode == 0, done.stderr
    (sheet,) = json.loads(done.stdout)
    rows = {row["arm"]: row for row in sheet["rows"]}
    assert set(rows) == {"masked", "unmasked"}
    assert rows["masked"]["ghosts"] == 0
    assert rows["masked"]["places"] == len(TASKS)


def test_what_can_not_be_read_is_told_at_once(folder):
    for wrong in (["--databases", "nowhere"], ["--tasks", "shop.sqlite"], ["--arms", "magic"]):
        said = {"--tasks": "tasks.json", "--databases": ".", **dict([wrong])}
        done = gproj(folder, "bench", "sql", *(word for pair in said.items() for word in pair))
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1, done.stderr


@pytest.mark.slow  # a plain grammar lets this model write to the end of its budget
def test_several_holes_at_once_are_measured(folder):
    done = gproj(folder, "bench", "throughput", "--batch", "1,2", "--names", "5", "--rounds", "1", "--json")
    assert done.returncode == 0, done.stderr
    (sheet,) = json.loads(done.stdout)
    assert [row["batch"] for row in sheet["rows"]] == [1, 2]
