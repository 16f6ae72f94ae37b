"""What tests of Python share: the surface, and the made-up library's frozen facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gproj_lsp.facts import Facts
from gproj_lsp.providers.snapshot import load
from gproj_lsp.surface import Surface, shipped

FROZEN = Path(__file__).parent / "shelf.api.json"


@pytest.fixture(scope="session")
def python() -> Surface:
    """The shipped Python surface."""
    return shipped()["python"]


@pytest.fixture(scope="session")
def shelf() -> Facts:
    """The frozen facts of the made-up library."""
    return load(FROZEN.read_bytes(), FROZEN.name)
