"""DDL files: which are read, in which order, and what becomes of one that can't be read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.environment import Binding
from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import Facts, Request
from gproj_lsp.providers.files import DdlFiles, migration_key


class Declared:
    """Stands in for the analyser: each source declares its own text as a table."""

    def __init__(self) -> None:
        self.sources: list[tuple[str, str]] = []

    def __call__(self, sources: Sequence[tuple[str, str]]) -> Facts:
        self.sources = list(sources)
        return Facts(tuple(Binding(text, "Table") for text, _ in sources), frozenset({"Table"}))

    @property
    def labels(self) -> list[str]:
        return [label for _, label in self.sources]


def read(root: Path, *patterns: str) -> tuple[Facts, list[str]]:
    declared = Declared()
    facts = DdlFiles().read(Request(root, {"ddl": patterns}, declared, surface="toy", patterns=("*.sql",)))
    return facts, declared.labels


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


class TestOrder:
    @pytest.mark.parametrize(
        "names",
        [
            [
                "V1__init.sql",
                "V1.1__fix.sql",
                "V1_2__fix.sql",
                "V2__more.sql",
                "V10__last.sql",
                "R__views.sql",
            ],
            ["0001_initial.sql", "0002_users.sql", "0010_orders.sql"],
            ["1_a.sql", "2_b.sql", "10_c.sql", "20240131120000_d.sql"],
            ["a/2.sql", "a/10.sql", "b/1.sql"],
            ["20240101_init/migration.sql", "20240102_more/migration.sql"],
            ["schema1.sql", "schema2.sql", "schema10.sql"],
        ],
    )
    def test_migrations_apply_by_their_versions(self, names):
        assert [str(each) for each in sorted(map(PurePosixPath, reversed(names)), key=migration_key)] == names

    @given(st.lists(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1)))
    def test_any_names_can_be_compared(self, names):
        sorted(map(PurePosixPath, names), key=migration_key)

    def test_patterns_apply_in_their_order_and_files_once(self, tmp_path):
        write(tmp_path, "z/base.sql", "migrations/V2.sql", "migrations/V10.sql", "migrations/V1.sql")
        _, labels = read(tmp_path, "z/*.sql", "migrations/*.sql", "**/*.sql")
        assert labels == ["z/base.sql", "migrations/V1.sql", "migrations/V2.sql", "migrations/V10.sql"]

    def test_scripts_that_undo_are_left_out(self, tmp_path):
        write(tmp_path, "1_a.up.sql", "1_a.down.sql", "V2__b.sql", "U2__b.sql", "users.sql", "undo.sql")
        _, labels = read(tmp_path, "*.sql")
        assert set(labels) == {"1_a.up.sql", "V2__b.sql", "users.sql", "undo.sql"}

    def test_a_folder_stands_for_its_files(self, tmp_path):
        write(tmp_path, "schema/b.sql", "schema/a.sql", "schema/notes.md")
        assert read(tmp_path, "schema")[1] == ["schema/a.sql", "schema/b.sql"]


class TestBounds:
    def test_a_relative_pattern_stays_inside(self, tmp_path):
        root = tmp_path / "work"
        write(tmp_path, "work/a.sql", "secret.sql")
        with pytest.raises(ProviderError, match="leads outside the workspace"):
            read(root, "../*.sql")

    def test_a_link_out_is_told_and_not_followed(self, tmp_path):
        root = tmp_path / "work"
        write(tmp_path, "work/a.sql", "secret.sql")
        (root / "b.sql").symlink_to(tmp_path / "secret.sql")
        facts, labels = read(root, "*.sql")
        assert labels == ["a.sql"]
        assert facts.problems == ("b.sql: leads outside the workspace, so it is not read",)

    def test_an_absolute_pattern_may_lead_anywhere(self, tmp_path):
        write(tmp_path, "work/a.sql", "other/b.sql")
        _, labels = read(tmp_path / "work", str(tmp_path / "other" / "*.sql"))
        assert labels == [str(tmp_path / "other" / "b.sql")]


class TestFailures:
    def test_nothing_found_is_an_error(self, tmp_path):
        with pytest.raises(ProviderError, match="nothing matches") as caught:
            read(tmp_path, "schema/*.sql")
        said = f"surfaces.toy.ddl: nothing matches schema/*.sql (patterns start at {tmp_path})"
        assert str(caught.value) == said

    def test_a_pattern_without_files_beside_one_with_some_is_told(self, tmp_path):
        write(tmp_path, "a.sql")
        assert read(tmp_path, "a.sql", "b/*.sql")[0].problems == (
            "surfaces.toy.ddl: nothing matches b/*.sql",
        )

    @pytest.mark.parametrize("pattern", ["a\0b", "[", "x" * 5000])
    def test_odd_patterns_are_errors_at_most(self, tmp_path, pattern):
        with pytest.raises(ProviderError):
            read(tmp_path, pattern)

    def test_a_file_that_is_no_text_is_told_and_closes_nothing(self, tmp_path):
        write(tmp_path, "a.sql")
        (tmp_path / "b.sql").write_bytes(b"CREATE\n\xff")
        facts, labels = read(tmp_path, "*.sql")
        assert labels == ["a.sql"]
        assert facts.closed == frozenset()
        assert facts.problems == ("b.sql: line 2: byte 0xff is not UTF-8",)

    def test_a_byte_order_mark_is_no_text(self, tmp_path):
        (tmp_path / "a.sql").write_bytes(b"\xef\xbb\xbfhello")
        assert read(tmp_path, "*.sql")[0].bindings[0].name == "hello"


def test_the_fingerprint_follows_the_files(tmp_path):
    provider = DdlFiles()
    asked = Request(tmp_path, {"ddl": ("*.sql",)}, Declared())
    assert provider.fingerprint(Request(tmp_path, {}, Declared())) is None
    write(tmp_path, "a.sql")
    first = provider.fingerprint(asked)
    assert provider.fingerprint(asked) == first
    write(tmp_path, "b.sql")
    assert provider.fingerprint(asked) != first
