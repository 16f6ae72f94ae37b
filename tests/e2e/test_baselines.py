"""Folders with settings of their own, checked in one run."""

from __future__ import annotations

import json

import pytest
from program import gproj

SETTINGS = 'baseline = "ghosts.json"\n[surfaces.sql]\nddl = "schema.sql"\n'


@pytest.fixture
def two(tmp_path):
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "schema.sql").write_text("CREATE TABLE users (id INT);\n")
        (folder / "gproj.toml").write_text(SETTINGS)
        (folder / "a.sql").write_text(f"SELECT {name} FROM users;\n")
    return tmp_path


def test_each_folder_has_its_own_baseline(two):
    assert gproj(two, "check", "one/a.sql", "two/a.sql", "--update-baseline").returncode == 0
    known = json.loads((two / "two" / "ghosts.json").read_text())["known"]
    assert [each["name"] for each in known] == ["two"]
    assert gproj(two, "check", "one/a.sql", "two/a.sql").returncode == 0
    (two / "two" / "a.sql").write_text("SELECT one FROM users;\n")
    done = gproj(two, "check", "one/a.sql", "two/a.sql", "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert {file["path"]: len(file["diagnostics"]) for file in found["files"]} == {
        "one/a.sql": 0,
        "two/a.sql": 1,
    }


def test_a_check_is_told_as_the_folder_wants_it(two):
    (two / "one" / "gproj.toml").write_text(
        'checks.ghost-reference = "information"\n[surfaces.sql]\nddl = "schema.sql"\n'
    )
    done = gproj(two / "one", "check", "a.sql", "--format", "github")
    assert done.returncode == 0
    assert done.stdout.startswith(b"::notice ")
    (two / "one" / "gproj.toml").write_text(
        'checks.ghost-reference = "off"\n[surfaces.sql]\nddl = "schema.sql"\n'
    )
    assert json.loads(gproj(two / "one", "check", "a.sql", "--format", "json").stdout)["ghosts"] == 0
