"""Python on the command line: a library frozen, its ghosts found, and holes filled by a real model that can't write one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import gproj

LIBRARIES = Path(__file__).parents[1] / "libraries"

GHOSTS = """\
import shelf

sales = shelf.load("sales.csv", form="parquet")
big = sales.groupby("shop").where("total > 1")
print(shelf.Fit.LEFT, bgi)
"""

HOLES = """\
import shelf

sales = shelf.load("sales.csv")
big = sales.??("total > 100")
big.arrange("total", ??=True)
print(??)
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A folder whose settings name the frozen library."""
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "gproj.toml").write_text('[surfaces.python]\napi = ["shelf"]\n')
    done = gproj(folder, "facts", "freeze", "shelf", "--path", str(LIBRARIES))
    assert done.returncode == 0, done.stderr
    assert b"shelf.api.json: 1 Module, 42 Attributes" in done.stderr
    return folder


def test_ghosts_of_a_library_are_found(workspace):
    (workspace / "a.py").write_text(GHOSTS)
    done = gproj(workspace, "check", "a.py", "--format", "json")
    assert done.returncode == 1, done.stderr
    (file,) = json.loads(done.stdout)["files"]
    found = [(each["name"], each["sort"]) for each in file["diagnostics"]]
    assert found == [("parquet", "Choice"), ("groupby", "Attribute"), ("LEFT", "Attribute"), ("bgi", "Name")]


def test_what_a_model_fills_is_no_ghost(workspace):
    (workspace / "b.py").write_text(HOLES)
    done = gproj(workspace, "fill", "b.py", "--write")
    assert done.returncode == 0, done.stderr
    assert "??" not in (workspace / "b.py").read_text()
    again = gproj(workspace, "check", "b.py")
    assert again.returncode == 0, again.stdout


def test_importing_and_reading_are_compared(workspace):
    done = gproj(workspace, "facts", "freeze", "shelf", "--path", str(LIBRARIES), "--compare")
    assert done.returncode == 0, done.stderr
    assert b"74 names in both" in done.stdout


def test_a_library_that_is_not_there_is_told_in_one_line(workspace):
    done = gproj(workspace, "facts", "freeze", "nowhere_lib")
    assert done.returncode == 2
    assert b"nowhere_lib: can't be imported: ModuleNotFoundError" in done.stderr
    assert b"Traceback" not in done.stderr
    bad = gproj(workspace, "facts", "freeze", "a;b")
    assert (bad.returncode, b"is no package's name" in bad.stderr) == (2, True)
