"""π(s, Γ, ρ): which rung is taken, and what the result is worth."""

from __future__ import annotations

import pytest
from reference_recogniser import accepts

from gproj_lsp.environment import EMPTY, Binding, Environment, Query
from gproj_lsp.errors import EmptyQueryError
from gproj_lsp.fragment import Fragment, Rung, SlotLadder
from gproj_lsp.gbnf import parse
from gproj_lsp.policy import Policy, choose

REFERENCE = Fragment(
    "Column",
    parse("root ::= %c%\nname ::= [a-z] [a-z0-9]*"),
    {
        "c": SlotLadder(
            "name", {Rung.GAMMA: Query.of("Column"), Rung.CTX: Query.of("Column", scope="visible")}
        )
    },
    {},
)
DECLARATION = Fragment(
    "ColDecl",
    parse("root ::= %c%\nname ::= [a-z] [a-z0-9]*"),
    {"c": SlotLadder("name", {}, declares="Column")},
    {},
)
LADDER = Policy((Rung.CTX, Rung.GAMMA))
FAR = Binding("far", "Column", owner="t")
NEAR = Binding("near", "Column", owner="u", attrs={"scope": "visible"})


def test_the_tightest_rung_with_candidates_is_taken():
    choice = choose(REFERENCE, Environment.of([FAR, NEAR]), LADDER)
    assert choice.instance.rung is Rung.CTX
    assert choice.instance.candidates == {"c": ("near",)}
    assert choice.guaranteed
    assert choice.empty == ()


def test_an_empty_rung_is_climbed_from_and_the_guarantee_stays():
    choice = choose(REFERENCE, Environment.of([FAR]), LADDER)
    assert choice.instance.rung is Rung.GAMMA
    assert choice.empty == (Rung.CTX,)
    assert choice.guaranteed


def test_base_is_taken_with_leave_only_and_then_marked():
    with pytest.raises(EmptyQueryError):
        choose(REFERENCE, EMPTY, LADDER)
    choice = choose(REFERENCE, EMPTY, LADDER, allow_base=True)
    assert choice.instance.rung is Rung.BASE
    assert choice.empty == (Rung.CTX, Rung.GAMMA)
    assert not choice.guaranteed


def test_leave_is_not_used_where_gamma_has_names():
    assert choose(REFERENCE, Environment.of([FAR]), LADDER, allow_base=True).guaranteed


def test_the_innermost_region_decides():
    policy = Policy((Rung.CTX, Rung.GAMMA), {"Select": (Rung.GAMMA,), "Having": (Rung.CTX,)})
    assert policy.ladder() == (Rung.CTX, Rung.GAMMA)
    assert policy.ladder(("Select",)) == (Rung.GAMMA,)
    assert policy.ladder(("Select", "Having")) == (Rung.CTX,)
    assert policy.ladder(("Having", "Select", "Where")) == (Rung.GAMMA,)
    assert policy.ladder(("Having",), allow_base=True) == (Rung.CTX, Rung.BASE)


def test_rungs_are_tried_tightest_first_however_they_are_listed():
    assert Policy((Rung.GAMMA, Rung.CTX, Rung.GAMMA)).ladder() == (Rung.CTX, Rung.GAMMA)


def test_a_pin_is_all_that_is_tried():
    environment = Environment.of([FAR, NEAR])
    assert choose(REFERENCE, environment, LADDER, pin="near").instance.candidates == {"c": ("near",)}
    with pytest.raises(EmptyQueryError):
        choose(REFERENCE, environment, LADDER, pin="ghost")


def test_declaring_refers_to_nothing_and_so_is_no_risk():
    choice = choose(DECLARATION, EMPTY, Policy((Rung.BASE,)))
    assert choice.instance.rung is Rung.BASE
    assert choice.guaranteed


def test_the_papers_three_holes():
    """`SELECT {:ColRef} FROM t0; CREATE TABLE t1 ({c:ColDecl} INT); SELECT {:ColRef} FROM t1;` (paper, 4.2, "Fallback").

    Γ is empty at the first, the second extends it, and the third is tight again: falling back does not spread.
    """
    environment = EMPTY
    first = choose(REFERENCE, environment, LADDER, allow_base=True)
    assert not first.guaranteed
    assert accepts(first.instance.grammar, "whatever")

    second = choose(DECLARATION, environment, Policy((Rung.BASE,)), pin="c")
    assert second.guaranteed
    assert second.instance.candidates == {"c": ("c",)}
    environment = environment.declare(Binding("c", "Column", owner="t1", attrs={"scope": "visible"}))

    third = choose(REFERENCE, environment, LADDER, allow_base=True)
    assert third.guaranteed
    assert third.instance.rung is Rung.CTX
    assert third.instance.candidates == {"c": ("c",)}
    assert not accepts(third.instance.grammar, "whatever")
