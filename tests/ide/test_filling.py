"""A plan and a model make one set of edits of the text as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.fill import Filler
from gproj_lsp.decode.models.fake import UniformModel, word_vocabulary
from gproj_lsp.errors import Cancelled
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.actions import Deed
from gproj_lsp.ide.edits import Edit, applied, origin, shifted
from gproj_lsp.ide.filling import fill
from gproj_lsp.ide.plans import Plan, plan
from gproj_lsp.resolve import resolver_of
from gproj_lsp.text import Span

SCHEMA = "CREATE TABLE users (id INT, name TEXT); CREATE TABLE orders (id INT, total REAL);"
WORDS = word_vocabulary([" name", " id", " FROM", "SELECT", " users", " total", ",", ";"])


@pytest.fixture(scope="module")
def analyzer(sql):
    facts = Analyzer(sql, resolver_of(sql)).declared([(SCHEMA, "schema.sql")])
    return Analyzer(sql, resolver_of(sql), facts)


@pytest.fixture
def filler(sql):
    return Filler(sql, Context(UniformModel(WORDS)), make_engine())


def filled(filler, analyzer, text, deed, span=None):
    analysis = analyzer.analyse(text)
    here = span or analysis.holes[0].span
    made = fill(filler, analyzer.analyse, text, plan(analyzer, analysis, deed, here))
    return made, applied(text, made.edits)


def test_all_holes_become_edits_of_the_original(filler, analyzer):
    text = "-- 😀 ö\r\nSELECT ??, {:Column} FROM users;\r\nSELECT ?? FROM orders;"
    made, after = filled(filler, analyzer, text, Deed.FILL_FILE)
    analysis = analyzer.analyse(text)
    assert [edit.span for edit in made.edits] == [hole.span for hole in analysis.holes]
    assert [hole.span for hole in made.filled] == [hole.span for hole in analysis.holes]
    assert analyzer.analyse(after).holes == ()
    assert analyzer.analyse(after).diagnostics == ()


def test_a_ghost_becomes_one_edit_of_its_own_bytes(filler, analyzer):
    text = "SELECT ö, nmae FROM users;"
    span = analyzer.analyse(text).diagnostics[-1].span
    made, after = filled(filler, analyzer, text, Deed.CHOOSE, span)
    assert [edit.span for edit in made.edits] == [span]
    assert made.edits[0].text in {"id", "name"}
    assert after == text.replace("nmae", made.edits[0].text)


def test_a_hole_that_nothing_fits_stays_and_is_told(filler, analyzer):
    text = "SELECT name FROM users;\nSELECT {:Alias}.id;"
    made, after = filled(filler, analyzer, text, Deed.FILL_FILE)
    assert (after, made.edits) == (text, ())
    assert [hole.mark for hole in made.left] == ["{:Alias}"]


def test_a_ghost_stays_where_the_model_may_not_replace_it(filler, analyzer):
    """What the plan itself put there is gone with it."""
    text = "SELECT u.id;"
    made = fill(filler, analyzer.analyse, text, Plan((Edit(Span(7, 8), "{:Alias}"),), (Span(7, 15),)))
    assert (applied(text, made.edits), made.left[0].span) == (text, Span(7, 8))


def test_edits_without_holes_ask_no_model(filler, analyzer):
    edits = (Edit(Span(0, 6), "select"),)
    assert fill(filler, analyzer.analyse, "SELECT 1", Plan(edits)).edits == edits


def test_a_stop_leaves_nothing(filler, analyzer):
    text = "SELECT ?? FROM users;"
    analysis = analyzer.analyse(text)
    with pytest.raises(Cancelled):
        fill(filler, analyzer.analyse, text, Plan(holes=(analysis.holes[0].span,)), stop=lambda: True)


def test_how_each_hole_came_about_is_kept(filler, analyzer):
    made, _ = filled(filler, analyzer, "SELECT ?? FROM users;", Deed.FILL)
    (hole,) = made.filled
    assert hole.masks == (2,)
    assert hole.free_bits == 1
    assert hole.forced == ()
    only, _ = filled(filler, analyzer, "CREATE TABLE t ({buyer:ColDecl} INT);", Deed.FILL)
    assert (only.filled[0].masks, only.filled[0].forced) == ((), ("buyer",))


@given(st.data())
def test_places_go_back_through_edits(data):
    text = data.draw(st.text(alphabet="abö😀\n", min_size=4, max_size=30))
    size = len(text.encode())
    cuts = [at for at in range(size + 1) if at == size or text.encode()[at] & 0xC0 != 0x80]
    marks = sorted(data.draw(st.lists(st.sampled_from(cuts), min_size=4, max_size=4, unique=True)))
    one = Edit(Span(marks[0], marks[1]), data.draw(st.text(max_size=5)))
    two = Edit(Span(marks[2], marks[3]), data.draw(st.text(max_size=5)))
    after = applied(text, [two, one]).encode()
    stayed = Span(shifted(marks[1], [one, two]), shifted(marks[1], [one, two]) + marks[2] - marks[1])
    assert after[stayed.start : stayed.end] == text.encode()[marks[1] : marks[2]]
    assert origin(stayed, [one, two]) == Span(marks[1], marks[2])
    if two.text:
        start = shifted(marks[2], [one])
        assert origin(Span(start, start + len(two.text.encode())), [two, one]) == two.span
