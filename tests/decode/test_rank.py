"""Ranking gives what scoring every candidate to its end would give, for less."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.models.fake import FakeModel, UniformModel, word_vocabulary
from gproj_lsp.decode.prompt import Seam, seam
from gproj_lsp.decode.rank import rank
from gproj_lsp.errors import Cancelled

VOCABULARY = word_vocabulary(
    [" name", " na", "me", " email", "ail", " FROM", " id", "_2", " users", " ORDER"]
)


class HashModel(UniformModel):
    """A model with arbitrary but fixed wishes."""

    def logits(self, fed):
        return np.random.default_rng([7, *fed]).normal(scale=3, size=len(self.vocabulary)).astype(np.float32)


class LinearModel:
    """The same wishes, from a model that can't look at several continuations at once."""

    def __init__(self, model):
        self._model = model
        self.name, self.vocabulary, self.capacity = model.name, model.vocabulary, model.capacity
        self.feed, self.rewind, self.close = model.feed, model.rewind, model.close

    @property
    def fed(self):
        return self._model.fed


def by_hand(model, before, text, right):
    ids = VOCABULARY.encode(before + text.encode() + right)
    start = len(VOCABULARY.encode(before)) - 1
    total = 0.0
    for at in range(start, len(ids)):
        row = model.logits(ids[:at]).astype(np.float64)
        total += row[ids[at]] - np.logaddexp.reduce(row)
    return total


@pytest.mark.parametrize("wrap", [lambda model: model, LinearModel])
@given(
    candidates=st.lists(st.text("nameil_2d", min_size=1, max_size=6), min_size=1, max_size=12, unique=True),
    limit=st.integers(1, 4),
)
@settings(max_examples=30, deadline=None)
def test_the_best_are_those_that_scoring_everything_would_find(wrap, candidates, limit):
    model = HashModel(VOCABULARY)
    ranking = rank(
        Context(wrap(model)), seam(VOCABULARY, b"SELECT "), candidates, b" FROM users", limit=limit
    )
    exact = {text: by_hand(model, b"SELECT ", text, b" FROM users") for text in candidates}
    best = sorted(candidates, key=exact.__getitem__, reverse=True)
    first = min(len(candidates), limit)
    assert [found.text for found in ranking.candidates[:first]] == best[:first]
    for found in ranking.candidates:
        # What all candidates begin with is certain and not scored, so scores agree up to one constant.
        offset = exact[best[0]] - ranking.candidates[0].score
        assert found.score == pytest.approx(exact[found.text] - offset, abs=1e-3)
    assert sum(found.probability for found in ranking.candidates) + ranking.remaining == pytest.approx(1)


def test_the_remaining_share_is_a_bound_on_what_was_not_looked_at():
    names = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrst"]
    model = HashModel(VOCABULARY)
    short = rank(Context(model), seam(VOCABULARY, b"SELECT "), names, b" FROM")
    exact = {text: by_hand(model, b"SELECT ", text, b" FROM") for text in names}
    looked_at = {found.text for found in short.candidates}
    scale = exact[short.candidates[0].text] - math.log(short.candidates[0].probability)
    missed = sum(math.exp(score - scale) for text, score in exact.items() if text not in looked_at)
    assert missed <= short.remaining * (1 + 1e-6)
    assert short.expansions < 300


def test_right_context_decides_between_candidates():
    wants = b"SELECT name ORDER"
    model = FakeModel(
        VOCABULARY, lambda text: next((wants[len(text) :] for _ in "x" if wants.startswith(text)), b"?")
    )
    ranking = rank(Context(model), seam(VOCABULARY, b"SELECT "), ["email", "name"], b" ORDER", limit=2)
    assert [found.text for found in ranking.candidates] == ["name", "email"]


def test_the_context_holds_what_stands_before_the_hole_afterwards():
    context = Context(UniformModel(VOCABULARY))
    rank(context, seam(VOCABULARY, b"SELECT "), ["name", "email"], b" FROM")
    assert VOCABULARY.decode(context.model.fed) == b"SELECT"


def test_ranking_stops_when_told():
    with pytest.raises(Cancelled):
        rank(Context(UniformModel(VOCABULARY)), Seam((65,), b" "), ["a", "b"], b"", stop=lambda: True)


def test_names_of_any_length_are_ranked():
    names = ["w" * 256, "w" * 255, "w" * 600, "v"]
    model = HashModel(VOCABULARY)
    ranking = rank(Context(model), seam(VOCABULARY, b"SELECT "), names, b" FROM", limit=4)
    exact = {text: by_hand(model, b"SELECT ", text, b" FROM") for text in names}
    assert [found.text for found in ranking.candidates] == sorted(names, key=exact.__getitem__, reverse=True)


def test_among_hundreds_effort_is_bounded():
    """A long text after the hole makes every candidate unlikely, so the exact bound would have nearly all of them looked at."""
    names = [f"{first}{second}{third}" for first in "abcdefgh" for second in "ijklmnop" for third in "qrstuv"]
    model = HashModel(VOCABULARY)
    right = b" FROM users ORDER"
    exact = rank(Context(model), seam(VOCABULARY, b"SELECT "), names, right)
    quick = rank(Context(model), seam(VOCABULARY, b"SELECT "), names, right, effort=64)
    assert quick.expansions < exact.expansions
    assert quick.candidates[0].text in {found.text for found in exact.candidates[:20]}
