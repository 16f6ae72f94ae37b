"""What is said of a ghost: its name, its sort, and what could stand there instead."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.environment import Binding, Environment, Frame, Origin
from gproj_lsp.ghosts import clear, diagnose, nearest
from gproj_lsp.resolve import NO_EFFECT, Effect, Expectation, Reference, Verdict
from gproj_lsp.text import Span

DDL = Origin("ddl", "schema.sql:3")
GAMMA = Environment.of(
    [
        Binding("users", "Table", origin=DDL),
        *(Binding(name, "Column", "users", origin=DDL) for name in ("id", "name", "created_at")),
        Binding("total", "Column", "orders"),
    ]
)


@dataclass(frozen=True)
class Around:
    """A resolution with one frame everywhere."""

    frame: Frame
    references: tuple[Reference, ...] = ()
    effect: Effect = NO_EFFECT
    readable: bool = True

    def frames_at(self, offset):  # noqa: ARG002
        return (self.frame,)

    def expectation_at(self, offset):  # noqa: ARG002
        return Expectation("")


def finding(reference, frame=None):
    return next(diagnose([reference], Around(frame or Frame()), GAMMA))


def ghost(name, sort="Column", **rest):
    return Reference(Span(7, 7 + len(name)), name, sort, Verdict.GHOST, **rest)


def test_a_ghost_names_itself_its_sort_its_owner_and_where_candidates_come_from():
    found = finding(ghost("nmae", owner="users"))
    assert found.message == 'column "nmae" does not exist in users; nearest: name (ddl schema.sql:3)'
    assert (found.code, found.severity, found.sort, found.span) == (
        "ghost-reference", "error", "Column", Span(7, 11))  # fmt: skip
    assert found.suggestions == ("name",)
    assert found.origin == DDL


def test_without_an_owner_only_names_alike_are_suggested():
    assert finding(ghost("totl")).suggestions == ("total",)
    found = finding(ghost("zzz"))
    assert (found.suggestions, found.origin) == ((), None)
    assert found.message == 'column "zzz" does not exist'


def test_what_the_resolver_offers_is_all_there_is():
    found = finding(ghost("naem", candidates=("u.id", "u.name", 'u."Odd"'), reason="u has no such column"))
    assert found.suggestions == ("u.name",)
    assert found.message.startswith('column "naem" does not exist; u has no such column; nearest: u.name')
    assert found.origin == DDL


def test_far_names_are_suggested_only_where_there_are_few():
    few, many = ("a", "b", "c"), ("a", "b", "c", "d")
    assert finding(ghost("zzz", candidates=few)).suggestions == few
    assert finding(ghost("zzz", candidates=many)).suggestions == ()


def test_names_that_share_a_word_are_near_however_long_they_are():
    candidates = ("joined_on", "mail_addr", "full_name", "id", "customer_email")
    assert set(finding(ghost("email", candidates=candidates)).suggestions) == {"mail_addr", "customer_email"}


def test_where_a_qualifier_is_not_known_all_it_could_mean_is_suggested_nearest_first():
    candidates = ("u.id", "u.total", "o.total", "u.name")
    assert finding(ghost("b.name", candidates=candidates)).suggestions[0] == "u.name"
    assert set(finding(ghost("b.name", candidates=candidates)).suggestions) == set(candidates)


def test_names_of_the_statement_are_candidates_too():
    frame = Frame.of([Binding("recent", "Table")])
    assert finding(ghost("recnt", "Table"), frame).suggestions == ("recent",)


def test_an_ambiguous_name_is_a_warning_with_its_choices():
    reference = Reference(Span(0, 2), "id", "Column", Verdict.AMBIGUOUS, candidates=("u.id", "o.id"))
    found = finding(reference)
    assert (found.code, found.severity) == ("ambiguous-reference", "warning")
    assert found.message == 'column "id" is ambiguous: more than one declaration fits; write u.id or o.id'


def test_a_name_on_its_way_out_is_a_warning_with_what_replaces_it():
    old = Binding(
        "old", "Column", "users", attrs={"deprecated": "since 2.0", "replacement": "name"}, origin=DDL
    )
    found = finding(Reference(Span(0, 3), "old", "Column", Verdict.DECLARED, old, "users"))
    assert (found.code, found.severity, found.suggestions) == ("deprecated-reference", "warning", ("name",))
    assert found.message == 'column "old" of users is deprecated: since 2.0'
    bare = Binding("old", "Column", attrs={"deprecated": "", "replacement": "name"})
    assert finding(Reference(Span(0, 3), "old", "Column", Verdict.DECLARED, bare)).message == (
        'column "old" is deprecated; write name'
    )


@pytest.mark.parametrize("verdict", [Verdict.DECLARED, Verdict.UNKNOWN])
def test_what_is_declared_or_unknown_is_passed_over(verdict):
    assert not list(diagnose([Reference(Span(0, 1), "x", "Column", verdict)], Around(Frame()), GAMMA))


@pytest.mark.parametrize(
    ("name", "candidates", "first"),
    [
        ("nmae", ["id", "email", "name"], "name"),
        ("NAME", ["email", "name"], "name"),
        ("usr_id", ["id", "user_id", "users"], "user_id"),
        ("odd", ["id", '"Odd"'], '"Odd"'),
        ("price", ["pride", "prices", "u.price"], "u.price"),
        ("x", ["b", "a"], "b"),
        ("pont", ["Point", "point"], "point"),
        ("Pont", ["point", "Point"], "Point"),
        ("POINTT", ["Point", "point"], "Point"),
    ],
)
def test_the_nearest_name_comes_first(name, candidates, first):
    assert nearest(name, candidates)[0] == first


@given(st.text(max_size=8), st.lists(st.text(max_size=8), max_size=8))
def test_nothing_is_cut_off_or_made_up(name, candidates):
    assert sorted(nearest(name, candidates)) == sorted(set(candidates))
    assert nearest(name, candidates) == nearest(name, list(candidates))


@pytest.mark.parametrize(
    ("name", "suggestions", "expected"),
    [
        ("nmae", ("name", "id"), True),
        ("User", ("user", "users"), True),
        ("total_prise", ("total_price", "total_prize"), False),
        ("amount", ("account",), False),
        ("ib", ("id",), False),
        ("id", ("u.id", "o.id"), False),
        ("creatd_at", ('"created_at"', '"updated_at"'), True),
        ("x", (), False),
    ],
)
def test_a_suggestion_is_clear_where_it_is_near_and_no_other_is(name, suggestions, expected):
    assert clear(name, suggestions) is expected
