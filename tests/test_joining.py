"""Sources that agree are one; where they disagree, both are named."""

import pytest

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import InputError
from gproj_lsp.facts import DISPUTED, Facts, facts_from_table
from gproj_lsp.joining import joined

MEMBERS = {"columns": "Column"}
ALL = frozenset({"Table", "Column"})


def source(provider, *tables, closed=ALL, **columns):
    origin = Origin(provider)
    found = [
        Binding(name, "Table", attrs={} if name in columns else {"columns": "open"}, origin=origin)
        for name in tables
    ]
    found += (
        Binding(name, "Column", table, attrs={"table": table}, origin=origin)
        for table, names in columns.items()
        for name in names
    )
    return Facts(tuple(found), closed)


def disputed(facts):
    return [binding.name for binding in facts.bindings if DISPUTED in binding.attrs]


def test_sources_that_agree_dispute_nothing_and_the_first_gives_the_origin():
    facts = joined([source("ddl", "users", users=["id"]), source("database", "users", users=["id"])], MEMBERS)
    assert disputed(facts) == []
    assert {binding.origin.provider for binding in facts.bindings} == {"ddl"}
    assert len(facts.bindings) == 2


def test_a_column_that_one_lacks_is_disputed_whichever_has_it():
    facts = joined(
        [source("ddl", "users", users=["id", "age"]), source("database", "users", users=["id", "email"])],
        MEMBERS,
    )
    assert disputed(facts) == ["age", "email"]
    assert [binding.name for binding in facts.bindings] == ["users", "id", "age", "email"]
    assert facts.bindings[2].attrs[DISPUTED] == "ddl declares it, database does not"


def test_a_table_whose_columns_are_open_lacks_none():
    facts = joined([source("ddl", "users", users=["id"]), source("database", "users")], MEMBERS)
    assert disputed(facts) == []


def test_the_columns_of_a_table_that_the_other_lacks_are_disputed_with_it_alone():
    facts = joined([source("ddl", "a", "b", a=["x"], b=["y"]), source("database", "a", a=["x"])], MEMBERS)
    assert disputed(facts) == ["b"]


def test_a_source_that_knows_no_such_sort_disputes_nothing():
    facts = joined(
        [source("ddl", "users"), Facts((Binding("now", "Function"),), frozenset({"Function"}))], MEMBERS
    )
    assert disputed(facts) == []
    assert facts.closed == ALL | {"Function"}


def test_details_of_the_first_win_and_problems_are_told_once():
    facts = joined(
        [
            Facts(problems=("p",), details={"dialect": "a"}),
            Facts(problems=("p", "q"), details={"dialect": "b"}),
        ],
        {},
    )
    assert facts.problems == ("p", "q")
    assert facts.details["dialect"] == "a"


class TestWrittenOut:
    """Facts as a table in settings, gates and literate tests."""

    def test_members_belong_to_their_owner_and_attributes_are_texts(self, toy):
        facts = facts_from_table(
            toy,
            {
                "Table": {
                    "users": {
                        "kind": "view",
                        "schema": "app",
                        "columns": ["id", {"name": "n", "null": False}],
                    },
                    "logs": {},
                }
            },
            "gproj.toml:3",
        )
        users, number, name, logs = facts.bindings
        assert dict(users.attrs) == {"kind": "view", "schema": "app"}
        assert (number.owner, dict(number.attrs)) == ("users", {"table": "users", "schema": "app"})
        assert name.attrs["null"] == "false"
        assert dict(logs.attrs) == {"columns": "open"}
        assert users.origin == Origin("facts", "gproj.toml:3")
        assert facts.closed == ALL

    def test_names_alone_are_a_list(self, toy):
        assert [each.name for each in facts_from_table(toy, {"Alias": ["a", "b"]}).bindings] == ["a", "b"]

    @pytest.mark.parametrize(
        ("table", "said"),
        [
            ({"Tabel": {}}, 'facts name an unknown sort "Tabel"'),
            ({"Table": [3]}, "a name in facts is a text, not 3"),
            ({"Table": {"t": {"columns": [{"type": "int"}]}}}, "a name in facts is a text, not"),
            ({"Table": [""]}, "a name in facts is a text, not ''"),
        ],
    )
    def test_what_is_no_name_is_refused_with_its_place(self, toy, table, said):
        with pytest.raises(InputError, match=said) as caught:
            facts_from_table(toy, table, "x.toml:1")
        assert caught.value.place == "x.toml:1"
