"""What brings in a table whose column was named too early: the surface's sketch, filled in one way or not at all."""

import sqlite3
from contextlib import closing

import pytest

from gproj_lsp.decode.scoping import Misfit
from gproj_lsp.decode.widening import widening
from gproj_lsp.facts import Request
from gproj_lsp.ide import Analyzer
from gproj_lsp.providers.database import Database
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SCHEMA = """\
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL, buyer INTEGER REFERENCES users (id));
CREATE TABLE gifts (gift TEXT, giver INTEGER REFERENCES users (id), taker INTEGER REFERENCES users (id));
CREATE TABLE notes (note TEXT);
CREATE TABLE letters (sum REAL, sender INTEGER REFERENCES users (id));
CREATE TABLE bills (sum REAL, payer INTEGER REFERENCES users (id));
"""


@pytest.fixture
def analyzer(tmp_path):
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript(SCHEMA)
    said = {"database": f"sqlite:///{tmp_path}/shop.sqlite", "dialect": "sqlite"}
    facts = Database().read(Request(tmp_path, said, lambda _: None))
    surface = shipped()["sql"]
    return Analyzer(surface, resolver_of(surface), [facts], settings={"dialect": "sqlite"})


@pytest.mark.parametrize(
    ("text", "wider"),
    [
        (
            "SELECT total FROM users WHERE ",
            "SELECT total FROM users JOIN orders ON orders.buyer = users.id WHERE ",
        ),
        ("SELECT name FROM orders AS o", "SELECT name FROM orders AS o JOIN users ON o.buyer = users.id"),
        pytest.param("SELECT name FROM gifts", None, id="two keys lead there"),
        pytest.param("SELECT note FROM users", None, id="no key leads there"),
        pytest.param("SELECT sum FROM users", None, id="two tables have it"),
        pytest.param("SELECT users.total FROM users", None, id="it is said whose it is"),
        pytest.param("SELECT name FROM users", None, id="nothing is missing"),
        pytest.param("SELECT total, note FROM users", None, id="no table has both"),
    ],
)
def test_there_is_one_way_or_none(analyzer, text, wider):
    surface, draft = analyzer.surface, analyzer.statement("", 0)
    scope = draft.scopes(text)[0]
    misfit = Misfit(scope, scope.clauses[0], draft.environment(text, scope.clauses[0].span))
    found = widening(surface.completion.widening, draft, text, misfit)
    assert (found and text[: found[0]] + found[1] + text[found[0] :]) == wider
