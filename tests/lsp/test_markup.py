"""Cards as text: nothing of a schema becomes markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from gproj_lsp.ide.card import Card
from gproj_lsp.lsp.markup import coded, fenced, line, markup

CARD = Card("na`me", "Column", (("type", "TEXT"), ("table", "a\nb")), 'root ::= "```"')


def test_markdown_keeps_names_in_code_spans():
    found = markup(CARD, markdown=True)
    assert found.kind == types.MarkupKind.Markdown
    assert found.value == (
        '``na`me`` (`Column`)\n\n- type: `TEXT`\n- table: `a\\u000ab`\n\n````\nroot ::= "```"\n````'
    )


def test_plain_text_has_no_marks():
    found = markup(CARD, markdown=False)
    assert found.kind == types.MarkupKind.PlainText
    assert found.value == 'na`me (Column)\n  type: TEXT\n  table: a\\u000ab\n\nroot ::= "```"'


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a", "`a`"),
        ("`", "`` ` ``"),
        ("`a", "`` `a ``"),
        (" a", "`  a `"),
        ("", "`  `"),
        ("a``b", "```a``b```"),
    ],
)
def test_a_code_span_is_longer_than_any_run_of_ticks_in_it(text, span):
    assert coded(text) == span


@given(st.text())
def test_a_code_span_is_one_line_and_closes_only_at_its_end(text):
    span = coded(text)
    assert "\n" not in span
    ticks = len(span) - len(span.lstrip("`"))
    assert span.endswith("`" * ticks)
    assert "`" * ticks not in span[ticks:-ticks].replace("`" * (ticks + 1), "")


@given(st.text())
def test_a_line_is_short_and_can_be_printed(text):
    assert len(line(text)) <= 300
    assert all(char.isprintable() for char in line(text))


def test_a_code_block_holds_any_ticks():
    assert fenced("````", "gbnf") == "`````gbnf\n````\n`````"
