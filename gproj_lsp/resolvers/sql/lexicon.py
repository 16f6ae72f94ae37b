"""The words of each SQL dialect: what the shipped data (`grammars/sql/facts/<dialect>.json`) says, loaded when first asked for.

The files hold names only, in lines of words: reserved words, functions by kind, system tables with their columns. Their `about`
tells where each comes from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypedDict, cast

import gproj_lsp

__all__ = ["DIALECTS", "GENERIC", "Lexicon", "SystemTable", "lexicon_of"]

GENERIC = "generic"
DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")

_UNSAID_SCHEMAS: Mapping[str, frozenset[str]] = {
    "sqlite": frozenset({"main", "temp"}),
    "postgres": frozenset({"public", "pg_catalog", "pg_temp"}),
    "mysql": frozenset(),
    "duckdb": frozenset({"main", "temp", "pg_catalog"}),
    GENERIC: frozenset({"main", "public", "dbo"}),
}


class _Data(TypedDict):
    """One file under `grammars/sql/facts`."""

    reserved: list[str]
    functions: dict[str, list[str]]
    forms: dict[str, str]
    tables: dict[str, str]
    system_columns: list[str]
    pseudo_tables: dict[str, str]
    open_schemas: list[str]


@dataclass(frozen=True)
class SystemTable:
    """A table the database itself brings.

    Attributes:
        schema: Its folded schema, empty where it is visible unqualified.
        name: Its name.
        columns: What `SELECT *` gives.
        hidden: Columns that only their name reaches (arguments of SQLite's table functions).
        open: Whether releases differ, so that an absent column is unknown and no ghost.
    """

    schema: str
    name: str
    columns: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    open: bool = False


@dataclass(frozen=True)
class Lexicon:
    """One dialect's words, and how its names are written.

    Attributes:
        name: `sqlite`, `postgres`, `mysql`, `duckdb` or `generic` (the union of them all).
        quote: The character around quoted identifiers; inside, it is doubled.
        keeps_case: Whether quoted identifiers keep their case (PostgreSQL); elsewhere case never tells names apart.
        limit: How many bytes of a name count; 0: all.
        unsaid: Schemas that need not be said, folded; their names live beside unqualified ones.
        reserved: Words that must be quoted to be read as names, by the database or by the parser.
        functions: Function names by kind: scalar, aggregate, window, table, syntax, cast, internal, extension.
        forms: What may be written besides names, by kind: string (a mark around strings besides the common one), count (what
            counts rows), nullary (functions without arguments), join (a join without a condition), list (what lists a query's
            columns behind its alias), literal, interval (what a string may stand behind), extract, slice (functions with words
            between their arguments).
        tables: System catalogs and tables.
        system_columns: Columns every table has without declaring them.
        pseudo_tables: Tables that exist in one construct only, and its name (`new`: trigger).
        open_schemas: Schemas whose tables are not listed here.
    """

    name: str
    quote: str
    keeps_case: bool
    limit: int
    unsaid: frozenset[str]
    reserved: frozenset[str]
    functions: Mapping[str, tuple[str, ...]]
    forms: Mapping[str, tuple[str, ...]]
    tables: tuple[SystemTable, ...]
    system_columns: tuple[str, ...]
    pseudo_tables: Mapping[str, str]
    open_schemas: tuple[str, ...]


@cache
def lexicon_of(dialect: str) -> Lexicon:
    """The words of a dialect; `generic`, empty and unknown names give the union of all."""
    if dialect not in DIALECTS:
        return _union([lexicon_of(each) for each in DIALECTS])
    data = _load(dialect)
    return Lexicon(
        name=dialect,
        quote="`" if dialect == "mysql" else '"',
        keeps_case=dialect == "postgres",
        limit=63 if dialect == "postgres" else 0,
        unsaid=_UNSAID_SCHEMAS[dialect],
        reserved=frozenset(_words(data["reserved"])),
        functions={kind: _words(lines) for kind, lines in data["functions"].items()},
        forms={kind: tuple(words.split()) for kind, words in data["forms"].items()},
        tables=tuple(_table(path, columns) for path, columns in data["tables"].items()),
        system_columns=_words(data["system_columns"]),
        pseudo_tables=data["pseudo_tables"],
        open_schemas=_words(data["open_schemas"]),
    )


def _union(lexicons: Iterable[Lexicon]) -> Lexicon:
    lexicons = tuple(lexicons)
    kinds = sorted({kind for each in lexicons for kind in each.functions})
    return Lexicon(
        name=GENERIC,
        quote='"',
        keeps_case=False,
        limit=0,
        unsaid=_UNSAID_SCHEMAS[GENERIC],
        reserved=frozenset().union(*(each.reserved for each in lexicons)),
        functions={
            kind: _distinct(n for each in lexicons for n in each.functions.get(kind, ())) for kind in kinds
        },
        forms=_common([each.forms for each in lexicons]),
        tables=_joined(table for each in lexicons for table in each.tables),
        system_columns=_distinct(name for each in lexicons for name in each.system_columns),
        pseudo_tables={name: where for each in lexicons for name, where in each.pseudo_tables.items()},
        open_schemas=_distinct(name for each in lexicons for name in each.open_schemas),
    )


def _common(forms: Sequence[Mapping[str, tuple[str, ...]]]) -> Mapping[str, tuple[str, ...]]:
    """The forms that all have."""
    first, *others = forms
    shared = {
        kind: tuple(word for word in words if all(word in each.get(kind, ()) for each in others))
        for kind, words in first.items()
    }
    return {kind: words for kind, words in shared.items() if words}


def _joined(tables: Iterable[SystemTable]) -> tuple[SystemTable, ...]:
    """One table a name, with the columns of all; what several dialects shape differently stays open."""
    found: dict[tuple[str, str], SystemTable] = {}
    for table in tables:
        key = (table.schema, table.name)
        first = found.get(key, table)
        columns = _distinct((*first.columns, *table.columns))
        hidden = _distinct((*first.hidden, *table.hidden))
        is_open = first.open or table.open or first is not table
        found[key] = SystemTable(table.schema, table.name, columns, hidden, is_open)
    return tuple(found.values())


def _table(path: str, columns: str) -> SystemTable:
    schema, _, name = path.rpartition(".")
    shown, _, hidden = columns.partition("|")
    words = shown.split()
    known = tuple(word for word in words if word != "*")
    return SystemTable(schema, name, known, tuple(hidden.split()), "*" in words)


def _words(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for line in lines for word in line.split())


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _load(dialect: str) -> _Data:
    text = (_folder() / f"{dialect}.json").read_text(encoding="utf-8")
    return cast("_Data", json.loads(text))  # our own file; test_sql_builtins checks its shape


@cache
def _folder() -> Path:
    """Where the data lies: inside the installed package, or beside it in a source checkout."""
    package = Path(gproj_lsp.__file__).parent
    installed = package / "grammars" / "sql" / "facts"
    return installed if installed.is_dir() else package.parent / "grammars" / "sql" / "facts"
