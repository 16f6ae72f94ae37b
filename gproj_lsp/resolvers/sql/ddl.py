"""What a statement does to Γ: tables, views, columns, functions and the rest that it creates, alters and drops.

Read from tokens (see `reader`), so that no dialect's option stands in the way. What can't be told for certain is left open:
a table created twice with different columns, a table dropped while something still needs it (the database may refuse), a
rollback, an extension.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from gproj_lsp.environment import Binding, Environment, Key
from gproj_lsp.resolve import Effect, World
from gproj_lsp.resolvers.sql.catalog import Catalog
from gproj_lsp.resolvers.sql.coldefs import ColumnDef, column_def, definitions
from gproj_lsp.resolvers.sql.names import (
    RELATION,
    column_key,
    dialect_in,
    fold,
    function_key,
    opened,
    relation_key,
    schema_key,
    spell,
    table_key,
)
from gproj_lsp.resolvers.sql.reader import Name, Path, Reader
from gproj_lsp.resolvers.sql.scopes import Outputs
from gproj_lsp.syntax import Statement, TokenKind
from gproj_lsp.text import Span

__all__ = ["NO_EFFECT", "effect_of"]

NO_EFFECT = Effect()

_VERBS = re.compile(
    r"\s*(?:(create|alter|drop|rename|select|with|set|use|attach|rollback|abort|do|load|import)\b|(\())",
    re.IGNORECASE,
)
_INTO = re.compile(r"\binto\b|set_config|load_extension", re.IGNORECASE)

_RELATIONS = frozenset({"table", "view", "sequence", "stage", "stream", "dictionary"})
_ROUTINES = frozenset({"function", "procedure", "aggregate", "macro", "routine"})
_OTHERS: Mapping[str, str] = {
    "index": "Index",
    "trigger": "Trigger",
    "type": "Type",
    "domain": "Type",
    "schema": "Schema",
    "database": "Schema",
}
_OBJECTS = _RELATIONS | _ROUTINES | _OTHERS.keys() | {"extension"}
_NOT_OURS = frozenset(
    "user role policy rule server collation conversion operator cast language publication subscription statistics"
    " transform access text event tablespace group default secret".split()
)

_PLAIN_EXTENSIONS = frozenset(
    "amcheck autoinc bloom btree_gin btree_gist citext cube dblink dict_int dict_xsyn earthdistance fuzzystrmatch hstore"
    " insert_username intagg intarray isn lo ltree moddatetime pageinspect pg_freespacemap pg_prewarm pg_trgm pg_visibility"
    " pg_walinspect pgcrypto pgrowlocks pgstattuple plperl plperlu plpgsql plpython3u pltcl pltclu postgres_fdw refint seg"
    " sslinfo tablefunc tcn tsm_system_rows tsm_system_time unaccent uuid-ossp vector xml2".split()
)
"""PostgreSQL extensions that bring functions and no tables."""

_QUERY_TAILS = (
    ("with", "no", "data"),
    ("with", "data"),
    ("with", "check", "option"),
    ("with", "local", "check", "option"),
    ("with", "cascaded", "check", "option"),
    ("with", "no", "schema", "binding"),
)
"""What may follow a view's query and is no part of it."""

_SEQUENCE_COLUMNS = ("last_value", "log_cnt", "is_called")
_ALL = frozenset({"Table", "Column", "Function", "Type", "Schema"})


def effect_of(
    statement: Statement,
    environment: Environment,
    world: World,
    outputs: Callable[[Span], Outputs],
) -> Effect:
    """What the statement declares, drops and opens.

    Args:
        statement: The statement; one that is no DDL costs a look at its first word.
        environment: Γ before it.
        world: Gives the dialect.
        outputs: The columns of the query in a span of the statement (of CREATE VIEW, CREATE TABLE AS, SELECT INTO).
    """
    first = _VERBS.match(statement.text)
    if first is None:
        return NO_EFFECT
    verb = (first[1] or first[2]).lower()
    if verb in ("select", "with", "(") and _INTO.search(statement.text) is None:
        return NO_EFFECT
    reading = _Reading(
        Reader(statement.tokens, dialect_in(world)), environment, Catalog(environment, world), outputs
    )
    reading.read(verb)
    return reading.change.effect()


@dataclass
class _Change:
    """An effect in the making."""

    declares: dict[Key, Binding] = field(default_factory=dict)
    drops: dict[Key, None] = field(default_factory=dict)
    opens: set[str] = field(default_factory=set)

    def declare(self, binding: Binding) -> None:
        self.declares[binding.key] = binding

    def drop(self, key: Key) -> None:
        self.declares.pop(key, None)
        self.drops[key] = None

    def put(self, binding: Binding) -> None:
        """Declare in place of what may be there."""
        self.drop(binding.key)
        self.declare(binding)

    def effect(self) -> Effect:
        if not (self.declares or self.drops or self.opens):
            return NO_EFFECT
        return Effect(tuple(self.declares.values()), tuple(self.drops), frozenset(self.opens))


@dataclass(frozen=True)
class _Target:
    """A relation that a statement names: its key, that of its columns, and what Γ has under it."""

    key: Key
    owner: str
    name: str
    binding: Binding | None


class _Reading:
    """One statement being read."""

    def __init__(
        self, reader: Reader, environment: Environment, catalog: Catalog, outputs: Callable[[Span], Outputs]
    ) -> None:
        self.reader = reader
        self.dialect = reader.dialect
        self.environment = environment
        self.catalog = catalog
        self.outputs = outputs
        self.change = _Change()

    def read(self, verb: str) -> None:
        reader = self.reader
        if verb in ("select", "with", "("):
            self._select_into()
        elif reader.take("create"):
            self._create()
        elif reader.take("alter"):
            self._alter()
        elif reader.take("drop"):
            self._drop()
        elif reader.take("rename"):
            self._rename_tables()
        elif reader.take("set"):
            self._set()
        elif reader.take("use"):
            self._use()
        elif reader.take("attach"):
            self._attach()
        elif verb in ("rollback", "abort"):
            self._rollback()
        elif reader.take("do"):
            self._do()
        elif verb in ("load", "import"):
            self._load(verb)

    # -- what Γ has ---------------------------------------------------------------------------------------------------

    def _target(self, path: Path) -> _Target:
        schema = path.schema_key(self.dialect)
        folded = path.name.folded(self.dialect)
        key = relation_key(schema, folded)
        name = path.name.declared(self.dialect)
        return _Target(key, table_key(schema, folded), name, self.environment.lookup(key))

    def _columns(self, target: _Target) -> tuple[Binding, ...]:
        return tuple(self.catalog.columns(target.owner).values()) if target.binding else ()

    def _is_open(self, table: Binding | None) -> bool:
        return table is None or table.attrs.get("columns") == "open"

    # -- making bindings ----------------------------------------------------------------------------------------------

    def _table(self, target: _Target, kind: str, **attrs: str) -> Binding:
        said = {name: value for name, value in attrs.items() if value}
        schema = {"schema": target.key.owner} if target.key.owner else {}
        return Binding(
            target.name,
            "Table",
            owner=target.key.owner,
            namespace=RELATION,
            folded=target.key.folded,
            attrs={"kind": kind, **schema, **said},
            spelling=spell(target.name, self.dialect),
        )

    def _column(self, target: _Target, name: Name, **attrs: str) -> Binding:
        declared = name.declared(self.dialect)
        said = {key: value for key, value in attrs.items() if value}
        return Binding(
            declared,
            "Column",
            owner=target.owner,
            folded=name.folded(self.dialect),
            attrs={"table": target.name, **said},
            spelling=spell(declared, self.dialect),
        )

    def _defined(self, target: _Target, column: ColumnDef) -> Binding:
        references = ""
        if column.references is not None:
            other = self._target(column.references)
            references = (
                f"{other.owner}.{column.target.folded(self.dialect)}" if column.target else other.owner
            )
        return self._column(
            target,
            column.name,
            type=column.type,
            references=references,
            primary="yes" if column.primary else "",
            nullable="" if column.nullable else "no",
        )

    def _moved(self, column: Binding, target: _Target) -> Binding:
        """A column as another table has it."""
        kept = {key: value for key, value in column.attrs.items() if key in ("type", "nullable")}
        return replace(column, owner=target.owner, attrs={"table": target.name, **kept})

    def _establish(self, table: Binding, columns: Iterable[Binding], *, replacing: bool = False) -> None:
        """Declare a relation. One of that name with other columns leaves both, and the relation open."""
        given = {column.key: column for column in columns}
        old = self.environment.lookup(table.key)
        if old is None or old.sort != "Table":
            self.change.declare(table)
            for column in given.values():
                self.change.declare(column)
            return
        known = self.catalog.columns(table_key(table.owner, table.folded))
        if replacing:
            for column in known.values():
                self.change.drop(column.key)
        elif (
            self._is_open(old)
            or self._is_open(table)
            or {each.key for each in known.values()} != given.keys()
        ):
            table = replace(table, attrs={**table.attrs, "columns": "open"})
        else:
            return
        self.change.put(table)
        for column in given.values():
            if replacing or column.key not in {each.key for each in known.values()}:
                self.change.declare(column)

    # -- CREATE -------------------------------------------------------------------------------------------------------

    def _create(self) -> None:
        reader = self.reader
        said: set[str] = set()
        while reader.here is not None and reader.peek() not in _OBJECTS:
            word = reader.peek()
            if word in _NOT_OURS or word == "(":
                return
            if word == "foreign" and reader.peek(1) == "data":
                return
            said.add(word)
            reader.at += 1
        what = reader.peek()
        reader.at += 1
        if what == "table" and reader.peek() == "function":
            what = "function"
            reader.at += 1
        guarded = reader.take("if", "not", "exists")
        if what == "extension":
            self._create_extension()
        elif what in ("table", "view"):
            self._create_relation(what, said)
        elif what in _RELATIONS:
            self._create_sequence(what)
        elif what in _ROUTINES:
            self._create_routine(what)
        elif what in _OTHERS:
            self._create_other(what, guarded=guarded)

    def _create_relation(self, what: str, said: set[str]) -> None:
        reader = self.reader
        path = reader.path()
        if path is None:
            return
        target = self._target(path)
        kind = "temp" if said & {"temp", "temporary"} else "materialized" if "materialized" in said else what
        replacing = "replace" in said
        if "virtual" in said:
            self._create_virtual(target)
        elif what == "view":
            self._create_view(target, kind, replacing=replacing)
        else:
            self._create_table(target, kind, replacing=replacing)

    def _create_view(self, target: _Target, kind: str, *, replacing: bool) -> None:
        reader = self.reader
        named = self._listed(target)
        if reader.skip_to("as") and reader.take("as"):
            columns, is_open, uses = self._query(target)
        else:
            columns, is_open, uses = (), True, ""
        if named is not None:
            columns, is_open = self._renamed(named, columns, is_open=is_open)
        # A view may be replaced by one with more columns, which the database that facts come from already has.
        replacing = replacing and target.binding is not None
        self._establish(
            self._table(target, kind, columns="open" if is_open else "", uses=uses),
            columns,
            replacing=replacing,
        )

    def _create_table(self, target: _Target, kind: str, *, replacing: bool) -> None:
        reader = self.reader
        columns: dict[Key, Binding] = {}
        parents: list[_Target] = []
        is_open = True
        group = None
        if reader.take("partition", "of"):
            parents += self._paths_as_targets()
            is_open = False
        elif reader.take("of"):
            reader.path()
        elif reader.take("like") or reader.take("clone") or reader.take("copy"):
            copied = self._paths_as_targets()
            is_open = self._copy(copied, target, columns)
        elif reader.peek() == "(" and reader.peek(1) not in ("select", "with", "values", "table", "from"):
            group = reader.group()
        if group is not None:
            found = definitions(group, self.dialect)
            copied = [self._target(path) for path in found.like]
            is_open = found.open
            is_open |= self._copy(copied, target, columns)
            for each in found.columns:
                binding = self._defined(target, each)
                columns[binding.key] = binding
        rowid = ""
        while reader.here is not None:
            if reader.take("inherits"):
                inside = reader.group() or ()
                parents += [self._target(path) for path in reader.within(inside).paths()]
            elif reader.take("without", "rowid"):
                rowid = "no"
            elif self._at_query():
                given, given_open, _ = self._query(target)
                is_open = self._joined(columns, given, group_given=group is not None, given_open=given_open)
                break
            elif reader.group() is None:
                reader.at += 1
        inherited: dict[Key, Binding] = {}
        is_open |= self._copy(parents, target, inherited)
        table = self._table(
            target,
            kind,
            columns="open" if is_open else "",
            rowid=rowid,
            uses=" ".join(parent.owner for parent in parents),
            inherits=" ".join(parent.owner for parent in parents),
        )
        self._establish(table, {**inherited, **columns}.values(), replacing=replacing)

    def _joined(
        self, columns: dict[Key, Binding], given: tuple[Binding, ...], *, group_given: bool, given_open: bool
    ) -> bool:
        """CREATE TABLE t (…) AS SELECT …: MySQL adds the query's columns, the others rename them. Whether it stays open."""
        if group_given and self.dialect != "mysql":
            renamed, is_open = self._renamed(tuple(columns.values()), given, is_open=given_open)
            columns.update((each.key, each) for each in renamed)
            return is_open
        for each in given:
            columns.setdefault(each.key, each)
        return given_open

    def _at_query(self) -> bool:
        """Move onto a query that CREATE TABLE takes its rows from, if one stands here."""
        reader = self.reader
        if reader.take("as"):
            return True
        if reader.peek() == "select":
            return True
        return reader.peek() == "(" and reader.peek(1) in ("select", "with")

    def _paths_as_targets(self) -> list[_Target]:
        path = self.reader.path()
        return [self._target(path)] if path is not None else []

    def _copy(self, sources: Iterable[_Target], target: _Target, into: dict[Key, Binding]) -> bool:
        """Take over the columns of other tables; whether some of them are not known."""
        is_open = False
        for source in sources:
            is_open |= self._is_open(source.binding)
            for column in self._columns(source):
                moved = self._moved(column, target)
                into.setdefault(moved.key, moved)
        return is_open

    def _listed(self, target: _Target) -> tuple[Binding, ...] | None:
        """The names in the column list that follows; None where there is none or it can't be read."""
        group = self.reader.group()
        if group is None:
            return None
        names = (self.reader.within(item).name() for item in self.reader.within(group).items())
        return tuple(self._column(target, name) for name in names if name is not None)

    def _renamed(
        self, named: tuple[Binding, ...], given: tuple[Binding, ...], *, is_open: bool
    ) -> tuple[tuple[Binding, ...], bool]:
        """A query's columns under a list of names; PostgreSQL lets the list be shorter."""
        if self.dialect not in ("postgres", "generic"):
            return named, False
        rest = given[len(named) :]
        return (*named, *(each for each in rest if each.key not in {name.key for name in named})), is_open

    def _query(self, target: _Target) -> tuple[tuple[Binding, ...], bool, str]:
        """The columns of the query that follows, whether there are more, and the relations it reads."""
        reader = self.reader
        if reader.peek() in ("table", "from") and self.dialect != "sqlite":
            reader.at += 1
            sources = self._paths_as_targets()
            if reader.here is None or reader.peek() == "with":
                columns: dict[Key, Binding] = {}
                is_open = not sources or self._copy(sources, target, columns)
                return tuple(columns.values()), is_open, " ".join(source.owner for source in sources)
            reader.at = len(reader.tokens)
            return (), True, ""
        if reader.peek() not in ("select", "with", "values", "("):
            return (), True, ""
        span = self._query_span()
        found = self.outputs(span)
        columns = {}
        for column in found.columns:
            moved = self._moved(column, target)
            columns.setdefault(moved.key, moved)
        # Columns that no query could name without quotes (`count(*)`) are nobody's ghost either.
        is_open = found.open or found.anonymous or not found.complete
        return tuple(columns.values()), is_open, self._uses(span)

    def _query_span(self) -> Span:
        """From here to the end, without WITH [NO] DATA and WITH CHECK OPTION."""
        tokens = self.reader.tokens[self.reader.at :]
        words = tuple(token.text.lower() for token in tokens[-4:])
        end = len(tokens)
        for tail in _QUERY_TAILS:
            if words[-len(tail) :] == tail:
                end -= len(tail)
        self.reader.at = len(self.reader.tokens)
        last = tokens[max(end, 1) - 1]
        return Span(tokens[0].span.start, last.span.end)

    def _uses(self, span: Span) -> str:
        """The owners' keys of the relations whose names stand in a span; what a DROP of them would meet."""
        found: dict[str, None] = {}
        for token in self.reader.tokens:
            if token.kind in (TokenKind.WORD, TokenKind.QUOTED) and span.contains(token.span):
                name = self.reader.within((token,)).name()
                if name is not None:
                    folded = name.folded(self.dialect)
                    for each in self.catalog.elsewhere(folded):
                        found[table_key(each.owner, each.folded)] = None
        return " ".join(found)

    def _create_virtual(self, target: _Target) -> None:
        """SQLite's modules: full-text and R-tree tables say their columns, the others keep them to themselves."""
        reader = self.reader
        module = reader.name() if reader.take("using") else None
        kind = module.text.lower() if module else ""
        group = reader.group() or ()
        columns: list[Binding] = []
        if kind in ("fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"):
            for item in reader.within(group).items():
                inner = reader.within(item)
                inner.take("+")
                name = inner.name()
                if name is not None and inner.peek() != "=":
                    columns.append(self._column(target, name))
            columns += [self._column(target, name, hidden="yes") for name in _hidden(kind, target)]
        is_open = kind in ("fts3", "fts4") and len(columns) <= len(_hidden(kind, target))
        known = bool(columns) and not is_open
        self._establish(self._table(target, "virtual", columns="" if known else "open"), columns)

    def _create_sequence(self, what: str) -> None:
        path = self.reader.path()
        if path is None:
            return
        target = self._target(path)
        names = _SEQUENCE_COLUMNS if what == "sequence" else ()
        columns = [self._column(target, Name(name, quoted=False)) for name in names]
        self._establish(self._table(target, what, columns="" if names else "open"), columns)

    def _create_routine(self, what: str) -> None:
        path = self.reader.path()
        if path is None:
            return
        key = function_key(path.schema_key(self.dialect), path.name.folded(self.dialect))
        name = path.name.declared(self.dialect)
        again = self.environment.lookup(key) is not None
        attrs = {
            "kind": {"aggregate": "aggregate"}.get(what, "scalar"),
            **({"overloads": "yes"} if again else {}),
        }
        binding = Binding(
            name,
            "Function",
            owner=key.owner,
            folded=key.folded,
            attrs=attrs,
            spelling=spell(name, self.dialect),
        )
        if again:
            self.change.put(binding)
        else:
            self.change.declare(binding)

    def _create_other(self, what: str, *, guarded: bool) -> None:
        reader = self.reader
        if what == "index":
            reader.take("concurrently")
            guarded = reader.take("if", "not", "exists") or guarded
        if what == "schema" and reader.take("authorization"):
            pass
        path = reader.path()
        if path is None or (what == "index" and path.name.text.lower() == "on" and not path.name.quoted):
            return
        sort = _OTHERS[what]
        schema = path.schema_key(self.dialect)
        name = path.name.declared(self.dialect)
        folded = path.name.folded(self.dialect)
        attrs: dict[str, str] = {"kind": what}
        if sort == "Schema":
            folded = schema_key(path.name.text, path.name.quoted, self.dialect)
            if not folded:
                return
            if guarded or reader.here is not None or what == "database":
                self.change.declare(opened(RELATION, folded))
        self.change.declare(
            Binding(name, sort, owner=schema, folded=folded, attrs=attrs, spelling=spell(name, self.dialect))
        )

    def _create_extension(self) -> None:
        path = self.reader.path()
        plain = path is not None and path.name.text.lower() in _PLAIN_EXTENSIONS
        self.change.opens |= {"Function", "Type"} if plain else _ALL

    # -- ALTER --------------------------------------------------------------------------------------------------------

    def _alter(self) -> None:
        reader = self.reader
        reader.take_any("materialized", "foreign", "online", "ignore", "virtual", "external")
        what = reader.peek()
        reader.at += 1
        if what in ("table", "view", "sequence"):
            self._alter_relation()
        elif what in _ROUTINES:
            self._alter_routine()
        elif what == "schema" and (path := reader.path()) is not None and reader.take("rename", "to"):
            self.change.opens.add("Table")
            self._open_schema(reader.name() or path.name)
        elif what == "type" and (path := reader.path()) is not None and reader.take("rename", "to"):
            self.change.opens.add("Type")

    def _alter_relation(self) -> None:
        reader = self.reader
        reader.take("all", "in", "tablespace")
        reader.take("if", "exists")
        only = reader.take("only")
        path = reader.path()
        if path is None:
            return
        reader.take("*")
        altering = _Altering(self, self._target(path), only=only)
        for item in reader.within(reader.tokens[reader.at :]).items():
            altering.read(reader.within(item))

    def _alter_routine(self) -> None:
        reader = self.reader
        path = reader.path()
        reader.group()
        if path is None:
            return
        key = function_key(path.schema_key(self.dialect), path.name.folded(self.dialect))
        old = self.environment.lookup(key)
        if reader.take("rename", "to") and (new := reader.name()) is not None:
            to = function_key(key.owner, new.folded(self.dialect))
        elif reader.take("set", "schema") and (new := reader.name()) is not None:
            to = function_key(schema_key(new.text, new.quoted, self.dialect), key.folded)
        else:
            return
        if old is not None and old.attrs.get("kind") == "scalar" and "overloads" not in old.attrs:
            self.change.drop(key)
        name = new.declared(self.dialect) if to.folded != key.folded else path.name.declared(self.dialect)
        attrs = {"kind": old.attrs.get("kind", "scalar") if old else "scalar"}
        self.change.declare(
            Binding(
                name,
                "Function",
                owner=to.owner,
                folded=to.folded,
                attrs=attrs,
                spelling=spell(name, self.dialect),
            )
        )

    def _rename_tables(self) -> None:
        """MySQL: RENAME TABLE a TO b, c TO d."""
        reader = self.reader
        if not reader.take_any("table", "tables"):
            return
        for item in reader.within(reader.tokens[reader.at :]).items():
            inner = reader.within(item)
            inner.take("if", "exists")
            old = inner.path()
            if old is not None and inner.take("to") and (new := inner.path()) is not None:
                self.rename(self._target(old), self._target(new))

    def rename(self, old: _Target, new: _Target) -> None:
        """Give a relation another name: its columns move, and what hung on the old name is gone."""
        table = old.binding
        columns = self._columns(old)
        known = table is not None and not self._is_open(table)
        attrs = dict(table.attrs) if table else {"kind": "table"}
        attrs.pop("schema", None)
        attrs.pop("kind", None)
        attrs["columns"] = "" if known else "open"
        kind = table.attrs.get("kind", "table") if table else "table"
        if table is not None:
            self.change.drop(old.key)
            for column in columns:
                self.change.drop(column.key)
        self._establish(self._table(new, kind, **attrs), [self._moved(each, new) for each in columns])

    def _open_schema(self, name: Name) -> None:
        folded = schema_key(name.text, name.quoted, self.dialect)
        if folded:
            self.change.declare(self._schema(name, folded))
            self.change.declare(opened(RELATION, folded))

    def _schema(self, name: Name, folded: str) -> Binding:
        declared = name.declared(self.dialect)
        spelling = spell(declared, self.dialect)
        return Binding(declared, "Schema", folded=folded, attrs={"kind": "schema"}, spelling=spelling)

    # -- DROP ---------------------------------------------------------------------------------------------------------

    def _drop(self) -> None:
        reader = self.reader
        reader.take_any("materialized", "foreign", "temporary", "temp", "external", "virtual")
        what = reader.peek()
        reader.at += 1
        if what == "index":
            reader.take("concurrently")
        reader.take("if", "exists")
        paths = reader.paths()
        cascade = reader.skip_to("cascade") == "cascade"
        if what in ("table", "view", "sequence"):
            self._drop_relations([self._target(path) for path in paths], cascade=cascade)
        elif what in _ROUTINES:
            for path in paths:
                self._drop_function(
                    function_key(path.schema_key(self.dialect), path.name.folded(self.dialect))
                )
        elif what == "schema" and cascade:
            for path in paths:
                self._drop_schema(path.name.folded(self.dialect))
        elif what == "extension":
            self.change.opens |= _ALL
        elif what in _OTHERS:
            for path in paths:
                key = Key(_OTHERS[what], path.schema_key(self.dialect), path.name.folded(self.dialect))
                if self.environment.lookup(key) is not None:
                    self.change.drop(key)

    def _drop_relations(self, targets: list[_Target], *, cascade: bool) -> None:
        going = {target.owner for target in targets}
        for target in targets:
            if target.binding is None:
                continue
            needed = [
                user for user in self.users(target.owner) if table_key(user.owner, user.folded) not in going
            ]
            if needed and not cascade:
                # The database may have refused; both outcomes are thinkable from here on.
                attrs = {**target.binding.attrs, "columns": "open"}
                self.change.put(replace(target.binding, attrs=attrs))
            else:
                self._drop_relation(target, seen=set())

    def _drop_relation(self, target: _Target, seen: set[str]) -> None:
        """Drop a relation; with it go the views over it and the tables that inherit from it (PostgreSQL's CASCADE)."""
        if target.binding is None or target.owner in seen:
            return
        seen.add(target.owner)
        self.change.drop(target.key)
        for column in self._columns(target):
            self.change.drop(column.key)
        if self.dialect == "postgres":
            for user in self.users(target.owner):
                if "uses" in user.attrs:
                    owner = table_key(user.owner, user.folded)
                    self._drop_relation(_Target(user.key, owner, user.name, user), seen)

    def users(self, owner: str) -> Iterator[Binding]:
        """The relations that need a table: views over it, children, and (PostgreSQL, MySQL) tables that refer to it."""
        refers = self.dialect in ("postgres", "mysql", "duckdb")
        seen: set[Key] = set()
        for binding in self.environment:
            user: Binding | None = None
            if binding.sort == "Table" and owner in binding.attrs.get("uses", "").split():
                user = binding
            elif refers and binding.sort == "Column" and binding.owner != owner:
                target = binding.attrs.get("references", "")
                if target == owner or target.startswith(f"{owner}."):
                    user = self._owning(binding)
            if user is not None and user.key not in seen:
                seen.add(user.key)
                yield user

    def _owning(self, column: Binding) -> Binding | None:
        """The table that a column belongs to."""
        schema, _, folded = column.owner.rpartition(".")
        return self.environment.lookup(relation_key(schema, folded))

    def _drop_function(self, key: Key) -> None:
        old = self.environment.lookup(key)
        if old is not None and "overloads" not in old.attrs and old.origin.provider != "builtin":
            self.change.drop(key)

    def _drop_schema(self, folded: str) -> None:
        if not folded or not self.catalog.schemas & {folded}:
            return
        for binding in self.environment:
            inside = binding.owner == folded and binding.sort != "Column"
            if inside or (binding.sort == "Column" and binding.owner.startswith(f"{folded}.")):
                self.change.drop(binding.key)

    # -- the rest -----------------------------------------------------------------------------------------------------

    def _select_into(self) -> None:
        """SELECT … INTO t creates a table (PostgreSQL, generic); set_config and load_extension act on what follows."""
        reader = self.reader
        words = [token.text.lower() for token in reader.tokens]
        if "load_extension" in words:
            self.change.opens |= _ALL
        if "set_config" in words:
            self._set_config(words)
        if self.dialect not in ("postgres", "generic") or reader.skip_to("into") != "into":
            return
        if reader.at and words[reader.at - 1] in ("insert", "merge", "replace", "ignore", "overwrite"):
            return
        whole = Span(reader.tokens[0].span.start, reader.tokens[-1].span.end)
        reader.at += 1
        temporary = reader.take_any("temp", "temporary", "unlogged")
        reader.take("table")
        path = reader.path()
        if path is None:
            return
        target = self._target(path)
        found = self.outputs(whole)
        columns = [self._moved(column, target) for column in found.columns]
        is_open = found.open or found.anonymous or not found.complete
        kind = "temp" if temporary.startswith("temp") else "table"
        self._establish(self._table(target, kind, columns="open" if is_open else ""), columns)

    def _set_config(self, words: list[str]) -> None:
        at = words.index("set_config")
        if words[at + 2 : at + 3] == ["'search_path'"]:
            value = words[at + 4] if len(words) > at + 4 else ""
            self._search([Name(part.strip(" \"'"), quoted=False) for part in value.split(",")])

    def _set(self) -> None:
        reader = self.reader
        reader.take_any("session", "local")
        if reader.take("search_path") or reader.take("schema"):
            reader.take_any("to", "=")
            self._search(
                [
                    name
                    for item in reader.within(reader.tokens[reader.at :]).items()
                    for name in self._said(item)
                ]
            )

    def _said(self, item: Iterable[object]) -> Iterator[Name]:
        for token in item:
            text = getattr(token, "text", "")
            yield Name(text.strip("\"'"), quoted=text[:1] in "\"'")

    def _search(self, schemas: list[Name]) -> None:
        """Unqualified names may now be looked up elsewhere: known schemas show their tables, unknown ones open the world."""
        for name in schemas:
            folded = fold(name.text, name.quoted, self.dialect)
            schema = schema_key(name.text, name.quoted, self.dialect)
            if not schema or folded in ("$user", "default"):
                continue
            self.change.opens.add("Table")
            for table in self.catalog.relations:
                if table.owner == schema:
                    self._show(table)

    def _show(self, table: Binding) -> None:
        """Let a qualified table be named without its schema too."""
        target = _Target(relation_key("", table.folded), table_key("", table.folded), table.name, None)
        columns = [
            replace(column, owner=target.owner)
            for column in self.catalog.columns(table_key(table.owner, table.folded)).values()
        ]
        self._establish(replace(table, owner=""), columns)

    def _use(self) -> None:
        reader = self.reader
        reader.take_any("database", "schema", "catalog")
        path = reader.path()
        self._search([path.name] if path is not None else [])
        self.change.opens.add("Table")

    def _attach(self) -> None:
        """ATTACH 'file' AS name: a schema of unknown tables, which unqualified names may mean too."""
        reader = self.reader
        reader.take("database")
        memory = reader.here is not None and reader.here.text.strip("'\"") in (":memory:", "")
        if reader.skip_to("as") != "as":
            self.change.opens.add("Table")
            return
        reader.at += 1
        if (name := reader.name()) is None:
            return
        folded = name.folded(self.dialect)
        self.change.declare(self._schema(name, folded))
        if not memory:
            self.change.declare(opened(RELATION, folded))
            self.change.opens.add("Table")

    def _rollback(self) -> None:
        """What was dropped may be back: where the transaction began is not known, so everything dropped is."""
        if self.reader.take("rollback", "prepared"):
            return
        frames = self.environment.frames
        for at, frame in enumerate(frames):
            for key in frame.tombstones:
                if self.environment.lookup(key) is None:
                    earlier = Environment(frames[:at]).lookup(key)
                    if earlier is not None:
                        self.change.put(earlier)

    def _do(self) -> None:
        """An anonymous block may create anything."""
        text = " ".join(token.text for token in self.reader.tokens)
        if re.search(r"\b(create|alter|drop|execute|perform|call)\b", text, re.IGNORECASE):
            self.change.opens |= _ALL

    def _load(self, verb: str) -> None:
        if verb == "import":
            self.change.opens |= _ALL
        elif self.dialect in ("duckdb", "generic"):
            self.change.opens |= {"Function", "Type"}


def _hidden(kind: str, target: _Target) -> tuple[Name, ...]:
    """Columns that a full-text table has without saying so."""
    if kind == "fts5":
        return (Name(target.name, quoted=True), Name("rank", quoted=False))
    if kind in ("fts3", "fts4"):
        return (Name(target.name, quoted=True), Name("docid", quoted=False), Name("languageid", quoted=False))
    if kind == "geopoly":
        return (Name("_shape", quoted=False),)
    return ()


class _Altering:
    """The actions of one ALTER TABLE."""

    def __init__(self, reading: _Reading, target: _Target, *, only: bool) -> None:
        self.reading = reading
        self.target = target
        self.only = only
        self.adding = False

    def read(self, reader: Reader) -> None:
        """Read one action."""
        if reader.take("add"):
            self._add(reader)
        elif reader.take("drop"):
            self._drop(reader)
        elif reader.take("rename"):
            self._rename(reader)
        elif reader.take("change"):
            reader.take("column")
            self._change(reader.name(), reader)
        elif reader.take("set", "schema"):
            self._set_schema(reader.name())
        elif self.adding and reader.dialect in ("generic", "duckdb"):
            self._column(reader)  # T-SQL: ADD a int, b int

    def _add(self, reader: Reader) -> None:
        self.adding = True
        said = reader.take("column")
        reader.take("if", "not", "exists")
        group = reader.group()
        if group is not None:
            found = definitions(group, reader.dialect)
            for column in found.columns:
                self._define(column)
            return
        if not said and definitions(reader.tokens[reader.at :], reader.dialect).columns == ():
            return  # a constraint, an index, a partition
        self._column(reader)

    def _column(self, reader: Reader) -> None:
        start = reader.at
        column = column_def(reader)
        if column is None:
            self._leave_open()
        elif (
            column.name.text.lower() not in ("partition", "constraint")
            or column.name.quoted
            or start != reader.at - 1
        ):
            self._define(column)

    def _define(self, column: ColumnDef) -> None:
        reading = self.reading
        if self.target.binding is None:
            return
        binding = reading._defined(self.target, column)  # noqa: SLF001 (one statement, read by two classes)
        self._declare(binding)
        if not self.only:
            for child in self._children():
                self._declare(reading._moved(binding, child))  # noqa: SLF001

    def _declare(self, column: Binding) -> None:
        if self.reading.environment.lookup(column.key) is None:
            self.reading.change.declare(column)

    def _children(self) -> list[_Target]:
        """The tables that inherit from it, at any depth."""
        found: dict[str, _Target] = {}
        owners = {self.target.owner}
        tables = [each for each in self.reading.catalog.relations if "inherits" in each.attrs]
        while True:
            fresh = [
                each
                for each in tables
                if owners.intersection(each.attrs["inherits"].split())
                and table_key(each.owner, each.folded) not in found
            ]
            if not fresh:
                return list(found.values())
            for each in fresh:
                owner = table_key(each.owner, each.folded)
                found[owner] = _Target(each.key, owner, each.name, each)
                owners.add(owner)

    def _drop(self, reader: Reader) -> None:
        said = reader.take("column")
        if (
            not said
            and reader.peek()
            in (
                "constraint",
                "primary",
                "foreign",
                "index",
                "key",
                "check",
                "partition",
                "default",
                "unique",
                "projection",
            )
            and reader.peek(1) != ""
        ):
            return
        reader.take("if", "exists")
        name = reader.name()
        if name is None:
            return
        cascade = reader.skip_to("cascade") == "cascade"
        key = column_key(self.target.owner, name.folded(reader.dialect))
        needed = not cascade and next(self.reading.users(self.target.owner), None) is not None
        if self.reading.environment.lookup(key) is not None and not needed:
            self.reading.change.drop(key)

    def _rename(self, reader: Reader) -> None:
        if reader.take_any("constraint", "index", "key", "partition"):
            return
        if reader.take("to") or reader.take("as"):
            path = reader.path()
            if path is not None:
                self._rename_table(path)
            return
        reader.take("column")
        old = reader.name()
        if old is None:
            return
        if reader.take("to") or reader.take("as"):
            self._change(old, reader)
        elif reader.here is None:
            self._rename_table(Path(None, old))  # MySQL: RENAME b

    def _rename_table(self, path: Path) -> None:
        owner = self.target.key.owner
        if path.schema is None and owner:
            folded = path.name.folded(self.reading.dialect)
            key = relation_key(owner, folded)
            binding = self.reading.environment.lookup(key)
            name = path.name.declared(self.reading.dialect)
            new = _Target(key, table_key(owner, folded), name, binding)
        else:
            new = self.reading._target(path)  # noqa: SLF001
        self.reading.rename(self.target, new)

    def _set_schema(self, schema: Name | None) -> None:
        if schema is None:
            return
        folded = schema_key(schema.text, schema.quoted, self.reading.dialect)
        key = relation_key(folded, self.target.key.folded)
        owner = table_key(folded, key.folded)
        self.reading.rename(
            self.target, _Target(key, owner, self.target.name, self.reading.environment.lookup(key))
        )

    def _change(self, old: Name | None, reader: Reader) -> None:
        """RENAME a TO b, and MySQL's CHANGE a b type."""
        column = column_def(reader)
        if old is None or column is None or self.target.binding is None:
            return
        reading = self.reading
        key = column_key(self.target.owner, old.folded(reader.dialect))
        was = reading.environment.lookup(key)
        new = reading._defined(self.target, column)  # noqa: SLF001
        if was is not None:
            reading.change.drop(key)
            new = replace(new, attrs={**was.attrs, **new.attrs})
        self._declare(new)
        for child in self._children():
            self._declare(reading._moved(new, child))  # noqa: SLF001

    def _leave_open(self) -> None:
        table = self.target.binding
        if table is not None:
            self.reading.change.put(replace(table, attrs={**table.attrs, "columns": "open"}))
