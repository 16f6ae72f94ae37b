"""The candidate trie: finite languages only, and quick where Γ changes."""

from __future__ import annotations

import pytest
from engines_on_trial import SMALL, accepts, admitted, engine, vocabulary

from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.engines.spelling import spelling
from gproj_lsp.decode.engines.trie import TrieEngine
from gproj_lsp.errors import EngineError
from gproj_lsp.gbnf import Grammar, Literal, Names, Ref, Repeat, Seq, parse


@pytest.mark.parametrize(
    "text",
    [
        'root ::= "(" root ")" | "x"',
        "root ::= [a-z]",
        'root ::= "a"{999}',
        'root ::= a a a a\na ::= b b b b\nb ::= c c c c\nc ::= d d d d\nd ::= e e e e\ne ::= "" | ""',
        'root ::= "x" a\n'
        + "\n".join(f'a{"-b" * at} ::= "" a{"-b" * (at + 1)}' for at in range(90))
        + f'\na{"-b" * 90} ::= "x"',
    ],
)
def test_what_is_not_made_of_names_and_fixed_texts_is_refused(text: str):
    with pytest.raises(EngineError, match="names and fixed texts"):
        engine("trie").compile(parse(text), SMALL)


def test_a_set_without_names_is_refused():
    with pytest.raises(EngineError, match="names and fixed texts"):
        engine("trie").compile(Grammar({"root": Seq((Literal("a"), Names(())))}), SMALL)


def test_long_lists_that_touch_are_refused():
    """A token may run from any name into any other: that is the product of both."""
    names = Names(tuple(f"n{number}" for number in range(400)))
    with pytest.raises(EngineError, match="names and fixed texts"):
        engine("trie").compile(Grammar({"root": Seq((names, names))}), SMALL)


@pytest.mark.parametrize("name", ["llguidance", "trie"])
def test_lists_of_names_of_any_length(name: str):
    grammar = Grammar(
        {
            "root": Seq((Ref("names"), Repeat(Seq((Literal(", "), Ref("names"))), 0, None), Literal(";"))),
            "names": Names(("a", "ab", "b, a")),
        }
    )
    matcher = engine(name).compile(grammar, SMALL)
    for text in ("a;", "ab, a;", "b, a, b, a;", "a, a, ab, b, a;"):
        assert accepts(matcher, text)
    for text in (";", "a", "a,;", "a, ;", "b;", "b, ;", "a, b;", "abb, a;"):
        assert not accepts(matcher, text)


def test_tokens_may_run_over_several_names():
    tokens = vocabulary("a,b", "a,b,a", "b,", ",a,", ",,")
    listed = Seq((Names(("a", "b")), Repeat(Seq((Literal(","), Names(("a", "b")))), 2, 2)))
    matcher = engine("trie").compile(Grammar({"root": listed}), tokens)
    assert {tokens.tokens[i] for i in admitted(matcher, tokens)} == {b"a", b"b", b"a,b", b"a,b,a", b"b,"}
    assert matcher.accept_bytes(b"a")
    assert {tokens.tokens[i] for i in admitted(matcher, tokens)} == {b",", b",a,"}
    assert accepts(matcher, ",a,b")


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


def test_what_the_trie_takes_is_served_by_it_whichever_engine_was_chosen():
    chosen = make_engine("llguidance")
    assert chosen.name == "llguidance"
    slot, open_name = parse('root ::= " " ("id" | "name") " FROM"'), parse('root ::= " " [a-z]+ " FROM"')
    assert (chosen.server(slot), chosen.server(open_name)) == ("trie", "llguidance")
    for grammar in (slot, open_name):
        assert admitted(chosen.compile(grammar, SMALL), SMALL) == admitted(
            engine("llguidance").compile(grammar, SMALL), SMALL
        )


def test_the_trie_itself_stays_itself():
    assert isinstance(make_engine("trie"), TrieEngine)
