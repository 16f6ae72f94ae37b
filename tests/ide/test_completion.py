"""Completion without a server: what fits, what is replaced, and whether that is all."""

import pytest

from gproj_lsp.facts import facts_from_table
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.completion import Completer
from gproj_lsp.resolve import resolver_of


def complete(desk, marked):
    place = desk.place(marked, typing=True)
    return place, Completer(desk.surface).at(desk.analyzer, place.analysis, place.offset)


def names(desk, marked):
    found = complete(desk, marked)[1]
    return None if found is None else [each.text for each in found.items]


@pytest.mark.parametrize(
    ("marked", "offered"),
    [
        ("SELECT u.| FROM users u", ["id", "name", '"e-mail"']),
        ("SELECT u.na| FROM users u", ["id", "name", '"e-mail"']),
        (
            "SELECT | FROM users u JOIN orders o",
            ["u.id", "name", '"e-mail"', "o.id", "user_id", "total", "u", "o"],
        ),
        ("SELECT * FROM |", ["users", "orders"]),
        ("WITH c AS (SELECT 1) SELECT * FROM |", ["c", "users", "orders"]),
        ("SELECT * FROM users u JOIN orders o ON u.|", ["id", "name", '"e-mail"']),
        ("SELECT * FROM users u JOIN orders o ON |.user_id = 1", ["o"]),
        ("WITH c AS (SELECT id AS x FROM users) SELECT c.| FROM c", ["x"]),
        ("SELECT c.| FROM (SELECT total FROM orders) c", ["total"]),
        ("INSERT INTO orders (id, |", ["user_id", "total"]),
        ("UPDATE orders SET |", ["id", "user_id", "total"]),
        ("DELETE FROM orders WHERE |", ["id", "user_id", "total", "orders"]),
        ("SELECT id FROM orders ORDER BY |;", ["id", "user_id", "total", "orders"]),
        ("ALTER TABLE users RENAME COLUMN |", ["id", "name", '"e-mail"']),
        ("SELECT ?|? FROM orders", ["id", "user_id", "total"]),
    ],
)
def test_what_fits_is_offered_nearest_first(desk, marked, offered):
    assert names(desk, marked) == offered


@pytest.mark.parametrize(
    "marked",
    [
        "|",
        "SELECT 1; |",
        "-- users |",
        "SELECT 1 -- us|ers",
        "SELECT /* us|ers */ 1",
        "SELECT 'us|ers' FROM users",
        "SELECT 'us|",
        "SELECT 12| FROM users",
        "SELECT :na|me FROM users",
        "SELECT x.| FROM users u",
        "CREATE TABLE |",
        "SELECT id AS | FROM users",
        "SELECT id FROM users LIMIT |",
    ],
)
def test_where_no_name_can_stand_nothing_is_offered(desk, marked):
    assert not names(desk, marked)


@pytest.mark.parametrize(
    ("marked", "replaced"),
    [
        ("SELECT u.na|me FROM users u", "name"),
        ("SELECT u.|name FROM users u", "name"),
        ("SELECT u.name| FROM users u", "name"),
        ("SELECT u.| FROM users u", ""),
        ("SELECT ?|? FROM users", "??"),
        ('SELECT {:Col|umn "who?"} FROM users', '{:Column "who?"}'),
        ('SELECT "na|me" FROM users', '"name"'),
        ('SELECT "na| FROM users', '"na'),
        ("SELECT 'ö😀', nä|me FROM users", "näme"),
    ],
)
def test_exactly_the_word_or_the_hole_is_replaced(desk, marked, replaced):
    place, found = complete(desk, marked)
    assert place.at(found.span) == replaced
    assert found.items


def test_functions_are_offered_once_something_is_typed(desk):
    assert not complete(desk, "SELECT | FROM users")[1].whole
    found = complete(desk, "SELECT lo| FROM users")[1]
    assert "lower" in [each.text for each in found.items]
    assert [each.fits for each in found.items[:3]] == [True] * 3


def test_without_a_source_every_column_is_offered(desk):
    assert names(desk, "SELECT |") == ["id", "name", '"e-mail"', "user_id", "total"]


def test_a_long_list_is_cut_and_what_is_typed_decides(sql):
    tables = {f"t{number}": {"columns": ["a"]} for number in range(1_000)}
    analyzer = Analyzer(
        sql, resolver_of(sql), facts_from_table(sql, {"Table": tables}), {"dialect": "sqlite"}
    )
    text = "SELECT * FROM t99"
    found = Completer(sql).at(analyzer, analyzer.analyse(text, len(text)), len(text))
    assert not found.whole
    assert [each.text for each in found.items][:11] == ["t99", *(f"t99{digit}" for digit in range(10))]
    assert len(Completer(sql).at(analyzer, analyzer.analyse("SELECT * FROM "), 14).items) == 150


def test_letters_of_a_name_in_their_order_are_enough(sql):
    tables = {"customer_orders": {}, **{f"t{number}": {"columns": ["a"]} for number in range(300)}}
    analyzer = Analyzer(
        sql, resolver_of(sql), facts_from_table(sql, {"Table": tables}), {"dialect": "sqlite"}
    )
    found = Completer(sql).at(analyzer, analyzer.analyse("SELECT * FROM cuo"), 17)
    assert [each.text for each in found.items] == ["customer_orders"]


def test_a_surface_of_scopes_completes_what_they_hold(toy):
    analyzer = Analyzer(toy, resolver_of(toy), facts_from_table(toy, {"Table": {"users": {}}}))
    text = "SELECT a FROM us"
    found = Completer(toy).at(analyzer, analyzer.analyse(text, len(text)), len(text))
    assert [each.text for each in found.items] == ["users"]
