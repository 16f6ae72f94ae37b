"""What an ON clause can say along foreign keys."""

from __future__ import annotations

import pytest

from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SCHEMA = """
CREATE TABLE users (id INT PRIMARY KEY, boss INT REFERENCES users (id));
CREATE TABLE orders (id INT PRIMARY KEY, "user id" INT REFERENCES Users (ID), paid_by INT REFERENCES users);
CREATE TABLE notes (id INT, text TEXT);
"""


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    sql = shipped()["sql"]
    plain = Analyzer(sql, resolver_of(sql), settings={"dialect": "sqlite"})
    facts = plain.declared([(SCHEMA, "schema.sql")])
    return Analyzer(sql, resolver_of(sql), facts, {"dialect": "sqlite"})


def keys(analyzer: Analyzer, text: str) -> set[str]:
    """The keys at the first hole, each in one order of writing."""
    (hole,) = analyzer.analyse(text).holes
    spelled = [each.name for each in hole.environment if each.sort == "JoinKey"]
    assert {" = ".join(reversed(each.split(" = "))) for each in spelled} == set(spelled)
    return {each for each in spelled if each.split(" = ") <= list(reversed(each.split(" = ")))}


def test_what_refers_to_what_is_written_out(analyzer: Analyzer):
    """Quoted where it must be; a reference to a table means its key."""
    found = keys(analyzer, "SELECT 1 FROM users AS T1 JOIN orders AS T2 ON ??")
    assert found == {'T1.id = T2."user id"', "T1.id = T2.paid_by"}


def test_a_table_may_refer_to_itself(analyzer: Analyzer):
    found = keys(analyzer, "SELECT 1 FROM users a JOIN users b ON ??")
    assert found == {"a.boss = b.id", "a.id = b.boss"}


def test_the_last_relation_is_joined_to_those_before_it(analyzer: Analyzer):
    found = keys(analyzer, "SELECT 1 FROM users u JOIN users v ON u.boss = v.id JOIN orders ON ??")
    owners = ("u", "v")
    assert found == {f'orders."user id" = {each}.id' for each in owners} | {
        f"orders.paid_by = {each}.id" for each in owners
    }


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 FROM users JOIN notes ON ??",
        "SELECT 1 FROM users JOIN orders ON 1 WHERE ??",
        "SELECT 1 FROM (SELECT id FROM users) u JOIN (SELECT id FROM notes) n ON ??",
    ],
    ids=["no key", "not in ON", "queries have none"],
)
def test_nothing_is_said_where_no_key_is_declared(analyzer: Analyzer, text: str):
    assert keys(analyzer, text) == set()
