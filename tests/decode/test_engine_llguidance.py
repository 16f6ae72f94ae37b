"""What is llguidance's own: how grammars are written for it, and what it costs."""

from __future__ import annotations

import time

import pytest
from engines_on_trial import SMALL, accepts, admitted, engine, vocabulary

from gproj_lsp.decode.engines.lark import lark_text
from gproj_lsp.decode.engines.llguidance import LlguidanceEngine
from gproj_lsp.errors import EngineError
from gproj_lsp.gbnf import Grammar, Names, Ref, parse


def body(text: str) -> list[str]:
    """The lines of the Lark text behind its options."""
    return lark_text(parse(text)).splitlines()[1:]


def test_what_is_not_recursive_is_one_terminal():
    lines = body('root ::= "SELECT " c ("," c)*\nc ::= [a-z]+ | "\\"" [^"]+ "\\""')
    assert lines[0] == "start: T0"
    assert all(line.split(":")[0].isupper() or line.startswith(("start", "T")) for line in lines)


def test_names_are_written_flat_in_one_terminal():
    text = lark_text(Grammar({"root": Ref("c"), "c": Names(('a"b', "a\nb", "é", "\x7f"))}))
    assert 'T1: "a\\"b" | "a\\nb" | "é" | "\\u007f"\n' in text


def test_lexemes_that_can_meet_stay_whole_where_no_text_is_ambiguous():
    lines = body('root ::= "SELECT " e\ne ::= t (" + " t)*\nt ::= [a-z]+ | "(" e ")"')
    assert '" + "' in "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('root ::= n root? \nn ::= "list" | "listen"', False),  # nothing that follows can go on with `en`
        ('root ::= n ("ed" root)?\nn ::= "list" | "listen"', True),
        ('root ::= [a-z]+ "x" root?', True),  # `axbx` is one lexeme, or two
        ('root ::= [a-z]+ "." root?', False),
        ('root ::= [a-z]+ r\nr ::= "x" root | "."', True),
        ('root ::= [a-z]+ r\nr ::= " " root | "."', False),
        ('root ::= "a" r | "ab" r\nr ::= "b" root | "c"', True),
        ('root ::= "é" r | "éè" r\nr ::= "ê" root | "."', True),  # è and ê begin with the same byte
        ('root ::= "é" r | "éa" r\nr ::= "b" root | "."', False),
    ],
)
def test_clashes_are_found_before_decoding(text: str, expected: bool):  # noqa: FBT001  (a column of the table)
    """Where there is one, no lexeme is left: all are one-character rules."""
    assert any(line.startswith("T") for line in body(text)) == (not expected)


def test_a_mask_admits_every_spelling_of_forced_text():
    """And not only the one that the tokenizer would choose: the model saw others too."""
    matcher = engine("llguidance").compile(parse('root ::= "listened"'), SMALL)
    assert {SMALL.tokens[i] for i in admitted(matcher, SMALL)} == {b"l", b"li", b"list", b"listen"}


def test_bytes_that_are_no_token_can_be_matched():
    letters = vocabulary("abc")
    poor = type(letters)(
        "poor", tuple(b"" if len(t) == 1 else t for t in letters.tokens), letters.end, None, None, list
    )
    matcher = LlguidanceEngine().compile(parse('root ::= "abc" "d"?'), poor)
    assert accepts(matcher, "abcd")
    assert admitted(matcher, poor) == {256}


def test_a_vocabulary_without_an_end_still_matches():
    endless = vocabulary("ab", end=0)
    matcher = LlguidanceEngine().compile(parse('root ::= "ab"?'), endless)
    assert admitted(matcher, endless) == {ord("a"), 256}
    assert matcher.is_complete()


def test_compiled_grammars_are_kept_and_copies_begin_at_the_start():
    kept = LlguidanceEngine()
    grammar = parse('root ::= "ab" [a-z]{1,200}')
    first = kept.compile(grammar, SMALL)
    assert first.accept_bytes(b"abc")
    began = time.perf_counter()
    for _ in range(20):
        assert accepts(kept.compile(grammar, SMALL), "abc")
    assert time.perf_counter() - began < 2


def test_the_deepest_grammar_that_can_be_read_can_be_compiled():
    nested = '"x"'
    for _ in range(48):
        nested = f'("(" {nested} | "y")'
    for text in (f"root ::= {nested}", f'root ::= {nested} root | "."'):
        matcher = engine("llguidance").compile(parse(text), SMALL)
        assert matcher.accept_bytes(b"(" * 48 + b"x")


def test_what_it_can_not_compile_is_an_error_with_a_way_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gproj_lsp.decode.engines.llguidance.lark_text", lambda _: "start: /(/")
    with pytest.raises(EngineError) as caught:
        LlguidanceEngine().compile(parse('root ::= "a"'), SMALL)
    assert "llguidance refused" in caught.value.message
    assert caught.value.mend
