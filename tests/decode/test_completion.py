"""What may follow a text, against the language itself."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gproj_lsp.decode.completion import Rest, shortest
from gproj_lsp.gbnf import Alt, CharClass, Grammar, Literal, Names, Repeat, Seq, parse, strings

LEAVES = st.one_of(
    st.text("ab", max_size=2).map(Literal),
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=3, unique=True).map(
        lambda t: Names(tuple(t))
    ),
    st.just(CharClass(((97, 98),))),
)
EXPRS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda items: Seq(tuple(items))),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: Alt(tuple(items))),
        st.tuples(inner, st.integers(0, 2), st.integers(0, 1)).map(lambda t: Repeat(t[0], t[1], t[1] + t[2])),
    ),
    max_leaves=5,
)


@given(EXPRS, st.text("ab", max_size=4))
@settings(max_examples=200, deadline=None)
def test_the_rest_after_a_text_ends_in_the_shortest_string_that_goes_on_with_it(expr, text):
    grammar = Grammar({"root": expr})
    language = strings(grammar, 5000) or ()
    going_on = [string[len(text) :] for string in language if string.startswith(text)]
    found = Rest(grammar).after(text).shortest()
    if not going_on:
        assert found is None
    else:
        assert found in going_on
        assert len(found) == min(map(len, going_on))


def test_recursion_is_closed():
    grammar = parse('root ::= "(" root ")" | [a-z]+')
    assert shortest(grammar) == "a"
    assert Rest(grammar).after("((x").shortest() == "))"
    assert Rest(grammar).after("((x)").shortest() == ")"
    assert Rest(grammar).after(")").shortest() is None


def test_a_grammar_without_strings_has_no_shortest_one():
    assert shortest(parse('root ::= "a" root')) is None


def test_a_negated_class_has_some_character():
    assert Rest(parse('root ::= "x" [^ -~]')).after("x").shortest() == "\xa0"
