"""The scopes of unfinished statements: which are open, what is being written in them, and whose names are decided."""

from __future__ import annotations

import pytest

from gproj_lsp.resolvers.sql.blocks import scopes
from gproj_lsp.surface import shipped
from gproj_lsp.syntax import lexer_of

LEXER = lexer_of(shipped()["sql"], "sqlite")


def read(text):
    """Each scope as its word, the region being written, whether SELECT's and that region's names are decided, and `open`."""
    return [
        (
            scope.kind,
            scope.region,
            *(name for name in ("Select", scope.region) if name in scope.decided),
            *(["open"] if scope.is_open else []),
        )
        for scope in scopes(LEXER.statement(text, complete=False))
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("SELECT a, ", [("SELECT", "Select", "open")]),
        ("SELECT a FROM t", [("SELECT", "From", "open")]),
        ("SELECT a FROM t JOIN u", [("SELECT", "From", "open")]),
        ("SELECT a FROM t JOIN u ON", [("SELECT", "Join", "Join", "open")]),
        ("SELECT a FROM t JOIN u ON t.x = u.x JOIN", [("SELECT", "From", "open")]),
        ("SELECT a FROM t WHERE", [("SELECT", "Where", "Select", "Where", "open")]),
        ("SELECT a FROM t GROUP", [("SELECT", "Group", "open")]),
        ("SELECT a FROM t GROUP BY", [("SELECT", "Group", "Select", "Group", "open")]),
        ("UPDATE t SET", [("UPDATE", "Set", "Select", "Set", "open")]),
        ("DELETE FROM t", [("DELETE", "From", "open")]),
        ("INSERT INTO t", [("INSERT", "Into", "open")]),
        ("INSERT INTO t (", [("INSERT", "Into", "Select", "Into", "open")]),
        ("CREATE INDEX i ON t (", [("CREATE", "Index", "Select", "Index", "open")]),
    ],
)
def test_one_scope_grows(text, expected):
    assert read(text) == expected


def test_a_query_inside_another_leaves_that_open():
    outer, inner = read("SELECT a FROM t WHERE x IN (SELECT b FROM u")
    assert outer == ("SELECT", "Where", "Select", "Where", "open")
    assert inner == ("SELECT", "From", "open")


def test_a_bracket_and_a_set_operator_end_a_query():
    assert [scope[-1] == "open" for scope in read("SELECT (SELECT b FROM u) FROM t")] == [True, False]
    assert [scope[-1] == "open" for scope in read("SELECT a FROM t UNION SELECT")] == [False, True]


def test_spans_hold_a_scope_and_its_regions_and_no_brackets():
    text = "SELECT (SELECT b FROM u) FROM t"
    outer, inner = scopes(LEXER.statement(text, complete=False))
    assert text[outer.span.start : outer.span.end] == text
    assert text[inner.span.start : inner.span.end] == "SELECT b FROM u"
    assert [text[each.span.start : each.span.end] for each in inner.clauses] == [" b", " u"]
    assert text[outer.since :] == " t"
