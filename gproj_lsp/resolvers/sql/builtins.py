"""What each dialect declares by itself: functions, system catalogs, system columns, pseudo-tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import MappingProxyType

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.facts import Facts
from gproj_lsp.resolve import World
from gproj_lsp.resolvers.sql.lexicon import GENERIC, Lexicon, SystemTable, lexicon_of
from gproj_lsp.resolvers.sql.names import RELATION, dialect_in, fold, opened, schema_key, spell, table_key

__all__ = ["builtins"]

_BUILTIN = Origin("builtin")

_CLOSES_FUNCTIONS = frozenset({"sqlite"})
"""Dialects whose functions are all listed; elsewhere a database may hold more of them."""


def builtins(world: World) -> Facts:
    """The dialect's own names: sorts Function, Table, Column, SystemColumn, PseudoTable and Form.

    Functions have `kind` scalar, aggregate, window, table, syntax (`COALESCE`, `CAST`), cast (a type's name called), internal
    (PostgreSQL's operator and type support) or extension (not in every build). System tables have `kind` system; where releases
    differ, their columns are open. A system column is one that every table has (`rowid`, `ctid`); a pseudo-table exists in one
    construct, which `where` names. A form is no name at all but a word or mark of the dialect: its `kind` is reserved, or what
    the lexicon calls it.
    The answer is the same object for equal dialects.
    """
    return _builtins(lexicon_of(dialect_in(world)).name)


@cache
def _builtins(dialect: str) -> Facts:
    lexicon = lexicon_of(dialect)
    bindings = (*_functions(lexicon), *_tables(lexicon), *_others(lexicon))
    closed = frozenset({"Function"}) if dialect in _CLOSES_FUNCTIONS else frozenset[str]()
    return Facts(bindings, closed, details={"dialect": dialect})


def _functions(lexicon: Lexicon) -> Iterator[Binding]:
    kinds: dict[str, str] = {}
    for kind, names in lexicon.functions.items():
        for name in names:
            kinds.setdefault(name, kind)
    attrs = {kind: MappingProxyType({"kind": kind}) for kind in lexicon.functions}
    for name, kind in kinds.items():
        yield Binding(name, "Function", "", "Function", name, attrs[kind], name, _BUILTIN)


def _tables(lexicon: Lexicon) -> Iterator[Binding]:
    for table in lexicon.tables:
        schema = schema_key(table.schema, quoted=False, dialect=lexicon.name) if table.schema else ""
        yield _table(table, schema)
        owner = table_key(schema, table.name)
        shown = MappingProxyType({"table": table.name, "kind": "system"})
        hidden = MappingProxyType({"table": table.name, "kind": "system", "hidden": "yes"})
        seen: set[str] = set()
        for names, attrs in ((table.columns, shown), (table.hidden, hidden)):
            for name in names:
                folded = fold(name, quoted=False, dialect=lexicon.name)
                if folded not in seen:  # generic: MySQL's TABLE_NAME is PostgreSQL's table_name
                    seen.add(folded)
                    spelling = spell(name, lexicon.name)
                    yield Binding(name, "Column", owner, "Column", folded, attrs, spelling, _BUILTIN)


def _table(table: SystemTable, schema: str) -> Binding:
    attrs = {
        "kind": "system",
        **({"schema": schema} if schema else {}),
        **({"columns": "open"} if table.open else {}),
    }
    spelling = f"{table.schema}.{table.name}" if schema else table.name
    return Binding(
        table.name,
        "Table",
        owner=schema,
        namespace=RELATION,
        attrs=attrs,
        spelling=spelling,
        origin=_BUILTIN,
    )


def _others(lexicon: Lexicon) -> Iterator[Binding]:
    for name in lexicon.system_columns:
        yield Binding(name, "SystemColumn", origin=_BUILTIN)
    for name, where in lexicon.pseudo_tables.items():
        yield Binding(name, "PseudoTable", attrs={"where": where}, origin=_BUILTIN)
    for word in sorted(lexicon.reserved):
        yield Binding(word, "Form", attrs={"kind": "reserved"}, origin=_BUILTIN)
    for kind, words in lexicon.forms.items():
        for word in words:
            yield Binding(word, "Form", owner=kind, attrs={"kind": kind}, origin=_BUILTIN)
    for schema in lexicon.open_schemas:
        yield opened(RELATION, schema)
    if lexicon.name == GENERIC:
        yield opened("Function")
