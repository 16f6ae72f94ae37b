"""τ_Γ: what instantiation promises, whatever the names are."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference_recogniser import accepts

from gproj_lsp.environment import EMPTY, Binding, Environment, Frame, Query
from gproj_lsp.errors import EmptyQueryError, GrammarError
from gproj_lsp.fragment import Fragment, Rung, SlotLadder, candidates, grammar_text, instantiate
from gproj_lsp.gbnf import Grammar, Names, parse, render, strings

COLUMN = SlotLadder("name", {Rung.GAMMA: Query.of("Column"), Rung.CTX: Query.of("Column", scope="visible")})
DECLARATION = SlotLadder("name", {}, declares="Column")


def fragment(rules: str, **ladders: SlotLadder) -> Fragment:
    return Fragment(
        "Column", parse(rules + "\nname ::= [a-z]+"), ladders or {"c": COLUMN}, {}, place="f.toml:1"
    )


def column(name: str, *, visible: bool = True, spelling: str = "", owner: str = "t") -> Binding:
    attrs = {"scope": "visible"} if visible else {}
    return Binding(name, "Column", owner=owner, attrs=attrs, spelling=spelling)


NAME = st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=8)
ODD = st.one_of(NAME, st.text(alphabet='"\\|()%@\n\r\t é[]{}*+?.', min_size=1, max_size=8))
BINDINGS = st.lists(st.builds(column, ODD, visible=st.booleans()), min_size=1, max_size=6)


# --- the Escaping Lemma -------------------------------------------------------------------------------------------------------


@given(BINDINGS, ODD)
@settings(deadline=None)
def test_the_slots_language_is_exactly_the_candidate_set(bindings: list[Binding], other: str):
    environment = Environment.of(bindings)
    grammar = instantiate(fragment("root ::= %c%"), environment, Rung.GAMMA).grammar
    names = {binding.spelling for binding in environment}
    assert set(strings(grammar) or ()) == names
    assert accepts(grammar, other) == (other in names)


@given(BINDINGS, st.sampled_from(["", "x", "(", '"', "|"]), st.sampled_from(["", "x", ")", '"', "|"]))
@settings(deadline=None)
def test_a_splice_stays_between_what_is_around_it(bindings: list[Binding], before: str, after: str):
    """L(α·slot·β) = L(α)·C·L(β), in the tree and in the printed text: nothing splits at a bar."""
    items = [f'"{text.replace(chr(34), chr(92) + chr(34))}"' for text in (before, after)]
    instance = instantiate(
        fragment(f"root ::= {items[0]} %c% {items[1]} | %c% %c%"), Environment.of(bindings), Rung.GAMMA
    )
    names = instance.candidates["c"]
    expected = {before + name + after for name in names} | {a + b for a in names for b in names}
    assert set(strings(instance.grammar) or ()) == expected
    assert set(strings(parse(grammar_text(instance))) or ()) == expected


# --- rungs --------------------------------------------------------------------------------------------------------------------


@given(BINDINGS)
@settings(deadline=None)
def test_a_tighter_rung_admits_less_and_never_what_gamma_lacks(bindings: list[Binding]):
    environment = Environment.of(bindings)
    assume(any(binding.attrs for binding in environment))
    tight, loose = (
        set(strings(instantiate(fragment("root ::= %c%"), environment, rung).grammar) or ())
        for rung in (Rung.CTX, Rung.GAMMA)
    )
    assert tight <= loose <= {binding.spelling for binding in environment}


@given(BINDINGS, st.data())
@settings(deadline=None)
def test_a_pin_admits_one_name_of_the_tightest_query(bindings: list[Binding], data: st.DataObject):
    environment = Environment.of(bindings)
    assume(any(binding.attrs for binding in environment))
    visible = candidates(COLUMN, environment, Rung.CTX)
    assert visible
    pin = data.draw(st.sampled_from(visible))
    instance = instantiate(fragment("root ::= %c%"), environment, Rung.PIN, pin=pin)
    assert instance.candidates == {"c": (pin,)}


def test_a_rung_without_a_query_of_its_own_uses_the_next_looser():
    only_gamma = SlotLadder("name", {Rung.GAMMA: Query.of("Column")})
    assert only_gamma.query(Rung.CTX) == only_gamma.query(Rung.PIN) == Query.of("Column")
    assert only_gamma.query(Rung.BASE) is None


def test_base_is_the_open_name():
    instance = instantiate(fragment("root ::= %c%"), EMPTY, Rung.BASE)
    assert render(instance.grammar) == "root ::= name\nname ::= [a-z]+\n"
    assert not instance.guaranteed
    assert not instance.only


def test_a_declaration_is_open_at_every_rung_until_it_is_pinned():
    ladder = {"c": DECLARATION}
    for rung in Rung:
        assert accepts(instantiate(fragment("root ::= %c%", **ladder), EMPTY, rung).grammar, "anything")
    pinned = instantiate(fragment("root ::= %c%", **ladder), EMPTY, Rung.PIN, pin="c1")
    assert strings(pinned.grammar) == ("c1",)


def test_references_close_and_declarations_beside_them_stay_open():
    both = fragment('root ::= %d% " AS " %c%', c=COLUMN, d=DECLARATION)
    grammar = instantiate(both, Environment.of([column("id")]), Rung.GAMMA).grammar
    assert accepts(grammar, "fresh AS id")
    assert not accepts(grammar, "id AS fresh")


# --- candidates ---------------------------------------------------------------------------------------------------------------


def test_candidates_are_spellings_in_the_order_of_gamma_once_each():
    inner = Frame.of([column("id", spelling="u.id", owner="u"), column("ID", spelling='"ID"', owner="u")])
    environment = Environment.of([column("id", owner="v", spelling="u.id"), column("name")]).push(inner)
    assert candidates(COLUMN, environment, Rung.GAMMA) == ("u.id", '"ID"', "name")


def test_only_the_slot_itself_makes_a_hole_that_can_be_ranked():
    environment = Environment.of([column("id")])
    assert instantiate(fragment("root ::= %c%"), environment, Rung.GAMMA).only == "c"
    assert instantiate(fragment("root ::= x\nx ::= %c%"), environment, Rung.GAMMA).only == "c"
    assert instantiate(fragment('root ::= %c% ""'), environment, Rung.GAMMA).only == ""


# --- empty slots --------------------------------------------------------------------------------------------------------------


def test_what_an_empty_slot_makes_impossible_is_pruned():
    two = fragment('root ::= "a" %c% | b ","? %e%*\nb ::= "b"', c=COLUMN, e=COLUMN)
    grammar = instantiate(two, EMPTY, Rung.GAMMA).grammar
    assert strings(grammar) == ("b", "b,")
    assert list(grammar.rules) == ["root", "b"]


def test_nothing_left_is_a_diagnosis():
    environment = Environment.of([column("id", visible=False), Binding("t", "Table")])
    with pytest.raises(EmptyQueryError) as caught:
        instantiate(fragment('root ::= "x" %c%'), environment, Rung.CTX, hole="{:Column}")
    assert str(caught.value) == "no Column can stand at {:Column}; declared: id"
    assert caught.value.sort == "Column"
    assert caught.value.declared == ("id",)


def test_an_empty_slot_that_is_not_needed_is_no_error():
    apart = fragment(
        "root ::= %c%\nunused ::= %e%", c=COLUMN, e=SlotLadder("name", {Rung.GAMMA: Query.of("Other")})
    )
    assert strings(instantiate(apart, Environment.of([column("id")]), Rung.GAMMA).grammar) == ("id",)


# --- the tree -----------------------------------------------------------------------------------------------------------------


def test_a_slots_names_are_one_value_in_the_tree():
    instance = instantiate(
        fragment("root ::= %c%"), Environment.of([column("id"), column("name")]), Rung.GAMMA
    )
    assert instance.grammar.closed == {"slot-c"}
    assert instance.grammar.rules["slot-c"] == Names(("id", "name"))


def test_a_slots_rule_never_takes_the_name_of_another():
    taken = fragment('root ::= %c% slot-c slot-c-names\nslot-c ::= "x"\nslot-c-names ::= "y"')
    assert strings(instantiate(taken, Environment.of([column("id")]), Rung.GAMMA).grammar) == ("idxy",)


def test_a_slot_without_a_ladder_is_an_error_of_the_fragment():
    with pytest.raises(GrammarError) as caught:
        instantiate(Fragment("Column", parse("root ::= %c%"), {}, {}, place="f.toml:1"), EMPTY, Rung.GAMMA)
    assert caught.value.place == "f.toml:1"


def test_a_base_rule_that_makes_the_fragment_left_recursive_is_caught():
    looped = Fragment(
        "Column", parse('root ::= %c% "x"'), {"c": SlotLadder("root", {})}, {}, place="f.toml:1"
    )
    with pytest.raises(GrammarError, match="left recursion"):
        instantiate(looped, EMPTY, Rung.BASE)


def test_regions_remain_for_the_executor():
    instance = instantiate(fragment('root ::= %c% " " @Where@'), Environment.of([column("id")]), Rung.GAMMA)
    assert isinstance(instance.grammar, Grammar)
    assert "@Where@" in render(instance.grammar)
