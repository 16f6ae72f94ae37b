"""A hole is a sort, Γ there, and the regions around it."""

from toy_resolver import ToyResolver

from gproj_lsp.environment import EMPTY, Key, Query
from gproj_lsp.facts import facts_from_table
from gproj_lsp.holes import holes_of, inside
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import World, resolver_of
from gproj_lsp.syntax import lexer_of
from gproj_lsp.text import Span

SHOP = {"Table": {"users": {"columns": ["id", "name"]}, "orders": {"columns": ["id", "user_id"]}}}


def toy_holes(toy, text, start=0):
    statement = lexer_of(toy).statement(text)
    resolution = ToyResolver().resolve(statement, EMPTY, World(frozenset(), {}))
    return list(holes_of(statement, start, resolution, EMPTY, toy))


def test_a_hole_takes_its_sort_from_its_place(toy):
    assert [hole.sort for hole in toy_holes(toy, "use ??")] == ["Table"]
    assert [hole.sort for hole in toy_holes(toy, "?? x")] == [""]


def test_a_sort_that_is_written_wins_and_aliases_count(toy):
    found = toy_holes(toy, "use {:Column} {:TableRef} {:Nothing}")
    assert [hole.sort for hole in found] == ["Column", "Table", ""]


def test_places_are_the_document_s(toy):
    (hole,) = toy_holes(toy, "use ??", start=100)
    assert (hole.span, hole.statement, hole.mark.span) == (Span(104, 106), Span(100, 106), Span(4, 6))


def test_gamma_at_a_hole_has_the_frames_around_it_on_top(toy):
    statement = lexer_of(toy).statement("use ??")
    resolution = ToyResolver().resolve(statement, EMPTY, World(frozenset(), {}))
    assert inside(resolution, EMPTY, 4).lookup(Key("Table", "", "self")) is not None
    assert inside(resolution, EMPTY, 0) is EMPTY


def holes_in_sql(sql, text):
    facts = facts_from_table(sql, SHOP)
    return Analyzer(sql, resolver_of(sql), facts, {"dialect": "sqlite"}).analyse(text).holes


def spellings(hole):
    return {binding.spelling for binding in hole.environment.names(Query.of(hole.sort, scope="visible"))}


def test_a_column_hole_in_sql_sees_what_from_names_and_qualifies_what_is_ambiguous(sql):
    (hole,) = holes_in_sql(sql, "SELECT ?? FROM users u JOIN orders o ON o.user_id = u.id;")
    assert hole.sort == "Column"
    assert spellings(hole) >= {"u.id", "o.id", "name", "user_id"}
    assert not spellings(hole) & {"id"}


def test_a_table_hole_in_sql_sees_tables(sql):
    (hole,) = holes_in_sql(sql, "SELECT id FROM ??;")
    assert hole.sort == "Table"
    assert spellings(hole) >= {"users", "orders"}
