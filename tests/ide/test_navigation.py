"""Where names are declared, what a text declares, and how its names are coloured."""

from gproj_lsp.ide.inspection import environment_at, grammar_at
from gproj_lsp.ide.navigation import (
    declarations_of,
    definition_at,
    name_in_line,
    occurrences_at,
    occurrences_of,
)
from gproj_lsp.ide.offers import Offers
from gproj_lsp.ide.outline import outline_of
from gproj_lsp.ide.tokens import coloured
from gproj_lsp.text import LineIndex, Span


def declared(desk, marked):
    """Where the name under the cursor is declared in the text, and by whom else."""
    place = desk.place(marked)
    found = definition_at(place.analysis, place.offset)
    outside = found.outside.origin.provider if found.outside else ""
    return [place.analysis.lines.place(span.start) for span in found.places], outside


def test_a_name_is_declared_in_the_text_or_outside(desk):
    assert declared(desk, "SELECT u|.id FROM users u") == (["1:24"], "")
    assert declared(desk, "SELECT u.id| FROM users u") == ([], "facts")
    assert declared(desk, "CREATE TABLE t (a INT);\nSELECT x.a| FROM t x;") == (["1:17"], "")
    assert declared(desk, "SELECT c.n| FROM (SELECT id AS n FROM users) c") == (["1:31"], "")


def test_a_name_that_is_handed_on_leads_to_where_it_began(desk):
    text = "WITH c AS (SELECT name FROM users) SELECT c.name| FROM c"
    assert declared(desk, text) == ([], "facts")


def test_a_column_that_is_not_spelled_leads_to_what_declares_it(desk):
    text = "CREATE VIEW v AS SELECT * FROM users;\nSELECT name| FROM v;"
    assert declared(desk, text) == (["1:13"], "")


def test_the_world_s_names_are_found_in_any_text(desk):
    place = desk.place("SELECT na|me FROM users")
    binding = definition_at(place.analysis, place.offset).outside
    other = desk.place("CREATE TABLE t (name TEXT); SELECT t.name, u.name FROM t, users u;|")
    assert [each.span for each in occurrences_of(other.analysis, binding)] == [Span(45, 49)]
    hidden = desk.place("DROP TABLE users; CREATE TABLE users (name TEXT); SELECT name FROM users;|")
    assert occurrences_of(hidden.analysis, binding) == ()


def test_a_text_before_tells_where_it_declares_what_is_left_behind(desk):
    first = desk.analyzer.analyse("CREATE TABLE t (a INT); DROP TABLE t; CREATE TABLE t (b INT);")
    second = desk.analyzer.analyse("SELECT b FROM t;", after=first)
    found = definition_at(second, 7)
    assert found.places == ()
    assert declarations_of(first, found.outside) == (Span(54, 55),)
    table = definition_at(second, 14).outside
    assert declarations_of(first, table) == (Span(51, 52),)


def test_where_no_name_stands_there_is_nothing(desk):
    place = desk.place("SELECT 1|;")
    assert definition_at(place.analysis, place.offset) is None
    assert occurrences_at(place.analysis, place.offset) == ()


def test_a_name_is_looked_for_in_the_line_that_is_told():
    lines = LineIndex("-- ö user\n  ö, user_id, User INT\n".encode())
    assert name_in_line(lines, 1, "user") == Span(26, 30)
    assert name_in_line(lines, 1, "gone") == Span(11, 11)
    assert name_in_line(lines, 9, "user") == Span(0, 0)
    assert name_in_line(lines, -1, "user") == Span(0, 0)


def tree(entries):
    return [(each.name, each.detail, [inner.name for inner in each.members]) for each in entries]


def test_the_outline_has_what_is_declared_with_its_members(desk):
    place = desk.place(
        "CREATE TABLE t (a INT, b);\nCREATE VIEW v AS SELECT a AS x FROM t;\nSELECT u.id FROM users u;\n"
        "ALTER TABLE t ADD COLUMN c TEXT;\nWITH q AS (SELECT 1) SELECT * FROM q;\n|"
    )
    assert tree(outline_of(place.analysis, desk.surface)) == [
        ("t", "table", ["a", "b"]),
        ("v", "view", ["x"]),
        ("c", "TEXT", []),
        ("q", "cte", []),
    ]
    first = outline_of(place.analysis, desk.surface)[0]
    assert place.at(first.span) == "CREATE TABLE t (a INT, b)"
    assert place.at(first.place) == "t"


def test_names_are_coloured_by_what_they_are(desk):
    place = desk.place("SELECT lower(u.name), nosuch\nFROM users u;\n|SELECT id FROM orders;")
    found = [
        (place.at(each.span), each.sort, each.declares, each.builtin) for each in coloured(place.analysis)
    ]
    assert found == [
        ("lower", "Function", False, True),
        ("u", "Alias", False, False),
        ("name", "Column", False, False),
        ("users", "Table", False, False),
        ("u", "Alias", True, False),
        ("id", "Column", False, False),
        ("orders", "Table", False, False),
    ]
    here = Span(place.offset + 3, place.offset + 4)
    assert [place.at(each.span) for each in coloured(place.analysis, here)] == ["id", "orders"]


def test_gamma_is_shown_without_the_language_s_own_names(desk):
    place = desk.place("SELECT u.| FROM users u")
    shown = environment_at(place.analysis, place.offset, desk.surface)
    assert shown.sort == "Column"
    assert {each.name for each in shown.bindings} >= {"users", "orders", "total"}
    assert shown.builtin["Function"] > 50


def test_the_grammar_is_that_of_the_hole_or_of_one_that_would_stand_there(desk):
    offers = Offers(desk.surface)
    for marked in ("SELECT ?|? FROM orders", "SELECT i|d FROM orders", "SELECT | FROM orders"):
        place = desk.place(marked)
        found = grammar_at(place.analysis, place.offset, offers)
        assert (found.sort, found.candidates, found.guaranteed) == ("Column", 3, True)
        assert '"user_id"' in found.text
