"""Texts like a document's, read from what is known of the document."""

from __future__ import annotations

from gproj_lsp.ide.reading import Reading


def test_it_says_what_an_analysis_of_the_text_would(desk):
    place = desk.place("SELECT name FROM users;\nSELECT |")
    reading = Reading(desk.analyzer, place.analysis)
    for text, cursor in (("SELECT nope FROM users;", None), ("SELECT nope", 11), (place.text, None)):
        found, wanted = reading.analyse(text, cursor), desk.analyzer.analyse(text, cursor)
        assert found.diagnostics == wanted.diagnostics
        assert found.text == text


def test_the_state_of_no_document_changes(desk):
    before = desk.analyzer.analyse("SELECT name FROM users", document="a")
    Reading(desk.analyzer, before).analyse("SELECT nope FROM users")
    assert desk.analyzer.analyse("SELECT name FROM users", document="a").source is before.source


def test_a_text_is_read_once(desk):
    reading = Reading(desk.analyzer, desk.place("|").analysis)
    assert reading.analyse("SELECT 1") is reading.analyse("SELECT 1")


def test_a_statement_that_begins_behind_another_begins_a_line(desk):
    def glue(marked):
        place = desk.place(marked)
        return Reading(desk.analyzer, place.analysis).statement(place.text, place.offset).glue

    assert glue("SELECT 1;|") == "\n"
    assert glue("-- all of them|") == "\n"
    assert glue("SELECT 1; SELECT |") == ""
    assert glue("SELECT 1;\n|") == ""
    assert glue("|") == ""


def test_the_beginning_of_a_name_is_no_word_of_the_language(desk):
    place = desk.place("select tot|")
    drafting = Reading(desk.analyzer, place.analysis).statement(place.text, place.offset)
    assert drafting.canonical("select tot", {"select": "SELECT", "tot": "TOT"}) == "SELECT tot"
    assert drafting.canonical("select tot ", {"select": "SELECT", "tot": "TOT"}) == "SELECT TOT "


def test_it_is_known_where_a_text_ends_inside_of_something(desk):
    place = desk.place("|")
    drafting = Reading(desk.analyzer, place.analysis).statement("", 0)
    assert drafting.is_open("SELECT 'a")
    assert drafting.is_open('SELECT "a')
    assert drafting.is_open("SELECT 1 -- all")
    assert not drafting.is_open("SELECT 'a'")
    assert not drafting.is_open("SELECT a")
    assert not drafting.is_open("")
