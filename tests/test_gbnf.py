"""GBNF: what is read, printed and said of a grammar."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_grammars import random_grammar
from reference_recogniser import accepts

from gproj_lsp.errors import GrammarError
from gproj_lsp.gbnf import (
    ANY,
    EMPTY,
    NESTING,
    Alt,
    AnyCase,
    CharClass,
    Derivations,
    Expr,
    Grammar,
    Literal,
    Names,
    Ref,
    Region,
    Repeat,
    Seq,
    Slot,
    Word,
    chain,
    check,
    escape,
    expanded,
    factored,
    lowered,
    parse,
    portable,
    prune,
    reachable,
    recursive,
    regions,
    render,
    sample,
    slots,
    strings,
    word_of,
)

# --- reading ------------------------------------------------------------------------------------------------------------------


def rule(text: str):
    """The expression of a one-rule grammar."""
    return parse(f"root ::= {text}").rules["root"]


@pytest.mark.parametrize(
    ("text", "expr"),
    [
        ('"abc"', Literal("abc")),
        ('""', EMPTY),
        ("()", EMPTY),
        (r'"\n\r\t\\\"\x41\u00e9\U0001F600"', Literal('\n\r\t\\"Aé😀')),
        ('"naïve"', Literal("naïve")),
        ("[a-z_]", CharClass(((97, 122), (95, 95)))),
        ("[^\\n\\]]", CharClass(((10, 10), (93, 93)), negated=True)),
        ("[-a]", CharClass(((45, 45), (97, 97)))),
        ("[a-]", CharClass(((97, 97), (45, 45)))),
        (r"[\x41-\x43]", CharClass(((65, 67),))),
        (r"[a\x2Dz]", CharClass(((97, 97), (45, 45), (122, 122)))),
        (".", ANY),
        ('"a" "b" | "c"', Alt((Seq((Literal("a"), Literal("b"))), Literal("c")))),
        ('"a" ("b" | "c")', Seq((Literal("a"), Alt((Literal("b"), Literal("c")))))),
        ('"ab"*', Repeat(Literal("ab"), 0, None)),
        ('"a"+ "b"?', Seq((Repeat(Literal("a"), 1, None), Repeat(Literal("b"), 0, 1)))),
        ('"a"{3}', Repeat(Literal("a"), 3, 3)),
        ('"a"{2,}', Repeat(Literal("a"), 2, None)),
        ('"a"{ 0 , 4 }', Repeat(Literal("a"), 0, 4)),
        ('"a" |', Alt((Literal("a"), EMPTY))),
        ("%from_table% @Where@", Seq((Slot("from_table"), Region("Where")))),
        ('"a" # "b"\n | "c"', Alt((Literal("a"), Literal("c")))),
    ],
)
def test_every_construct_is_read(text: str, expr: object):
    assert rule(text) == expr


def test_rules_follow_each_other_with_or_without_line_breaks():
    grammar = parse('root ::= a-1 b\n\n# a comment\na-1 ::= "x"\n | "y" b ::= "z"')
    assert list(grammar.rules) == ["root", "a-1", "b"]
    assert grammar.rules["a-1"] == Alt((Literal("x"), Literal("y")))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "g:1:1", "no rules"),
        ("# nothing", "g:1:1", "no rules"),
        ('start ::= "a"', "g:1:1", "no rule named root"),
        ('root "a"', "g:1:1", "expected `name ::=`"),
        ('root ::= "a"\n\n  root ::= "b"', "g:3:3", "defined twice"),
        ('root ::= "a"\n  "b', "g:2:3", "string is never closed"),
        ("root ::= [a-z", "g:1:10", "class is never closed"),
        ("root ::= []", "g:1:10", "matches nothing"),
        ("root ::= [z-a]", "g:1:10", "ends before it starts"),
        ('root ::= ("a"', "g:1:10", "parenthesis is never closed"),
        ('root ::= "a")', "g:1:13", "no parenthesis is open"),
        ("root ::= *", "g:1:10", "nothing before this to repeat"),
        ('root ::= "a" | *', "g:1:16", "nothing before this to repeat"),
        ('root ::= "a"{2,1}', "g:1:13", "ends before it starts"),
        ('root ::= "a"{x}', "g:1:13", "expected {m}"),
        ('root ::= "a"{2001}', "g:1:13", "bounded by 2,000"),
        ('root ::= "\\q"', "g:1:11", "unknown escape \\q"),
        ('root ::= "a\\uD800"', "g:1:12", "U+D800 is not a character"),
        ('root ::= "\\U00110000"', "g:1:11", "is not a character"),
        ('root ::= "\udc80"', "g:1:11", "U+DC80 is not a character"),
        ("root ::= %a", "g:1:10", "expected %name%"),
        ("root ::= a_b", "g:1:11", "unexpected character '_'"),
        ('root ::= "a"\nx ::= y', "g:2:1", "uses y, which is not defined"),
        ('root ::= x\nx ::= y "a"\ny ::= x', "g:2:1", "left recursion: x → y → x"),
        ('root ::= "b"? ("" | "a"*) root "c"', "g:1:1", "left recursion: root → root"),
        ('root ::= "a"***', "g:1:15", "more than two repetitions"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, place: str, message: str):
    with pytest.raises(GrammarError) as caught:
        parse(text, "g")
    assert caught.value.place == place
    assert message in caught.value.message


def test_a_place_may_say_on_which_line_the_text_begins():
    with pytest.raises(GrammarError) as caught:
        parse('root ::=\n "a', "fragments/x.toml:7")
    assert caught.value.place == "fragments/x.toml:8:2"


@pytest.mark.parametrize(
    "text",
    [
        "root ::= " + "(" * 60_000,
        "root ::= " + "(" * 60_000 + '"a"' + ")" * 60_000,
        'root ::= "a"' + "?" * 60_000,
        "root ::= " + "%" * 60_000,
        'root ::= "' + "\\" * 60_001 + '"',
    ],
    ids=["opened", "closed", "repeated", "percent", "backslashes"],
)
def test_bad_input_is_an_error_and_no_crash(text: str):
    with pytest.raises(GrammarError):
        parse(text)


def test_long_is_not_deep():
    many = "\n".join(f'r{i} ::= "a" r{i + 1}' for i in range(20_000)) + '\nr20000 ::= "b"'
    grammar = parse("root ::= r0\n" + many)
    assert chain(grammar.rules) == 20_002
    assert recursive(grammar.rules) == frozenset()
    wide = parse("root ::= " + " | ".join(['"a"'] * 20_000))
    assert render(wide).count("|") == 19_999


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
@settings(deadline=None)
def test_any_text_is_a_grammar_or_a_grammar_error(text: str):
    for source in (text, f"root ::= {text}"):
        with suppress(GrammarError):
            assert parse(parse_and_print(source)) == parse(source)


def parse_and_print(source: str) -> str:
    return render(parse(source))


# --- printing -----------------------------------------------------------------------------------------------------------------

TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=6)
POINT = st.integers(0, 0x10FFFF).filter(lambda point: not 0xD800 <= point <= 0xDFFF)
RANGE = st.tuples(POINT, POINT).map(lambda pair: (min(pair), max(pair)))
CLASS = st.one_of(
    st.builds(CharClass, st.lists(RANGE, min_size=1, max_size=4).map(tuple), st.booleans()), st.just(ANY)
)
LEAF = st.one_of(
    st.builds(Literal, TEXT),
    CLASS,
    st.sampled_from([Ref("root"), Ref("x-1"), Slot("a_slot"), Region("Where")]),
)
BOUNDS = st.tuples(st.integers(0, 2_000), st.one_of(st.none(), st.integers(0, 2_000))).map(
    lambda pair: (pair[0], pair[1] if pair[1] is None else max(pair))
)


def canonical(depth: int):
    """Canonical expressions of at most this depth."""
    if depth == 0:
        return LEAF
    inner = canonical(depth - 1)
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    repeated = st.tuples(inner, BOUNDS).map(lambda pair: Repeat(pair[0], *pair[1]))
    return st.one_of(LEAF, st.builds(Seq, several), st.builds(Alt, several), repeated)


@given(canonical(3), canonical(2))
@settings(deadline=None, max_examples=300)
def test_what_is_printed_reads_back_as_the_same_grammar(root: object, other: object):
    grammar = Grammar({"root": root, "x-1": other})
    try:
        check(grammar)
    except GrammarError:  # left-recursive by chance; such a grammar is refused either way
        with pytest.raises(GrammarError):
            parse(render(grammar))
        return
    assert parse(render(grammar)) == grammar


@given(TEXT)
def test_escaping_is_undone_by_reading(text: str):
    escaped = escape(text)
    assert escaped.isascii()
    assert escaped.isprintable()
    assert rule(f'"{escaped}"') == Literal(text)


def test_the_start_rule_is_printed_first():
    assert render(Grammar({"x": Literal("a"), "go": Ref("x")}, "go")) == 'go ::= x\nx ::= "a"\n'


def test_portable_text_spells_the_dot_out():
    assert render(portable(parse("root ::= . %s%"))) == "root ::= [\\u0000-\\U0010FFFF] %s%\n"


NAMES = st.lists(st.text(alphabet='ab\n"é|', min_size=0, max_size=6), min_size=1, max_size=12, unique=True)


@given(NAMES, st.text(alphabet='ab\n"é|', max_size=7))
@settings(deadline=None)
def test_a_factored_set_holds_exactly_its_strings(names: list[str], other: str):
    top, helpers = factored(names, iter(["h1", "h2"]).__next__)
    grammar = Grammar({"root": top, **helpers})
    assert set(strings(grammar) or ()) == set(names)
    assert accepts(grammar, other) == (other in names)


def test_deep_sets_are_spread_over_helper_rules():
    names = tuple("a" * length for length in range(1, 400))
    text = render(Grammar({"root": Names(names), "root-1": Literal("taken")}))
    grammar = parse(text)
    assert grammar.rules["root-1"] == Literal("taken")
    assert set(strings(grammar) or ()) == set(names)


def test_what_names_share_is_written_once():
    text = render(Grammar({"root": Seq((Literal("("), Names(("user_id", "user_name", "user"))))}))
    assert text == 'root ::= "(" ("user" ("_" ("id" | "name") | ""))\n'


# --- what is said of a grammar ------------------------------------------------------------------------------------------------


def test_slots_and_regions_are_listed_once_in_order():
    grammar = parse("root ::= %b% @R@ x\nx ::= %a% | %b% @Q@ @R@")
    assert slots(grammar) == ("b", "a")
    assert regions(grammar) == ("R", "Q")


def test_recursive_rules_and_what_leads_to_them():
    grammar = parse('root ::= "a" x\nx ::= "(" x ")" | y\ny ::= z\nz ::= [0-9]')
    assert recursive(grammar.rules) == {"root", "x"}
    assert reachable(grammar) == ("root", "x", "y", "z")


def test_pruning_takes_out_what_nothing_can_fill():
    grammar = parse('root ::= "a" x | "b" y? | z\nx ::= x2 "c"\nx2 ::= "d" x\ny ::= %s%\nz ::= "e"')
    dead = Grammar({**grammar.rules, "y": Names(())}, closed=frozenset({"y"}))
    pruned = prune(dead)
    assert pruned is not None
    assert render(pruned) == 'root ::= "b" "" | z\nz ::= "e"\n'
    assert prune(Grammar({"root": Seq((Literal("a"), Names(())))})) is None


@given(st.integers(0, 400))
@settings(deadline=None, max_examples=60)
def test_pruning_changes_no_language(seed: int):
    rng = Random(seed)
    grammar = random_grammar(rng, 2)
    hollow = Grammar({**grammar.rules, "dead": Names(()), "root": Alt((grammar.rules["root"], Ref("dead")))})
    pruned = prune(hollow)
    assert pruned is not None
    for _ in range(5):
        assert accepts(pruned, sample(grammar, rng, steps=10))
        assert accepts(grammar, sample(pruned, rng, steps=10))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('root ::= "a" ("b" | "c"){1,2}', ("ab", "ac", "abb", "abc", "acb", "acc")),
        ('root ::= [a-c] x?\nx ::= "!"', ("a", "a!", "b", "b!", "c", "c!")),
        ('root ::= "a"*', None),
        ("root ::= .", None),
        ('root ::= "(" root ")" | "x"', None),
        ("root ::= [a-z]{6}", None),
    ],
)
def test_finite_languages_are_listed(text: str, words: tuple[str, ...] | None):
    found = strings(parse(text), 1_000)
    assert (found and set(found)) == (words and set(words))


def test_a_grammar_made_by_hand_is_checked_like_one_that_was_read():
    deep = Literal("a")
    for _ in range(NESTING + 5):
        deep = Repeat(deep, 0, 1)
    for rules in ({"root": deep}, {"root": Ref("gone")}, {"root": Names(("\ud800",))}, {"other": EMPTY}):
        with pytest.raises(GrammarError):
            check(Grammar(rules))


@given(st.integers(0, 400))
@settings(deadline=None, max_examples=60)
def test_samples_are_in_the_language(seed: int):
    rng = Random(seed)
    grammar = random_grammar(rng)
    for _ in range(5):
        text = sample(grammar, rng, steps=12)
        if len(text) < 60:
            assert accepts(grammar, text)


def test_samples_reach_every_choice_and_come_to_an_end():
    grammar = parse('root ::= "(" root ")" root | "x" | [0-9]')
    drawn = {sample(grammar, Random(seed)) for seed in range(300)}
    assert {"x", "7"} <= drawn
    assert any(text.startswith("(") for text in drawn)
    with pytest.raises(ValueError, match="empty"):
        sample(parse('root ::= "a" root'), Random(0))


# --- names in any case, words but some ----------------------------------------------------------------------------------------

AB = CharClass(((ord("A"), ord("B")), (ord("a"), ord("b"))))
words = st.builds(
    lambda least, more, avoid: Word(AB, AB, least, least + more, frozenset(avoid)),
    st.integers(1, 2),
    st.integers(1, 3),
    st.sets(st.text("ab", min_size=1, max_size=3), max_size=4),
)


@given(words, st.text("abAB", max_size=5))
def test_words_but_some_are_spelled_out_exactly(word: Word, text: str):
    """As a tree of rules, read by a recogniser that knows words, too."""
    spelled = expanded(Grammar({"root": word}))
    assert accepts(spelled, text) == word.admits(text) == accepts(Grammar({"root": word}), text)
    assert parse(render(Grammar({"root": word}))).rules


@given(words, st.text("abAB", min_size=1, max_size=5))
def test_what_follows_the_first_character_of_a_word(word: Word, text: str):
    rest = word.after(text[0])
    assert word.admits(text) == (rest is not None and rest.admits(text[1:]))


@given(
    st.lists(st.text("aAé1", min_size=1, max_size=4), min_size=1, max_size=4, unique=True),
    st.text("aAéÉ1", max_size=4),
)
def test_names_in_any_case_are_spelled_out_exactly(names: list[str], text: str):
    """The case of ASCII letters does not matter, any other does."""
    loose = Grammar({"root": AnyCase(tuple(names))})
    expected = lowered(text) in set(map(lowered, names))
    assert accepts(loose, text) == accepts(expanded(loose), text) == expected
    found = strings(loose)
    assert found is not None
    assert (text in found) == expected


def test_names_with_many_letters_are_not_written_out_in_every_case():
    assert strings(Grammar({"root": AnyCase(("a" * 40,))})) is None


@pytest.mark.parametrize("rule", [AnyCase(("Select", "É")), Word(AB, AB, 1, 6, frozenset({"a", "ab"}))])
def test_derivations_of_them_are_of_the_language(rule: Expr):
    grammar, rng = Grammar({"root": rule}), Random(1)
    derivations = Derivations(grammar)
    assert all(accepts(grammar, derivations.sample(rng)) for _ in range(100))


def test_only_an_identifier_like_rule_has_words_left_out():
    rules = parse("root ::= a b c\na ::= [a-z] [a-z0-9]{0,5}\nb ::= [a-z]+\nc ::= [a-z] [a-z]*").rules
    assert word_of(rules["a"], frozenset({"x"})) == Word(
        CharClass(((97, 122),)), CharClass(((97, 122), (48, 57))), 1, 6, frozenset({"x"})
    )
    assert word_of(rules["b"], frozenset()) is None
    assert word_of(rules["c"], frozenset()) is None, "its length must be bounded"
