"""What counts as going in circles: the same three times in a row, or a long stretch twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.decode.circles import circle

LONG = b" AND Airline = 1 AND SourceAirport = 'Aberdeen'"


@pytest.mark.parametrize(
    ("text", "stretch"),
    [
        (b"WHERE x" + b" AND a = 1" * 3, b" AND a = 1"),
        (b"WHERE x" + b" AND a = 1" * 2, None),
        (b"WHERE x" + LONG * 2, LONG),
        (b"WHERE x" + LONG + b" AND Airline = 2", None),
        (b"SELECT 1, 1, 1", None),
        (b"", None),
    ],
)
def test_what_is_said_too_often(text, stretch):
    found = circle(text)
    assert (found and found[1]) == stretch
    if found:
        assert text[: found[0]] == b"WHERE x" + stretch


def test_what_stands_before_the_new_text_does_not_count():
    text = b" AND a = 1" * 3
    assert circle(text, 10) is None


@given(st.binary(max_size=8), st.binary(min_size=4, max_size=100))
def test_three_times_in_a_row_is_always_seen(before, stretch):
    text = before + stretch * 3
    found = circle(text)
    assert found is not None
    end, way = found
    assert text.endswith(way * 2)
    assert text[:end].endswith(way)
