"""What may be done at a place: titles without a model, and edits that do what the titles say."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gproj_lsp.errors import InputError
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.actions import Actions, Deed, shown
from gproj_lsp.ide.edits import applied
from gproj_lsp.ide.offers import Offers
from gproj_lsp.ide.plans import plan
from gproj_lsp.ide.suppression import suppression
from gproj_lsp.resolve import resolver_of
from gproj_lsp.text import Span, encode

SCHEMA = """
CREATE TABLE users (id INT, name TEXT, email TEXT);
CREATE TABLE orders (id INT, user_id INT, total_price REAL, total_prize REAL);
"""


@pytest.fixture(scope="module", params=["sqlite"])
def analyzer(request, sql):
    return _analyzer(sql, request.param)


PARTS = [
    "SELECT nmae FROM users;",
    "SELECT emial, 'a\n-- b', name\nFROM users;",
    "SELECT /* x\n */ nmae /* y */ FROM users",
    "SELECT total, ?? FROM orders -- gproj: ignore[unknown-sort]",
    "-- why\n",
    "-- gproj: ignore\n",
    "# not in every dialect\n",
    "'",
    "/*",
    "*/",
    "\n",
    "\r\n",
    "; ",
    "ö😀 ",
    "{:Nope} ",
    "$$ ",
]


_KNOWN = {}


def _known(sql, dialect):
    """One analyser a dialect, made once."""
    if dialect not in _KNOWN:
        _KNOWN[dialect] = _analyzer(sql, dialect)
    return _KNOWN[dialect]


def _analyzer(sql, dialect):
    said = {"dialect": dialect}
    facts = Analyzer(sql, resolver_of(sql), settings=said).declared([(SCHEMA, "schema.sql")])
    return Analyzer(sql, resolver_of(sql), facts, said)


@pytest.fixture(scope="module")
def actions(analyzer, sql):
    return Actions(analyzer, Offers(sql))


def opened(analyzer, marked):
    """The analysis of a text and the byte where `|` stood in it."""
    before, _, after = marked.partition("|")
    return analyzer.analyse(before + after), len(encode(before))


@pytest.fixture
def listed(analyzer, actions):
    def at(marked):
        analysis, offset = opened(analyzer, marked)
        return list(actions.at(analysis, Span(offset, offset)))

    return at


@pytest.fixture
def done(analyzer, actions):
    """The text after the action of a title at `|`; holes that a model would fill stay."""

    def do(marked, title):
        analysis, offset = opened(analyzer, marked)
        action = next(each for each in actions.at(analysis, Span(offset, offset)) if each.title == title)
        made = plan(analyzer, analysis, action.deed, action.span, action.text)
        return applied(analysis.text, made.edits)

    return do


def titles(actions):
    return [each.title for each in actions]


def test_a_ghost_may_be_changed_chosen_ignored_or_opened(listed):
    found = listed("SELECT n|mae FROM users;")
    assert titles(found) == [
        "Change to `name`",
        "Change to `email`",
        "Let the model choose (3 candidates)",
        "Ignore this line",
        "Replace with a hole",
    ]
    assert [each.preferred for each in found[:2]] == [True, False]
    assert all(each.finding is not None and each.finding.name == "nmae" for each in found[:4])


def test_nothing_is_preferred_where_two_names_are_as_near(listed):
    found = listed("SELECT total_pri|se FROM orders;")
    assert {"Change to `total_price`", "Change to `total_prize`"} == set(titles(found)[:2])
    assert not any(each.preferred for each in found)


def test_an_ambiguous_name_gets_its_owner(listed, done):
    text = "SELECT |id FROM users u, orders o;"
    assert titles(listed(text))[:2] == ["Change to `u.id`", "Change to `o.id`"]
    assert done(text, "Change to `o.id`") == "SELECT o.id FROM users u, orders o;"


def test_an_unknown_sort_is_changed_inside_its_hole(done):
    assert done("SELECT {x:Col|um} FROM users;", "Change to `Column`") == "SELECT {x:Column} FROM users;"


def test_a_change_replaces_the_name_and_nothing_else(done):
    text = "-- ö 😀\r\nSELECT '😀', u.nm|ae FROM users u;\r\n"
    assert done(text, "Change to `name`") == text.replace("nm|ae", "name")


def test_all_clear_ghosts_are_fixed_at_once(listed, done):
    text = "SELECT nm|ae FROM users;\nSELECT total_prise FROM orders;\nSELECT emial FROM users;"
    assert "Fix all ghosts in file (2 clear)" in titles(listed(text))
    fixed = text.replace("nm|ae", "name").replace("emial", "email")
    assert done(text, "Fix all ghosts in file (2 clear)") == fixed


def test_fixing_all_is_offered_as_an_action_of_the_file(analyzer, actions):
    assert titles(actions.fix_all(analyzer.analyse("SELECT nmae FROM users"))) == [
        "Fix all ghosts in file (1 clear)"
    ]
    assert actions.fix_all(analyzer.analyse("SELECT total_prise FROM orders")) == ()


def test_what_the_model_is_to_choose_among_becomes_a_hole_first(analyzer, done):
    assert done("SELECT u.nm|ae FROM users u;", "Let the model choose (3 candidates)") == (
        'SELECT u.{:Column "nmae"} FROM users u;'
    )
    analysis = analyzer.analyse("SELECT ö, nmae FROM users;")
    span = analysis.diagnostics[-1].span
    made = plan(analyzer, analysis, Deed.CHOOSE, span)
    after = analyzer.analyse(applied(analysis.text, made.edits))
    assert [hole.span for hole in after.holes] == list(made.holes)


def test_a_hole_is_filled_alone_or_with_others(listed):
    found = listed("SELECT ?|?, ?? FROM users;\nSELECT ?? FROM orders;")
    assert titles(found) == [
        "Fill: Column (3 candidates)",
        "Fill with `id`",
        "Fill with `name`",
        "Fill with `email`",
        "Fill all 2 holes in statement",
        "Fill all 3 holes in file",
    ]
    assert [each.asks_model for each in found] == [True, False, False, False, True, True]
    assert found[0].preferred


def test_a_hole_with_one_candidate_needs_no_model(listed, analyzer):
    found = listed("CREATE TABLE only (x INT); SELECT ?| FROM only;".replace("?|", "?|?"))
    assert titles(found) == ["Fill with `x`"]
    assert (found[0].deed, found[0].preferred) == (Deed.CHANGE, True)


def test_a_hole_that_nothing_fits_offers_nothing(listed):
    assert titles(listed("SELECT {:Ali|as}.id")) == []


def test_a_labelled_declaration_has_its_name(listed, done):
    text = "CREATE TABLE t ({buyer:Col|Decl} INT);"
    assert titles(listed(text)) == ["Fill with `buyer`"]
    assert done(text, "Fill with `buyer`") == "CREATE TABLE t (buyer INT);"


def test_an_open_hole_says_so(listed):
    assert titles(listed("CREATE TABLE t ({:Col|Decl} INT);"))[0] == "Fill: ColDecl (any name)"


@pytest.mark.parametrize(("deed", "count"), [(Deed.FILL, 1), (Deed.FILL_STATEMENT, 2), (Deed.FILL_FILE, 3)])
def test_which_holes_a_filling_is_about(analyzer, deed, count):
    analysis = analyzer.analyse("SELECT ??, ?? FROM users;\nSELECT ?? FROM orders;")
    made = plan(analyzer, analysis, deed, analysis.holes[0].span)
    assert made.edits == ()
    assert made.holes == tuple(hole.span for hole in analysis.holes[:count])


@pytest.mark.parametrize("deed", [Deed.FILL, Deed.FILL_STATEMENT, Deed.CHOOSE, Deed.OPEN, Deed.IGNORE])
def test_what_can_not_be_done_is_refused(analyzer, deed):
    with pytest.raises(InputError, match="can't be done"):
        plan(analyzer, analyzer.analyse("SELECT 1"), deed, Span(0, 6))


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ("SELECT na|me FROM users;", "SELECT ?? FROM users;"),
        ("SELECT u.na|me FROM users u;", "SELECT u.?? FROM users u;"),
        ("SELECT name FROM us|ers;", "SELECT name FROM ??;"),
        ('SELECT "ö" FROM us|ers;', 'SELECT "ö" FROM ??;'),
    ],
)
def test_a_reference_may_become_a_hole(done, text, opened):
    assert done(text, "Replace with a hole") == opened


def test_where_there_is_no_name_nothing_is_offered(listed):
    assert listed("SEL|ECT 1;") == []
    assert listed("|") == []


def test_a_selection_asks_about_everything_in_it(analyzer, actions):
    analysis = analyzer.analyse("SELECT nmae, emial FROM users;")
    found = titles(actions.at(analysis, Span(0, 20)))
    assert "Change to `name`" in found
    assert "Change to `email`" in found


def test_names_are_shown_in_one_line():
    assert shown("a\nb\u202ec") == "a\\u000ab\\u202ec"
    assert len(shown("x" * 300)) == 60


class TestIgnoring:
    """A comment is written where it is one, and the text means what it meant."""

    @pytest.mark.parametrize(
        ("text", "ignored"),
        [
            ("SELECT nm|ae FROM users;", "SELECT nmae FROM users; -- gproj: ignore[ghost-reference]"),
            ("SELECT nm|ae\nFROM users;", "SELECT nmae -- gproj: ignore[ghost-reference]\nFROM users;"),
            ("SELECT nm|ae\r\nFROM users;", "SELECT nmae -- gproj: ignore[ghost-reference]\r\nFROM users;"),
            (
                "SELECT nm|ae FROM users; -- why",
                "SELECT nmae FROM users; -- why gproj: ignore[ghost-reference]",
            ),
            (
                "SELECT nm|ae FROM users; -- gproj: ignore[unknown-sort]",
                "SELECT nmae FROM users; -- gproj: ignore[unknown-sort, ghost-reference]",
            ),
            (
                "  SELECT nm|ae, 'two\nlines' FROM users;",
                "  -- gproj: ignore[ghost-reference]\n  SELECT nmae, 'two\nlines' FROM users;",
            ),
            (
                "SELECT 'two\nlines', nm|ae, 'two\nlines' FROM users;",
                None,
            ),
        ],
    )
    def test_one_comment(self, done, listed, analyzer, text, ignored):
        if ignored is None:
            assert "Ignore this line" not in titles(listed(text))
            return
        assert done(text, "Ignore this line") == ignored
        assert analyzer.analyse(ignored).diagnostics == ()

    @pytest.mark.parametrize("dialect", ["mysql", "postgres", "duckdb"])
    def test_in_every_dialect(self, sql, dialect):
        analyzer = _analyzer(sql, dialect)
        analysis = analyzer.analyse(
            "SELECT nmae FROM users; SELECT emial FROM users;\nSELECT nmae FROM users;"
        )
        made = plan(analyzer, analysis, Deed.IGNORE, Span(30, 30))
        after = analyzer.analyse(applied(analysis.text, made.edits))
        assert [each.name for each in after.diagnostics] == ["nmae"]

    @pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(parts=st.lists(st.sampled_from(PARTS), min_size=2, max_size=14))
    def test_nothing_else_changes(self, sql, dialect, parts):
        analyzer = _known(sql, dialect)
        analysis = analyzer.analyse("".join(parts))
        for found in analysis.diagnostics[:3]:
            edit = suppression(analysis, found.span.start)
            if edit is None:
                continue
            after = analyzer.analyse(applied(analysis.text, [edit]))
            line = analysis.lines.position(found.span.start).line
            kept = [
                each for each in analysis.diagnostics if analysis.lines.position(each.span.start).line != line
            ]
            assert [(each.name, each.code) for each in after.diagnostics] == [
                (each.name, each.code) for each in kept
            ]
            assert (after.references, after.unknown) == (analysis.references, analysis.unknown)
            assert [hole.mark.text for hole in after.holes] == [hole.mark.text for hole in analysis.holes]
