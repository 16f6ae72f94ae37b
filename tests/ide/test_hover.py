"""What is told of a place."""

import pytest

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.facts import Facts
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.card import provenance
from gproj_lsp.ide.hover import hover_at
from gproj_lsp.ide.offers import Offers
from gproj_lsp.resolve import resolver_of


def hover(desk, marked):
    place = desk.place(marked)
    return place, hover_at(place.analysis, place.offset, desk.surface, Offers(desk.surface), 0.0)


def facts(desk, marked):
    return dict(hover(desk, marked)[1].card.facts)


def test_a_column_tells_its_attributes_and_where_it_is_from(desk):
    place, found = hover(desk, "SELECT u.na|me FROM users u")
    assert (found.card.title, found.card.sort, place.at(found.span)) == ("name", "Column", "name")
    assert found.card.facts == (
        ("type", "text"),
        ("table", "users"),
        ("declared", "facts schema.toml:1"),
    )


def test_a_table_tells_its_columns(desk):
    assert facts(desk, "SELECT 1 FROM us|ers")["3 columns"] == "id, name text, e-mail"
    assert facts(desk, "CREATE TABLE t| (a INT, b)")["2 columns"] == "a INT, b"
    assert facts(desk, "CREATE TABLE t| (a INT, b)")["declared"] == "line 1"


def test_an_alias_tells_its_table_and_its_line(desk):
    assert facts(desk, "SELECT u|.id\nFROM users u") == {"table": "users", "declared": "line 2"}


def test_the_language_s_own_names_say_so(desk):
    assert facts(desk, "SELECT lo|wer(name) FROM users")["declared"] == "by the language itself"


def test_a_hole_tells_what_fits(desk):
    found = hover(desk, 'SELECT {:Column "the sum"}| FROM orders')[1].card
    assert found.sort == "hole: Column"
    assert found.facts == (("wanted", "the sum"), ("rung", "ctx"), ("3 candidates", "id, user_id, total"))
    assert '"total"' in found.code


def test_a_hole_that_nothing_fits_says_why(desk):
    assert "can't be filled" in facts(desk, "SELECT 1 ??|")


def test_a_ghost_tells_what_is_nearest(desk):
    found = hover(desk, "SELECT nmae| FROM users;")[1].card
    assert found.sort == "Column, does not exist"
    assert dict(found.facts)["nearest"].startswith("name")
    assert dict(found.facts)["name is declared"] == "facts schema.toml:1"


def test_an_ambiguous_name_tells_how_to_write_it(desk):
    found = hover(desk, "SELECT id| FROM users, orders;")[1].card
    assert found.sort == "Column, ambiguous"
    assert dict(found.facts)["nearest"] == "users.id, orders.id"


def test_what_is_not_known_says_why(desk):
    found = hover(desk, "SELECT x| FROM nowhere, users;")[1].card
    assert found.sort == "Column, not known"
    assert dict(found.facts)["why"]


def test_where_nothing_stands_nothing_is_told(desk):
    assert hover(desk, "SELECT 1| FROM users")[1] is None
    assert hover(desk, "SELECT 1; |-- users")[1] is None


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "0 s"), (59, "59 s"), (61, "1 min"), (3_601, "1 h"), (90_000, "1 days"), (-5, "0 s")],
)
def test_ages_are_told_in_the_unit_that_fits(seconds, told):
    assert provenance(Origin("ddl", "schema.sql:12", 1_000.0), 1_000.0 + seconds) == (
        f"ddl schema.sql:12, read {told} ago"
    )


def test_two_sources_that_disagree_are_told(sql):
    one = Facts((Binding("users", "Table", origin=Origin("ddl", "a.sql:1")),), frozenset({"Table"}))
    other = Facts((Binding("orders", "Table", origin=Origin("database", "x.db")),), frozenset({"Table"}))
    analyzer = Analyzer(sql, resolver_of(sql), [one, other])
    found = hover_at(analyzer.analyse("SELECT 1 FROM users;"), 16, sql, Offers(sql), 0.0)
    assert dict(found.card.facts)["in doubt"] == "ddl a.sql:1 declares it, database does not"
