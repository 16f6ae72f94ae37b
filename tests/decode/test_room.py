"""A long text is shown from a line's start on, and the place where it starts seldom moves."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.fill import Filler
from gproj_lsp.decode.models.fake import UniformModel, word_vocabulary
from gproj_lsp.decode.room import latest
from gproj_lsp.facts import facts_from_table
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

VOCABULARY = word_vocabulary(["SELECT", " FROM", "users", " id", "name"])
LINE = b"SELECT id FROM users;\n"


def test_a_short_text_is_shown_whole():
    assert latest(VOCABULARY, LINE, 100) == LINE


@given(text=st.text("ab \n\u00e9\u540d;", max_size=400), room=st.integers(2, 60))
def test_what_is_shown_ends_the_text_fits_and_cuts_no_character(text, room):
    shown = latest(VOCABULARY, text.encode(), room)
    assert text.endswith(shown.decode())
    assert len(VOCABULARY.encode(shown)) <= room


def test_it_begins_with_a_line():
    shown = latest(VOCABULARY, LINE * 100, 60)
    assert shown.startswith(LINE * 2)
    assert re.fullmatch(rb"(SELECT id FROM users;\n)+", shown)


def test_the_cut_stays_while_the_text_grows_by_little():
    texts = [LINE * count for count in range(60, 120)]
    cuts = {len(text) - len(latest(VOCABULARY, text, 200)) for text in texts}
    assert len(cuts) < len(texts) / 5


@pytest.mark.parametrize("names", [("id", "name"), ("\u540d" * 40, "\u524d" * 40)])
def test_the_last_hole_of_a_long_file_with_a_large_schema_is_filled(sql, names):
    facts = facts_from_table(sql, {"Table": {f"t{at}": {"columns": list(names)} for at in range(200)}})
    analyzer = Analyzer(sql, resolver_of(sql), facts, {"dialect": "sqlite"})
    text = "SELECT * FROM t1;\n" * 300 + "SELECT t2.?? FROM t2;\n"
    model = UniformModel(VOCABULARY, capacity=2048)
    result = Filler(sql, Context(model), make_engine("trie"), None).fill(text, analyzer.analyse)
    assert [hole.text.strip('"') in names for hole in result.holes] == [True]
