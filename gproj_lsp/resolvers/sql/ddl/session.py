"""Statements that change what later ones see: search paths, attached files, extensions, transactions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from gproj_lsp.environment import Binding
from gproj_lsp.resolvers.sql.ddl.draft import EVERYTHING, Draft
from gproj_lsp.resolvers.sql.ddl.reader import Reader
from gproj_lsp.resolvers.sql.names import RELATION, fold, opened, relation_key, schema_key, table_key

__all__ = ["attach", "begin", "commit", "do", "import_", "load", "rollback", "search", "set_", "use"]

_MAKES_NAMES = re.compile(r"\b(create|alter|drop|execute|perform|call)\b", re.IGNORECASE)


def set_(draft: Draft, reader: Reader) -> None:
    """SET search_path, SET SCHEMA."""
    reader.take_any("session", "local")
    if reader.take("characteristics", "as", "transaction", "read"):
        draft.read_only(said=reader.peek() == "only")
    elif reader.take("search_path") or reader.take("schema"):
        reader.take_any("to", "=")
        items = reader.within(reader.tokens[reader.at :]).items()
        search(draft, ["".join(token.text for token in item) for item in items])


def use(draft: Draft, reader: Reader) -> None:
    """USE: another database, of which nothing may be known."""
    reader.take_any("database", "schema", "catalog")
    path = reader.path()
    draft.opens.add("Table")
    if path is not None:
        search(draft, [path.name.text])


def search(draft: Draft, schemas: Iterable[str]) -> None:
    """Unqualified names are looked up in other schemas too: known ones show their tables, and the rest is unknown.

    Args:
        draft: The effect.
        schemas: As written, with their quotes.
    """
    for written in schemas:
        text = written.strip()
        name, quoted = text.strip("\"'"), text[:1] in ("'", '"')
        schema = schema_key(name, quoted, draft.dialect)
        if not schema or fold(name, quoted, draft.dialect) in ("$user", "default"):
            continue
        draft.opens.add("Table")
        for table in draft.catalog.relations:
            if table.owner == schema:
                _show(draft, table)


def _show(draft: Draft, table: Binding) -> None:
    """Let a qualified table be named without its schema too."""
    key = relation_key("", table.folded)
    if draft.environment.lookup(key) is not None:
        return  # what hides what depends on the path; the name stays what it was
    owner = table_key("", table.folded)
    columns = draft.catalog.columns(table_key(table.owner, table.folded)).values()
    draft.establish(replace(table, owner=""), [replace(column, owner=owner) for column in columns])


def attach(draft: Draft, reader: Reader) -> None:
    """ATTACH 'file' AS name: a schema of unknown tables, which unqualified names may mean too."""
    reader.take("database")
    memory = reader.here is not None and reader.here.text.strip("'\"") in (":memory:", "")
    name = None
    if reader.skip_to("as"):
        reader.at += 1
        name = reader.name()
    if name is not None:
        folded = name.folded(draft.dialect)
        draft.declare(draft.schema(name, folded))
        if not memory:
            draft.declare(opened(RELATION, folded))
    if name is None or not memory:
        draft.opens.add("Table")


def begin(draft: Draft, reader: Reader) -> None:
    """BEGIN, START TRANSACTION."""
    if reader.here is None or reader.peek() in (
        "transaction",
        "work",
        "isolation",
        "read",
        "deferred",
        "immediate",
        "exclusive",
    ):
        draft.begin()


def commit(draft: Draft, reader: Reader) -> None:
    """COMMIT, END."""
    if reader.peek() != "prepared":
        draft.commit()


def rollback(draft: Draft, reader: Reader) -> None:
    """ROLLBACK, ABORT, ROLLBACK TO a savepoint."""
    if reader.peek() != "prepared":
        draft.restore(to_savepoint=reader.skip_to("to") == "to")


def do(draft: Draft, reader: Reader) -> None:
    """DO: an anonymous block may create anything."""
    if any(_MAKES_NAMES.search(token.text) for token in reader.tokens):
        draft.opens |= EVERYTHING


def load(draft: Draft, _reader: Reader) -> None:
    """LOAD: DuckDB's extensions bring functions and types."""
    if draft.dialect in ("duckdb", "generic"):
        draft.opens |= {"Function", "Type"}


def import_(draft: Draft, _reader: Reader) -> None:
    """IMPORT FOREIGN SCHEMA, IMPORT DATABASE."""
    draft.opens |= EVERYTHING
