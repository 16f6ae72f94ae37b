"""Statements filled side by side by the real embedded model: as one by one, in fewer steps, with what they declare known."""

from __future__ import annotations

import numpy as np
import pytest
from program import gproj

from gproj_lsp.decode.abreast import Abreast
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.fill import Filler, Wishes
from gproj_lsp.decode.lanes import Lanes
from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.errors import Cancelled, ModelError
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

try:
    embedded_path()
except ModelError as error:
    pytest.skip(str(error), allow_module_level=True)
pytest.importorskip("greenlet")
llama = pytest.importorskip("gproj_lsp.decode.models.llama")

SHOP = """\
CREATE TABLE users (id INT, name TEXT, email TEXT);
CREATE TABLE orders (id INT, user_id INT, total REAL, paid_on DATE);
"""
QUESTIONS = """\
SELECT id, name, {:Column} FROM users;
INSERT INTO orders (id, user_id, {:Column}, {:Column}) VALUES (1, 2, 3.5, '2024-01-31');
SELECT id, user_id, total FROM {:Table};
UPDATE users SET name = 'Ada', {:Column} = 'ada@example.org' WHERE id = 1;
INSERT INTO users (id, {:Column}, {:Column}) VALUES (1, 'Ada', 'ada@example.org');
SELECT {:Index} FROM users;
"""
"""Holes whose answers are far likelier than any other name, because a step of several texts rounds a little differently."""


@pytest.fixture(scope="module")
def model():
    from gproj_lsp.decode.models.llama_batch import load_batch

    model = load_batch(embedded_path(), sequences=4, capacity=1024)
    yield model
    model.close()


@pytest.fixture(scope="module")
def analyzer(sql):
    return Analyzer(sql, resolver_of(sql), settings={"dialect": "sqlite"})


@pytest.fixture
def fill(sql, model, analyzer):
    def run(text, width=4, *, stop=None, **wishes):
        lanes = Lanes(model, width)
        result = Abreast(sql, lanes, make_engine(), Wishes(**wishes)).fill(text, analyzer.analyse, stop=stop)
        return result, lanes.steps

    return run


def test_each_statement_is_filled_as_it_is_alone(fill, sql, model, analyzer):
    together, few = fill(SHOP + QUESTIONS)
    one_by_one, many = fill(SHOP + QUESTIONS, 1)
    names = ["email", "total", "paid_on", "orders", "email", "name", "email"]
    assert [hole.text for hole in together.holes] == [hole.text for hole in one_by_one.holes] == names
    assert together.text == one_by_one.text
    assert [hole.mark for hole in together.incomplete] == ["{:Index}"]
    assert few < many
    alone = llama.LlamaModel(embedded_path(), capacity=1024)
    filler = Filler(sql, Context(alone), make_engine())
    texts = [filler.fill(SHOP + QUESTIONS, analyzer.analyse, group).holes for group in ([0], [1, 2], [3])]
    assert [hole.text for holes in texts for hole in holes] == names[:4]


def test_a_lane_says_what_a_model_of_its_own_says(model):
    """Up to rounding, which depends on what else a step feeds: the weights have four bits and the activations eight."""
    alone = llama.LlamaModel(embedded_path(), capacity=1024)
    encode = model.vocabulary.encode
    texts = [encode(f"{SHOP}SELECT {name} FROM".encode()) for name in ("email", "total", "name", "paid_on")]

    def job(ids):
        return lambda lane: [lane.feed([token]).copy() for token in (lane.rewind(0), *ids)[1:]]

    for ids, outcome in zip(texts, Lanes(model, 4).run(map(job, texts)), strict=True):
        alone.rewind(0)
        for row, logits in zip(alone.feed(ids, every=True), outcome.get(), strict=True):
            assert np.abs(row - logits).max() < 3
            assert np.corrcoef(row, logits)[0, 1] > 0.99


def test_what_a_statement_declares_is_known_to_those_after_it(fill):
    text = "CREATE TABLE {shop:TableDecl} (a INT);\nSELECT ?? FROM ??;\nSELECT 1;\n"
    result, _ = fill(text)
    assert [hole.text for hole in result.holes] == ["shop", "a", "shop"]
    assert result.text == "CREATE TABLE shop (a INT);\nSELECT a FROM shop;\nSELECT 1;\n"
    assert [hole.mark for hole in result.holes] == ["{shop:TableDecl}", "??", "??"]


def test_the_published_template_is_filled_side_by_side_too(fill):
    text = "CREATE TABLE t1 ({c:ColDecl} INT);\nSELECT {:ColRef} FROM t1;\n"
    result, _ = fill(text)
    assert result.text == "CREATE TABLE t1 (c INT);\nSELECT c FROM t1;\n"


def test_stopping_gives_nothing(fill):
    asked = []

    def stop():
        asked.append(True)
        return len(asked) > 5

    with pytest.raises(Cancelled):
        fill(SHOP + QUESTIONS, stop=stop)


def test_the_program_fills_side_by_side(tmp_path):
    (tmp_path / "q.sql").write_text(
        SHOP
        + "SELECT id, name, ?? FROM users;\nCREATE TABLE {shop:TableDecl} (a INT);\nSELECT ?? FROM shop;\n"
    )
    done = gproj(tmp_path, "fill", "q.sql", "--batch", "3", "--write")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "q.sql").read_text()
    assert text.endswith(
        "SELECT id, name, email FROM users;\nCREATE TABLE shop (a INT);\nSELECT a FROM shop;\n"
    )


def test_models_that_are_shown_one_text_at_a_time_are_told(tmp_path):
    (tmp_path / "q.sql").write_text(SHOP + "SELECT ?? FROM users;\n")
    done = gproj(tmp_path, "fill", "q.sql", "--batch", "3", "-c", "model=hf:folder")
    assert done.returncode == 2
    assert b"several texts at once" in done.stderr


def test_a_server_is_asked_for_several_statements_at_once_and_named_where_it_fails(tmp_path):
    (tmp_path / "q.sql").write_text(SHOP + "SELECT ?? FROM users;\nSELECT ?? FROM users;\n")
    chosen = ("-c", "model=http://127.0.0.1:1/v1", "-c", "remote.server=llama.cpp")
    done = gproj(tmp_path, "fill", "q.sql", "--batch", "2", *chosen)
    assert done.returncode == 2
    assert done.stderr.count(b"http://127.0.0.1:1/v1: the server does not answer: connection refused") == 2
