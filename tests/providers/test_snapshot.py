"""Frozen facts: stable, readable, and refused when they are none."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import NOTHING, Facts, Request
from gproj_lsp.providers.database import Database
from gproj_lsp.providers.snapshot import Snapshot, dump, load, write

NOON = Origin("database", "shop.db", 1769860800.0)

FACTS = Facts(
    (
        Binding("users", "Table", attrs={"kind": "table"}, origin=NOON),
        Binding("name", "Column", owner="users", attrs={"type": "TEXT", "table": "users"}, origin=NOON),
        Binding("id", "Column", owner="users", attrs={"table": "users"}, origin=NOON),
        Binding("tax", "Function", owner="app", attrs={"kind": "scalar"}, origin=NOON),
    ),
    frozenset({"Table", "Function"}),
    details={"dialect": "sqlite"},
)

TEXT = """{
  "gproj-lsp snapshot": 1,
  "read": "2026-01-31T12:00:00Z",
  "sources": ["shop.db"],
  "details": {"dialect": "sqlite"},
  "closed": ["Function", "Table"],
  "names": [
    {"sort": "Column", "owner": "users", "name": "name", "attrs": {"table": "users", "type": "TEXT"}},
    {"sort": "Column", "owner": "users", "name": "id", "attrs": {"table": "users"}},
    {"sort": "Function", "owner": "app", "name": "tax", "attrs": {"kind": "scalar"}},
    {"sort": "Table", "name": "users", "attrs": {"kind": "table"}}
  ]
}
"""


def read(path: Path) -> Facts:
    return Snapshot().read(Request(path.parent, {"snapshot": path.name}, lambda _: NOTHING))


def test_the_format():
    assert dump(FACTS) == TEXT


def test_what_is_written_is_read(tmp_path):
    write(tmp_path / "schema.json", FACTS)
    facts = read(tmp_path / "schema.json")
    assert {each.key for each in facts.bindings} == {each.key for each in FACTS.bindings}
    assert facts.closed == FACTS.closed
    assert facts.details == FACTS.details
    assert {each.origin for each in facts.bindings} == {Origin("snapshot", "schema.json", NOON.read)}
    assert dump(replace(facts, bindings=tuple(replace(b, origin=NOON) for b in facts.bindings))) == TEXT


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True))
def test_any_name_survives(names):
    facts = Facts(tuple(Binding(name, "Table", origin=NOON) for name in names))
    found = load(dump(facts).encode(), "x")
    assert sorted(each.name for each in found.bindings) == sorted(names)


def test_no_facts_are_facts(tmp_path):
    write(tmp_path / "empty.json", NOTHING)
    assert read(tmp_path / "empty.json").bindings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is not a snapshot"),
        (b"\xff\xfe", "is not a snapshot"),
        (b"[]", "is not a snapshot"),
        (b'{"gproj-lsp snapshot": 1}', "is not a snapshot"),
        (TEXT.replace("kind", "k\\ud800").encode(), "is not a snapshot"),
        (TEXT.replace("2026-01-31T12", "long ago").encode(), "is not a snapshot"),
        (TEXT.replace('"closed"', '"klosed"').encode(), "is not a snapshot"),
        (TEXT[:300].encode(), "is not a snapshot"),
        (b'{"gproj-lsp snapshot": 2, "more": []}', "newer gproj-lsp"),
    ],
)
def test_what_is_no_snapshot_is_an_error(tmp_path, text, message):
    path = tmp_path / "schema.json"
    path.write_bytes(text)
    with pytest.raises(ProviderError, match=message) as caught:
        read(path)
    assert caught.value.place == "schema.json"


def test_an_absent_one_is_an_error(tmp_path):
    with pytest.raises(ProviderError, match="No such file"):
        read(tmp_path / "absent.json")


def test_a_failed_write_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "schema.json"
    path.write_text("before")

    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(OSError, match="No space"):
        write(path, FACTS)
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["schema.json"]


def test_freezing_a_database_twice_gives_one_text(tmp_path):
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.executescript("CREATE TABLE b (y, x); CREATE TABLE a (id INTEGER PRIMARY KEY)")
    connection.close()

    def frozen() -> list[str]:
        facts = Database().read(Request(tmp_path, {"database": "shop.db"}, lambda _: NOTHING))
        return [line for line in dump(facts).splitlines() if '"read"' not in line]

    assert frozen() == frozen()
    names = json.loads("\n".join(frozen()))["names"]
    assert [each["name"] for each in names] == ["id", "y", "x", "a", "b"]
