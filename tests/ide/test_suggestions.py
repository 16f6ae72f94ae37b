"""Who types what was offered is offered the rest of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.ide.suggestions import Suggested, Suggestions

WORLD = object()


def place(marked, *texts, world=WORLD, several=False):
    """A place at the `|` of a document, with what was offered there."""
    before, _, after = marked.partition("|")
    return Suggested(world, (before + after).encode(), len(before.encode()), texts, several)


@pytest.fixture
def kept():
    return Suggestions(most=3)


def test_the_rest_of_what_is_typed_is_offered(kept):
    kept.put("a", place("SELECT |;", "name FROM users"))
    assert kept.at("a", place("SELECT |;")) == ("name FROM users",)
    assert kept.at("a", place("SELECT name |;")) == ("FROM users",)


@pytest.mark.parametrize(
    ("document", "other"),
    [
        ("a", place("SELECT x|;")),
        ("a", place("SELEKT n|;")),
        ("a", place("SELECT n|")),
        ("a", place("SELECT|;")),
        ("a", place("SELECT name FROM users|;")),
        ("a", place("SELECT n|;", world=object())),
        ("b", place("SELECT n|;")),
    ],
    ids=[
        "typed otherwise",
        "changed before",
        "changed behind",
        "before it",
        "all of it",
        "world",
        "document",
    ],
)
def test_nothing_is_known_of_other_places(kept, document, other):
    kept.put("a", place("SELECT |;", "name FROM users"))
    assert kept.at(document, other) is None


def test_that_there_is_nothing_is_known_too_but_only_there(kept):
    kept.put("a", place("SELECT |"))
    assert kept.at("a", place("SELECT |")) == ()
    assert kept.at("a", place("SELECT n|")) is None


def test_somebody_who_types_is_offered_one_of_the_alternatives_that_still_fit(kept):
    kept.put("a", place("SELECT |", "id", "name", "no", several=True))
    assert kept.at("a", place("SELECT n|")) == ("ame",)
    assert kept.at("a", place("SELECT n|", several=True)) == ("ame", "o")


def test_alternatives_are_not_known_where_one_was_wanted(kept):
    kept.put("a", place("SELECT |", "id"))
    assert kept.at("a", place("SELECT |", several=True)) is None


def test_the_latest_counts(kept):
    kept.put("a", place("SELECT |", "id"))
    kept.put("a", place("SELECT |", "name"))
    assert kept.at("a", place("SELECT |")) == ("name",)


def test_what_is_oldest_is_forgotten(kept):
    for number in range(4):
        kept.put("a", place(f"SELECT {number}|", "000"))
    assert kept.at("a", place("SELECT 0|")) is None
    assert kept.at("a", place("SELECT 1|")) == ("000",)


@given(st.text(), st.text(), st.text(min_size=1), st.integers(min_value=0))
def test_what_was_typed_and_the_rest_are_the_whole(before, after, text, cut):
    typed = text[: cut % (len(text) + 1)]
    made = Suggested(WORLD, (before + after).encode(), len(before.encode()), (text,))
    data = (before + typed + after).encode()
    rest = made.rest(Suggested(WORLD, data, len((before + typed).encode()), ()))
    assert rest == (None if typed == text else (text[len(typed) :],))
