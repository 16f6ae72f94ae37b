"""What clients are told of tokens since they last asked."""

from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.lsp.tokens import Tokens

DATA = st.lists(st.integers(0, 3), max_size=20)


@given(st.lists(DATA, min_size=1, max_size=5))
def test_each_difference_makes_the_last_tokens_into_the_new_ones(versions):
    known = Tokens()
    told = known.whole("a", versions[0])
    held = list(told.data)
    for data in versions[1:]:
        told = known.since("a", told.result_id, data)
        for edit in told.edits:
            held[edit.start : edit.start + edit.delete_count] = edit.data
        assert held == data


def test_who_has_something_else_gets_all():
    known = Tokens()
    first = known.whole("a", [1])
    second = known.since("a", first.result_id, [1, 2])
    assert list(known.since("a", first.result_id, [3]).data) == [3]
    assert list(known.since("b", second.result_id, [4]).data) == [4]
