"""What a provider found last time: trusted while its source is unchanged, used when the source does not answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import ProviderError, UnreachableError
from gproj_lsp.facts import NOTHING, Facts, Request
from gproj_lsp.providers.cache import Cached


class Source:
    """A provider that counts how often it is read."""

    name = "source"

    def __init__(self) -> None:
        self.sign = "1"
        self.reads = 0
        self.fails: ProviderError | None = None
        self.problems: tuple[str, ...] = ()

    def fingerprint(self, _request: Request) -> str | None:
        return self.sign

    def read(self, _request: Request) -> Facts:
        if self.fails:
            raise self.fails
        self.reads += 1
        origin = Origin("source", "there:3", 86400.0 * self.reads)
        binding = Binding(f"t{self.reads}", "Table", attrs={"kind": "table"}, origin=origin)
        return Facts((binding,), frozenset({"Table"}), self.problems, {"dialect": "sqlite"})


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def cached(source: Source, tmp_path: Path) -> Cached:
    return Cached(source, tmp_path / "cache")


REQUEST = Request(
    Path("work"), {"database": "postgresql://me:hunter2@db/shop?password=hunter2"}, lambda _: NOTHING
)


def test_an_unchanged_source_is_read_once(source, cached, tmp_path):
    first = cached.read(REQUEST)
    again = Cached(source, tmp_path / "cache").read(REQUEST)
    assert source.reads == 1
    assert (again.bindings, again.closed, again.details) == (first.bindings, first.closed, first.details)
    assert again.bindings[0].origin == Origin("source", "there:3", 86400.0)


def test_a_changed_source_is_read_again(source, cached):
    cached.read(REQUEST)
    source.sign = "2"
    assert cached.read(REQUEST).bindings[0].name == "t2"
    assert cached.read(REQUEST).bindings[0].name == "t2"


def test_a_source_that_does_not_answer_falls_back_and_says_so(source, cached):
    source.fails = UnreachableError("does not answer", place="there")
    with pytest.raises(UnreachableError):
        cached.read(REQUEST)
    source.fails = None
    cached.read(REQUEST)
    source.fails, source.sign = UnreachableError("does not answer", place="there"), "2"
    facts = cached.read(REQUEST)
    assert facts.bindings[0].name == "t1"
    assert facts.closed == frozenset()
    assert facts.problems == ("there: does not answer; using what was read on 1970-01-02 00:00 UTC",)


def test_a_source_that_is_not_there_is_an_error_whatever_is_kept(source, cached):
    cached.read(REQUEST)
    source.fails, source.sign = ProviderError("no such file", place="there"), "2"
    with pytest.raises(ProviderError, match="no such file"):
        cached.read(REQUEST)


def test_incomplete_answers_are_not_kept(source, cached):
    source.problems = ("half of it",)
    cached.read(REQUEST)
    cached.read(REQUEST)
    assert source.reads == 2


def test_no_password_is_kept(cached, tmp_path):
    cached.read(REQUEST)
    for path in (tmp_path / "cache").iterdir():
        assert b"hunter2" not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0


def test_the_password_does_not_tell_requests_apart(source, cached):
    cached.read(REQUEST)
    cached.read(Request(Path("work"), {"database": "postgresql://db/shop"}, lambda _: NOTHING))
    assert source.reads == 1


def test_a_damaged_file_is_read_over(cached, tmp_path):
    cached.read(REQUEST)
    for path in (tmp_path / "cache").iterdir():
        path.write_bytes(b"{nonsense")
    assert cached.read(REQUEST).bindings[0].name == "t2"


def test_a_disk_that_takes_nothing_costs_no_answer(source, tmp_path):
    (tmp_path / "file").write_text("")
    cached = Cached(source, tmp_path / "file" / "cache")
    assert cached.read(REQUEST).bindings[0].name == "t1"


def test_answers_that_nobody_asked_for_are_removed_one_day(cached, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    old, recent = folder / "old.json", folder / "recent.json"
    for path in (old, recent):
        path.write_text("{}")
    os.utime(old, (0, 0))
    cached.read(REQUEST)
    assert not old.exists()
    assert recent.exists()
