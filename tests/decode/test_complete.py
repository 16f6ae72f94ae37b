"""Writing on from a cursor, with models that want what they are told to want.

The laws: nothing undeclared is ever written, whatever the model wants and wherever the cursor is; what FROM decides later is
held against what SELECT named before; text that stands behind the cursor ends what is written before it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import count

import pytest

from gproj_lsp.decode.complete import Completer, Wanted
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.models.fake import FakeModel, UniformModel, word_vocabulary
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.decode.trace import Text
from gproj_lsp.errors import Cancelled
from gproj_lsp.facts import Request
from gproj_lsp.fragment import Rung
from gproj_lsp.gbnf import Literal, walk
from gproj_lsp.ide import Analyzer
from gproj_lsp.providers.database import Database
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SCHEMA = """\
CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
CREATE TABLE stadium (stadium_id INTEGER PRIMARY KEY, name TEXT, capacity INTEGER);
CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, theme TEXT, stadium_id INTEGER REFERENCES stadium (stadium_id));
"""
SURFACE = shipped()["sql"]
WORDS = sorted(
    {
        expr.text
        for fragment in SURFACE.fragments.values()
        for rule in fragment.grammar.rules.values()
        for expr in walk(rule)
        if isinstance(expr, Literal) and expr.text
    }
    | {"singer", "stadium", "concert", "name", "age", "country", "capacity", "theme", "stadium_id", "count"}
)
VOCABULARY = word_vocabulary([*WORDS, *(f" {word}" for word in WORDS)])


@pytest.fixture(scope="module")
def analyzer(tmp_path_factory) -> Analyzer:
    path = tmp_path_factory.mktemp("database") / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
    said = {"database": f"sqlite:///{path}", "dialect": "sqlite"}
    facts = Database().read(Request(path.parent, said, lambda _: None))
    return Analyzer(SURFACE, resolver_of(SURFACE), [facts], settings={"dialect": "sqlite"})


def wants(script, instead=b"name"):
    """A model that would write a script after the last line break it sees, and then end; asked again, something else."""

    def wanted(text):
        before, _, line = text.rpartition(b"\n")
        again = before.rpartition(b"\n")[2].startswith(b"-- ...")
        written = b"SELECT " + instead + b" FROM" if again else script.encode()
        if written.startswith(line):
            return written[len(line) :]
        # What stands before that was written otherwise.
        if b"LIMIT 3" in before + line:
            return b"?"
        same = line[max(line.rfind(b" FROM"), line.rfind(b" WHERE")) :]
        return written.partition(same)[2] if b" FROM" in line else b""

    return FakeModel(VOCABULARY, wanted)


def written(analyzer, script, document, **said):
    """What is written at the `|` of a document by a model that wants the whole line to be the script."""
    offset = document.index("|")
    text = document.replace("|", "")
    completer = Completer(SURFACE, Context(wants(script)), make_engine(), Wanted(**said))
    return completer.complete(text, len(text[:offset].encode()), analyzer)


@pytest.mark.parametrize(
    ("document", "script", "new"),
    [
        ("|", "SELECT name FROM singer WHERE age > 30;", "SELECT name FROM singer WHERE age > 30;"),
        ("SELECT name FROM |", "SELECT name FROM stadium;", "stadium;"),
        ("SELECT na|", "SELECT name FROM singer;", "me FROM singer;"),
        ("SELECT name FROM singer WHERE |", "SELECT name FROM singer WHERE age = 3;", "age = 3;"),
        ("-- all\nDELETE FROM |", "DELETE FROM singer;", "singer;"),
        (
            "SELECT people.name FROM singer AS people WHERE |",
            "SELECT people.name FROM singer AS people WHERE people.age = 3;",
            "people.age = 3;",
        ),
    ],
)
def test_from_any_cursor_on_the_model_writes_what_it_wants_where_that_holds(analyzer, document, script, new):
    found = written(analyzer, script, document)
    assert (found.text, found.guaranteed, found.reason) == (new, True, "")


def test_behind_a_comment_text_begins_on_a_line_of_its_own(analyzer):
    found = written(analyzer, "SELECT count(*) FROM singer;", "-- how many singers|")
    assert found.text == "\nSELECT count(*) FROM singer;"


def test_who_begins_a_line_with_what_is_no_statement_is_done(analyzer):
    found = written(analyzer, "SELECT name FROM singer LIMIT 3\n?", "|")
    assert (found.text, found.reason) == ("SELECT name FROM singer LIMIT 3", "")


def test_a_name_that_where_can_not_see_is_not_written_there(analyzer):
    found = written(
        analyzer, "SELECT name FROM singer WHERE capacity = 3;", "SELECT name FROM singer WHERE |"
    )
    assert "capacity" not in found.text


@pytest.mark.parametrize(
    ("document", "script", "whole"),
    [
        (
            "|",
            "SELECT theme FROM stadium WHERE name = 'x';",
            "SELECT theme FROM stadium JOIN concert ON concert.stadium_id = stadium.stadium_id WHERE name = 'x';",
        ),
        (
            "SELECT capacity FROM |",
            "SELECT capacity FROM concert;",
            "SELECT capacity FROM concert JOIN stadium ON concert.stadium_id = stadium.stadium_id;",
        ),
        (
            "SELECT capacity FROM concert AS evenings|",
            "SELECT capacity FROM concert AS evenings;",
            "SELECT capacity FROM concert AS evenings JOIN stadium ON evenings.stadium_id = stadium.stadium_id;",
        ),
    ],
)
def test_a_table_that_select_named_a_column_of_is_joined_along_the_one_key_to_it(
    analyzer, document, script, whole
):
    found = written(analyzer, script, document)
    assert document.replace("|", found.text) == whole
    assert found.guaranteed


def test_where_what_is_joined_would_make_other_names_ambiguous_it_is_not(analyzer):
    found = written(analyzer, "SELECT stadium_id, theme FROM stadium WHERE capacity = 3;", "|")
    assert "JOIN" not in found.text


def test_what_select_named_too_early_is_written_again_when_from_has_decided(analyzer):
    found = written(analyzer, "SELECT capacity FROM singer WHERE age = 3;", "|")
    assert found.text.endswith(" FROM singer WHERE age = 3;")
    assert "capacity" not in found.text
    assert analyzer.analyse(found.text).diagnostics == ()


def test_also_where_nothing_follows_from_or_a_bracket_ends_it(analyzer):
    for script in (
        "SELECT capacity FROM singer;",
        "SELECT name FROM singer WHERE age = (SELECT capacity FROM concert);",
    ):
        found = written(analyzer, script, "|")
        assert found.text
        assert analyzer.analyse(found.text).diagnostics == (), found.text


def test_an_enclosing_query_keeps_its_own_names_behind_a_nested_one(analyzer):
    script = "SELECT name FROM singer WHERE age = (SELECT max(capacity) FROM stadium) AND capacity = 3;"
    found = written(analyzer, script, "|")
    assert "(SELECT max(capacity) FROM stadium)" in found.text
    assert not found.text.endswith("AND capacity = 3;")
    assert analyzer.analyse(found.text).diagnostics == ()


def test_an_enclosing_query_reads_what_a_nested_one_declares_for_itself(analyzer):
    script = (
        "SELECT name FROM singer WHERE age = (SELECT max(spots.capacity) FROM stadium AS spots) AND age = 3;"
    )
    assert written(analyzer, script, "|").text == script
    within = "SELECT name FROM singer WHERE age = (SELECT max(spots.capacity) FROM stadium AS spots WHERE "
    assert written(analyzer, f"{within}spots.capacity = 3);", f"{within}|").text == "spots.capacity = 3);"


def test_a_common_table_can_be_named_by_what_follows_it(analyzer):
    script = "WITH old AS (SELECT name AS who FROM singer) SELECT who FROM old;"
    assert written(analyzer, script, "|").text == script


@pytest.mark.parametrize(
    ("document", "script", "new"),
    [
        ("SELECT | FROM singer", "SELECT name FROM singer", "name"),
        ("SELECT count(|) FROM singer", "SELECT count(*) FROM singer", "*"),
        (
            "SELECT name FROM singer WHERE | ORDER BY age;",
            "SELECT name FROM singer WHERE age = 3 ORDER BY age",
            "age = 3",
        ),
    ],
)
def test_text_behind_the_cursor_ends_what_is_written_and_is_never_repeated(analyzer, document, script, new):
    assert written(analyzer, script, document).text == new


def test_before_text_that_decides_names_only_those_are_written(analyzer):
    found = written(analyzer, "SELECT capacity FROM singer", "SELECT | FROM singer")
    assert "capacity" not in found.text


def test_where_grammars_end_a_single_name_is_written(analyzer):
    found = written(analyzer, "", "SELECT name FROM singer WINDOW w AS (ORDER BY |")
    assert found.text in {"singer_id", "name", "country", "age"} | {
        f"singer.{name}" for name in ("age", "name")
    }


def test_candidates_differ_and_come_in_the_order_of_their_probability(analyzer):
    completer = Completer(SURFACE, Context(wants("SELECT name FROM singer;")), make_engine())
    found = completer.candidates("SELECT name FROM ", 17, analyzer, 3)
    assert len({each.text for each in found}) == 3
    assert found[0].text == "singer;"


def test_the_budget_and_the_time_leave_nothing_half_made(analyzer):
    whole = "SELECT name FROM singer WHERE age = 3 AND age = 4 AND age = 5;"
    found = written(analyzer, whole, "|", budget=12)
    assert found.reason
    assert whole.startswith(found.text)
    assert analyzer.analyse(found.text).diagnostics == ()
    late = written(analyzer, whole, "|", seconds=0.0)
    assert (late.text, late.reason) == ("", "the time was up")


def test_a_stop_is_heard_within_one_step(analyzer):
    asked = count()
    model = wants("SELECT name FROM singer WHERE age = 3;")
    completer = Completer(SURFACE, Context(model), make_engine())
    with pytest.raises(Cancelled):
        completer.complete("", 0, analyzer, stop=lambda: next(asked) >= 3)
    assert model.calls <= 4


def test_what_is_told_while_writing_adds_up_to_the_text(analyzer):
    told = bytearray()

    def listen(event):
        if isinstance(event, Text):
            told[event.at :] = event.data

    model = Context(wants("SELECT capacity FROM singer WHERE age = 3;"))
    found = Completer(SURFACE, model, make_engine(), told=listen).complete("", 0, analyzer)
    assert told.decode() == found.text


@pytest.mark.parametrize(
    "script",
    [
        "SELECT name FROM singer WHERE age = 3;",
        "SELECT capacity FROM singer WHERE age = 3;",
        "WITH old AS (SELECT name AS who FROM singer) SELECT who FROM old;",
    ],
)
def test_names_that_were_all_held_to_their_scopes_are_told_to_be(analyzer, script):
    assert written(analyzer, script, "|").rung is Rung.CTX
    assert written(analyzer, script, "|", rung=Rung.GAMMA).rung is Rung.GAMMA


def test_the_base_rung_is_told_as_what_it_is(analyzer):
    found = written(analyzer, "SELECT nowhere FROM nothing;", "|", rung=Rung.BASE)
    assert found.text == "SELECT nowhere FROM nothing;"
    assert not found.guaranteed


class Hurried(UniformModel):
    """All tokens equally likely, but for those that bring a statement to its end."""

    def logits(self, fed):
        row = super().logits(fed)
        text = self.vocabulary.decode(fed[-40:])
        for word in (b" FROM", b";", b")", b" name", b"name", b"'"):
            token = self.vocabulary.encode(word)
            if len(token) == 1:
                row[token[0]] += 3.0 + (len(text) % 3)
        return row


def drawn(analyzer, number):
    """Statements drawn at random, no model being asked for its opinion."""
    desk = Completer(SURFACE, Context(Hurried(VOCABULARY)), make_engine()).desk
    for seed in range(number):
        sampling = Sampling(temperature=1.0, seed=seed)
        completer = Completer(
            SURFACE, desk.context, desk.engine, Wanted(sampling=sampling, budget=96), kept=desk.kept
        )
        found = completer.complete("", 0, analyzer)
        if found.text:
            yield found.text


def judged(statements):
    """What SQLite finds absent or ambiguous, or can't parse, with how many statements there were."""
    wrong, total = [], 0
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        for statement in statements:
            total += 1
            try:
                connection.execute(f"EXPLAIN {statement}")
            except sqlite3.Error as error:
                said = str(error)
                if any(sign in said for sign in ("no such", "ambiguous", "syntax", "has no column")):
                    wrong.append((said, statement))
    return wrong, total


def test_no_ghost_is_drawn_whatever_chance_wants(analyzer):
    wrong, total = judged(drawn(analyzer, 40))
    assert not wrong
    assert total > 10


@pytest.mark.slow
def test_no_ghost_is_drawn_ten_thousand_times(analyzer):
    wrong, total = judged(drawn(analyzer, 10_000))
    assert not wrong
    assert total > 5_000
