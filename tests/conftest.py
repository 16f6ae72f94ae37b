"""Fixtures that any test may use: the shipped surfaces, and a small one of our own to break."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from gproj_lsp.oracles.postgres import OracleUnavailableError, PostgresOracle, postgres
from gproj_lsp.surface import Surface, load, shipped

settings.register_profile("any machine", deadline=None)  # no test depends on how fast a machine is
settings.load_profile("any machine")

TOY = """\
name = "toy"
patterns = ["*.toy"]
languages = ["toy"]
tree-sitter = "tree_sitter_sql"
comment = "--"
order = ["From", "Select"]

[settings]
dialect = "loud|quiet"

[lexer]
line-comments = ["--"]
block-comment = ["/*", "*/"]
strings = [["'", "'", "'"]]
quoted = [['"', '"', '"']]
holes = ['\\?\\?', '\\{(?P<name>\\w+)?:(?P<sort>[A-Z]\\w*)(?:\\s+"(?P<instruction>[^"]*)")?\\}']
opaque = [{ pattern = ':\\w+' }, { pattern = '\\{\\{.*?\\}\\}', fill = "name" }]

[dialects.loud.lexer]
terminator = "!"

[sorts.Table]
aliases = ["TableRef"]
placeholder = "t"
exhaustive = true

[sorts.Column]
plural = "columns"
placeholder = "c"
exhaustive = true

[sorts.Alias]
"""

LOCALS = """\
(statement) @local.scope
(subquery) @local.scope
((create_table (object_reference name: (identifier) @local.definition.Table))
  (#set! definition.scope "global"))
(relation alias: (identifier) @local.definition.Alias)
(relation (object_reference name: (identifier) @local.reference.Table))
(field (object_reference name: (identifier) @local.reference.Alias))
"""


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or leaves anything in the user's cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def sql() -> Surface:
    """The shipped SQL surface."""
    return shipped()["sql"]


@pytest.fixture
def toy_root(tmp_path: Path) -> Path:
    """The folder of a small lexical surface, to be changed at will."""
    root = tmp_path / "toy"
    root.mkdir()
    (root / "surface.toml").write_text(TOY)
    (root / "locals.scm").write_text(LOCALS)
    return root


@pytest.fixture
def toy(toy_root: Path) -> Surface:
    """A small surface whose names resolve lexically, on SQL's syntax."""
    return load(toy_root)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of measuring data that lies beside some checkouts."""
    folder = Path(os.environ.get("GPROJ_SHARED", Path(__file__).parents[2] / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"no measuring data at {folder} (set GPROJ_SHARED)")
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresOracle]:
    """A real PostgreSQL server on a Unix socket, started once for the tests that need one."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(postgres())
        except OracleUnavailableError as error:
            pytest.skip(str(error))
        yield running


_databases = count()


@pytest.fixture
def new_database(server: PostgresOracle) -> Callable[[str], str]:
    """Makes a database from a script; gives its URL."""

    def make(script: str) -> str:
        name = f"made{next(_databases)}"
        server.create(name)
        server.run(script, name)
        return server.url(name)

    return make
