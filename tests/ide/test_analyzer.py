"""The analyser: Γ statement by statement, what an edit keeps, and what it makes of sources that differ."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_resolver import ToyResolver

from gproj_lsp.environment import Binding, Key, Origin, Query
from gproj_lsp.facts import Facts, facts_from_table
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import Expectation, Verdict, resolver_of
from gproj_lsp.surface import Limits
from gproj_lsp.text import Span

WORLD = Facts((Binding("users", "Table", origin=Origin("database", "shop.db")),), frozenset({"Table"}))


@pytest.fixture
def resolver():
    return ToyResolver()


@pytest.fixture
def analyse(toy, resolver):
    return Analyzer(toy, resolver, WORLD).analyse


def names(analysis):
    return [diagnostic.name for diagnostic in analysis.diagnostics]


def table(name):
    return Key("Table", "", name)


def test_a_name_that_nobody_declares_is_a_ghost(analyse):
    analysis = analyse("use usrs; use users dual;")
    assert names(analysis) == ["usrs"]
    assert analysis.diagnostics[0].span == Span(4, 8)
    assert analysis.diagnostics[0].suggestions == ("users",)
    assert analysis.diagnostics[0].origin == Origin("database", "shop.db")
    assert (analysis.references, analysis.unknown) == (3, 0)


def test_statements_are_read_in_order(analyse):
    assert names(analyse("use a; make a; use a; drop a; use a; make a; use a;")) == ["a", "a"]


def test_a_statement_may_say_that_more_is_there(analyse):
    analysis = analyse("use a; open; use a;")
    assert names(analysis) == ["a"]
    assert analysis.unknown == 1


def test_without_a_provider_nothing_is_a_ghost(toy, resolver):
    analysis = Analyzer(toy, resolver).analyse("use a;")
    assert (names(analysis), analysis.references, analysis.unknown) == ([], 1, 1)


def test_the_word_under_the_cursor_is_left_alone(toy, resolver):
    analyzer = Analyzer(toy, resolver, WORLD)
    text = "use usrs oders;"
    assert names(analyzer.analyse(text, cursor=8)) == ["oders"]
    assert names(analyzer.analyse(text, cursor=9)) == ["usrs"]
    assert names(analyzer.analyse(text)) == ["usrs", "oders"]


@pytest.mark.parametrize(
    ("comment", "shown"),
    [
        ("use x; -- gproj: ignore", []),
        ("use x; -- gproj: ignore[ghost-reference]", []),
        ("use x; -- why: gproj: ignore[unknown-sort, ghost-reference]", []),
        ("use x; /* gproj: ignore */", []),
        ("-- gproj: ignore\nuse x;", []),
        ("-- gproj: ignore[unknown-sort]\nuse x;", ["x"]),
        ("use y; -- gproj: ignore\nuse x;", ["x"]),
        ("-- gproj: ignore\n\nuse x;", ["x"]),
        ("use x 'gproj: ignore';", ["x"]),
    ],
)
def test_a_comment_silences_its_line_or_the_next(analyse, comment, shown):
    assert names(analyse(comment)) == shown


def test_gamma_at_a_place_is_what_came_before_and_the_frames_around(analyse):
    analysis = analyse("make a;\nuse a;\ndrop a; ")
    assert analysis.environment_at(0).lookup(table("a")) is None
    assert analysis.environment_at(12).lookup(table("a")) is not None
    assert analysis.environment_at(12).lookup(table("self")) is not None
    assert analysis.environment_at(8).lookup(table("self")) is None
    assert analysis.environment_at(99).lookup(table("a")) is None
    assert analysis.expectation_at(12) == Expectation("Table", ("Verb",))
    assert analysis.expectation_at(22) == Expectation("")


def test_references_are_found_by_place(analyse):
    analysis = analyse("make é; use é users;")
    span, reference = analysis.reference_at(13)
    assert (span, reference.name, reference.verdict) == (Span(13, 15), "é", Verdict.DECLARED)
    assert analysis.reference_at(2) is None
    assert [span for span, _ in analysis.each_reference()] == [Span(13, 15), Span(16, 21)]
    assert analysis.lines.place(16) == "1:15"


def test_holes_carry_gamma_and_where_they_stand(analyse):
    analysis = analyse("make a;\nuse ?? {x:TableRef}; list ??")
    assert [(hole.sort, hole.span, hole.mark.name, hole.region) for hole in analysis.holes] == [
        ("Table", Span(12, 14), "", ("Verb",)),
        ("Table", Span(15, 27), "x", ("Verb",)),
        ("Table", Span(34, 36), "", ("Verb",)),
    ]
    found = analysis.holes[0].environment.names(Query.of("Table"))
    assert {binding.name for binding in found} == {"self", "a", "users", "dual"}
    assert found[0].name == "self"
    assert analysis.holes[0].statement == Span(8, 27)


def test_a_sort_that_the_surface_does_not_have_is_named(analyse):
    analysis = analyse("use {:Tabel};")
    assert [(each.code, each.name, each.span) for each in analysis.diagnostics] == [
        ("unknown-sort", "Tabel", Span(4, 12))
    ]
    assert analysis.diagnostics[0].suggestions[0] == "Table"
    assert analysis.holes[0].sort == ""


def test_a_file_over_the_limit_is_refused_whole(toy, resolver):
    small = replace(toy, limits=Limits(20, 1_000, 10))
    analysis = Analyzer(small, resolver, WORLD).analyse("use a; use b; use c; ??")
    assert analysis.problems == ("23 bytes are more than the limit of 20; not analysed",)
    assert (analysis.diagnostics, analysis.holes, analysis.references) == ((), (), 0)
    assert analysis.environment_at(5).lookup(table("users")) is not None
    assert analysis.reference_at(5) is None


@pytest.mark.parametrize("statement", ["use " + "long" * 10, "use " + "(" * 11, "deep", "fail"])
def test_a_statement_that_is_not_read_may_declare_anything(toy, resolver, statement):
    small = replace(toy, limits=Limits(1_000, 40, 10))
    analysis = Analyzer(small, resolver, WORLD).analyse(f"use a; {statement}; use a;")
    assert [diagnostic.span.start for diagnostic in analysis.diagnostics] == [4]


def test_wide_is_not_deep(toy, resolver):
    small = replace(toy, limits=Limits(1_000, 1_000, 10))
    assert names(Analyzer(small, resolver, WORLD).analyse("use " + "()" * 50 + " a;")) == ["a"]


class TestSources:
    """What several sources say of one world."""

    def test_a_name_that_another_source_lacks_is_unknown_and_both_are_named(self, toy, resolver):
        ddl = Facts((Binding("orders", "Table", origin=Origin("ddl", "schema.sql:3")),), frozenset({"Table"}))
        analysis = Analyzer(toy, resolver, [ddl, WORLD]).analyse("use orders; use users; use nope;")
        assert names(analysis) == ["nope"]
        assert [reference.reason for _, reference in analysis.each_reference()] == [
            "ddl schema.sql:3 declares it, database does not",
            "database shop.db declares it, ddl does not",
            "",
        ]
        assert analysis.unknown == 2

    def test_a_source_that_does_not_know_all_disputes_nothing(self, toy, resolver):
        notes = Facts((Binding("notes", "Table"),))
        analysis = Analyzer(toy, resolver, [notes, WORLD]).analyse("use users;")
        assert analysis.unknown == 0

    def test_what_providers_could_not_read_is_told(self, toy, resolver):
        analyzer = Analyzer(
            toy, resolver, [WORLD, Facts(problems=("b.sql is no UTF-8", "b.sql is no UTF-8"))]
        )
        assert analyzer.problems == ("b.sql is no UTF-8",)

    def test_files_declare_on_top_of_each_other(self, toy, resolver):
        facts = Analyzer(toy, resolver).declared([("make a b;", "V1.toy"), ("\ndrop a;\nmake c;", "V2.toy")])
        assert {each.name: each.origin for each in facts.bindings} == {
            "b": Origin("ddl", "V1.toy:1"),
            "c": Origin("ddl", "V2.toy:3"),
        }
        assert facts.closed == {"Table"}

    def test_files_that_leave_something_open_close_nothing(self, toy, resolver):
        assert Analyzer(toy, resolver).declared([("make a; open;", "a.toy")]).closed == frozenset()

    def test_a_file_over_the_limit_is_a_problem_and_closes_nothing(self, toy, resolver):
        small = replace(toy, limits=Limits(10, 1_000, 10))
        facts = Analyzer(small, resolver).declared([("make a;", "a.toy"), ("make b c d e;", "b.toy")])
        assert facts.problems == ("b.toy: 13 bytes are more than the limit of 10; not analysed",)
        assert facts.closed == frozenset()

    def test_facts_written_out_close_the_sorts_they_list(self, toy, resolver):
        facts = facts_from_table(toy, {"Table": {"users": {}}})
        assert names(Analyzer(toy, resolver, facts).analyse("use nope users;")) == ["nope"]


class TestEdits:
    """What an edit costs."""

    def test_only_the_statement_under_edit_is_resolved_again(self, analyse, resolver):
        text = "make a; use a; use users; list;"
        analyse(text)
        resolver.resolved.clear()
        analyse(text.replace("use users", "use user"))
        assert resolver.resolved == ["use user"]

    def test_gamma_stays_one_value_where_an_edit_declares_nothing(self, analyse):
        before = analyse("make a; use a; use users;").statements
        after = analyse("make a; use b; use users;").statements
        assert after[2].before is before[2].before

    def test_a_declaration_under_edit_concerns_who_mentions_it(self, analyse, resolver):
        text = "make a; use x; use a; use users; list *;"
        analyse(text)
        resolver.resolved.clear()
        assert names(analyse(text.replace("make a", "make ab"))) == ["x", "a"]
        assert "use users" not in resolver.resolved
        assert "use a" in resolver.resolved

    def test_what_was_taken_over_still_sees_the_new_gamma(self, analyse):
        text = "make a; list; use users;"
        analyse(text)
        analysis = analyse(text.replace("make a", "make ab"))
        assert analysis.environment_at(10).lookup(table("ab")) is not None
        assert [binding.name for binding in analysis.environment_at(13).names(Query.of("Alias"))][-1] == "ab"

    def test_going_back_costs_nothing(self, analyse, resolver):
        analyse("make a; use a;")
        analyse("make b; use a;")
        resolver.resolved.clear()
        analyse("make a; use a;")
        assert resolver.resolved == []


WORDS = st.sampled_from(["a", "b", "users", "??", "(", "'x'", "*"])
STATEMENTS = st.builds(
    lambda verb, words, end: " ".join([verb, *words]) + end,
    st.sampled_from(["make", "drop", "use", "list", "open", "-- gproj: ignore\nuse", ""]),
    st.lists(WORDS, max_size=3),
    st.sampled_from([";", ";\n", "", "; "]),
)
TEXTS = st.lists(STATEMENTS, max_size=6).map("".join)


def told(analysis, step=1):
    """Everything an analysis says, as plain values."""
    return (
        analysis.diagnostics,
        [(hole.span, hole.sort, gamma(hole.environment)) for hole in analysis.holes],
        (analysis.references, analysis.unknown),
        [(span, reference) for span, reference in analysis.each_reference()],
        [gamma(analysis.environment_at(at)) for at in range(0, len(analysis.source.data) + 1, step)],
    )


def gamma(environment):
    declared = (binding for binding in environment if binding.origin.provider != "builtin")
    return sorted((binding.name, binding.sort, binding.owner, binding.spelling) for binding in declared)


CURSORS = st.one_of(st.none(), st.integers(0, 20))


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXTS, CURSORS), min_size=2, max_size=5))
def test_analysis_after_edits_is_analysis_anew(toy, edits):
    kept = Analyzer(toy, ToyResolver(), WORLD)
    for text, cursor in edits:
        assert told(kept.analyse(text, cursor)) == told(
            Analyzer(toy, ToyResolver(), WORLD).analyse(text, cursor)
        )


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.data())
def test_analysis_after_typing_in_the_middle_is_analysis_anew(toy, text, data):
    kept = Analyzer(toy, ToyResolver(), WORLD)
    kept.analyse(text)
    for _ in range(3):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 4)))
        text = text[:start] + data.draw(st.sampled_from(["", "a", ";", "make b;", " ", "\n"])) + text[end:]
        cursor = data.draw(CURSORS)
        assert told(kept.analyse(text, cursor)) == told(
            Analyzer(toy, ToyResolver(), WORLD).analyse(text, cursor)
        )


SQL_STATEMENTS = st.sampled_from(
    [
        "CREATE TABLE users (id int, name text)",
        "CREATE TABLE users (id int, age int, name text)",
        "CREATE TABLE users (id int)",
        "CREATE TABLE IF NOT EXISTS orders (id int, user_id int REFERENCES users (id))",
        "CREATE TABLE app.users (id int, login text)",
        "CREATE VIEW adults AS SELECT * FROM users",
        "CREATE VIEW names AS SELECT name FROM users",
        "CREATE TABLE copies AS SELECT id, name FROM users",
        "CREATE TABLE likes (LIKE users)",
        "ALTER TABLE users ADD COLUMN email text",
        "ALTER TABLE users RENAME COLUMN name TO title",
        "ALTER TABLE users RENAME TO people",
        "DROP TABLE users",
        "DROP TABLE IF EXISTS orders CASCADE",
        "DROP VIEW adults",
        "SELECT name FROM users",
        "SELECT u.name, o.id FROM users u JOIN orders o ON o.user_id = u.id",
        "SELECT name FROM adults",
        "SELECT title FROM people",
        "SELECT x.b FROM users AS x (a, b)",
        "SELECT id FROM users NATURAL JOIN orders",
        "SELECT id FROM likes, copies",
        "SELECT login FROM app.users",
        "SELECT ?? FROM users",
        "INSERT INTO users (id, name) SELECT id, email FROM users",
        "UPDATE users SET name = email WHERE age > 1",
        "SELECT nope FROM nowhere",
        "BEGIN",
        "COMMIT",
        "not SQL at all (",
    ]
)
SQL_TEXTS = st.lists(SQL_STATEMENTS, min_size=1, max_size=7)


@settings(max_examples=40, deadline=None)
@given(
    SQL_TEXTS,
    st.lists(st.tuples(st.integers(0, 6), st.one_of(st.none(), SQL_STATEMENTS)), max_size=4),
    st.sampled_from(["sqlite", "postgres", "generic"]),
)
def test_sql_after_edits_of_whole_statements_is_sql_anew(sql, statements, edits, dialect):
    facts = facts_from_table(sql, {"Table": {"orders": {"columns": ["id", "user_id"]}}})
    kept = Analyzer(sql, resolver_of(sql), facts, {"dialect": dialect})
    kept.analyse(";\n".join(statements))
    for at, new in edits:
        statements[at : at + 1] = [new] if new else []
        text = ";\n".join(statements)
        fresh = Analyzer(sql, resolver_of(sql), facts, {"dialect": dialect})
        assert told(kept.analyse(text), 50) == told(fresh.analyse(text), 50), text
