"""Fixtures of the evaluation: a place to tell figures, and a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from gproj_lsp.oracles.postgres import OracleUnavailableError, PostgresOracle, postgres


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[[object], None]:
    """Writes a figure to the terminal, captured or not."""

    def write(what: object) -> None:
        with capsys.disabled():
            print(f"\n{what}")  # noqa: T201  (figures are what these tests are for)

    return write


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresOracle]:
    try:
        with postgres() as oracle:
            yield oracle
    except OracleUnavailableError as error:
        pytest.skip(str(error))
