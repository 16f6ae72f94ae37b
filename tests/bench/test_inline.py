"""How useful text at the cursor is: what counts as accepted, and where queries are cut."""

from __future__ import annotations

import pytest

from gproj_lsp.bench.columns import Task
from gproj_lsp.bench.inline import Position, accepted, positions, run, sheet
from gproj_lsp.bench.typing import _disorder
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.lanes import Alone
from gproj_lsp.decode.models.fake import FakeModel, word_vocabulary
from gproj_lsp.errors import EngineError, InputError
from gproj_lsp.facts import facts_from_table
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

TASKS = [
    Task(1, "b", "How many?", "SELECT count(*) FROM users"),
    Task(2, "a", "All\nnames?", "SELECT name FROM users"),
]


@pytest.mark.parametrize(
    ("text", "rest", "counts"),
    [
        ("name FROM users;", " name FROM users", (13, 13)),
        ("NAME from Users", " name FROM users", (13, 13)),
        ("names FROM users", " name FROM users", (0, 14)),
        ("name FROM orders", " name FROM users", (8, 14)),
        ("= 'x'", ' = "x"', (4, 4)),
        ("name", " name FROM users", (4, 4)),
        ("name FROM users WHERE id", " name FROM users", (13, 20)),
        ("", " name", (0, 0)),
    ],
)
def test_words_are_accepted_from_the_beginning(text, rest, counts):
    assert accepted(text, rest) == counts


def test_each_query_is_cut_once_behind_a_word_and_never_at_its_end(sql):
    found = positions(TASKS, sql, None, seed=3)
    assert [place.task.number for place in found] == [2, 1]
    for place in found:
        comment, _, begun = place.before.partition("\n")
        assert comment.startswith(sql.comment)
        assert begun + place.rest == place.task.query
        assert begun[-1].isalnum()
        assert place.rest.strip()
    assert positions(TASKS, sql, None, seed=3) == found
    assert len(positions(TASKS, sql, 1, seed=3)) == 1


@pytest.fixture
def crew():
    vocabulary = word_vocabulary(["name", " name", " FROM", " users", " nope", "(", ")", "*"])

    def wanted(text):
        script = b"SELECT nope FROM users;"
        line = text.rpartition(b"\n")[2]
        return script[len(line) :] if script.startswith(line) else b""

    return Alone(FakeModel(vocabulary, wanted))


@pytest.fixture
def analyzer(sql):
    facts = facts_from_table(sql, {"Table": {"users": {"columns": ["name"]}}}, "schema.toml:1")
    return Analyzer(sql, resolver_of(sql), facts, {"dialect": "sqlite"})


PLACES = [Position(Task(1, "a", "Names?", "SELECT name FROM users"), "-- Names?\nSELECT", " name FROM users")]


def test_without_a_mask_a_ghost_may_be_offered_and_under_it_none(sql, crew, analyzer):
    offers = run(PLACES, lambda _: analyzer, sql, crew, make_engine())
    assert [(offer.arm, offer.ghosts) for offer in offers] == [("masked", 0), ("unmasked", 1)]
    rows = sheet(crew, offers, 0.0).rows
    assert [row[:2] for row in rows] == [("masked", 1), ("unmasked", 1)]
    assert rows[1][4] == 0.0


class Broken:
    """An engine that refuses every grammar."""

    name = "broken"

    def compile(self, _grammar, _vocabulary):
        raise EngineError("the engine refuses")


def test_where_the_engine_fails_that_is_counted_and_the_rest_goes_on(sql, crew, analyzer):
    offers = run(PLACES, lambda _: analyzer, sql, crew, Broken())
    assert [(offer.arm, offer.text, offer.failed) for offer in offers] == [
        ("masked", "", True),
        ("unmasked", offers[1].text, False),
    ]
    assert offers[1].text
    (titles, (masked, _)) = (sheet(crew, offers, 0.0).columns, sheet(crew, offers, 0.0).rows)
    assert masked[titles.index("failed")] == 1


def test_an_arm_that_there_is_not_is_told(sql, crew):
    with pytest.raises(InputError, match="there is no arm best"):
        run(positions(TASKS, sql, None, seed=0), lambda _: None, sql, crew, make_engine(), arms=["best"])


def test_answers_out_of_order_are_counted():
    assert _disorder([1.0, 2.0, 2.0, 3.0]) == 0
    assert _disorder([1.0, 3.0, 2.0]) == 1
