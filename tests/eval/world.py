"""Analysers over worlds, as the command line would build them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.facts import NOTHING, Facts
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import Surface, load

__all__ = ["analyzer", "sqlite_facts", "with_ddl"]

_GRAMMAR = Path(__file__).parents[2] / "grammars" / "sql"


def analyzer(dialect: str, facts: Facts = NOTHING) -> Analyzer:
    """An analyser of SQL of the dialect in the world of the facts."""
    surface = _surface()
    return Analyzer(surface, resolver_of(surface), facts, {"dialect": dialect})


def with_ddl(dialect: str, ddl: Path) -> Analyzer:
    """An analyser whose world is a DDL file."""
    return analyzer(dialect, analyzer(dialect).declared([(ddl.read_text(), ddl.name)]))


def sqlite_facts(file: Path) -> Facts:
    """A SQLite file's tables and columns, read without the provider: evaluation of resolution alone."""
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
        return Facts(tuple(_bindings(connection)), closed=frozenset({"Table"}))


def _bindings(connection: sqlite3.Connection) -> Iterable[Binding]:
    origin = Origin("database")
    for (table,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    ).fetchall():
        yield Binding(table, "Table", namespace="relation", attrs={"kind": "table"}, origin=origin)
        for column, kind in connection.execute("SELECT name, type FROM pragma_table_info(?)", [table]):
            yield Binding(column, "Column", table, attrs={"table": table, "type": kind}, origin=origin)


def _surface() -> Surface:
    return load(_GRAMMAR)
