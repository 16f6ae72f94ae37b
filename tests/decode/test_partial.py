"""Text that is cut short ends where somebody could go on: behind a word, in no string, and with no name that is not there."""

from __future__ import annotations

import pytest

from gproj_lsp.decode.complete import Completer, Wanted
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.models.fake import FakeModel, word_vocabulary
from gproj_lsp.facts import facts_from_table
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SURFACE = shipped()["sql"]
TABLES = {
    "singer": {"columns": ["singer_id", "name", "age"]},
    "stadium": {"columns": ["stadium_id", "place"]},
}
VOCABULARY = word_vocabulary(
    [
        "SELECT",
        "FROM",
        " FROM",
        "WHERE",
        " WHERE",
        "name",
        " name",
        "sing",
        "er",
        " sing",
        "age",
        " age",
        " =",
        " '",
    ]
)


@pytest.fixture(scope="module")
def analyzer():
    facts = facts_from_table(SURFACE, {"Table": TABLES}, "schema.toml:1")
    return Analyzer(SURFACE, resolver_of(SURFACE), facts, {"dialect": "sqlite"})


def written(analyzer, document, script, **said):
    """What is written behind a document by a model that wants the script there."""

    def wanted(text):
        line = text.rpartition(b"\n-- begin\n")[2]
        whole = (document + script).encode()
        return whole[len(line) :] if whole.startswith(line) else b""

    completer = Completer(
        SURFACE, Context(FakeModel(VOCABULARY, wanted)), make_engine(), Wanted(partial=True, **said)
    )
    text = f"\n-- begin\n{document}"
    return completer.complete(text, len(text.encode()), analyzer)


@pytest.mark.parametrize(
    ("budget", "text"),
    [(1, "name"), (2, "name FROM"), (3, "name FROM"), (4, "name FROM"), (5, "name FROM singer WHERE")],
)
def test_it_ends_behind_a_word(analyzer, budget, text):
    found = written(analyzer, "SELECT ", "name FROM singer WHERE age = 1", budget=budget)
    assert (found.text, found.late) == (text, False)
    assert found.reason


def test_it_ends_in_no_string(analyzer):
    found = written(analyzer, "SELECT name FROM singer WHERE ", "name = 'a b c d e f g'", budget=8)
    assert found.text == "name ="


def test_of_several_lines_there_is_the_first(analyzer):
    found = written(analyzer, "SELECT ", "name\nFROM singer", one_line=True)
    assert found.text == "name"
    found = written(analyzer, "SELECT name", "\nFROM singer\nWHERE age = 1", one_line=True)
    assert found.text == "\nFROM singer"


def test_where_there_was_no_time_there_is_no_text(analyzer):
    found = written(analyzer, "SELECT ", "name FROM singer", seconds=0.0)
    assert (found.text, found.late) == ("", True)


def test_a_text_is_withheld_that_mends_no_name_it_could_have_mended(analyzer):
    """`T1` is nothing yet while somebody writes, and a ghost behind a FROM that does not declare it."""
    found = written(analyzer, "SELECT T1.name FROM singer", ";")
    assert found.text == ""


@pytest.mark.parametrize(
    ("script", "text"), [("s.name FROM singer s", ""), ("name , s.age FROM singer s", "name ,")]
)
def test_it_ends_before_a_name_that_it_would_have_declared_later(analyzer, script, text):
    found = written(analyzer, "SELECT ", script, budget=4)
    assert found.text.strip() == text


def test_alternatives_share_the_time(analyzer):
    completer = Completer(
        SURFACE,
        Context(FakeModel(VOCABULARY, lambda _: b"name FROM singer")),
        make_engine(),
        Wanted(partial=True, seconds=0.0),
    )
    (found,) = completer.candidates("SELECT ", 7, analyzer, 3)
    assert (found.text, found.late) == ("", True)
