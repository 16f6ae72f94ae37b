"""Where text is offered to somebody who types, and what of it is worth showing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gproj_lsp.ide.inline import Spot, is_wanted, worth_showing


def spot_at(desk, marked, **said):
    place = desk.place(marked, typing=True)
    return Spot(place.analysis, place.offset, **said)


@pytest.mark.parametrize(
    "marked",
    [
        "|",
        "SELECT |",
        "SELECT name FROM users WHERE | ",
        "SELECT COUNT(|)",
        "SELECT * FROM (SELECT id FROM |);",
        "SELECT name|\nFROM users;",
        "SELECT 'x' |",
        "/* all */ SELECT |",
        "-- all\n|",
        'SELECT "e|"',
    ],
)
def test_somebody_who_types_is_offered_text_at_the_end_of_a_line(desk, marked):
    assert is_wanted(spot_at(desk, marked), desk.surface.completion)


@pytest.mark.parametrize(
    "marked", ["SELECT | FROM users", "SELECT na|me", "SELECT (|) AS n", "SELECT |-- the name"]
)
def test_nothing_is_pushed_aside_unless_somebody_asks(desk, marked):
    assert not is_wanted(spot_at(desk, marked), desk.surface.completion)
    assert is_wanted(spot_at(desk, marked, asked=True), desk.surface.completion)


def test_who_deletes_wants_nothing_instead(desk):
    assert not is_wanted(spot_at(desk, "SELECT |", deleted=True), desk.surface.completion)
    assert is_wanted(spot_at(desk, "SELECT |", deleted=True, asked=True), desk.surface.completion)


@pytest.mark.parametrize(
    ("marked", "key"),
    [
        ("-- who |", "in_comments"),
        ("SELECT 1;\n-- who |", "in_comments"),
        ("SELECT /* who |", "in_comments"),
        ("SELECT 'who |", "in_strings"),
        ("SELECT name FROM users WHERE name = '|'", "in_strings"),
    ],
)
@pytest.mark.parametrize("asked", [False, True])
def test_comments_and_strings_are_left_alone_unless_the_surface_says_otherwise(desk, marked, key, asked):
    spec = desk.surface.completion
    assert not is_wanted(spot_at(desk, marked, asked=asked), spec)
    assert is_wanted(spot_at(desk, marked, asked=asked), replace(spec, **{key: True}))


def test_a_client_command_is_left_alone(desk):
    assert not is_wanted(spot_at(desk, "SELECT 1;\n\\d |", asked=True), desk.surface.completion)


@pytest.mark.parametrize(
    ("marked", "text", "shown"),
    [
        ("SELECT |", "name FROM users;", "name FROM users;"),
        ("SELECT COUNT(|)", "id)", "id"),
        ("SELECT COUNT(|);", "id);", "id"),
        ("SELECT |\nFROM users;", "name\nFROM users;", "name"),
        ("SELECT name |\nFROM users;", "FROM users;", ""),
        ("SELECT name |\r\n\r\n  FROM users;\r\n", "AS n\nFROM users;", "AS n"),
        ("SELECT 1;\n|\nSELECT 2;\nSELECT 3;", "SELECT 2;\nSELECT 3;", ""),
        ("SELECT 1;\n|\nSELECT 2;\nSELECT 3;", "SELECT 0;\nSELECT 2;", "SELECT 0;"),
        ("SELECT 1;\n|\nSELECT 2;", "SELECT 2, 3;", "SELECT 2, 3;"),
        ("SELECT 1|", ";", ""),
        ("SELECT f(g(1|", "));", ""),
        ("SELECT nam|", "e", ""),
        ("SELECT na|", "me", "me"),
        ("|", " \n ", ""),
    ],
)
def test_what_stands_there_anyway_and_what_is_too_little_is_not_shown(desk, marked, text, shown):
    assert worth_showing(text, spot_at(desk, marked)) == shown
