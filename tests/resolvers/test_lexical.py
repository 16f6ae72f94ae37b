"""Names resolved by `locals.scm` alone."""

from dataclasses import replace

import pytest

from gproj_lsp.environment import EMPTY, Environment
from gproj_lsp.facts import facts_from_table
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import Verdict, resolver_of
from gproj_lsp.resolvers.lexical import LexicalResolver
from gproj_lsp.surface import load
from gproj_lsp.text import Span


@pytest.fixture
def analyse(toy):
    return Analyzer(toy, resolver_of(toy), facts_from_table(toy, {"Table": ["users"]})).analyse


def verdicts(analysis):
    return {reference.name: reference.verdict for _, reference in analysis.each_reference()}


def test_facts_and_definitions_above_declare(analyse):
    analysis = analyse("CREATE TABLE t (a int); SELECT 1 FROM t; SELECT 1 FROM users; SELECT 1 FROM nope;")
    assert verdicts(analysis) == {"t": Verdict.DECLARED, "users": Verdict.DECLARED, "nope": Verdict.GHOST}


def test_a_definition_ends_with_its_scope(analyse):
    analysis = analyse("SELECT u.id FROM users AS u; SELECT u.id FROM users AS v;")
    assert [reference.verdict for _, reference in analysis.each_reference() if reference.name == "u"] == [
        Verdict.DECLARED,
        Verdict.UNKNOWN,
    ]


def test_an_inner_scope_sees_the_outer_one_and_not_its_siblings(analyse):
    analysis = analyse(
        "SELECT u.id FROM users AS u WHERE EXISTS (SELECT u.id FROM users AS w) AND EXISTS (SELECT w.id FROM users AS x);"
    )
    found = {
        (reference.name, reference.verdict)
        for _, reference in analysis.each_reference()
        if reference.sort == "Alias"
    }
    assert found == {("u", Verdict.DECLARED), ("w", Verdict.UNKNOWN)}


def test_gamma_at_a_place_holds_what_its_scopes_declare_before_it(analyse):
    text = "SELECT 1 FROM users AS u JOIN users AS v ON ??;"
    (hole,) = analyse(text).holes
    assert {binding.name for binding in hole.environment if binding.sort == "Alias"} == {"u", "v"}
    early = analyse(text).environment_at(text.index("JOIN"))
    assert {binding.name for binding in early if binding.sort == "Alias"} == {"u"}


def test_a_hole_at_a_reference_expects_its_sort(analyse):
    (hole,) = analyse("SELECT 1 FROM ??;").holes
    assert hole.sort == "Table"


def test_a_broken_statement_and_an_empty_gamma_say_nothing(toy, analyse):
    assert Verdict.GHOST not in verdicts(analyse("SELECT 1 FROM nope WHERE WHERE (;")).values()
    bare = Analyzer(toy, resolver_of(toy)).analyse("SELECT 1 FROM nope;")
    assert verdicts(bare) == {"nope": Verdict.UNKNOWN}


def test_attributes_come_from_captures_and_settings(toy_root):
    (toy_root / "locals.scm").write_text(
        "((create_table (object_reference schema: (identifier)? @schema name: (identifier) @local.definition.Table))"
        ' (#set! kind "table"))'
    )
    toy = load(toy_root)
    analysis = Analyzer(toy, resolver_of(toy)).analyse("CREATE TABLE app.t (a int); ")
    (binding,) = analysis.environment_at(99)
    assert dict(binding.attrs) == {"kind": "table", "schema": "app"}


def test_a_surface_without_a_query_knows_nothing(toy_root):
    (toy_root / "locals.scm").unlink()
    toy = load(toy_root)
    analysis = Analyzer(toy, resolver_of(toy)).analyse("SELECT 1 FROM ??; SELECT 1 FROM nope;")
    assert (analysis.references, analysis.diagnostics, analysis.holes[0].sort) == (0, (), "")
    assert isinstance(analysis.environment_at(0), type(EMPTY))
    assert list(Environment(analysis.start.frames)) == []


def test_a_surface_may_name_the_lexical_resolver(toy):
    assert isinstance(resolver_of(replace(toy, resolver="lexical")), LexicalResolver)


def test_a_statement_with_an_error_is_not_readable(analyse):
    analysis = analyse("SELECT 1 FROM users; SELECT FROM FROM;")
    assert analysis.readable(Span(0, 3))
    assert not analysis.readable(Span(30, 31))
    assert not analysis.readable(Span(10, 31))
