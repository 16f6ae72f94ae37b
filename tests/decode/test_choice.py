"""Choosing between grammars, and finding where one text ends and the next begins."""

import pytest

from gproj_lsp.decode.calls import beginning, concatenated, ending_before, may_be_empty
from gproj_lsp.decode.choice import decide
from gproj_lsp.decode.context import Context, common_prefix
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.models.fake import FakeModel, UniformModel, word_vocabulary
from gproj_lsp.decode.prompt import between
from gproj_lsp.decode.sampling import Sampler
from gproj_lsp.decode.trace import Ledger
from gproj_lsp.gbnf import parse, strings

VOCABULARY = word_vocabulary(["SELECT", " WHERE", " ORDER", " name"])


@pytest.mark.parametrize(("wanted", "expected"), [(b" WHERE", 0), (b" ORDER", 1)])
def test_the_grammar_that_the_model_would_go_on_with_is_taken(wanted, expected):
    model = FakeModel(VOCABULARY, lambda fed: wanted if fed == b"SELECT" else b"x")
    grammars = [parse('root ::= " WHERE" [a-z]+'), parse('root ::= " ORDER" " name"')]
    matchers = [make_engine().compile(each, VOCABULARY) for each in grammars]
    shown = VOCABULARY.encode(b"SELECT")
    assert decide(Context(model), shown, matchers, Sampler(), Ledger(), budget=8) == expected


def test_grammars_behind_one_another_do_not_mix_their_rules():
    both = concatenated(
        b"<", parse('root ::= x\nx ::= "a" | "b"'), b"=", parse('root ::= x\nx ::= "1"'), b">"
    )
    assert strings(both) == ("<a=1>", "<b=1>")


@pytest.mark.parametrize(
    ("grammar", "expected"),
    [
        ('root ::= " FROM" " " [a-z]+', (" FROM",)),
        ('root ::= x "b" "c"\nx ::= "a"?', ("b", "ab")),
        ('root ::= x "c"\nx ::= " (" "b"', (" (",)),
        ('root ::= "a" | "b"', ("a", "b")),
    ],
)
def test_the_beginning_of_a_grammar_is_its_first_part_that_is_not_empty(grammar, expected):
    assert set(strings(beginning(parse(grammar))) or ()) == set(expected)


def test_where_a_text_ends_before_what_follows_it():
    name, follow = parse("root ::= [a-z]+"), parse('root ::= " FROM" | ","')
    assert ending_before("abc FROM", name, follow) == 3
    assert ending_before("abc,", name, follow) == 3
    assert ending_before("abc;", name, follow) is None
    assert may_be_empty(parse('root ::= "a"?'))
    assert not may_be_empty(follow)


def test_what_two_texts_have_in_common_is_fed_once():
    model = UniformModel(VOCABULARY)
    context = Context(model)
    context.show([1, 2, 3])
    context.show([1, 2, 4, 5])
    assert list(model.fed) == [1, 2, 4, 5]
    assert context.tokens == 5
    calls = context.calls
    context.show([1, 2, 4, 5])
    assert context.calls == calls
    assert common_prefix([1, 2], [1, 2, 3]) == 2


def test_a_fill_in_the_middle_prompt_keeps_its_head_in_front():
    from gproj_lsp.decode.base import FimTokens

    plain = word_vocabulary()
    framed = type(plain)(plain.name, plain.tokens, plain.end, None, FimTokens(1001, 1002, 1003), plain.encode)
    shown = between(framed, b"headleft", b" right;", 4)
    assert shown == (*b"head", 1001, *b"left", 1002, *b" right;", 1003)
    with pytest.raises(ValueError, match="fill-in-the-middle"):
        between(plain, b"", b"", 0)
