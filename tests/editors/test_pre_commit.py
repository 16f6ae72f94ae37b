"""The pre-commit hook, run by the real pre-commit in a repository of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from real_nvim import shim, workspace

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

HOME = Path(__file__).parents[2]
HOOK = "gproj-lsp-check"
FINE, GHOST = "SELECT name FROM customers;\n", "SELECT nmae FROM customers;\n"


def run(folder, *command, ok=(0,), **env):
    """Run a program in a folder; gives what it said."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        check=False,
    )
    assert done.returncode in ok, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def repository(tmp_path):
    """A repository with a schema, and two queries that are about to be committed."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    if not shutil.which("git"):
        pytest.skip("no git")
    folder = workspace(tmp_path / "work")
    run(folder, "git", "init", "-q")
    (folder / "fine.sql").write_text(FINE)
    (folder / "ghost.sql").write_text(GHOST)
    run(folder, "git", "add", ".")
    return folder


def test_changed_files_are_checked(repository, tmp_path):
    (hook,) = yaml.safe_load((HOME / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == HOOK
    installed = {
        **hook,
        "language": "system",
    }  # what `python` installs is this checkout, which is on PATH here
    config = {"repos": [{"repo": "local", "hooks": [installed]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    run(repository, "git", "add", ".pre-commit-config.yaml")
    path = os.pathsep.join((str(shim(tmp_path / "bin")), os.environ["PATH"]))
    env = {"PATH": path, "PRE_COMMIT_HOME": str(tmp_path / "cache")}
    check = (sys.executable, "-m", "pre_commit", "run", HOOK)
    told = run(repository, *check, ok=(1,), **env)
    assert 'column "nmae" does not exist' in told
    assert "ghost.sql:1:8" in told
    assert "fine.sql:" not in told
    (repository / "ghost.sql").write_text(FINE)
    run(repository, "git", "add", "ghost.sql")
    assert "Passed" in run(repository, *check, **env)


@pytest.mark.slow
def test_the_hook_installs_itself(repository, tmp_path):
    """`pre-commit try-repo` builds an environment from what is committed here: it takes a minute, and PyPI."""
    env = {"PRE_COMMIT_HOME": str(tmp_path / "cache")}
    check = (sys.executable, "-m", "pre_commit", "try-repo", HOME, HOOK)
    assert 'column "nmae" does not exist' in run(repository, *check, ok=(1,), **env)
