"""CREATE."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from gproj_lsp.environment import Binding, Key
from gproj_lsp.resolvers.sql.ddl.columns import definitions
from gproj_lsp.resolvers.sql.ddl.draft import DEFINING, EVERYTHING, PINNED, UNSURE, Draft, Target
from gproj_lsp.resolvers.sql.ddl.kinds import NOT_OURS, OBJECTS, OTHERS, PLAIN_EXTENSIONS, RELATIONS, ROUTINES
from gproj_lsp.resolvers.sql.ddl.query import Given, copy, given
from gproj_lsp.resolvers.sql.ddl.reader import Name, Path, Reader
from gproj_lsp.resolvers.sql.names import function_key, schema_key, spell
from gproj_lsp.syntax import Token, TokenKind

__all__ = ["create"]

_DEFINES = re.compile(r"\b(create|alter|drop|execute)\b", re.IGNORECASE)
_SEQUENCE_COLUMNS = ("last_value", "log_cnt", "is_called")
_PINS = frozenset({"generated", "unique", "check", "foreign", "references"})
"""Words in a list of columns that make SQLite refuse to drop some of them."""

_QUERIES = ("select", "with", "values", "table", "from")


def create(draft: Draft, reader: Reader) -> None:
    """Read what follows CREATE."""
    said: set[str] = set()
    while reader.peek() not in OBJECTS:
        if reader.here is None or reader.peek() in NOT_OURS or reader.peek() in ("(", "data"):
            return
        said.add(reader.peek())
        reader.at += 1
    what = reader.peek()
    reader.at += 1
    guarded = reader.take("if", "not", "exists")
    if what == "extension":
        _extension(draft, reader)
    elif what == "index":
        _index(draft, reader)
    elif (path := reader.path()) is not None:
        _named(draft, reader, path, _Kind(what, frozenset(said), guarded=guarded))


@dataclass(frozen=True)
class _Kind:
    """What is created: its word, the words before it, and whether it may have been there."""

    what: str
    said: frozenset[str]
    guarded: bool


def _named(draft: Draft, reader: Reader, path: Path, kind: _Kind) -> None:
    if kind.what == "table" and "virtual" in kind.said:
        _virtual(draft, reader, draft.target(path))
    elif kind.what == "table":
        _table(draft, reader, draft.target(path), kind.said)
    elif kind.what == "view":
        _view(draft, reader, draft.target(path), kind.said)
    elif kind.what in RELATIONS:
        _sequence(draft, draft.target(path), kind.what)
    elif kind.what in ROUTINES:
        _routine(draft, reader, path, kind.what)
    elif OTHERS[kind.what] == "Schema":
        _schema(draft, reader, path.name, known=kind.what == "schema" and not kind.guarded)
    else:
        _other(draft, path, kind.what)
        if kind.what == "type" and reader.take("as", "range"):
            _range(draft, reader, path)
        table = (
            reader.path() if kind.what == "trigger" and reader.skip_to("on") and reader.take("on") else None
        )
        if table is not None:
            draft.pin(draft.target(table))


def _view(draft: Draft, reader: Reader, target: Target, said: frozenset[str]) -> None:
    names = _listed(draft, reader, target)
    query = given(draft, reader, target) if reader.skip_to("as") and reader.take("as") else Given()
    if names is not None:
        query = query.under(names, draft.dialect)
    kind = "materialized" if "materialized" in said else "view"
    view = draft.table(
        target, kind, columns="open" if query.open else "", uses=query.uses, star="yes" if query.star else ""
    )
    draft.establish(view, query.columns, replacing="replace" in said)


@dataclass
class _Body:
    """What follows the name in CREATE TABLE, as far as it is read."""

    columns: dict[Key, Binding] = field(default_factory=dict)
    parents: list[Target] = field(default_factory=list)
    listed: bool = False
    open: bool = True
    pinned: bool = False
    rowid: str = ""


def _table(draft: Draft, reader: Reader, target: Target, said: frozenset[str]) -> None:
    body = _Body()
    _head(draft, reader, target, body)
    while reader.here is not None:
        _tail(draft, reader, target, body)
    inherited: dict[Key, Binding] = {}
    body.open |= copy(draft, body.parents, target, inherited)
    parents = " ".join(parent.owner for parent in body.parents)
    temporary = bool(said & {"temp", "temporary"})
    hides = temporary and (target.binding is not None or "Table" not in draft.catalog.closed)
    attrs = {UNSURE: "yes" if hides else "", PINNED: "yes" if body.pinned else ""}
    table = draft.table(
        target,
        "temp" if temporary else "table",
        columns="open" if body.open else "",
        rowid=body.rowid,
        uses=parents,
        inherits=parents,
        **attrs,
    )
    draft.establish(table, {**inherited, **body.columns}.values(), replacing="replace" in said)


def _head(draft: Draft, reader: Reader, target: Target, body: _Body) -> None:
    """What comes before any option: the list of columns, or whose columns it has."""
    if reader.take("partition", "of"):
        if (path := reader.path()) is not None:
            body.parents.append(draft.target(path))
            body.open = False
        reader.group()
    elif reader.take("of"):
        reader.path()
    elif reader.take_any("like", "clone", "copy"):
        if (path := reader.path()) is not None:
            body.open = copy(draft, [draft.target(path)], target, body.columns)
    elif reader.peek(1) not in _QUERIES and (group := reader.group()) is not None:
        _list(draft, group, target, body)


def _list(draft: Draft, group: tuple[Token, ...], target: Target, body: _Body) -> None:
    found = definitions(group, draft.dialect)
    body.listed = True
    pins = _PINS if draft.dialect in ("sqlite", "generic") else {"generated"}
    body.pinned = any(token.text.lower() in pins for token in group)
    body.open = found.open | copy(draft, [draft.target(path) for path in found.like], target, body.columns)
    for each in found.columns:
        column = draft.defined(target, each)
        body.columns[column.key] = column


def _tail(draft: Draft, reader: Reader, target: Target, body: _Body) -> None:
    """One option, or the query that fills the table."""
    if reader.take("inherits"):
        body.parents += [draft.target(path) for path in reader.within(reader.group() or ()).paths()]
    elif reader.take("without", "rowid"):
        body.rowid = "no"
    elif reader.take("partition", "by"):
        body.pinned = True
    elif (
        reader.take("as")
        or reader.peek() == "select"
        or (reader.peek() == "(" and reader.peek(1) in ("select", "with"))
    ):
        _filled(draft, given(draft, reader, target), body)
        reader.at = len(reader.tokens)
    elif reader.group() is None:
        reader.at += 1


def _filled(draft: Draft, query: Given, body: _Body) -> None:
    """CREATE TABLE t (…) AS SELECT …: MySQL adds the query's columns, the others rename them."""
    if body.listed and draft.dialect != "mysql":
        query = query.under(tuple(body.columns.values()), draft.dialect)
    for each in query.columns:
        body.columns.setdefault(each.key, each)
    body.open = query.open


def _listed(draft: Draft, reader: Reader, target: Target) -> tuple[Binding, ...] | None:
    """The names in the column list that follows; None where there is none."""
    group = reader.group()
    if group is None:
        return None
    names = (reader.within(item).name() for item in reader.within(group).items())
    return tuple(draft.column(target, name) for name in names if name is not None)


def _virtual(draft: Draft, reader: Reader, target: Target) -> None:
    """SQLite's modules: full-text and R-tree tables say their columns, the others keep them to themselves."""
    module = reader.name() if reader.take("using") else None
    kind = module.text.lower() if module else ""
    columns: list[Binding] = []
    if kind in ("fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"):
        for item in reader.within(reader.group() or ()).items():
            argument = reader.within(item)
            argument.take("+")
            name = argument.name()
            if name is not None and argument.peek() != "=":
                columns.append(draft.column(target, name))
    known = bool(columns)
    columns += [draft.column(target, name, hidden="yes") for name in _hidden(kind, target)]
    draft.establish(draft.table(target, "virtual", columns="" if known else "open"), columns)


def _hidden(kind: str, target: Target) -> tuple[Name, ...]:
    """Columns that a virtual table has without saying so."""
    itself = Name(target.name, quoted=True)
    if kind == "fts5":
        return (itself, Name("rank", quoted=False))
    if kind in ("fts3", "fts4"):
        return (itself, Name("docid", quoted=False), Name("languageid", quoted=False))
    return (Name("_shape", quoted=False),) if kind == "geopoly" else ()


def _sequence(draft: Draft, target: Target, what: str) -> None:
    names = _SEQUENCE_COLUMNS if what == "sequence" else ()
    columns = [draft.column(target, Name(name, quoted=False)) for name in names]
    draft.establish(draft.table(target, what, columns="" if names else "open"), columns)


def _routine(draft: Draft, reader: Reader, path: Path, what: str) -> None:
    key = function_key(path.schema_key(draft.dialect), path.name.folded(draft.dialect))
    draft.place(key, path.name.span)
    again = draft.environment.lookup(key) is not None
    kind = "aggregate" if what == "aggregate" else "scalar"
    routine = draft.routine(key, path.name.declared(draft.dialect), kind, overloaded=again)
    bodies = (token.text for token in reader.tokens if token.kind is TokenKind.STRING)
    if any(_DEFINES.search(body) for body in bodies):
        routine = replace(routine, attrs={**routine.attrs, DEFINING: "yes"})
        draft.declare(Binding(DEFINING, "Session"))
    draft.declare(routine)


def _schema(draft: Draft, reader: Reader, name: Name, *, known: bool) -> None:
    """A schema; one that may have been there, or whose tables are part of the statement, has unknown ones."""
    folded = schema_key(name.text, name.quoted, draft.dialect)
    if folded and known and reader.here is None:
        draft.declare(draft.schema(name, folded))
    elif folded:
        draft.open_schema(name)


def _index(draft: Draft, reader: Reader) -> None:
    reader.take("concurrently")
    reader.take("if", "not", "exists")
    if reader.peek() != "on" and (path := reader.path()) is not None:
        _other(draft, path, "index")
    if draft.dialect in ("sqlite", "generic") and reader.take("on") and (table := reader.path()) is not None:
        draft.pin(draft.target(table))  # SQLite drops no column that an index is on


def _other(draft: Draft, path: Path, what: str) -> None:
    name = path.name.declared(draft.dialect)
    other = Binding(
        name,
        OTHERS[what],
        owner=path.schema_key(draft.dialect),
        folded=path.name.folded(draft.dialect),
        attrs={"kind": what},
        spelling=spell(name, draft.dialect),
    )
    draft.place(other.key, path.name.span)
    draft.declare(other)


def _range(draft: Draft, reader: Reader, path: Path) -> None:
    """A range type brings functions that make ranges and multiranges; how the latter are called can be said."""
    name, schema = path.name.declared(draft.dialect), path.schema_key(draft.dialect)
    said = [reader.within(item) for item in reader.within(reader.group() or ()).items()]
    given = next((item.path() for item in said if item.take("multirange_type_name", "=")), None)
    multi = given.name.declared(draft.dialect) if given is not None else ""
    multi = multi or (name.replace("range", "multirange") if "range" in name else f"{name}_multirange")
    for each in (name, multi):
        key = function_key(schema, each)
        draft.declare(
            draft.routine(key, each, "scalar", overloaded=draft.environment.lookup(key) is not None)
        )


def _extension(draft: Draft, reader: Reader) -> None:
    path = reader.path()
    plain = path is not None and path.name.text.lower() in PLAIN_EXTENSIONS
    draft.opens |= {"Function", "Type"} if plain else EVERYTHING
