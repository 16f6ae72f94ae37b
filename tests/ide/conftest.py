"""A small world, and texts with a cursor written into them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gproj_lsp.facts import facts_from_table
from gproj_lsp.ide import Analysis, Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import Surface

CURSOR = "|"
TABLES = {
    "users": {"columns": ["id", {"name": "name", "type": "text"}, "e-mail"]},
    "orders": {"columns": ["id", "user_id", {"name": "total", "type": "numeric"}]},
}


@dataclass(frozen=True)
class Place:
    """A text, what is known of it, and the byte where the cursor is."""

    text: str
    analysis: Analysis
    offset: int

    def at(self, span):
        """The text of a span."""
        return self.text.encode()[span.start : span.end].decode()


class Desk:
    """A surface with its world."""

    def __init__(self, surface: Surface, analyzer: Analyzer) -> None:
        self.surface = surface
        self.analyzer = analyzer

    def place(self, marked: str, *, typing: bool = False) -> Place:
        """What is known where the cursor `|` stands in a text.

        Args:
            marked: The text with the cursor.
            typing: Whether somebody types there.
        """
        before, _, after = marked.partition(CURSOR)
        text, offset = before + after, len(before.encode())
        return Place(text, self.analyzer.analyse(text, offset if typing else None), offset)


@pytest.fixture
def desk(sql):
    """SQLite with two tables that facts declare."""
    facts = facts_from_table(sql, {"Table": TABLES}, "schema.toml:1")
    return Desk(sql, Analyzer(sql, resolver_of(sql), facts, {"dialect": "sqlite"}))


@pytest.fixture
def postgres_desk(sql):
    """The same on PostgreSQL."""
    facts = facts_from_table(sql, {"Table": TABLES}, "schema.toml:1")
    return Desk(sql, Analyzer(sql, resolver_of(sql), facts, {"dialect": "postgres"}))
