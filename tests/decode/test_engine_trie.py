"""The candidate trie: finite languages only, and quick where Γ changes."""

from __future__ import annotations

import pytest
from engines_on_trial import SMALL, accepts, admitted, engine, vocabulary

from gproj_lsp.decode.engines.spelling import spelling
from gproj_lsp.errors import EngineError
from gproj_lsp.gbnf import Grammar, Literal, Names, Seq, parse


@pytest.mark.parametrize(
    "text", ['root ::= "a"+', 'root ::= "(" root ")" | "x"', "root ::= .", "root ::= [a-z]{9}"]
)
def test_infinite_and_huge_languages_are_refused(text: str):
    with pytest.raises(EngineError, match="finite language"):
        engine("trie").compile(parse(text), SMALL)


def test_tokens_may_run_from_a_name_into_what_follows_it():
    tokens = vocabulary("id F", "id", " FROM")
    matcher = engine("trie").compile(
        Grammar({"root": Seq((Names(("id", "name")), Literal(" FROM")))}), tokens
    )
    assert {tokens.tokens[i] for i in admitted(matcher, tokens)} == {b"i", b"id", b"id F", b"n"}
    assert matcher.accept_bytes(b"id F")
    assert matcher.forced() == b"ROM"
    assert accepts(matcher, "ROM")


def test_forced_text_ends_where_names_part():
    matcher = engine("trie").compile(Grammar({"root": Names(("user_id", "user_name"))}), SMALL)
    assert matcher.forced() == b"user_"
    assert matcher.accept_bytes(b"user_")
    assert matcher.forced() == b""


def test_spelling_prefers_long_tokens_and_finds_a_way_where_there_is_one():
    tokens = vocabulary("list", "listen", "tened")
    assert tokens.decode(spelling(tokens).ids(b"listened")) == b"listened"
    assert len(spelling(tokens).ids(b"listened")) == 3  # listen e d
    poor = type(tokens)("poor", (b"li", b"list", b"sten"), frozenset(), None, None, list)
    assert spelling(poor).ids(b"listen") == [0, 2]
    assert spelling(poor).ids(b"lists") == []
