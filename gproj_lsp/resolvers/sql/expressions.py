"""Expressions resolved: columns, functions, windows, and the queries inside them.

The walk is over sqlglot's trees, which it never changes; what it finds goes to the recorder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from sqlglot import exp

from gproj_lsp.environment import Binding
from gproj_lsp.resolve import Verdict
from gproj_lsp.resolvers.sql.lookup import STRING, Lookup
from gproj_lsp.resolvers.sql.names import Name
from gproj_lsp.resolvers.sql.recorder import Finding, Place, Recorder, Site
from gproj_lsp.resolvers.sql.scopes import Ctes, Outputs, Relation, Scope
from gproj_lsp.text import Span

if TYPE_CHECKING:
    from gproj_lsp.resolvers.sql.catalog import Catalog

__all__ = ["Expressions", "Lazy", "alias_of", "children", "table_of"]

Lazy = Callable[[], Outputs]
"""The outputs of a query, worked out if someone asks."""

Reader = Callable[["Expressions", exp.Expr, Place], None]

_VALUES = frozenset({"Limit", "Values", "Default"})
"""Clauses that expect values, and no column of the block."""

_LEAVES = (
    exp.Literal,
    exp.Identifier,
    exp.Var,
    exp.DataType,
    exp.Placeholder,
    exp.Parameter,
    exp.SessionParameter,
    exp.Null,
    exp.Boolean,
    exp.JSONPath,
    exp.ColumnDef,
)


def children(node: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes directly under one."""
    for value in node.args.values():
        if isinstance(value, list):
            for each in value:
                if isinstance(each, exp.Expr):
                    yield each
        elif isinstance(value, exp.Expr):
            yield value


def alias_of(node: exp.Expr) -> exp.Expr | None:
    """The identifier that a FROM item or a CTE is named by."""
    alias = node.args.get("alias")
    if isinstance(alias, exp.TableAlias):
        alias = alias.this
    return alias if isinstance(alias, exp.Identifier) else None


def table_of(identifier: exp.Expr, schema: exp.Expr | None) -> exp.Table:
    """A table node around identifiers that stay where they are in their tree."""
    table = exp.Table()
    table.args["this"] = identifier  # not `set`: it would become their parent
    if schema is not None:
        table.args["db"] = schema
    return table


class Expressions(ABC):
    """Resolves the names in expressions.

    Args:
        recorder: Where references go.
        catalog: Γ before the statement.
    """

    def __init__(self, recorder: Recorder, catalog: Catalog) -> None:
        self.recorder = recorder
        self.catalog = catalog
        self.dialect = catalog.dialect
        self.lookup = Lookup(catalog)
        self._bound: list[frozenset[str]] = []
        self._names = catalog.plain

    @abstractmethod
    def query(
        self,
        node: exp.Expr,
        parent: Scope | None,
        ctes: Ctes,
        anchored: Callable[[Outputs], None] | None = None,
    ) -> Lazy:
        """Resolve a query inside an expression or a FROM clause.

        Args:
            node: A SELECT, a set operation, VALUES, a parenthesised query, or a statement that returns rows.
            parent: The block whose names it sees.
            ctes: The common table expressions it sees.
            anchored: Told the outputs of a set operation's first query before the others are read (recursion).

        Returns:
            Its outputs.
        """

    @abstractmethod
    def table_reference(
        self, node: exp.Table, scope: Scope | None = None, *, target: bool = False, doubt: str = ""
    ) -> Relation:
        """Resolve a table's name.

        Args:
            node: The table.
            scope: Whose common table expressions it may name.
            target: Whether a table is written to or defined, so that no common table expression is meant.
            doubt: Why its absence would prove nothing, if so.

        Returns:
            It as a relation, under its own name.
        """

    @abstractmethod
    def with_clause(self, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> Ctes:
        """The common table expressions in force after a statement's WITH, if it has one."""

    # -- names ----------------------------------------------------------------------------------------------------------

    def name(self, identifier: exp.Expr) -> Name:
        """An identifier's text, folded as the dialect does."""
        args = identifier.args
        text = args.get("this")
        if text.__class__ is not str:
            text = identifier.name
        if args.get("quoted"):
            mark = self.recorder.source.written(identifier)[:1] or '"'
            return Name(text, self.catalog.fold(text, quoted=True), mark)
        found = self._names.get(text)
        if found is None:
            found = self._names[text] = Name(text, self.catalog.fold(text, quoted=False))
        return found

    def schema(self, identifier: exp.Expr | None) -> str | None:
        """The folded schema that an identifier names, empty for one that need not be said."""
        if not isinstance(identifier, exp.Identifier):
            return None
        return self.catalog.schema(identifier.name, quoted=bool(identifier.args.get("quoted")))

    def spelling(self, identifier: exp.Expr) -> str:
        """A name as it is written in the text, or as it has to be."""
        return self.recorder.source.written(identifier) or self.catalog.spell(identifier.name)

    def is_name(self, node: object) -> bool:
        """Whether the node is an identifier, and no hole or template."""
        return isinstance(node, exp.Identifier) and not self.recorder.vague(self.recorder.span(node))

    def column_binding(self, identifier: exp.Expr, owner: str, like: Binding | None = None) -> Binding:
        """What a query's output column declares."""
        name = self.name(identifier)
        attrs = {"table": owner}
        if like is not None and (kind := like.attrs.get("type")):
            attrs["type"] = kind
        binding = Binding(
            name.text,
            "Column",
            owner,
            folded=name.folded,
            attrs=attrs,
            spelling=self.catalog.spell(name.text),
        )
        self.recorder.declare(identifier, binding)
        return binding

    def called(self, relation: Relation, identifier: exp.Expr | None) -> Relation:
        """The relation, written down as what an identifier declares in its block: an alias, or the table's own name."""
        self.recorder.declare(identifier, relation.alias)
        return relation

    def common_table(self, identifier: exp.Expr) -> Binding:
        """What the name of a common table expression declares."""
        binding = Binding(
            self.spelling(identifier),
            "Table",
            namespace="relation",
            folded=self.name(identifier).folded,
            attrs={"kind": "cte"},
        )
        self.recorder.declare(identifier, binding)
        return binding

    def unread(self, identifier: exp.Expr) -> Relation:
        """A relation of which nothing but its name is known."""
        return Relation(
            self.name(identifier).folded,
            self.spelling(identifier),
            binding=self.common_table(identifier),
            known={},
            is_open=True,
        )

    @contextmanager
    def binding(self, names: Iterable[str]) -> Iterator[None]:
        """Within a lambda or a comprehension, whose variables are no columns."""
        self._bound.append(frozenset(names))
        try:
            yield
        finally:
            self._bound.pop()

    def column_list(self, node: exp.Expr, owner: str) -> tuple[Binding, ...]:
        """The column names that an alias gives: `AS v(a, b)`, `AS f(a int, b text)`."""
        alias = node.args.get("alias")
        columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
        found = []
        for each in columns or ():
            identifier = each.this if isinstance(each, exp.ColumnDef) else each
            if isinstance(identifier, exp.Identifier):
                self.declares(identifier, "ColDecl")
                found.append(self.column_binding(identifier, owner))
        return tuple(found)

    def declares(self, identifier: exp.Expr, sort: str) -> None:
        """Write down that a new name stands there."""
        if (span := self.recorder.span(identifier)) is not None:
            self.recorder.site(Site(span, sort, self.recorder.region))

    # -- expressions ----------------------------------------------------------------------------------------------------

    def expression(self, root: exp.Expr, place: Place) -> None:
        """Resolve every name in an expression, queries inside it included."""
        stack = [root]
        while stack:
            node = stack.pop()
            reader = self._reader(type(node))
            if reader is not None:
                reader(self, node, place)
                continue
            if isinstance(node, exp.Func):
                self.function_reference(node, None)
            stack.extend(children(node))

    def _nothing(self, node: exp.Expr, place: Place) -> None:
        """A node without names, or what sqlglot read as a table where none can stand."""
        del node, place

    def _subquery(self, node: exp.Expr, place: Place) -> None:
        self.query(node, place.scope, place.scope.ctes)

    def _aliased(self, node: exp.Expr, place: Place) -> None:
        if isinstance(alias := node.args.get("alias"), exp.Expr):
            self.declares(alias, "")
        self.expression(node.this, place)

    def _first(self, node: exp.Expr, place: Place) -> None:
        """A node whose other parts are no columns: a collation, an operator class."""
        self.expression(node.this, place)

    def _second(self, node: exp.Expr, place: Place) -> None:
        """A named argument or a key with its value."""
        self.expression(node.expression, place)

    def _is(self, node: exp.Expr, place: Place) -> None:
        """`x IS DOCUMENT`: but for SQLite, what stands behind IS is a keyword, whatever sqlglot makes of it."""
        self.expression(node.this, place)
        if self.dialect.name == "sqlite" or not isinstance(node.expression, exp.Column):
            self.expression(node.expression, place)

    def _lambda(self, node: exp.Expr, place: Place) -> None:
        with self.binding(self.name(each).folded for each in node.expressions if each.name):
            self.expression(node.this, place)

    def _star(self, node: exp.Expr, place: Place) -> None:
        for key in ("except_", "replace", "rename"):
            for each in node.args.get(key) or ():
                if isinstance(each, exp.Expr):
                    self.expression(each, place)

    def _in(self, node: exp.Expr, place: Place) -> None:
        """`x IN t`: in SQLite the rows of a table."""
        field = node.args.get("field")
        for each in children(node):
            if each is not field:
                self.expression(each, place)
        if not isinstance(field, exp.Expr):
            return
        if (
            self.dialect.name == "sqlite"
            and isinstance(field, exp.Column)
            and isinstance(field.this, exp.Identifier)
        ):
            self.table_reference(table_of(field.this, field.args.get("table")), place.scope)
        else:
            self.expression(field, place)

    def _comprehension(self, node: exp.Expr, place: Place) -> None:
        variables = [self.name(node.expression).folded] if node.expression.name else []
        for key, value in node.args.items():
            if key != "expression" and isinstance(value, exp.Expr):
                with self.binding(variables):
                    self.expression(value, place)

    def _window(self, node: exp.Expr, place: Place) -> None:
        identifier = node.args.get("alias")
        for each in children(node):
            if each is not identifier:
                self.expression(each, place)
        span = self.recorder.span(identifier) if isinstance(identifier, exp.Identifier) else None
        if not isinstance(identifier, exp.Identifier) or span is None:
            return
        name = self.name(identifier)
        scope = place.scope
        if name.folded in scope.windows:
            finding = Finding(Verdict.DECLARED, scope.windows[name.folded])
        else:
            finding = Finding(
                Verdict.GHOST, None, "no WINDOW clause declares it", tuple(sorted(scope.windows))
            )
        self.recorder.site(Site(span, "Window", self.recorder.region, place))
        self.recorder.refer(span, name.text, "Window", finding)

    def _dot(self, node: exp.Expr, place: Place) -> None:
        """`schema.function(…)`, or a field of a value."""
        left, right = node.this, node.expression
        if isinstance(right, exp.Func):
            schema = self.schema(left) if isinstance(left, exp.Identifier) else None
            self.function_reference(right, schema, known=isinstance(left, exp.Identifier))
            if schema and schema not in self.catalog.schemas:
                # A macro of some tool (`sqlc.arg(name)`): what it calls its arguments is its own affair.
                place = place._replace(scope=replace(place.scope, names_open=True))
            for each in children(right):
                self.expression(each, place)
            if not isinstance(left, exp.Identifier):
                self.expression(left, place)
            return
        if isinstance(left, exp.Expr):
            self.expression(left, place)
        inner = left.this if isinstance(left, exp.Paren) else None
        if self.dialect.rows and isinstance(inner, exp.Column) and not inner.args.get("table"):
            self._row_field(inner, right, place)

    def _row_field(self, row: exp.Column, field: exp.Expr, place: Place) -> None:
        """`(u).id`: a column of a relation that is written as a value."""
        if not isinstance(row.this, exp.Identifier) or not isinstance(field, exp.Identifier):
            return
        name = self.name(row.this)
        relation = place.scope.named(name.folded)
        span = self.recorder.span(field)
        if relation is None or span is None or place.scope.matches(name.folded):
            return
        self.recorder.site(Site(span, "Column", self.recorder.region, place, relation))
        self.recorder.refer(span, field.name, "Column", self.lookup.member(relation, self.name(field)))

    def function_reference(self, node: exp.Expr, schema: str | None, *, known: bool = True) -> None:
        """Resolve a function's name, if it stands in the text: what special syntax calls does not.

        Args:
            node: The call.
            schema: The folded schema before it, or None.
            known: Whether what stands before it can be a schema; else it is a method of a value.
        """
        span = self.recorder.span(node)
        if span is None or isinstance(node, (exp.Star, exp.Column)):
            return
        written = self.recorder.source.written(node)
        quoted = written[:1] in ('"', "`", "[")
        text = node.name if quoted else written
        if not quoted and not written.isidentifier() and not written.replace("$", "_").isidentifier():
            return
        name = Name(text, self.catalog.fold(text, quoted=quoted), written[0] if quoted else "")
        self.recorder.site(Site(span, "Function", self.recorder.region, schema=schema))
        if known:
            finding = self.lookup.function(schema or "", name)
        else:
            finding = Finding(Verdict.UNKNOWN, None, "it is a method of a value")
        self.recorder.refer(span, text, "Function", finding)

    # -- columns --------------------------------------------------------------------------------------------------------

    def _column(self, node: exp.Expr, place: Place) -> None:
        self.column(node, place)

    def column(self, node: exp.Expr, place: Place, *, target: Relation | None = None) -> None:
        """Resolve a column, with or without a qualifier.

        Args:
            node: The column.
            place: Where it stands.
            target: The relation that it must belong to, whatever is in scope.
        """
        identifier = node.this
        qualifier = node.args.get("table")
        if isinstance(identifier, exp.Star):
            if isinstance(qualifier, exp.Identifier):
                self.alias_reference(qualifier, place)
            self._star(identifier, place)
        elif not isinstance(identifier, exp.Identifier):
            if isinstance(identifier, exp.Expr):
                self.expression(identifier, place)
        elif (span := self.recorder.span(identifier)) is not None:
            if isinstance(qualifier, exp.Identifier):
                self._qualified(node, qualifier, identifier, span, place)
            else:
                self._bare(identifier, span, place, target)

    def _bare(self, identifier: exp.Identifier, span: Span, place: Place, target: Relation | None) -> None:
        name = self.name(identifier)
        if self._bound and any(name.folded in names for names in self._bound):
            return
        if place.clause in _VALUES and target is None:
            self.recorder.site(Site(span, "", self.recorder.region))
        else:
            self.recorder.site(Site(span, "Column", self.recorder.region, place, target))
        if self.recorder.vague(span):
            return
        finding = self.lookup.member(target, name) if target is not None else self.lookup.bare(name, place)
        if finding is not STRING:
            self.recorder.refer(span, name.text, "Column", finding)

    def _qualified(
        self,
        node: exp.Expr,
        qualifier: exp.Identifier,
        identifier: exp.Identifier,
        span: Span,
        place: Place,
    ) -> None:
        first = self.recorder.span(qualifier)
        name, table = self.name(identifier), self.name(qualifier)
        db = node.args.get("db")
        schema = self.schema(db)
        if self._bound and any(table.folded in names for names in self._bound):
            return
        relation = place.scope.named(table.folded, schema)
        if relation is None and self.dialect.fields and self._field(node, place):
            return
        vague = self.recorder.vague(first) or self.recorder.vague(self.recorder.span(db))
        if first is not None:
            self.recorder.site(Site(first, "Alias", self.recorder.region, place, member=name.folded))
        self.recorder.site(Site(span, "Column", self.recorder.region, place, relation))
        if vague:
            self.recorder.refer(
                span, name.text, "Column", Finding(Verdict.UNKNOWN, None, "its qualifier is not known")
            )
            return
        finding = self.lookup.qualified(table, schema, name, place, relation)
        meant = relation is not None and schema in (None, relation.schema)
        if first is not None and finding.verdict is Verdict.GHOST and not meant:
            # What is wrong is the qualifier; what is missing, and what a fix replaces, is the column.
            parts = [each for each in (db, qualifier, identifier) if isinstance(each, exp.Identifier)]
            start = self.recorder.span(parts[0]) or first
            text = ".".join(each.name for each in parts)
            self.recorder.refer(Span(start.start, span.end), text, "Column", finding)
            return
        if first is not None and relation is not None:
            self.recorder.refer(first, table.text, "Alias", Finding(Verdict.DECLARED, relation.alias))
        self.recorder.refer(span, name.text, "Column", finding)

    def _field(self, node: exp.Expr, place: Place) -> bool:
        """Resolve a field of a column, `column.field` or `relation.column.field.field`; whether it is one."""
        path = [node.args.get(key) for key in ("catalog", "db", "table")]
        parts = [each for each in path if isinstance(each, exp.Identifier)]
        holders = [place.scope.named(self.name(each).folded) for each in parts[:-1]]
        at = next((at for at, holder in enumerate(holders, 1) if holder is not None), 0)
        holder = holders[at - 1] if at else None
        column = parts[at]
        span = self.recorder.span(column)
        if span is None or (holder is None and len(parts) == 1):
            return False
        name = self.name(column)
        finding = self.lookup.bare(name, place) if holder is None else self.lookup.member(holder, name)
        if holder is None and finding.verdict is Verdict.GHOST:
            return False
        self.recorder.site(Site(span, "Column", self.recorder.region, place, holder))
        self.recorder.refer(span, name.text, "Column", finding)
        return True

    def alias_reference(self, identifier: exp.Expr, place: Place) -> None:
        """A relation's name on its own: `u.*`, `FOR UPDATE OF u`."""
        span = self.recorder.span(identifier)
        if span is None:
            return
        name = self.name(identifier)
        self.recorder.site(Site(span, "Alias", self.recorder.region, place))
        relation = place.scope.named(name.folded)
        if relation is not None:
            finding = Finding(Verdict.DECLARED, relation.alias)
        elif any(scope.names_open for scope in place.scope.chain()):
            finding = Finding(Verdict.UNKNOWN, None, "not all relations in scope are known")
        elif self.dialect.fields and self.lookup.bare(name, place).verdict is not Verdict.GHOST:
            finding = Finding(Verdict.UNKNOWN, None, "it may be a column with fields")
        else:
            spellings = tuple(
                relation.spelling
                for scope in place.scope.chain()
                for relation in scope.relations
                if relation.spelling
            )
            finding = Finding(Verdict.GHOST, None, "no such relation is in scope", spellings)
        self.recorder.refer(span, name.text, "Alias", finding)

    _READERS: ClassVar[tuple[tuple[tuple[type[exp.Expr], ...], Reader], ...]] = (
        ((exp.Column,), _column),
        (_LEAVES, _nothing),
        ((exp.Query, exp.Values, exp.Insert, exp.Update, exp.Delete, exp.Merge), _subquery),
        ((exp.Alias,), _aliased),
        ((exp.Window,), _window),
        ((exp.Dot,), _dot),
        ((exp.Kwarg, exp.PropertyEQ), _second),
        ((exp.Collate, exp.Opclass), _first),
        ((exp.In,), _in),
        ((exp.Is,), _is),
        ((exp.Lambda,), _lambda),
        ((exp.Comprehension,), _comprehension),
        ((exp.Star,), _star),
        ((exp.Table,), _nothing),
    )

    _known: ClassVar[dict[type[exp.Expr], Reader | None]] = {}

    @classmethod
    def _reader(cls, kind: type[exp.Expr]) -> Reader | None:
        """How a kind of node is read; None: all its children are expressions."""
        if kind not in cls._known:
            cls._known[kind] = next((read for kinds, read in cls._READERS if issubclass(kind, kinds)), None)
        return cls._known[kind]
