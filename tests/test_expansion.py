"""Composite fragments as one grammar."""

from __future__ import annotations

import pytest
from reference_recogniser import accepts, viable

from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.errors import EmptyQueryError, GrammarError
from gproj_lsp.expansion import Keywords, Letters, Path, expand
from gproj_lsp.fragment import Fragment, RegionCall, Rung, SlotLadder
from gproj_lsp.gbnf import Grammar, Names, parse

NAMES = SlotLadder("open", {Rung.GAMMA: Query.of("Name"), Rung.CTX: Query.of("Name", scope="visible")})
CALLS = SlotLadder("open", {Rung.GAMMA: Query.of("Call")})


def fragment(anchor: str, text: str, slots: dict[str, SlotLadder], **regions: RegionCall) -> Fragment:
    return Fragment(anchor, parse(text), slots, regions, place=f"{anchor}.toml:1")


QUERY = fragment(
    "Query",
    'root ::= "GET " @what@ " IF " @if@',
    {},
    what=RegionCall("Value", clause="What", swaps={"Call": "Sum"}),
    **{"if": RegionCall("Value", clause="If")},
)
VALUE = fragment(
    "Value",
    'root ::= %name% | @call@ | "(" @query@ ")" | "(" root ")"\nopen ::= [a-z] [a-z0-9]{0,5}',
    {"name": NAMES},
    call=RegionCall("Call"),
    query=RegionCall("Query", nests=True),
)
CALL = fragment(
    "Call", 'root ::= %f% "(" @each@ ")"\nopen ::= [a-z]+', {"f": CALLS}, each=RegionCall("Value")
)
SUM = fragment(
    "Sum",
    'root ::= "SUM(" @each@ ")" | @call@',
    {},
    each=RegionCall("Value", swaps={"Call": "Call"}),
    call=RegionCall("Plain"),
)
FRAGMENTS = {"Query": QUERY, "Value": VALUE, "Call": CALL, "Sum": SUM, "Plain": CALL}
GAMMA = Environment.of(
    [
        Binding("age", "Name"),
        Binding("near", "Name", attrs={"scope": "visible"}),
        Binding("abs", "Call"),
    ]
)


def at(rung: Rung):
    return lambda _: rung


def test_calls_are_inlined_and_recursive_ones_close():
    grammar = expand("Query", FRAGMENTS, GAMMA, at(Rung.GAMMA))
    for text in ("GET age IF near", "GET (GET age IF age) IF ((age))", "GET abs(abs(age)) IF abs((near))"):
        assert accepts(grammar, text)
    for text in ("GET ghost IF age", "GET age", "GET abs(ghost) IF age", "GET age IF (GET age)"):
        assert not accepts(grammar, text)


def test_a_region_may_be_written_at_a_rung_of_its_own():
    """The path names the clause; inside a nested scope it begins with the scope."""
    seen: set[Path] = set()

    def rung_of(path: Path) -> Rung:
        seen.add(path)
        return Rung.CTX if path == ("If",) else Rung.GAMMA

    grammar = expand("Query", FRAGMENTS, GAMMA, rung_of)
    assert seen == {(), ("What",), ("If",), ("Query",), ("Query", "What"), ("Query", "If")}
    assert accepts(grammar, "GET age IF near")
    assert not accepts(grammar, "GET age IF age")
    assert not accepts(grammar, "GET age IF abs(age)")
    assert accepts(grammar, "GET age IF (GET age IF age)")


def test_a_sort_may_stand_for_another_until_it_is_swapped_back_or_a_scope_begins():
    grammar = expand("Query", FRAGMENTS, GAMMA, at(Rung.GAMMA))
    assert accepts(grammar, "GET SUM(age) IF age")
    assert accepts(grammar, "GET abs(SUM(age)) IF age")
    assert not accepts(grammar, "GET age IF SUM(age)")
    assert not accepts(grammar, "GET SUM(SUM(age)) IF age")
    assert accepts(grammar, "GET SUM((GET SUM(age) IF age)) IF age")


def test_what_can_not_be_told_apart_is_written_once():
    one = expand("Query", FRAGMENTS, GAMMA, at(Rung.GAMMA))
    two = expand("Query", FRAGMENTS, GAMMA, lambda path: Rung.CTX if path == ("If",) else Rung.GAMMA)
    values = [sum(name.startswith("Value") for name in each.rules) for each in (one, two)]
    assert values == [2, 3], "with and without Sum; the one at CTX"


def test_another_environment_changes_the_names_and_nothing_else():
    """Engines work out what does not change once."""
    one = expand("Query", FRAGMENTS, GAMMA, at(Rung.GAMMA))
    two = expand("Query", FRAGMENTS, GAMMA.declare(Binding("height", "Name")), at(Rung.GAMMA))
    changed = {name for name, rule in one.rules.items() if two.rules[name] is not rule}
    assert {type(two.rules[name]) for name in changed} == {Names}
    assert accepts(two, "GET height IF age")


def test_names_stay_open_at_the_base():
    grammar = expand("Query", FRAGMENTS, GAMMA, at(Rung.BASE))
    assert accepts(grammar, "GET any IF f(x)")
    assert not accepts(grammar, "GET a b IF x")


def test_what_has_no_candidate_is_left_out_and_nothing_left_is_an_error():
    nameless = Environment.of([Binding("abs", "Call")])
    with pytest.raises(EmptyQueryError):
        expand("Query", FRAGMENTS, nameless, at(Rung.GAMMA))
    grammar = expand("Query", FRAGMENTS, Environment.of([Binding("age", "Name")]), at(Rung.GAMMA))
    assert accepts(grammar, "GET SUM(age) IF age")
    assert not viable(grammar, "GET abs")


def test_a_sort_without_a_fragment_is_told():
    with pytest.raises(GrammarError, match="no fragment writes Sum"):
        expand(
            "Query", {name: each for name, each in FRAGMENTS.items() if name != "Sum"}, GAMMA, at(Rung.GAMMA)
        )


@pytest.mark.parametrize(
    ("keywords", "taken", "refused"),
    [
        (Keywords.UPPER, "GET age IF age", "get age if age"),
        (Keywords.LOWER, "get age if age", "GET age IF age"),
        (Keywords.ANY, "Get age iF age", "Get Age iF age"),
    ],
)
def test_keywords_are_written_as_wanted(keywords: Keywords, taken: str, refused: str):
    grammar = expand("Query", FRAGMENTS, GAMMA, at(Rung.GAMMA), letters=Letters(keywords))
    assert accepts(grammar, taken)
    assert not accepts(grammar, refused)


def test_names_that_fold_may_be_written_in_any_case_and_others_may_not():
    letters = Letters(any_case=lambda binding: binding.name == "age")
    grammar = expand("Query", FRAGMENTS, GAMMA, at(Rung.GAMMA), letters=letters)
    assert accepts(grammar, "GET AGE IF Age")
    assert not accepts(grammar, "GET NEAR IF age")


def test_a_slot_may_admit_capitals():
    either = SlotLadder("open", {Rung.GAMMA: Query.of("Call")}, either_case=True)
    call = fragment("Call", 'root ::= %f% "()"\nopen ::= [a-z]+', {"f": either})
    grammar = expand("Call", {"Call": call}, GAMMA, at(Rung.GAMMA))
    assert accepts(grammar, "ABS()")
    assert accepts(grammar, "abs()")
    assert not accepts(grammar, "Abs()"), "what is left of a name stays forced"


def declaring() -> Grammar:
    name = SlotLadder("open", {}, declares="Name", unless=Query.of("Reserved"))
    new = fragment("New", 'root ::= "NEW " %name%\nopen ::= [A-Za-z] [A-Za-z0-9]{0,5}', {"name": name})
    return expand("New", {"New": new}, Environment.of([Binding("if", "Reserved")]), at(Rung.GAMMA))


@pytest.mark.parametrize(
    ("text", "taken"), [("NEW iff", True), ("NEW i", True), ("NEW if", False), ("NEW IF", False)]
)
def test_words_are_left_out_of_open_names(text: str, taken: bool):  # noqa: FBT001  (a column of the table)
    assert accepts(declaring(), text) == taken


def test_a_preferred_sort_stands_in_where_gamma_has_names_for_it():
    """At the rung that blocks by design; looser ones keep the choice."""
    key = SlotLadder("open", {Rung.CTX: Query.of("Key", scope="visible")})
    on = fragment("On", 'root ::= "ON " @how@', {}, how=RegionCall("Value", clause="On", prefers="Pair"))
    pair = fragment("Pair", 'root ::= %key%\nopen ::= "a=b"', {"key": key})
    fragments = {**FRAGMENTS, "On": on, "Pair": pair}
    keyed = GAMMA.declare(Binding("x=y", "Key", attrs={"scope": "visible"}))
    assert accepts(expand("On", fragments, keyed, at(Rung.CTX)), "ON x=y")
    assert not accepts(expand("On", fragments, keyed, at(Rung.CTX)), "ON near")
    assert accepts(expand("On", fragments, keyed, at(Rung.GAMMA)), "ON near")
    assert accepts(expand("On", fragments, GAMMA, at(Rung.CTX)), "ON near")


def test_what_stands_inside_names_may_be_a_rule():
    """So that white space in them is the fragment's own."""
    key = SlotLadder("open", {Rung.GAMMA: Query.of("Key")}, infix=(" = ", "equals"))
    text = 'root ::= %key%\nopen ::= "a"\nequals ::= ws? "=" ws?\nws ::= [ \\n]'
    keyed = Environment.of(Binding(name, "Key") for name in ("a = b", "a = c", "d = a", "no"))
    grammar = expand("Pair", {"Pair": fragment("Pair", text, {"key": key})}, keyed, at(Rung.GAMMA))
    for taken in ("a = b", "a=c", "d\n=a"):
        assert accepts(grammar, taken)
    for refused in ("a = a", "d = b", "a  = b", "no", "b = a"):
        assert not accepts(grammar, refused)
    with pytest.raises(EmptyQueryError):
        expand("Pair", {"Pair": fragment("Pair", text, {"key": key})}, GAMMA, at(Rung.GAMMA))
