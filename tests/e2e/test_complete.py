"""`complete` on real files with the real embedded model, SQLite being asked whether what was written names what there is."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from program import gproj

from gproj_lsp.decode.complete import Completer, Wanted
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.lanes import Lanes
from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.decode.models.llama_batch import load_batch
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.decode.scoping import Kept
from gproj_lsp.errors import ModelError
from gproj_lsp.facts import Request
from gproj_lsp.ide import Analyzer
from gproj_lsp.providers.database import Database
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

try:
    embedded_path()
except ModelError as error:
    pytest.skip(str(error), allow_module_level=True)

SCHEMA = """\
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, mail TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), total NUMERIC);
"""
ABSENT = ("no such", "ambiguous", "syntax", "has no column")


@pytest.fixture
def shop(tmp_path):
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.executescript(SCHEMA)
    (tmp_path / "gproj.toml").write_text('[surfaces.sql]\ndatabase = "sqlite:///shop.db"\n')
    (tmp_path / "a.sql").write_text("-- the names of all users\nSELECT \n")
    return tmp_path


def complaint(statement):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        try:
            connection.execute(f"EXPLAIN {statement}")
        except sqlite3.Error as error:
            return str(error) if any(sign in str(error) for sign in ABSENT) else ""
    return ""


def test_json_is_as_documented_and_names_only_what_there_is(shop):
    done = gproj(shop, "complete", "a.sql", "--at", "2:8", "--json")
    found = json.loads(done.stdout)
    assert set(found) == {
        "text",
        "guaranteed",
        "rung",
        "free_bits",
        "tokens",
        "model_calls",
        "milliseconds",
        "declared",
        "reason",
    }
    assert found["guaranteed"]
    assert done.returncode == (0 if found["text"] and not found["reason"] else 1 if found["text"] else 2)
    assert not found["text"] or not complaint(f"SELECT {found['text']}")


def test_between_two_parts_of_a_statement_only_what_fits_is_written(shop):
    (shop / "a.sql").write_text("SELECT  FROM orders WHERE total > 3;\n")
    done = gproj(shop, "complete", "a.sql", "--at", "1:8", "--write")
    assert done.returncode in (0, 2)
    text = (shop / "a.sql").read_text()
    if done.returncode == 0:
        assert text.endswith(" FROM orders WHERE total > 3;\n")
        assert not complaint(text)
        assert "mail" not in text
    else:
        assert text == "SELECT  FROM orders WHERE total > 3;\n"


def test_several_are_told_apart_and_ordered(shop):
    (shop / "a.sql").write_text("SELECT name FROM \n")
    done = gproj(shop, "complete", "a.sql", "--at", "1:18", "-n", "2", "--json")
    found = json.loads(done.stdout)
    assert len({each["text"] for each in found}) == len(found) == 2
    for each in found:
        assert not complaint(f"SELECT name FROM {each['text']}")


def test_a_sketch_is_made_to_hold(shop):
    done = gproj(shop, "complete", "a.sql", "--at", "2:7", "--sketch", "--json")
    found = json.loads(done.stdout)
    assert not found["text"] or not complaint(f"SELECT{found['text']}")


def test_no_time_is_told_and_nothing_is_written(shop):
    before = (shop / "a.sql").read_bytes()
    done = gproj(shop, "complete", "a.sql", "--at", "2:8", "--milliseconds", "1", "--write")
    assert done.returncode == 2
    assert b"a.sql:2:8: the time was up" in done.stderr
    assert (shop / "a.sql").read_bytes() == before


def test_where_there_is_no_text_nothing_is_printed(shop):
    done = gproj(shop, "complete", "a.sql", "--at", "2:8", "--milliseconds", "1")
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_place_outside_the_file_is_one_line_on_stderr(shop):
    done = gproj(shop, "complete", "a.sql", "--at", "9:1")
    assert done.returncode == 2
    assert done.stderr.startswith(b"gproj-lsp: a.sql:9:1: outside the file")


def models():
    """The embedded model, and a larger one where `GPROJ_CODE_MODEL` names it."""
    code = os.environ.get("GPROJ_CODE_MODEL")
    missing = pytest.mark.skipif(not code, reason="GPROJ_CODE_MODEL names no model")
    return [pytest.param(embedded_path(), id="embedded"), pytest.param(code, id="code", marks=missing)]


def places(tasks, number):
    """Places to write on from: a quarter behind the first word, the others anywhere in a reference query."""
    chance = random.Random(7)
    for seed in range(number):
        task = tasks[seed % len(tasks)]
        cut = chance.randrange(len("SELECT"), len(task["query"])) if seed % 4 else len("SELECT")
        yield seed, task, task["query"][:cut]


@pytest.mark.slow
@pytest.mark.parametrize("path", models())
def test_two_thousand_completions_name_nothing_that_is_not_there(shared, path, record_property):
    """At temperature 1, over Spider's databases and questions, each judged by its database; twelve are written at once."""
    surface, folder = shipped()["sql"], shared / "data" / "spider"
    tasks = json.loads((folder / "tasks.json").read_text())
    engine, kept = make_engine(), Kept()

    @cache
    def reader(name):
        url = f"sqlite:///{folder}/databases/{name}.sqlite"
        facts = Database().read(Request(folder, {"database": url, "dialect": "sqlite"}, lambda _: None))
        return Analyzer(surface, resolver_of(surface), [facts], settings={"dialect": "sqlite"})

    def job(seed, task, begun):
        wanted = Wanted(sampling=Sampling(temperature=1.0, seed=seed), budget=64)
        text = f"-- {task['question']}\n{begun}"

        def complete(model):
            completer = Completer(surface, Context(model), engine, wanted, kept=kept)
            found = completer.complete(text, len(text.encode()), reader(task["db_id"]))
            return begun + found.text if found.text else ""

        return complete

    drawn = sorted(places(tasks, 2_000), key=lambda each: each[1]["db_id"])  # what prompts share is read once
    found = Lanes(load_batch(Path(path), sequences=12)).run([job(*each) for each in drawn])
    queries = [outcome.get() for outcome in found]
    databases = [folder / "databases" / f"{task['db_id']}.sqlite" for _, task, _ in drawn]
    complaints = [refused(path, query) for path, query in zip(databases, queries, strict=True) if query]
    assert not [complaint for complaint in complaints if complaint]
    record_property("completions", len(complaints))
    assert len(complaints) > 1_000


def refused(database, query):
    """What SQLite says of names in a query."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        try:
            connection.execute(f"EXPLAIN {query}")
        except sqlite3.Error as error:
            return f"{error}: {query}" if any(sign in str(error) for sign in ABSENT) else ""
    return ""
