"""Whole queries and columns alone: arms are judged by a real database, on models whose answers are known."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from gproj_lsp.bench import ladder, sql
from gproj_lsp.bench.answers import Answers
from gproj_lsp.bench.columns import Task
from gproj_lsp.bench.execution import Judge
from gproj_lsp.bench.sql import World, class_of, drawn
from gproj_lsp.bench.writing import BUDGET, Listed, Plain, Question, Retrying
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.lanes import Alone, Lanes
from gproj_lsp.decode.models.fake import FakeBatch, FakeModel, word_vocabulary
from gproj_lsp.errors import InputError
from gproj_lsp.fragment import Rung
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

SCHEMA = """
CREATE TABLE users (id INT, name TEXT);
INSERT INTO users VALUES (1, 'Ada'), (2, 'Bob');
CREATE TABLE orders (id INT, user_id INT, total REAL);
INSERT INTO orders VALUES (7, 1, 9.5);
"""
TASKS = (
    Task(1, "shop", "Who are the users?", "SELECT name FROM users"),
    Task(2, "shop", "What was paid?", "SELECT total FROM orders ORDER BY id"),
)
WORDS = word_vocabulary([" name", " id", " FROM", "SELECT", " users", " orders", " total"])


@pytest.fixture
def world(tmp_path, sql):
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
    resolver = resolver_of(sql)
    bare = Analyzer(sql, resolver, settings={"dialect": "sqlite"})
    facts = bare.declared([(SCHEMA, "schema.sql")])
    with closing(Judge(path)) as judge:
        yield World(judge, Analyzer(sql, resolver, facts, settings={"dialect": "sqlite"}))


def says(answers, then=""):
    """A model that answers a question by what is said for it, and otherwise by `then`."""

    def wants(fed):
        before, _, written = fed.rpartition(b"SELECT")
        question = before.rpartition(b"-- ")[2].strip().decode()
        wanted = answers.get(question, then).encode()
        return wanted[len(written) :] if wanted.startswith(written) else b""

    return FakeModel(WORDS, wants)


def answered(world, surface, model, arms, tasks=TASKS):
    found = sql.run(tasks, lambda _: world, surface, Alone(model), make_engine(), arms=arms)
    return {(answer.arm, answer.task): answer for answer in found}


def test_an_answer_is_right_if_it_gives_what_the_reference_gives(world, sql):
    model = says(
        {"Who are the users?": " name FROM users WHERE id > 0;", "What was paid?": " id FROM orders;"}
    )
    found = answered(world, sql, model, ["unconstrained"])
    right, wrong = found["unconstrained", 1], found["unconstrained", 2]
    assert right.right
    assert right.query == "SELECT name FROM users WHERE id > 0"
    assert wrong.executes
    assert not wrong.right


def test_questions_are_answered_side_by_side_as_alone(world, sql):
    model = says({"Who are the users?": " name FROM users;"}, " id FROM orders;")
    arms = ["retry", "unconstrained", "ctx", "uniform"]
    beside = sql_run(world, sql, Lanes(FakeBatch(model, 2)), arms)
    assert beside == sql_run(world, sql, Alone(model), arms)


def kept(world, surface, model, path, tasks=TASKS):
    """A run that goes on from a file of answers."""
    file, arms = Answers(path), ["retry", "unconstrained", "ctx"]
    who = {"arms": arms, "known": file.known, "told": file.add}
    return sql.run(tasks, lambda _: world, surface, Alone(model), make_engine(), **who)


def test_a_run_that_was_cut_goes_on_and_asks_nothing_twice(world, sql, tmp_path):
    path = tmp_path / "answers.jsonl"
    model = says({"Who are the users?": " name FROM users;"}, " id FROM orders;")
    begun = kept(world, sql, model, path, TASKS[:1])
    path.write_bytes(path.read_bytes() + b'{"model":"fa')
    whole = kept(world, sql, model, path)
    assert [each for each in whole if each.task == 1] == begun
    assert len(whole) == len(path.read_text().splitlines()) == 3 * len(TASKS)
    calls = model.calls
    assert kept(world, sql, model, path) == whole
    assert model.calls == calls


def test_what_another_model_answered_is_left_alone(world, sql, tmp_path):
    path = tmp_path / "answers.jsonl"
    model = says({}, " id FROM orders;")
    begun = kept(world, sql, model, path)
    path.unlink()
    for answer in begun:
        Answers(path).add(replace(answer, model="another"))
    assert {each.model for each in kept(world, sql, model, path)} == {model.name}
    assert {each.model for each in Answers(path).known} == {model.name, "another"}


@pytest.mark.parametrize("held", [b"milk", b"a list of things to buy\n", b'{"task": 1}\n', b"\xff\n"])
def test_a_file_of_something_else_is_refused_and_kept(tmp_path, held):
    path = tmp_path / "notes.txt"
    path.write_bytes(held)
    with pytest.raises(InputError, match="answers can't be kept there"):
        Answers(path)
    assert path.read_bytes() == held


def sql_run(world, surface, crew, arms):
    found = sql.run(TASKS, lambda _: world, surface, crew, make_engine(), arms=arms)
    return {(each.arm, each.task, each.query, each.tokens, each.free_bits) for each in found}


def test_a_name_that_is_not_there_is_told(world, sql):
    model = says({"Who are the users?": " nick FROM users;", "What was paid?": ' "totl" FROM ordrs;'})
    found = answered(world, sql, model, ["unconstrained"])
    assert found["unconstrained", 1].ghosts == ("column",)
    assert "table" in found["unconstrained", 2].ghosts
    quoted = answered(world, sql, says({}, ' "totl" FROM orders;'), ["unconstrained"])["unconstrained", 2]
    assert quoted.executes
    assert quoted.quoted or quoted.ghosts == ("column",)


def test_a_complaint_is_told_and_the_query_written_again(world, sql):
    complaint = "Corrected:"
    model = says({"Who are the users?": " nick FROM users;", complaint: " name FROM users;"})
    found = answered(world, sql, model, ["retry", "unconstrained"], TASKS[:1])
    assert found["retry", 1].right
    assert not found["unconstrained", 1].executes
    assert found["retry", 1].tokens > found["unconstrained", 1].tokens


def test_retrying_ends(world, sql):
    model = says({}, " nick FROM users;")
    question = Question("Who?", world.analyzer.analyse("").environment_at(0), world.analyzer, lambda _: "no")
    once = Plain(Context(model), sql).write(question)
    often = Retrying(Plain(Context(model), sql)).write(question)
    assert often.tokens == 5 * once.tokens


def test_names_are_listed_beside_the_same_prompt(world, sql):
    seen = []

    def wants(fed):
        seen.append(fed)
        return b";"

    question = Question("Who?", world.analyzer.analyse("").environment_at(0), world.analyzer, lambda _: "")
    plain = Plain(Context(FakeModel(WORDS, wants)), sql)
    plain.write(question)
    Listed(plain).write(question)
    shared = seen[0].index(b"-- Who?")
    assert seen[1].startswith(seen[0][:shared])
    assert seen[1].endswith(seen[0][shared:])
    assert b"users: id, name" in seen[1]


def test_free_text_ends_where_it_is_taken_to_end(world, sql):
    question = Question("Who?", world.analyzer.analyse("").environment_at(0), world.analyzer, lambda _: "")
    for end in (";", "\n\n", "\n-- Next?", "```", ""):
        written = Plain(Context(says({}, f" name FROM users{end}")), sql).write(question)
        assert written.query == "SELECT name FROM users"
    for ever in ("\n" * 3, " name," * 100):
        assert Plain(Context(says({}, ever)), sql).write(question).tokens <= BUDGET


def test_the_mask_names_only_what_is_there_whatever_the_model_wants(world, sql):
    found = answered(world, sql, says({}, " ghost FROM spectre;"), ["gamma", "ctx", "uniform"])
    assert not [answer.ghosts for answer in found.values() if answer.ghosts]
    assert all(found["ctx", task.number].executes for task in TASKS if not found["ctx", task.number].reason)


def test_arms_stand_beside_the_published_figures(world, sql):
    model = says({"Who are the users?": " name FROM users;", "What was paid?": " total FROM orders;"})
    found = sql_sheet(world, sql, model, ["unconstrained", "ctx"])
    assert found["unconstrained"]["match"] == 1
    assert found["ctx"]["published match"] == 1.0
    assert found["unconstrained"]["published tokens"] == 22.9
    assert found["ctx"]["free bits"] is not None


def sql_sheet(world, surface, model, arms):
    answers = sql.run(TASKS, lambda _: world, surface, Alone(model), make_engine(), arms=arms)
    rows = json.loads(sql.sheet(Alone(model), answers).to_json())["rows"]
    return {row["arm"]: row for row in rows}


def test_arms_and_references_that_can_not_be_used_are_told(world, sql):
    with pytest.raises(InputError, match="no arm magic"):
        answered(world, sql, says({}), ["magic"])
    with pytest.raises(InputError, match="task 3 does not run"):
        answered(world, sql, says({}), ["free"], [Task(3, "shop", "?", "SELECT nick FROM users")])


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT a FROM t WHERE b = 'join select'", "single"),
        ("SELECT a FROM t JOIN u ON t.x = u.x", "joins"),
        ("SELECT a FROM t WHERE b IN (SELECT b FROM u)", "nested"),
        ("SELECT a FROM t JOIN u ON 1 UNION SELECT b FROM v", "nested"),
    ],
)
def test_queries_are_told_apart_by_what_they_combine(query, kind):
    assert class_of(query) == kind


def test_a_draw_is_repeatable_and_keeps_databases_together():
    tasks = [Task(number, f"db{number % 3}", "?", "SELECT 1") for number in range(30)]
    found = drawn(tasks, 9, 4)
    assert found == drawn(tasks, 9, 4) != drawn(tasks, 9, 5)
    names = [task.database for task in found]
    assert names == sorted(names)
    assert len(drawn(tasks, None, 0)) == 30


def test_columns_are_taken_out_of_queries_of_one_table(world):
    task = Task(1, "shop", "?", "SELECT name FROM users WHERE id = 2")
    found = ladder.opened(task, world.analyzer)
    assert found.names == ("name", "id")
    assert found.text(["name"]) == "SELECT name FROM users WHERE {:Column} = 2"
    assert found.text(["name"]).encode()[found.hole(["name"]) :].startswith(b"{:Column}")
    for query in ("SELECT count(*) FROM users", "SELECT 1 WHERE 1 IN (SELECT id FROM users)"):
        assert ladder.opened(Task(2, "shop", "?", query), world.analyzer) is None


def test_each_rung_leaves_less_to_choose(world, sql):
    queries = [ladder.opened(task, world.analyzer) for task in TASKS]
    model = says({}, " ghost")
    sheet = ladder.run(queries, lambda _: world, sql, Alone(model), make_engine())
    rows = {row["rung"]: row for row in json.loads(sheet.to_json())["rows"]}
    bits = [rows[rung.name.lower()]["free bits"] for rung in ladder.RUNGS]
    assert bits == sorted(bits, reverse=True)
    assert rows["base"]["match"] == 0
    assert rows["ctx"]["executes"] == 1
    assert rows["pin"]["match"] == 1
    assert rows["pin"]["free bits"] == 0
    assert rows[Rung.GAMMA.name.lower()]["published bits"] == 17.9
