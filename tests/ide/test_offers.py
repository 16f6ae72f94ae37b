"""What may stand in a hole, told without a model."""

from __future__ import annotations

import pytest

from gproj_lsp.fragment import Rung
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.offers import Offers
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SCHEMA = "CREATE TABLE users (id INT, name TEXT);\nCREATE TABLE orders (id INT, total INT);\n"


@pytest.fixture(scope="module")
def surface():
    return shipped()["sql"]


@pytest.fixture
def offer(surface):
    analyzer = Analyzer(surface, resolver_of(surface))
    offers = Offers(surface)

    def first(text, **wishes):
        return offers.of(analyzer.analyse(SCHEMA + text).holes[0], **wishes)

    return first


def test_a_column_is_one_of_its_tables(offer):
    found = offer("SELECT ?? FROM users;")
    assert (found.names, found.rung, found.closed, found.reason) == (("id", "name"), Rung.CTX, True, "")


def test_a_table_is_one_of_all(offer):
    assert set(offer("SELECT 1 FROM ??;").names) == {"users", "orders"}


def test_where_nothing_is_declared_it_says_so(offer):
    found = offer("SELECT {:Nothing} FROM users;")
    assert (found.names, found.choice, found.closed) == ((), None, False)
    assert found.reason


def test_an_edit_elsewhere_leaves_an_offer_as_it_was(offer):
    first = offer("SELECT ?? FROM users;")
    again = offer("SELECT ?? FROM users; SELECT 1;")
    assert again.choice == first.choice
