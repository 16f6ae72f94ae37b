"""Fixtures of the evaluation: a place to tell figures."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[[object], None]:
    """Writes a figure to the terminal, captured or not."""

    def write(what: object) -> None:
        with capsys.disabled():
            print(f"\n{what}")  # noqa: T201  (figures are what these tests are for)

    return write
