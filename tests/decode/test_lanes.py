"""Decodes side by side: each gets what it would get alone, and what several begin with is read once."""

from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.lanes import Alone, Lanes
from gproj_lsp.decode.leaf import LeafDecoder, Task
from gproj_lsp.decode.models.fake import FakeBatch, FakeModel, UniformModel, word_vocabulary
from gproj_lsp.decode.sampling import Sampler
from gproj_lsp.decode.trace import Ledger
from gproj_lsp.errors import Cancelled, ModelError
from gproj_lsp.gbnf import parse

WORDS = word_vocabulary(["SELECT", " name", " id", ", "])
NAMES = parse('root ::= (" name" | " id") (", " ("name" | "id"))* ";"', "test")


class Telling(UniformModel):
    """A model whose wishes tell the whole text before them apart."""

    def logits(self, fed):
        row = np.zeros(len(self.vocabulary), dtype=np.float32)
        row[crc32(repr(list(fed)).encode()) % len(row)] = 1.0
        return row


def lanes(model=None, width=3, **room):
    return Lanes(FakeBatch(model or Telling(WORDS, capacity=256), width, **room))


def writes(wanted):
    """A job that decodes what a model wants of a list of names."""

    def job(model):
        ledger = Ledger()
        shown = tuple(WORDS.encode(b"-- " + wanted + b"\nSELECT"))
        decoder = LeafDecoder(Context(model), make_engine(), Sampler())
        return decoder.decode(Task(NAMES, shown, 64, closed=True), ledger, lambda *_: None).text

    return job


def script(fed):
    """Wants the line of the comment above."""
    comment, _, written = fed.rpartition(b"\nSELECT")
    wanted = comment.rpartition(b"-- ")[2]
    return wanted[len(written) :] if wanted.startswith(written) else b""


LISTS = [b" name;", b" id, name, id;", b" name, name;", b" id;", b" id, id, id, id;", b" name, id;"]


@pytest.mark.parametrize("width", [1, 2, 3, 6])
def test_each_decode_writes_what_it_writes_alone(width):
    model = FakeModel(WORDS, script)
    alone = [writes(wanted)(FakeModel(WORDS, script)) for wanted in LISTS]
    found = lanes(model, width).run(map(writes, LISTS))
    assert [each.get() for each in found] == alone == LISTS


def test_who_ends_makes_place_for_the_next():
    several = lanes(FakeModel(WORDS, script), width=2)
    done = []
    several.run(map(writes, LISTS), done.append)
    alone = lanes(FakeModel(WORDS, script), width=1)
    alone.run(map(writes, LISTS))
    assert done == [1, 2, 3, 4, 5, 6]
    assert several.steps <= alone.steps / 2 + 4
    assert all(len(step) <= 2 for step in several.model.steps)


def test_what_texts_begin_with_is_read_once():
    head = list(b"the schema that every prompt begins with, and that is long")
    several = lanes(width=3)
    several.run([lambda model, last=last: Context(model).show([*head, last]) for last in range(9)])
    fed = sum(len(part.line) for step in several.model.steps for part in step)
    assert fed == len(head) + 9


def test_what_others_left_in_the_model_does_not_count():
    several = lanes()
    several.run([steps(1, 9), steps(2, 9)])
    again = Lanes(several.model).run([steps(3, 9)])
    assert again[0].get() == steps(3, 9)(Telling(WORDS))


@pytest.mark.parametrize("crew", [lanes, lambda: Alone(Telling(WORDS, capacity=256))])
def test_a_decode_that_fails_is_told_so_and_the_others_go_on(crew):
    def fails(model):
        model.feed([1])
        model.feed([1] * 300)

    def begins_anew(model):
        model.rewind(0)
        return model.feed([7]).shape

    ended = []
    found = crew().run([writes(b" id;"), fails, begins_anew], ended.append)
    assert ended == [1, 2, 3]
    assert isinstance(found[1].error, ModelError)
    with pytest.raises(ModelError, match="not fit the model's context"):
        found[1].get()
    assert found[2].get() == (len(WORDS),)


def test_stopping_one_stops_no_other():
    asked = []

    def stops(model):
        model.feed([1])
        model.feed([2], stop=lambda: len(asked) > 3)
        for token in range(9):
            asked.append(token)
            model.feed([token], stop=lambda: len(asked) > 3)

    found = lanes().run([stops, lambda model: [model.feed([5]).argmax() for _ in range(20)]])
    assert isinstance(found[0].error, Cancelled)
    assert len(asked) == 4
    assert len(found[1].get()) == 20


def test_a_fault_in_a_job_ends_the_run_and_closes_the_others():
    closed = []

    def waits(model):
        try:
            model.feed([1])
            model.feed([2])
        finally:
            closed.append(True)

    def faulty(model):
        model.feed([1])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        lanes().run([waits, faulty, waits])
    assert closed == [True, True]


def steps(seed, length):
    """A job of single tokens; what the model said after each."""

    def job(model):
        model.rewind(0)
        return [int(model.feed([(seed * 31 + at) % 250]).argmax()) for at in range(length)]

    return job


def test_where_there_is_too_little_room_some_wait():
    jobs = [steps(seed, 40) for seed in range(6)]
    alone = [each.get() for each in lanes(width=1).run(jobs)]
    tight = lanes(width=6, cells=100)
    assert [each.get() for each in tight.run(jobs)] == alone
    assert max(map(len, tight.model.steps)) >= 2


def test_what_no_room_suffices_for_is_an_error():
    found = lanes(cells=20).run([steps(1, 30), steps(2, 10)])
    assert isinstance(found[0].error, ModelError)
    assert len(found[1].get()) == 10


def test_long_texts_are_read_in_several_steps():
    text = list(range(200))
    (found,) = lanes(width=1, room=64).run([lambda model: model.feed(text).argmax()])
    assert found.get() == Telling(WORDS).logits(text).argmax()


ASKS = st.lists(
    st.one_of(
        st.tuples(st.just("feed"), st.lists(st.integers(0, 3), min_size=1, max_size=40), st.booleans()),
        st.tuples(st.just("rewind"), st.integers(0, 40)),
        st.tuples(st.just("spread"), st.lists(st.integers(-1, 5), min_size=1, max_size=6)),
    ),
    max_size=12,
)


def talk(asks):
    """A job that asks a model for many things; what it got."""

    def job(model):
        got = []
        for kind, *told in asks:
            if kind == "feed":
                got.append(np.atleast_2d(model.feed(told[0], every=told[1])).argmax(axis=1).tolist())
            elif kind == "rewind":
                model.rewind(told[0])
            else:
                parents = [min(parent, at - 1) for at, parent in enumerate(told[0])]
                got.append(model.spread(list(range(len(parents))), parents).argmax(axis=1).tolist())
        return got

    return job


@settings(max_examples=60, deadline=None)
@given(st.lists(ASKS, min_size=1, max_size=6), st.integers(1, 4), st.sampled_from([48, 512]))
def test_a_lane_answers_like_a_model_of_its_own(talks, width, room):
    expected = [talk(asks)(Telling(WORDS, capacity=4096)) for asks in talks]
    several = lanes(Telling(WORDS, capacity=4096), width, room=room)
    fresh = [[("rewind", 0), *asks] for asks in talks]
    assert [each.get() for each in several.run(map(talk, fresh))] == expected
