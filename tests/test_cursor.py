"""What counts as still being typed depends on where the cursor is."""

import pytest

from gproj_lsp.cursor import typed, without_word, word_at
from gproj_lsp.facts import Facts
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.syntax import lexer_of, split
from gproj_lsp.text import Span

SCHEMA = "CREATE TABLE singer (id int, name text); CREATE TABLE concert (year int);\n"


@pytest.fixture
def ghosts(sql):
    """The names flagged in a text after `SCHEMA`; `|` is the cursor."""
    analyzer = Analyzer(sql, resolver_of(sql), Facts(closed=frozenset({"Table"})), {"dialect": "sqlite"})

    def names(text: str) -> list[str]:
        before, bar, after = (SCHEMA + text).partition("|")
        cursor = len(before.encode()) if bar else None
        return [diagnostic.name for diagnostic in analyzer.analyse(before + after, cursor).diagnostics]

    return names


def completes(sql, text: str, cursor: int | None) -> list[bool]:
    source = typed(split(text, lexer_of(sql)), cursor)
    return [piece.statement.complete for piece in source.pieces]


def test_without_a_cursor_the_end_of_the_text_ends_the_last_statement(sql):
    assert completes(sql, "SELECT 1; SELECT 2", None) == [True, True]


def test_a_statement_may_go_on_where_the_cursor_is_at_its_end(sql):
    assert completes(sql, "SELECT 1; SELECT 2", 18) == [True, False]
    assert completes(sql, "SELECT 1; SELECT 2  -- two", 20) == [True, False]
    assert completes(sql, "SELECT 1; SELECT 2", 12) == [True, True]


def test_a_terminator_right_behind_the_cursor_does_not_count(sql):
    assert completes(sql, "SELECT 1; SELECT 2", 8) == [False, True]
    assert completes(sql, "SELECT 1 ; SELECT 2", 9) == [False, True]
    assert completes(sql, "SELECT 1; SELECT 2", 9) == [True, True]


def test_a_buffer_as_it_should_be_is_left_as_it_is(sql):
    source = split("SELECT 1; SELECT 2;", lexer_of(sql))
    assert typed(source, None) is source


def test_the_word_at_a_place(sql):
    statement = lexer_of(sql).statement("SELECT  'a b' FROM t")
    assert word_at(statement, 3) == Span(0, 6)
    assert word_at(statement, 6) == Span(0, 6)
    assert word_at(statement, 7) is None
    assert word_at(statement, 10) is None


def test_blanking_a_word_moves_nothing(sql):
    statement = lexer_of(sql).statement("SELECT ünï, \udcff FROM t")
    rest = without_word(statement, Span(7, 12))
    assert rest.data == b"SELECT      , \xff FROM t"
    assert rest.complete is statement.complete


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT nmae FROM singer", ["nmae"]),
        ("SELECT nmae FROM singer|", []),
        ("SELECT nmae FROM singer|;", []),
        ("SELECT nmae FROM singer WHERE id = 1|", ["nmae"]),
        ("SELECT nmae, id| FROM singer;", ["nmae"]),
        ("SELECT id FROM singer WHERE nmae| = 1;", []),
    ],
)
def test_what_is_flagged_while_someone_types(ghosts, text, expected):
    assert ghosts(text) == expected


def test_half_a_keyword_is_not_taken_for_an_alias(ghosts):
    assert ghosts("SELECT singer.id FROM singer JO| WHERE singer.name = 'x';") == []
    assert ghosts("SELECT singer.id FROM singer JO WHERE id = 1;") == ["singer.id"]
    assert ghosts("SELECT singer.idd FROM singer JO| WHERE singer.name = 'x';") == ["singer.idd"]
    assert ghosts("SELECT singer.idd FROM singer WHERE na| = 'x';") == ["idd"]
