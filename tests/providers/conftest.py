"""A real PostgreSQL server, started once for the tests that need it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from gproj_lsp.oracles.postgres import OracleUnavailableError, PostgresOracle, postgres


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresOracle]:
    """A server on a Unix socket in a folder of its own."""
    try:
        running = postgres()
        found = running.__enter__()
    except OracleUnavailableError as error:
        pytest.skip(str(error))
    try:
        yield found
    finally:
        running.__exit__(None, None, None)


_numbers = count()


@pytest.fixture
def new_database(server: PostgresOracle):
    """Makes an empty database from a script; gives its URL."""

    def make(script: str = "") -> str:
        name = f"made{next(_numbers)}"
        server.create(name)
        if script:
            server.run(script, name)
        return server.url(name)

    return make
