"""How far the words of terminals go beyond each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_recogniser import accepts

from gproj_lsp.decode.engines.automaton import Automaton, automaton
from gproj_lsp.decode.engines.lark import lark_text
from gproj_lsp.decode.engines.shape import shape_of, sketch
from gproj_lsp.gbnf import AnyCase, Grammar, Names, alternation, parse


def pattern(text: str, *, cased: bool = True) -> Automaton:
    grammar = parse(f"root ::= {text}")
    return automaton(grammar.rules["root"], grammar, cased=cased)


def chars(found: int) -> str:
    return "".join(chr(byte) for byte in range(128) if found >> byte & 1)


@pytest.mark.parametrize(
    ("text", "word", "beyond", "inside"),
    [
        ("[a-c] [0-9]*", "a", "0123456789", ""),
        ("[a-c] [0-9]*", "a1", "0123456789", "1"),
        ("[a-c] [0-9]*", "a1x", "", "1x"),
        ("[a-c] [0-9]*", "x", "", ""),
        ('"\'" ([^\'] | "\'\'")* "\'"', "'it'", "'", ""),
        ('"\'" ([^\'] | "\'\'")* "\'"', "'it''s'", "'", "'"),
        ('"a" "b"', "ab", "", ""),
        ('"ab"? "c"', "ab", "c", ""),
    ],
)
def test_how_far_words_and_patterns_go_beyond_each_other(text: str, word: str, beyond: str, inside: str):
    assert tuple(map(chars, pattern(text).beside((word,)))) == (beyond, inside)


@pytest.mark.parametrize(
    ("one", "other", "bytes_"),
    [
        ("[a-b]+", "[a-c]+", "abc"),
        ("[a-b]+", '[a-b] "."', "."),
        ("[0-9]+", '[0-9]+ ("." [0-9]+)?', ".0123456789"),
        ("[0-9]+", "[a-z]+", ""),
        ('"\'" [^\']* "\'"', '"\'" ([^\'] | "\'\'")* "\'"', "'"),
    ],
)
def test_how_far_one_pattern_goes_beyond_another(one: str, other: str, bytes_: str):
    assert chars(pattern(one).continues(pattern(other))) == "".join(sorted(bytes_))


def test_two_cases_are_one_where_names_may_be_in_any():
    assert chars(pattern("[a-b] [A-B]*", cased=False).beside(("a",))[0]) == "ab"


def test_equal_terminals_are_one_automaton():
    assert pattern("[a-z]+") is pattern("[a-z]+")


def lexemes(grammar: Grammar) -> bool:
    """Whether the grammar is written with lexemes, not letter by letter."""
    return any(line.startswith("T") for line in lark_text(grammar).splitlines())


LIST = 'root ::= "SELECT" ws name (ws? "," ws? name)* ws "FROM" ws "(" root ")"\nws ::= [ \\n]'


def listing(*names: str) -> Grammar:
    rules = parse(f"{LIST}\nname ::= .").rules
    return Grammar({**rules, "name": Names(names)}, closed=frozenset({"name"}))


@pytest.mark.parametrize(
    "names",
    [
        ("id", "id_2", "FROM_date", "SELECTED"),
        ('"a b"', '"a"', '"select"'),
        ('"a""b"', "a"),
    ],
    ids=["that begin like keywords and like each other", "quoted", "quoted, with quotes inside"],
)
def test_white_space_parts_lexemes_of_ordinary_names(names: tuple[str, ...]):
    assert lexemes(listing(*names))


def test_names_that_hold_what_may_follow_them_are_written_letter_by_letter():
    assert not lexemes(listing("a", "a,b"))


def test_names_in_any_case_are_lexemes_too():
    grammar = Grammar({**listing("x").rules, "name": AnyCase(("Id", "from_date"))})
    assert lexemes(grammar)
    assert '"Id"i | "from_date"i' in lark_text(grammar)


def test_grammars_that_differ_in_names_alone_have_one_shape():
    base = listing("x").rules
    one, two = (
        Grammar({**base, "name": Names(names)}) for names in (("users", "id"), ("orders", "T1", "_x"))
    )
    assert shape_of(one) == shape_of(two)
    assert hash(shape_of(one)) == hash(shape_of(two))
    for other in (("é", "id"), ('"a b"', "id"), ("", "id"), ()):
        assert shape_of(Grammar({**base, "name": Names(other)})) != shape_of(one)


@given(st.lists(st.text("aé1 ._\"'*", min_size=1, max_size=5), min_size=1, max_size=4, unique=True))
def test_a_sketch_takes_what_it_is_a_sketch_of(names: list[str]):
    whole = Grammar({"root": alternation(tuple(sketch(names)))})
    assert all(accepts(whole, name) for name in names)


def test_a_sketch_keeps_what_tells_lexemes_apart():
    whole = Grammar({"root": alternation(tuple(sketch(['T1."user id"', "T1.id", "T1.*", "users"])))})
    for text in ("T1.id *", "T1.*x", " T1.id", 'T1."user id" ', "id,"):
        assert not accepts(whole, text)


def test_other_rules_make_another_shape():
    assert shape_of(listing("a")) != shape_of(listing("a")), "compared by which objects they are"
