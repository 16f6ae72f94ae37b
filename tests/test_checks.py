"""The checks that a change must pass besides its tests: lint, format, strict types, imports that point one way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent

CHECKS = {
    "lint": [BIN / "ruff", "check", "--no-cache", "."],
    "format": [BIN / "ruff", "format", "--no-cache", "--check", "."],
    "types": [sys.executable, "-m", "mypy"],
    "imports": [BIN / "lint-imports", "--no-cache"],
}


@pytest.mark.parametrize("name", CHECKS)
def test_check(name):
    done = subprocess.run([*CHECKS[name]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"
