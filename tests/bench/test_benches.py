"""Benches measure what their sheets say: shown on models without weights, whose answers are known."""

import json

import pytest

from gproj_lsp.bench import batch, columns, forced, slots, throughput
from gproj_lsp.bench.columns import Task, holes, read_tasks
from gproj_lsp.bench.names import names
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.lanes import Alone
from gproj_lsp.decode.models.fake import FakeBatch, FakeModel, UniformModel, word_vocabulary
from gproj_lsp.errors import InputError
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

WORDS = word_vocabulary([" name", " id", " FROM", "SELECT", " users", ",", ";"])
TASKS = (
    Task(1, "shop", "Which names are there?", "SELECT name FROM users"),
    Task(
        2,
        "shop",
        "What was paid?",
        "SELECT T1.total FROM orders AS T1 JOIN users AS T2 ON T1.user_id = T2.id",
    ),
)


@pytest.fixture
def analyzer(sql):
    text = "CREATE TABLE users (id INT, name TEXT); CREATE TABLE orders (id INT, user_id INT, total REAL);"
    resolver = resolver_of(sql)
    facts = Analyzer(sql, resolver, settings={"dialect": "sqlite"}).declared([(text, "schema.sql")])
    return Analyzer(sql, resolver, facts, settings={"dialect": "sqlite"})


def test_each_declared_reference_becomes_a_hole(sql, analyzer):
    found = [answer.written for task in TASKS for answer in holes(task, analyzer, sql, "Column")]
    assert found == ["name", "total", "user_id", "id"]
    one = next(holes(TASKS[0], analyzer, sql, "Column"))
    assert one.document == "-- Which names are there?\nSELECT {:Column} FROM users"


def rows(sheet):
    return {row["arm"]: row for row in json.loads(sheet.to_json())["rows"]}


def test_a_model_that_knows_the_answers_gets_them_all(sql, analyzer):
    whole = [f"-- {task.question}\n{task.query}\n".encode() for task in TASKS]

    def wants(fed):
        rests = [
            text[len(tail) :]
            for text in whole
            for tail in [fed[max(fed.rfind(b"-- "), 0) :]]
            if text.startswith(tail)
        ]
        return rests[0] if rests else b"~"

    crew = Alone(FakeModel(WORDS, wants))
    sheet = columns.run(TASKS, lambda _: analyzer, sql, crew, make_engine())
    found = rows(sheet)
    assert [found[arm]["top-1"] for arm in columns.ARMS] == [1, 1, 1]
    assert sum(found[arm]["ghosts"] + found[arm]["unfit"] + found[arm]["failed"] for arm in columns.ARMS) == 0
    assert found["ctx"]["uniform"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 3 + 1 / 2) / 4)


def test_a_model_that_wants_a_ghost_gets_one_only_where_nothing_is_declared(sql, analyzer):
    crew = Alone(FakeModel(WORDS, lambda _: b"ghost "))
    found = rows(columns.run(TASKS, lambda _: analyzer, sql, crew, make_engine()))
    assert found["free"]["ghosts"] == 4
    assert found["gamma"]["ghosts"] == found["ctx"]["ghosts"] == 0
    assert found["ctx"]["unfit"] == 0


def test_tasks_that_can_not_be_read_are_told(tmp_path):
    path = tmp_path / "tasks.json"
    for text in ("{", "[1]", '[{"id": 1}]'):
        path.write_text(text)
        with pytest.raises(InputError) as caught:
            read_tasks(path)
        assert caught.value.place == str(path)


def test_throughput_compares_as_many_tokens(sql):
    sheet = throughput.run(Context(UniformModel(WORDS)), make_engine(), sizes=(3, 20), rounds=2)
    assert [(row[0], row[1]) for row in sheet.rows] == [
        ("fixed", 3),
        ("changed", 3),
        ("fixed", 20),
        ("changed", 20),
    ]
    assert all(row[4] > 0 for row in sheet.rows)


def test_a_changed_gamma_is_measured_beside_the_engine_alone():
    sheet = slots.run(WORDS, make_engine(), sizes=(3,), rounds=2)
    size, served, ours, alone, ratio = sheet.rows[0]
    assert (size, served) == (3, "trie")
    assert ratio == pytest.approx(ours / alone)


def test_steps_to_each_holes_first_text_are_counted(sql, analyzer):
    text = "SELECT ?? FROM users;\nSELECT ?? FROM users;\n"
    sheet = slots.second_hole(sql, Context(UniformModel(WORDS)), make_engine(), text, analyzer.analyse)
    assert [row[0] for row in sheet.rows] == [1, 2]
    assert all(1 <= row[1] <= 4 for row in sheet.rows)


def test_made_up_names_are_different_and_repeatable():
    assert len(set(names(3000))) == 3000
    assert names(10) == names(3000)[:10]


def test_forced_text_is_measured_on_pinned_statements():
    pinned = forced.read_pinned()
    assert {statement.kind for statement in pinned.statements} == set(forced.BARS)
    model = UniformModel(WORDS)
    found = {row[0]: row for row in forced.run(Context(model), make_engine(), pinned, rounds=1).rows}
    assert found["slots"][2] < found["fixed"][2] < 1
    assert found["fixed"][5] > 0


def test_a_file_without_statements_is_told(tmp_path):
    path = tmp_path / "forced.toml"
    for text in ("[schema]\n", 'statements = ["SELECT"]\nschema = {}\n'):
        path.write_text(text)
        with pytest.raises(InputError, match=r"forced\.toml.*no schema"):
            forced.read_pinned(path)


def test_several_holes_at_once_are_compared_with_as_many_tokens():
    sheet = batch.run(FakeBatch(UniformModel(WORDS), 3), make_engine(), batches=(1, 3), size=3, rounds=1)
    rows = json.loads(sheet.to_json())["rows"]
    assert [row["batch"] for row in rows] == [1, 3]
    for row in rows:
        assert row["Γ ÷ free"] == pytest.approx(row["Γ tok/s"] / row["free tok/s"])
        assert row["Γ ÷ grammar"] == pytest.approx(row["Γ tok/s"] / row["grammar tok/s"])
    assert rows[0]["published ÷ free"] == pytest.approx(0.818, abs=0.001)
    assert rows[1]["published ÷ free"] is None
