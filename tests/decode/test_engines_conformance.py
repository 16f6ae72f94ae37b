"""One suite over all engines: each accepts exactly the language that the grammar denotes (Assumption 1; paper, A.3).

Compared are texts, never masks of one engine with those of another. The judge is either plain Python (the declared names, with
the fixed text around them) or the reference recogniser, which shares no code with any engine.
"""

from __future__ import annotations

import time
from functools import cache
from random import Random
from typing import ClassVar

import pytest
from engines_on_trial import (
    EVERY,
    GENERAL,
    SMALL,
    accepts,
    admitted,
    engine,
    literal,
    real_vocabulary,
    vocabulary,
    vocabulary_for,
)
from random_grammars import random_grammar, texts
from reference_recogniser import accepts as denotes
from reference_recogniser import viable

from gproj_lsp.decode.base import Vocabulary
from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.errors import EmptyQueryError, EngineError
from gproj_lsp.fragment import Fragment, Rung, SlotLadder, grammar_text, instantiate
from gproj_lsp.gbnf import Names, parse

# --- A.3: configurations of Γ and construct -----------------------------------------------------------------------------------

GAMMAS = {
    "one plain name": ["users"],
    "several plain names": ["A_shared", "B_shared", "C_local", "id"],
    "names that begin each other": ["list", "listen", "listened", "li"],
    "quotes and backslashes": ['a"b', '"', '""', "a\\b", "\\", 'c\\"d', "it's"],
    "newline, return, tab": ["a\nb", "a\r\nb", "a\tb", "\n"],
    "Unicode": ["naïve", "Größe", "表", "😀_id", "e\u0301", "\u2028x"],
    "metacharacters": ["a|b", "(", ")", "(a)", "x::=y", "[a-z]", "a*", '" | "', "%slot%", "#c", "//c", "{2}"],
    "256 characters": ["n" * 256, "n" * 255 + "m"],
}
CONSTRUCTS = {
    "the slot alone": ("", ""),
    "the slot in a call": ("T.gemm(", ")"),
    "the slot before what could begin a name": ("SELECT ", "ed FROM t"),
}
CONFIGURATIONS = [(gamma, construct) for gamma in GAMMAS for construct in CONSTRUCTS]


def slot_fragment(before: str, after: str) -> Fragment:
    """A fragment of one slot between fixed texts."""
    items = [f'"{text}"' for text in (before,) if text] + ["%s%"] + [f'"{text}"' for text in (after,) if text]
    grammar = parse(f"root ::= {' '.join(items)}\nname ::= [a-z]+")
    return Fragment("Name", grammar, {"s": SlotLadder("name", {Rung.GAMMA: Query.of("Name")})}, {})


def gamma_of(names: list[str]) -> Environment:
    return Environment.of(Binding(name, "Name") for name in names)


def out_of_set(names: list[str], before: str, after: str) -> set[str]:
    """Texts that only a leak could let through."""
    language = {before + name + after for name in names}
    found: set[str] = {"", before, after, before + after, before + "ghost" + after}
    for name in names:
        near = {
            name[1:],
            name[:-1],
            name + name,
            name + "x",
            "x" + name,
            name.swapcase(),
            name + " ",
            name + "\0",
        }
        near |= {name.replace("\\", "\\\\"), name.replace('"', '\\"'), name.encode("unicode_escape").decode()}
        near |= {f'"{name}"', f"({name})", name + '" | "ghost', name + ") | (ghost", f"{name}|{name}"}
        found |= {before + text + after for text in near}
        found |= {before + name + after[:-1], before[1:] + name + after} if before else {name + "\n"}
        found |= {before + name, name + after, name}
    first, last = names[0], names[-1]
    found |= {
        before + first + last + after,
        before + first + "|" + last + after,
        last + after + before + first,
    }
    return found - language


class Tally:
    """How much was tried on an engine."""

    inside: ClassVar[dict[str, int]] = {}
    outside: ClassVar[dict[str, int]] = {}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(("gamma", "construct"), CONFIGURATIONS)
def test_exactly_the_declared_names_are_accepted(name: str, gamma: str, construct: str):
    names, (before, after) = GAMMAS[gamma], CONSTRUCTS[construct]
    instance = instantiate(slot_fragment(before, after), gamma_of(names), Rung.GAMMA)
    matcher = engine(name).compile(instance.grammar, vocabulary_for(name))
    inside = [before + text + after for text in names]
    outside = sorted(out_of_set(names, before, after))
    assert [text for text in inside if not accepts(matcher, text)] == []
    assert [text for text in outside if accepts(matcher, text)] == []
    Tally.inside[name] = Tally.inside.get(name, 0) + len(inside)
    Tally.outside[name] = Tally.outside.get(name, 0) + len(outside)


def test_as_much_was_tried_as_was_published(capsys: pytest.CaptureFixture[str]):
    """Published: 24 configurations, 90 texts inside and 772 outside, no discrepancy."""
    assert len(CONFIGURATIONS) == 24
    with capsys.disabled():
        for name, inside in Tally.inside.items():
            print(f"\n{name}: {inside} accepted, {Tally.outside[name]} rejected, no discrepancy", end="")  # noqa: T201  (how much was tried is a result)
    whole = len(EVERY) * len(CONFIGURATIONS)
    if Tally.inside and sum(Tally.inside.values()) == whole:  # not when tests were selected
        assert min(Tally.inside.values()) >= 90
        assert min(Tally.outside.values()) >= 772


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_an_empty_gamma_is_an_error_before_any_engine_is_asked(construct: str):
    with pytest.raises(EmptyQueryError):
        instantiate(slot_fragment(*CONSTRUCTS[construct]), gamma_of([]), Rung.GAMMA)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_printed_grammar_means_the_same(name: str, gamma: str):
    instance = instantiate(slot_fragment("(", ")"), gamma_of(GAMMAS[gamma]), Rung.GAMMA)
    printed = parse(grammar_text(instance))
    matcher = engine(name).compile(printed, vocabulary_for(name))
    assert all(accepts(matcher, f"({text})") for text in GAMMAS[gamma])
    assert not any(accepts(matcher, text) for text in out_of_set(GAMMAS[gamma], "(", ")"))


# --- tokens -------------------------------------------------------------------------------------------------------------------


@cache
def by_first_byte(tokens: Vocabulary) -> dict[int, list[tuple[int, bytes]]]:
    found: dict[int, list[tuple[int, bytes]]] = {}
    for token, text in enumerate(tokens.tokens):
        if text:
            found.setdefault(text[0], []).append((token, text))
    return found


def by_brute_force(words: list[bytes], prefix: bytes, tokens: Vocabulary) -> set[int]:
    """The tokens after which some word can still be reached, and the ends where one is."""
    rests = [word[len(prefix) :] for word in words if word.startswith(prefix)]
    found = set(tokens.end) if b"" in rests else set()
    for rest in filter(None, rests):
        found.update(token for token, text in by_first_byte(tokens).get(rest[0], ()) if rest.startswith(text))
    return found


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("gamma", GAMMAS)
def test_every_mask_on_the_way_is_what_brute_force_finds(name: str, gamma: str):
    """Token-mask replay over the real vocabulary: at every prefix of every word, whichever tokens led there."""
    tokens, names = real_vocabulary(), GAMMAS[gamma]
    instance = instantiate(slot_fragment("SELECT ", " FROM t"), gamma_of(names), Rung.GAMMA)
    words = [f"SELECT {text} FROM t".encode() for text in names]
    rng = Random(gamma)
    for word in words[:4]:
        matcher, done = engine(name).compile(instance.grammar, tokens), b""
        while True:
            allowed = admitted(matcher, tokens)
            assert allowed == by_brute_force(words, done, tokens)
            if allowed <= tokens.end:
                break
            fits = [i for i in allowed - tokens.end if word.startswith(done + tokens.tokens[i])]
            token = rng.choice(sorted(fits, key=lambda i: -len(tokens.tokens[i]))[:3])
            assert matcher.accept_token(token)
            done += tokens.tokens[token]
        assert done == word


@pytest.mark.parametrize("name", [name for name in EVERY if name != "llama"])
def test_masks_of_any_grammar_are_what_brute_force_finds(name: str):
    """Over a small vocabulary: every token, tried on the reference recogniser. (llama.cpp knows large ones only.)

    In recursive grammars XGrammar may leave out a token of several bytes that its own matcher would accept. It costs a
    spelling, never a text: the single bytes are there.
    """
    rng = Random(11)
    for _ in range(25):
        grammar = random_grammar(rng)
        try:
            start = engine(name).compile(grammar, SMALL)
        except EngineError:
            assert name == "trie"  # an infinite language
            continue
        for text in texts(grammar, rng, 1):
            matcher, done = start.fork(), b""
            for byte in text.encode()[:6]:
                expected = {i for i, t in enumerate(SMALL.tokens) if t and viable(grammar, done + t)}
                expected |= SMALL.end if denotes(grammar, done) else set()
                found = admitted(matcher, SMALL)
                assert found <= expected
                missing = expected - found
                assert not missing or (name == "xgrammar" and all(len(SMALL.tokens[i]) > 1 for i in missing))
                if not matcher.accept_token(byte):
                    break
                done += bytes([byte])


@pytest.mark.parametrize("name", EVERY)
def test_an_end_is_admitted_exactly_where_the_text_is_complete(name: str):
    tokens = vocabulary_for(name)
    grammar = parse('root ::= ("list" | "listen") "ed"?')
    matcher = engine(name).compile(grammar, tokens)
    for done in ("", "l", "list", "liste", "listen", "listene", "listened", "listed"):
        trial = matcher.fork()
        assert trial.accept_bytes(done.encode())
        assert trial.is_complete() == (done in {"list", "listed", "listen", "listened"})
        assert (admitted(trial, tokens) & tokens.end == tokens.end) == trial.is_complete()
        for end in tokens.end:
            assert trial.fork().accept_token(end) == trial.is_complete()


@pytest.mark.parametrize("name", EVERY)
def test_nothing_comes_after_an_end_until_it_is_undone(name: str):
    tokens = vocabulary_for(name)
    matcher = engine(name).compile(parse('root ::= "ab" "ab"?'), tokens)
    assert matcher.accept_bytes(b"ab")
    before = admitted(matcher, tokens)
    assert matcher.accept_token(min(tokens.end))
    assert admitted(matcher, tokens) == set()
    assert not matcher.accept_bytes(b"ab")
    assert not matcher.accept_token(ord("a"))
    assert not matcher.accept_token(min(tokens.end))
    matcher.rollback(1)
    assert admitted(matcher, tokens) == before
    assert matcher.accept_bytes(b"ab")


@pytest.mark.parametrize("name", EVERY)
def test_a_name_may_begin_another_before_what_continues_both(name: str):
    """`list`, `listen` and a literal `ed`: a lexer that takes the longest name and never goes back refuses `listed`."""
    tokens = vocabulary_for(name)
    fragment = slot_fragment("", "ed")
    matcher = engine(name).compile(
        instantiate(fragment, gamma_of(["list", "listen"]), Rung.GAMMA).grammar, tokens
    )
    for word in ("listed", "listened"):
        for cut in range(len(word)):
            trial = matcher.fork()
            assert trial.accept_bytes(word[:cut].encode())
            assert accepts(trial, word[cut:])
    assert not any(accepts(matcher, word) for word in ("list", "listen", "ed", "listeed", "listenened"))


@pytest.mark.parametrize("name", GENERAL)
def test_the_same_inside_a_recursive_rule(name: str):
    grammar = parse('root ::= e "ed"\ne ::= n | "(" e ")" | n "," e\nn ::= "list" | "listen"')
    matcher = engine(name).compile(grammar, vocabulary_for(name))
    for text in ("listed", "listened", "(list)ed", "((listen))ed", "list,listened", "(listen,list)ed"):
        assert accepts(matcher, text)
    for text in ("list", "(listed", "list,ed", "list,,listed", "listen)ed"):
        assert not accepts(matcher, text)


# --- steps --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_refused_steps_change_nothing(name: str):
    tokens = vocabulary_for(name)
    matcher = engine(name).compile(literal("abcd"), tokens)
    control = next(i for i, text in enumerate(tokens.tokens) if not text and i not in tokens.end)
    assert matcher.accept_bytes(b"a")
    before = admitted(matcher, tokens)
    assert not matcher.accept_bytes(b"bx")
    assert not matcher.accept_bytes(b"bcde")
    assert not matcher.accept_token(control)
    assert not matcher.accept_token(min(tokens.end))
    assert not matcher.accept_token(len(tokens) + 5)
    assert not matcher.accept_token(-1)
    assert admitted(matcher, tokens) == before
    assert accepts(matcher, "bcd")


@pytest.mark.parametrize("name", EVERY)
def test_going_back_undoes_exactly_the_last_steps(name: str):
    tokens = vocabulary_for(name)
    words = ["abc", "abd", "aéx", "b"]
    matcher = engine(name).compile(
        parse(f"root ::= {' | '.join(chr(34) + w + chr(34) for w in words)}"), tokens
    )
    rng = Random(5)
    for _ in range(30):
        word = rng.choice(words).encode()
        cuts = sorted(rng.sample(range(len(word) + 1), rng.randint(0, len(word))))
        pieces = [word[a:b] for a, b in zip([0, *cuts], [*cuts, len(word)], strict=True)]
        states = []
        for piece in pieces:
            states.append(admitted(matcher, tokens))
            assert matcher.accept_bytes(piece)
        assert matcher.is_complete()
        back = rng.randint(0, len(pieces))
        matcher.rollback(back)
        if back:
            assert admitted(matcher, tokens) == states[-back]
        matcher.rollback(len(pieces) - back)
    with pytest.raises(ValueError, match="can't undo"):
        matcher.rollback(1)


@pytest.mark.parametrize("name", EVERY)
def test_copies_go_their_own_ways(name: str):
    tokens = vocabulary_for(name)
    matcher = engine(name).compile(parse('root ::= "ab" ("c" | "d")'), tokens)
    assert matcher.accept_bytes(b"ab")
    one, two = matcher.fork(), matcher.fork()
    assert one.accept_bytes(b"c")
    assert two.accept_bytes(b"d")
    one.rollback(2)
    assert accepts(one, "abd")
    assert two.is_complete()
    assert not matcher.is_complete()
    again = engine(name).compile(parse('root ::= "ab" ("c" | "d")'), tokens)
    assert accepts(again, "abc"), "what was compiled before is at its start again"


@pytest.mark.parametrize("name", EVERY)
def test_forced_text_is_what_every_continuation_begins_with(name: str):
    """An engine may not know; but what it says must hold."""
    tokens = vocabulary_for(name)
    words = ["SELECT a", "SELECT ab", "SELECT abc"]
    matcher = engine(name).compile(
        parse(f"root ::= {' | '.join(chr(34) + w + chr(34) for w in words)}"), tokens
    )
    told = set()
    for cut in range(len("SELECT abc") + 1):
        trial = matcher.fork()
        done = "SELECT abc"[:cut]
        assert trial.accept_bytes(done.encode())
        forced = trial.forced().decode()
        rests = [word[cut:] for word in words if word.startswith(done)]
        assert all(rest.startswith(forced) for rest in rests)
        told.add(bool(forced))
    assert (True in told) == (name != "llama")


# --- any grammar --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GENERAL)
def test_three_hundred_random_grammars(name: str, capsys: pytest.CaptureFixture[str]):
    """Every text accepted, and every prefix viable, exactly as the reference recogniser says."""
    rng, tokens = Random(2_024), vocabulary_for(name)
    depth, longest = (2, 8) if name == "llama" else (3, 40)  # its time grows exponentially with ambiguity
    tried = inside = refused = 0
    for _ in range(300):
        grammar = random_grammar(rng, depth)
        words = [text for text in texts(grammar, rng, 8) if len(text) <= longest]
        try:
            matcher = engine(name).compile(grammar, tokens)
        except EngineError:
            refused += 1
            continue
        for text in words:
            expected = denotes(grammar, text)
            assert accepts(matcher, text) == expected, text
            assert matcher.fork().accept_bytes(text.encode()) == viable(grammar, text), text
            tried += 1
            inside += expected
    assert refused <= (10 if name == "llama" else 0)  # repetitions of what may be empty
    with capsys.disabled():
        print(f"\n{name}: {300 - refused} grammars, {inside} of {tried} texts inside, no discrepancy", end="")  # noqa: T201  (how much was tried is a result)


@pytest.mark.parametrize("name", GENERAL)
def test_random_grammars_of_words_and_white_space(name: str):
    """Names in any case, words but some, and the white space that parts lexemes."""
    rng, tokens = Random(7), vocabulary_for(name)
    depth, longest, count = (2, 8, 60) if name == "llama" else (3, 30, 200)
    for _ in range(count):
        grammar = random_grammar(rng, depth, worded=True)
        words = [text for text in texts(grammar, rng, 8, "abAB é") if len(text) <= longest]
        try:
            matcher = engine(name).compile(grammar, tokens)
        except EngineError:
            assert name == "llama"  # repetitions of what may be empty
            continue
        for text in words:
            assert accepts(matcher, text) == denotes(grammar, text), text
            assert matcher.fork().accept_bytes(text.encode()) == viable(grammar, text), text


@pytest.mark.parametrize("name", EVERY)
def test_twenty_thousand_names(name: str):
    names = [f"{kind}_{number}" for kind in ("user", "order", "Straße") for number in range(6_667)]
    instance = instantiate(slot_fragment("", " FROM t"), gamma_of(names), Rung.GAMMA)
    began = time.monotonic()
    tokens = vocabulary_for(name, vocabulary("user", "order", "_", "10", "99"))
    matcher = engine(name).compile(instance.grammar, tokens)
    for text in names[:: len(names) // 50]:
        assert accepts(matcher, f"{text} FROM t")
        assert not accepts(matcher, f"{text}x FROM t")
    assert not accepts(matcher, "user_6667 FROM t")
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("name", EVERY)
def test_names_are_terminals_however_they_look(name: str):
    """A Γ of an engine's own syntax: rules, classes, directives, comments."""
    names = (
        "root ::= x",
        "start: /.*/",
        "%llguidance {}",
        "T: /a/",
        "[^x]",
        "\\x41",
        "\\u0041",
        "/.*/",
        "(?s:.)",
        "a\x7fb",
    )
    grammar = parse("root ::= x\nx ::= .")
    grammar = type(grammar)({**grammar.rules, "x": Names(names)}, closed=frozenset({"x"}))
    matcher = engine(name).compile(grammar, vocabulary_for(name))
    assert all(accepts(matcher, text) for text in names)
    assert not any(accepts(matcher, text) for text in ("A", "a", "x", "root", "", "a\\u007fb"))


# --- what no engine may see ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("what", ["%slot%", "@region@"])
def test_what_is_not_instantiated_is_refused(name: str, what: str):
    with pytest.raises(EngineError, match="not instantiated"):
        engine(name).compile(parse(f'root ::= "a" {what}'), vocabulary_for(name))
