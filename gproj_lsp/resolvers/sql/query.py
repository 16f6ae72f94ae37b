"""Queries resolved: FROM brings relations into scope, and every other clause names their columns.

The walk is over sqlglot's tree, with scopes of our own: sqlglot's `qualify` changes trees and stops at the first name it
does not know. It never changes the tree, and it reads FROM before the clauses that stand before it in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlglot import exp

from gproj_lsp.environment import Binding
from gproj_lsp.resolve import Verdict
from gproj_lsp.resolvers.sql.lookup import STRING, Lookup, Name
from gproj_lsp.resolvers.sql.recorder import Finding, Place, Recorder, Site
from gproj_lsp.resolvers.sql.scopes import NO_CTES, Ctes, Outputs, Relation, Scope, renamed

if TYPE_CHECKING:
    from gproj_lsp.resolvers.sql.catalog import Catalog
    from gproj_lsp.text import Span

__all__ = ["Lazy", "Queries", "children"]

Lazy = Callable[[], Outputs]
"""The outputs of a query, worked out if someone asks."""

_ANYTHING = Outputs(open=True, complete=False)
_CLAUSES = (
    ("where", "Where"),
    ("prewhere", "Where"),
    ("connect", "Where"),
    ("group", "Group"),
    ("having", "Having"),
    ("qualify", "Qualify"),
    ("distribute", "Order"),
    ("sort", "Order"),
    ("cluster", "Order"),
    ("order", "Order"),
    ("limit", "Limit"),
    ("offset", "Limit"),
)
_VALUES = frozenset({"Limit", "Values", "Default"})
"""Clauses that expect values, and no column of the block."""

_AFTER_FROM = tuple(key for key, _ in _CLAUSES) + ("windows", "locks", "match")
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


def children(node: exp.Expression) -> Iterator[exp.Expression]:
    """The nodes directly under one."""
    for value in node.args.values():
        if isinstance(value, list):
            for each in value:
                if isinstance(each, exp.Expression):
                    yield each
        elif isinstance(value, exp.Expression):
            yield value


class Queries:
    """Resolves the queries of one statement."""

    def __init__(self, recorder: Recorder, catalog: Catalog, growing: frozenset[int] = frozenset()) -> None:
        """Write to `recorder` what is found in `catalog`.

        Args:
            recorder: Where references go.
            catalog: Γ before the statement.
            growing: Identities of the SELECT nodes whose FROM clause may still go on.
        """
        self.recorder = recorder
        self.catalog = catalog
        self.dialect = catalog.dialect
        self.lookup = Lookup(catalog)
        self._growing = growing
        self._bound: list[frozenset[str]] = []
        self._actions: dict[type[exp.Expression], Callable[[exp.Expression, Place], bool]] = {}

    # -- names ----------------------------------------------------------------------------------------------------------

    def name(self, identifier: exp.Expression) -> Name:
        """An identifier's text, folded as the dialect does."""
        quoted = bool(identifier.args.get("quoted"))
        text = identifier.this if isinstance(identifier.this, str) else identifier.name
        return Name(text, self.catalog.fold(text, quoted=quoted), quoted=quoted)

    def schema(self, identifier: exp.Expression | None) -> str | None:
        """The folded schema that an identifier names, empty for one that need not be said."""
        if not isinstance(identifier, exp.Identifier):
            return None
        return self.catalog.schema(identifier.name, quoted=bool(identifier.args.get("quoted")))

    def spelling(self, identifier: exp.Expression) -> str:
        """A name as it is written in the text, or as it has to be."""
        return self.recorder.source.written(identifier) or self.catalog.spell(identifier.name)

    def is_name(self, node: object) -> bool:
        """Whether the node is an identifier, and no hole or template."""
        return isinstance(node, exp.Identifier) and not self.recorder.vague(self.recorder.span(node))

    def column_binding(self, identifier: exp.Expression, owner: str, like: Binding | None = None) -> Binding:
        """What a query's output column declares."""
        name = self.name(identifier)
        attrs = {"table": owner}
        if like is not None and (kind := like.attrs.get("type")):
            attrs["type"] = kind
        return Binding(
            name.text, "Column", owner, folded=name.folded, attrs=attrs, spelling=self.catalog.spell(name.text)
        )

    @contextmanager
    def binding(self, names: Iterable[str]) -> Iterator[None]:
        """Within a lambda or a comprehension, whose variables are no columns."""
        self._bound.append(frozenset(names))
        try:
            yield
        finally:
            self._bound.pop()

    # -- queries --------------------------------------------------------------------------------------------------------

    def query(
        self,
        node: exp.Expression,
        parent: Scope | None,
        ctes: Ctes = NO_CTES,
        anchored: Callable[[Outputs], None] | None = None,
    ) -> Lazy:
        """Resolve a query.

        Args:
            node: A SELECT, a set operation, VALUES, a parenthesised query, or a statement that returns rows.
            parent: The block whose names it sees.
            ctes: The common table expressions it sees.
            anchored: Told the outputs of a set operation's first query before the others are read (recursion).

        Returns:
            Its outputs.
        """
        if isinstance(node, exp.Select):
            return self._select(node, parent, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, parent, ctes, anchored)
        if isinstance(node, exp.Subquery):
            return self._parenthesised(node, parent, ctes, anchored)
        if isinstance(node, exp.Values):
            return self._values(node, parent, ctes)
        if isinstance(node, exp.Table):
            scope = Scope(parent, ctes)
            self.source(node, scope)
            return lambda: self._all_of(scope)
        return self.other(node, parent, ctes)

    def other(self, node: exp.Expression, parent: Scope | None, ctes: Ctes) -> Lazy:
        """A statement in a query's place; nothing is known of what it gives."""
        scope = Scope(parent, ctes, names_open=True)
        for each in children(node):
            self.expression(each, Place(scope, "Select"))
        return lambda: _ANYTHING

    def with_clause(self, node: exp.Expression, parent: Scope | None, ctes: Ctes) -> Ctes:
        """The common table expressions in force after a statement's WITH, if it has one."""
        clause = node.args.get("with_")
        if not isinstance(clause, exp.With):
            return ctes
        found = dict(ctes)
        recursive = bool(clause.args.get("recursive")) or self.dialect.later_ctes
        if recursive:
            for cte in clause.expressions:
                if isinstance(identifier := _alias(cte), exp.Identifier):
                    found[self.name(identifier).folded] = self._unread(identifier)
        with self.recorder.inside("With"):
            for cte in clause.expressions:
                self._cte(cte, parent, found, recursive=recursive)
        return MappingProxyType(found)

    def _unread(self, identifier: exp.Expression) -> Relation:
        name = self.name(identifier)
        return Relation(name.folded, self.spelling(identifier), is_open=True)

    def _cte(self, cte: exp.Expression, parent: Scope | None, found: dict[str, Relation], *, recursive: bool) -> None:
        identifier = _alias(cte)
        if not isinstance(identifier, exp.Identifier):
            self.query(cte.this, parent, MappingProxyType(dict(found)))
            return
        name = self.name(identifier)
        self.declares(identifier, "TableDecl")
        columns = self.column_list(cte, name.folded)

        def relation(outputs: Outputs) -> Relation:
            return Relation.derived(name.folded, self.spelling(identifier), renamed(outputs, columns))

        def anchored(outputs: Outputs) -> None:
            found[name.folded] = relation(outputs)

        seen = MappingProxyType(found if recursive else dict(found))
        outputs = self.query(cte.this, parent, seen, anchored if recursive else None)()
        if any(cte.args.get(key) for key in ("search", "cycle", "key_expressions")):
            outputs = Outputs(outputs.columns, open=True, anonymous=outputs.anonymous)
        found[name.folded] = relation(outputs)

    def column_list(self, node: exp.Expression, owner: str) -> tuple[Binding, ...]:
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

    def declares(self, identifier: exp.Expression, sort: str) -> None:
        """Write down that a new name stands there."""
        if (span := self.recorder.span(identifier)) is not None:
            self.recorder.site(Site(span, sort, self.recorder.region))

    def _parenthesised(
        self, node: exp.Subquery, parent: Scope | None, ctes: Ctes, anchored: Callable[[Outputs], None] | None
    ) -> Lazy:
        ctes = self.with_clause(node, parent, ctes)
        inner = self.query(node.this, parent, ctes, anchored)
        if isinstance(order := node.args.get("order"), exp.Expression):
            self._order_outputs(order, [inner], Scope(parent, ctes))
        for key in ("limit", "offset"):
            if isinstance(each := node.args.get(key), exp.Expression):
                self.expression(each, Place(Scope(parent, ctes), "Limit"))
        return inner

    def _values(self, node: exp.Values, parent: Scope | None, ctes: Ctes) -> Lazy:
        scope = Scope(parent, ctes)
        for row in node.expressions:
            self.expression(row, Place(scope, "Values"))
        first = node.expressions[0] if node.expressions else None
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        start = self.dialect.first
        names = [self.dialect.values % number for number in range(start, start + width)]
        columns = tuple(Binding(name, "Column", attrs={"table": ""}) for name in names)
        is_open = self.dialect.name == "generic"
        return lambda: Outputs(columns, is_open)

    def _set_operation(
        self,
        node: exp.SetOperation,
        parent: Scope | None,
        ctes: Ctes,
        anchored: Callable[[Outputs], None] | None,
    ) -> Lazy:
        # Long unions lean to the left: unrolled, they need no recursion.
        operands: list[exp.Expression] = []
        spine: exp.Expression = node
        while isinstance(spine, exp.SetOperation):
            ctes = self.with_clause(spine, parent, ctes)
            operands.append(spine.expression)
            spine = spine.this
        first = self.query(spine, parent, ctes)
        if anchored is not None:
            anchored(first())
        rest = [self.query(operand, parent, ctes) for operand in reversed(operands)]
        if isinstance(order := node.args.get("order"), exp.Expression):
            self._order_outputs(order, [first, *rest], Scope(parent, ctes))
        for key in ("limit", "offset"):
            if isinstance(each := node.args.get(key), exp.Expression):
                self.expression(each, Place(Scope(parent, ctes), "Limit"))
        if node.args.get("by_name"):
            return lambda: Outputs(first().columns, open=True, complete=False)
        return first

    def _order_outputs(self, order: exp.Expression, operands: list[Lazy], scope: Scope) -> None:
        """ORDER BY of a set operation: it names outputs, and nothing that lies behind them."""
        for operand in operands:
            scope.relations.append(Relation.derived("", "", operand()))
        for at in range(1, len(scope.relations)):
            for folded in scope.relations[at].columns():
                scope.merge(folded, at)
        scope.names_open = True
        for relation in scope.relations[:1]:
            if not relation.open:
                scope.names_open = any(each.open for each in scope.relations)
        with self.recorder.inside("Order"):
            self.expression(order, Place(scope, "Order"))

    # -- SELECT ---------------------------------------------------------------------------------------------------------

    def _select(self, node: exp.Select, parent: Scope | None, ctes: Ctes) -> Lazy:
        args = node.args
        ctes = self.with_clause(node, parent, ctes)
        growing = id(node) in self._growing
        scope = Scope(parent, ctes, names_open=growing, growing=growing)
        self.from_clause(node, scope)
        scope.clause = "Select"
        with self.recorder.inside("Select"):
            self._projections(node, scope)
        if isinstance(into := args.get("into"), exp.Expression):
            for each in into.find_all(exp.Table):
                self.declares(each.this, "TableDecl")
        for window in args.get("windows") or ():
            if isinstance(window.this, exp.Identifier):
                scope.windows.add(self.name(window.this).folded)
        self.clauses(node, scope)
        for window in args.get("windows") or ():
            with self.recorder.inside("Window"):
                for each in children(window):
                    if each is not window.this:
                        self.expression(each, Place(scope, "Window"))
        for lock in args.get("locks") or ():
            for table in lock.args.get("expressions") or ():
                if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
                    self._alias_reference(table.this, Place(scope, "Lock"))
        return lambda: self._outputs(node, scope)

    def clauses(self, node: exp.Expression, scope: Scope) -> None:
        """The clauses that may follow FROM."""
        for key, clause in _CLAUSES:
            if isinstance(each := node.args.get(key), exp.Expression):
                scope.clause = clause
                with self.recorder.inside(clause):
                    self.expression(each, Place(scope, clause))

    def from_clause(self, node: exp.Expression, scope: Scope) -> None:
        """FROM, its joins and its lateral views."""
        args = node.args
        scope.clause = "From"
        if isinstance(start := args.get("from_"), exp.From) and isinstance(start.this, exp.Expression):
            with self.recorder.inside("From"):
                self.source(start.this, scope)
        for join in args.get("joins") or ():
            self.join(join, scope)
        for lateral in args.get("laterals") or ():
            with self.recorder.inside("From"):
                self.source(lateral, scope)
        if args.get("pivots") or args.get("match"):
            scope.names_open = True

    def _projections(self, node: exp.Select, scope: Scope) -> None:
        expressions = node.expressions
        early = "Select" in self.dialect.aliases
        if not early:
            self._declare_aliases(expressions, scope)
        if isinstance(distinct := node.args.get("distinct"), exp.Expression) and isinstance(
            on := distinct.args.get("on"), exp.Expression
        ):
            if early:
                self._declare_aliases(expressions, scope)
            self.expression(on, Place(scope, "Order"))
        place = Place(scope, "Select")
        for each in expressions:
            self.expression(each, place)
            if early:
                self._declare_aliases((each,), scope)

    def _declare_aliases(self, expressions: Iterable[exp.Expression], scope: Scope) -> None:
        for each in expressions:
            if isinstance(each, exp.Alias):
                identifiers = [each.args.get("alias")]
            elif isinstance(each, exp.Aliases):
                identifiers = list(each.expressions)
            elif isinstance(each, exp.Column) and not isinstance(each.this, exp.Star):
                identifiers = [each.this]
            else:
                continue
            for identifier in identifiers:
                if not isinstance(identifier, exp.Identifier):
                    continue
                folded = self.name(identifier).folded
                scope.aliases.setdefault(folded, self.column_binding(identifier, ""))
                if not isinstance(each, exp.Column):
                    scope.explicit.add(folded)

    def _outputs(self, node: exp.Select, scope: Scope) -> Outputs:
        columns: list[Binding] = []
        is_open = anonymous = False
        complete = True
        for each in node.expressions:
            if (star := _star(each)) is not None:
                given = self._starred(star, each, scope)
                columns.extend(given.columns)
                is_open, anonymous = is_open or given.open, anonymous or given.anonymous
                complete = complete and given.complete
                continue
            identifiers = self._output_names(each)
            columns.extend(
                self.column_binding(identifier, "", self._same(each, scope)) for identifier in identifiers
            )
            if not identifiers:
                anonymous, complete = True, False
                is_open = is_open or self.dialect.anonymous != "text"
        return Outputs(tuple(columns), is_open, anonymous, complete)

    def _same(self, node: exp.Expression, scope: Scope) -> Binding | None:
        """The column that an output passes on."""
        inner = node.this if isinstance(node, exp.Alias) else node
        if not isinstance(inner, exp.Column) or not isinstance(inner.this, exp.Identifier):
            return None
        name = self.name(inner.this)
        if isinstance(table := inner.args.get("table"), exp.Identifier):
            relation = scope.named(self.name(table).folded)
            return relation.find(name.folded) if relation is not None else None
        matches = scope.matches(name.folded)
        return matches[0][1] if matches else None

    def _output_names(self, node: exp.Expression) -> list[exp.Expression]:
        if isinstance(node, exp.Aliases):
            return [each for each in node.expressions if isinstance(each, exp.Identifier)]
        if isinstance(node, exp.Alias):
            alias = node.args.get("alias")
            return [alias] if isinstance(alias, exp.Identifier) else []
        while isinstance(node, (exp.Paren, exp.Collate)):
            node = node.this
        if isinstance(node, exp.Dot):
            return [node.expression] if isinstance(node.expression, exp.Identifier) else []
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
            return [node.this]
        if self.dialect.anonymous == "function" and isinstance(node, exp.Func):
            written = self.recorder.source.written(node)
            return [exp.to_identifier(written.lower())] if written.isidentifier() else []
        return []

    def _starred(self, star: exp.Star, node: exp.Expression, scope: Scope) -> Outputs:
        table = node.args.get("table") if isinstance(node, exp.Column) else None
        if isinstance(table, exp.Identifier):
            relation = scope.named(self.name(table).folded)
            given = relation.outputs() if relation is not None else _ANYTHING
        else:
            given = self._all_of(scope)
        without = {self.name(each).folded for each in star.args.get("except_") or () if each.name}
        changed = bool(star.args.get("rename") or star.args.get("replace"))
        columns = tuple(column for column in given.columns if column.folded not in without)
        return Outputs(columns, given.open or changed, given.anonymous, given.complete and not changed)

    def _all_of(self, scope: Scope) -> Outputs:
        """What `*` gives."""
        columns: list[Binding] = []
        for at, relation in enumerate(scope.relations):
            for name, column in relation.columns().items():
                merged = scope.merged.get(name, ())
                if at not in merged or at == min(merged):
                    columns.append(column)
        is_open = scope.open or scope.lenient
        anonymous = any(relation.anonymous for relation in scope.relations)
        repeated = any(relation.repeated for relation in scope.relations)
        complete = not is_open and not anonymous and not repeated and not scope.merged
        return Outputs(tuple(columns), is_open, anonymous, complete)

    # -- FROM -----------------------------------------------------------------------------------------------------------

    def join(self, join: exp.Expression, scope: Scope) -> None:
        """One JOIN: its relation, then ON or USING."""
        before = len(scope.relations)
        with self.recorder.inside("Join"):
            self.source(join.this, scope)
            if str(join.args.get("method") or "").upper() == "NATURAL":
                self._natural(scope, before)
            for identifier in join.args.get("using") or ():
                self._using(identifier, scope, before)
            for key in ("on", "match_condition"):
                if isinstance(on := join.args.get(key), exp.Expression):
                    scope.clause = "Join"
                    self.expression(on, Place(scope, "Join", len(scope.relations)))
                    scope.clause = "From"

    def _natural(self, scope: Scope, before: int) -> None:
        if scope.open:
            scope.lenient = True
        for at in range(before, len(scope.relations)):
            for folded in scope.relations[at].columns():
                if any(left.find(folded) is not None for left in scope.relations[:before]):
                    scope.merge(folded, at)

    def _using(self, identifier: exp.Expression, scope: Scope, before: int) -> None:
        if isinstance(identifier, exp.Column):
            identifier = identifier.this
        span = self.recorder.span(identifier)
        if not isinstance(identifier, exp.Identifier) or span is None:
            return
        name = self.name(identifier)
        left, right = scope.relations[:before], scope.relations[before:]
        common = self._common(left, right)
        self.recorder.site(Site(span, "Column", self.recorder.region, Place(scope, "Using"), common))
        self.recorder.refer(span, name.text, "Column", self._shared(name, left, right, common, scope))
        for at in range(before, len(scope.relations)):
            scope.merge(name.folded, at)
        if scope.open:
            scope.merged[name.folded].update(range(len(scope.relations)))

    def _shared(
        self, name: Name, left: list[Relation], right: list[Relation], common: Relation, scope: Scope
    ) -> Finding:
        """A column of USING: both sides must have it."""
        for side in (right, left):
            holders = [column for relation in side if (column := relation.find(name.folded)) is not None]
            if not holders:
                if scope.names_open or any(relation.open for relation in side):
                    return Finding(Verdict.UNKNOWN, None, "not all columns joined are known")
                candidates = tuple(column.spelling for column in common.columns().values())
                return Finding(Verdict.GHOST, None, "USING needs a column of both sides", candidates)
        return Finding(Verdict.DECLARED, holders[0], owner=holders[0].owner)

    def _common(self, left: list[Relation], right: list[Relation]) -> Relation:
        known = {
            folded: column
            for relation in right
            for folded, column in relation.columns().items()
            if any(each.find(folded) is not None for each in left)
        }
        return Relation("", "", known=known)

    def source(self, node: exp.Expression, scope: Scope) -> None:
        """One item of FROM; adds its relation to the scope."""
        if isinstance(node, exp.Table):
            self._table(node, scope)
        elif isinstance(node, exp.Subquery):
            self._derived(node, scope, lateral=self.dialect.lateral)
        elif isinstance(node, exp.Lateral):
            self._lateral(node, scope)
        elif isinstance(node, exp.Values):
            outputs = self._values(node, scope.parent, scope.ctes)()
            self._add_derived(node, outputs, scope)
        elif isinstance(node, exp.Alias):
            self.source(node.this, scope)
        else:
            self._function(node, node, scope)
        for join in node.args.get("joins") or ():
            self.join(join, scope)
        if node.args.get("pivots"):
            self._pivoted(node, scope)

    def _pivoted(self, node: exp.Expression, scope: Scope) -> None:
        """PIVOT and UNPIVOT make other columns of those there are."""
        if scope.relations:
            last = scope.relations[-1]
            scope.relations[-1] = Relation(last.name, last.spelling, known={}, is_open=True)
        for pivot in node.args.get("pivots") or ():
            if isinstance(identifier := _alias(pivot), exp.Identifier):
                scope.relations.append(self._unread(identifier))
        scope.names_open = True

    def _table(self, node: exp.Table, scope: Scope) -> None:
        if isinstance(node.this, exp.Identifier):
            self._named_table(node, node.this, scope)
        elif node.args.get("rows_from"):
            for each in node.args["rows_from"]:
                inner = Scope(scope, scope.ctes)
                self.source(each, inner)
            self._add_open(node, scope)
        elif isinstance(node.this, exp.Expression):
            self._function(node, node.this, scope)
        else:
            scope.names_open = True

    def _named_table(self, node: exp.Table, identifier: exp.Identifier, scope: Scope) -> None:
        name = self.name(identifier)
        schema = self.schema(node.args.get("db"))
        table = self.table_reference(node, scope)
        alias = _alias(node)
        if alias is not None and not self.is_name(alias):
            self.declares(alias, "")
            scope.names_open, alias = True, None  # a hole or a template: whatever it says
        if self.recorder.vague(self.recorder.span(identifier)):
            if alias is None:
                scope.names_open = True
                return
            table = Relation("", "", known={}, is_open=True)
        if alias is not None:
            self.declares(alias, "")
            shown, spelling = self.name(alias).folded, self.spelling(alias)
        else:
            shown, spelling = name.folded, self.spelling(identifier)
        scope.relations.append(self._as(table, shown, spelling, schema if alias is None else None, node))

    def _as(self, table: Relation, name: str, spelling: str, schema: str | None, node: exp.Expression) -> Relation:
        """A relation under the name and the column list that FROM gives it."""
        columns = self.column_list(node, name)
        if columns:
            outputs = renamed(table.outputs(), columns)
            return Relation.derived(name, spelling, outputs, base=table.base)
        return table.under(name, spelling, schema or "")

    def table_reference(self, node: exp.Table, scope: Scope, *, target: bool = False) -> Relation:
        """Resolve a table's name.

        Args:
            node: The table.
            scope: Whose common table expressions it may name.
            target: Whether it is written to, so that no common table expression is meant.

        Returns:
            It as a relation, under its own name.
        """
        identifier = node.this
        name = self.name(identifier)
        schema = self.schema(node.args.get("db"))
        span = self.recorder.span(identifier)
        catalog = node.args.get("catalog")
        if span is not None:
            ctes = None if target else Place(Scope(None, scope.ctes), "From")
            self.recorder.site(Site(span, "Table", self.recorder.region, ctes, schema=schema))
        if schema is None and not target and (cte := scope.ctes.get(name.folded)) is not None:
            if span is not None:
                binding = Binding(cte.spelling, "Table", folded=cte.name, namespace="relation", attrs={"kind": "cte"})
                self.recorder.refer(span, name.text, "Table", Finding(Verdict.DECLARED, binding))
            return cte
        if self.recorder.vague(self.recorder.span(node.args.get("db"))) or (
            isinstance(catalog, exp.Expression)
            and self.lookup.table(schema, name).verdict is not Verdict.DECLARED
        ):
            finding = Finding(Verdict.UNKNOWN, None, "its database is not known")
        else:
            finding = self.lookup.table(schema, name)
        if span is not None:
            candidates = finding.candidates
            if finding.verdict is Verdict.GHOST and not schema and scope.ctes and not target:
                candidates = self._tables(scope.ctes)
            self.recorder.refer(span, name.text, "Table", finding._replace(candidates=candidates))
        return self.relation_of(finding.binding, name.folded, self.spelling(identifier), schema or "")

    def _tables(self, ctes: Ctes) -> tuple[str, ...]:
        declared = tuple(
            binding.spelling if not binding.owner else f"{self.catalog.spell(binding.owner)}.{binding.spelling}"
            for binding in self.catalog.relations
            if binding.origin.provider != "builtin"
        )
        return (*(cte.spelling for cte in ctes.values()), *declared)

    def relation_of(self, binding: Binding | None, name: str, spelling: str, schema: str) -> Relation:
        """A table in Γ as a relation; one that is not there has unknown columns."""
        if binding is None:
            return Relation(name, spelling, schema=schema, known={}, is_open=True, base=True)
        return Relation(
            name,
            spelling,
            owner=self.catalog.owner(binding),
            schema=schema,
            binding=binding,
            catalog=self.catalog,
            is_open=binding.attrs.get("columns") == "open",
            base=True,
        )

    def _derived(self, node: exp.Subquery, scope: Scope, *, lateral: bool) -> None:
        inner = node.this
        parent = scope if lateral else scope.parent
        if isinstance(inner, exp.Table) or (isinstance(inner, exp.Subquery) and inner.args.get("joins")):
            self._nested_join(node, inner, scope)
            return
        ctes = self.with_clause(node, parent, scope.ctes)
        outputs = self.query(inner, parent, ctes)()
        if isinstance(order := node.args.get("order"), exp.Expression):
            self.expression(order, Place(Scope(parent, ctes, names_open=True), "Order"))
        self._add_derived(node, outputs, scope)

    def _nested_join(self, node: exp.Subquery, inner: exp.Expression, scope: Scope) -> None:
        """A join in parentheses: one relation if it has an alias, else all of its relations."""
        nested = Scope(scope.parent, scope.ctes)
        self.source(inner, nested)
        scope.names_open = scope.names_open or nested.names_open
        scope.lenient = scope.lenient or nested.lenient
        if _alias(node) is not None:
            self._add_derived(node, self._all_of(nested), scope, base=True)
            return
        offset = len(scope.relations)
        scope.relations.extend(nested.relations)
        for folded, group in nested.merged.items():
            scope.merged.setdefault(folded, set()).update(at + offset for at in group)

    def _lateral(self, node: exp.Lateral, scope: Scope) -> None:
        inner = node.this
        if isinstance(inner, exp.Subquery):
            outputs = self.query(inner, scope, scope.ctes)()
            self._add_derived(node, outputs, scope)
        elif isinstance(inner, exp.Expression):
            self._function(node, inner, scope)
        else:
            scope.names_open = True

    def _add_derived(self, node: exp.Expression, outputs: Outputs, scope: Scope, *, base: bool = False) -> None:
        identifier = _alias(node)
        if identifier is None or not self.is_name(identifier) or self.recorder.span(identifier) is None:
            if identifier is not None and self.recorder.vague(self.recorder.span(identifier)):
                self.declares(identifier, "")
                scope.names_open = True
            scope.relations.append(Relation.derived("", "", outputs, base=True))
            return
        self.declares(identifier, "")
        name = self.name(identifier).folded
        given = renamed(outputs, self.column_list(node, name))
        base = base or self.dialect.name == "sqlite"  # SQLite's subqueries have a rowid
        scope.relations.append(Relation.derived(name, self.spelling(identifier), given, base=base))

    def _add_open(self, node: exp.Expression, scope: Scope) -> None:
        """A relation of which nothing but its alias is known."""
        identifier = _alias(node)
        alias = node.args.get("alias")
        offset = node.args.get("offset")
        extra = [offset] if isinstance(offset, exp.Identifier) else []
        if identifier is None or not self.is_name(identifier):
            columns = self.column_list(node, "")
            extra_columns = tuple(self.column_binding(each, "") for each in extra)
            if isinstance(alias, exp.TableAlias) or identifier is None:
                outputs = Outputs((*columns, *extra_columns), open=True)
                scope.relations.append(Relation.derived("", "", outputs, base=True))
            scope.names_open = scope.names_open or identifier is not None
            return
        self.declares(identifier, "")
        name = self.name(identifier).folded
        columns = self.column_list(node, name)
        itself = () if columns else (self.column_binding(identifier, name),)  # a function that gives one value
        extra_columns = tuple(self.column_binding(each, name) for each in extra)
        outputs = Outputs((*columns, *itself, *extra_columns), open=True)
        scope.relations.append(Relation.derived(name, self.spelling(identifier), outputs, base=True))

    def _function(self, node: exp.Expression, call: exp.Expression, scope: Scope) -> None:
        """A function in FROM; it sees the relations before it."""
        scope.clause = "From"
        written = self.recorder.source.written(call)
        binding = self.catalog.relation("", self.catalog.fold(written, quoted=False)) if written else None
        if binding is not None and (span := self.recorder.span(call)) is not None:
            # SQLite's table-valued functions are tables with arguments.
            self.recorder.site(Site(span, "Function", self.recorder.region))
            self.recorder.refer(span, written, "Function", Finding(Verdict.DECLARED, binding))
        place = Place(scope, "From")
        if call is node:
            for key, value in node.args.items():
                if key not in ("alias", "offset", "joins", "pivots"):
                    for each in value if isinstance(value, list) else (value,):
                        if isinstance(each, exp.Expression):
                            self.expression(each, place)
            if binding is None:
                self._function_reference(call, None)
        else:
            self.expression(call, place)
        if binding is None or node.args.get("alias") is not None and self.column_list(node, ""):
            before = len(scope.relations)
            self._add_open(node, scope)
            if _alias(node) is None and written and len(scope.relations) > before:
                folded = self.catalog.fold(written, quoted=False)
                last = scope.relations[-1]
                scope.relations[-1] = Relation(folded, written, known=last.columns(), is_open=True, base=True)
            return
        alias = _alias(node)
        shown = self.name(alias).folded if alias is not None else binding.folded
        spelling = self.spelling(alias) if alias is not None else binding.spelling
        scope.relations.append(self.relation_of(binding, shown, spelling, ""))

    # -- expressions ----------------------------------------------------------------------------------------------------

    def expression(self, root: exp.Expression, place: Place) -> None:
        """Resolve every name in an expression, queries inside it included."""
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Column):
                self.column(node, place)
            elif isinstance(node, _LEAVES):
                continue
            elif isinstance(node, (exp.Query, exp.Values)):
                self.query(node, place.scope, place.scope.ctes)
            elif not self._special(node, place):
                if isinstance(node, exp.Func):
                    self._function_reference(node, None)
                stack.extend(children(node))

    def _special(self, node: exp.Expression, place: Place) -> bool:
        """Nodes some of whose children are no expressions; whether it was one."""
        if isinstance(node, exp.Alias):
            self.declares(node.args["alias"], "")
            self.expression(node.this, place)
        elif isinstance(node, exp.Window):
            self._window(node, place)
        elif isinstance(node, exp.Dot):
            self._dot(node, place)
        elif isinstance(node, (exp.Kwarg, exp.PropertyEQ)):
            self.expression(node.expression, place)
        elif isinstance(node, (exp.Collate, exp.AtTimeZone)) and isinstance(node.expression, exp.Column):
            self.expression(node.this, place)
            if isinstance(node, exp.AtTimeZone):
                self.expression(node.expression, place)
        elif isinstance(node, exp.In) and isinstance(field := node.args.get("field"), exp.Column):
            self._in_table(node, field, place)
        elif isinstance(node, exp.Lambda):
            with self.binding(self.name(each).folded for each in node.expressions if each.name):
                self.expression(node.this, place)
        elif isinstance(node, exp.Comprehension):
            self._comprehension(node, place)
        elif isinstance(node, exp.Opclass):
            self.expression(node.this, place)
        elif isinstance(node, exp.Star):
            for key in ("except_", "replace", "rename"):
                for each in node.args.get(key) or ():
                    if isinstance(each, exp.Expression):
                        self.expression(each, place)
        elif isinstance(node, exp.Table):
            # A table where an expression is expected: sqlglot read something else as one.
            return True
        elif isinstance(node, (exp.Insert, exp.Update, exp.Delete, exp.Merge)):
            self.query(node, place.scope, place.scope.ctes)
        else:
            return False
        return True

    def _comprehension(self, node: exp.Comprehension, place: Place) -> None:
        variables = [self.name(node.expression).folded] if node.expression.name else []
        for key, value in node.args.items():
            if key != "expression" and isinstance(value, exp.Expression):
                with self.binding(variables):
                    self.expression(value, place)

    def _in_table(self, node: exp.In, field: exp.Column, place: Place) -> None:
        """`x IN t`: in SQLite the rows of a table."""
        self.expression(node.this, place)
        if self.dialect.name == "sqlite" and isinstance(field.this, exp.Identifier):
            table = exp.Table(this=field.this, db=field.args.get("table"))
            self.table_reference(table, place.scope)
        else:
            self.expression(field, place)

    def _window(self, node: exp.Window, place: Place) -> None:
        identifier = node.args.get("alias")
        for each in children(node):
            if each is not identifier:
                self.expression(each, place)
        span = self.recorder.span(identifier) if isinstance(identifier, exp.Identifier) else None
        if not isinstance(identifier, exp.Identifier) or span is None:
            return
        name = self.name(identifier)
        scope = place.scope
        declared = {self.name(each.this).folded for each in _windows(node)} | scope.windows
        if name.folded in declared:
            finding = Finding(Verdict.DECLARED)
        elif node.find_ancestor(exp.Select) is None or self.recorder.unfinished:
            finding = Finding(Verdict.UNKNOWN, None, "its WINDOW clause may still come")
        else:
            finding = Finding(Verdict.GHOST, None, "no WINDOW clause declares it", tuple(sorted(declared)))
        self.recorder.site(Site(span, "Window", self.recorder.region, place))
        self.recorder.refer(span, name.text, "Window", finding)

    def _dot(self, node: exp.Dot, place: Place) -> None:
        """`schema.function(…)`, or a field of a value."""
        left, right = node.this, node.expression
        if isinstance(right, exp.Func):
            schema = self.schema(left) if isinstance(left, exp.Identifier) else None
            self._function_reference(right, schema, known=isinstance(left, exp.Identifier))
            for each in children(right):
                self.expression(each, place)
            if not isinstance(left, exp.Identifier):
                self.expression(left, place)
            return
        if isinstance(left, exp.Expression):
            self.expression(left, place)
        inner = left.this if isinstance(left, exp.Paren) else None
        if self.dialect.rows and isinstance(inner, exp.Column) and not inner.args.get("table"):
            self._row_field(inner, right, place)

    def _row_field(self, row: exp.Column, field: exp.Expression, place: Place) -> None:
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

    def _function_reference(self, node: exp.Expression, schema: str | None, *, known: bool = True) -> None:
        span = self.recorder.span(node)
        if span is None or isinstance(node, (exp.Star, exp.Column)):
            return
        written = self.recorder.source.written(node)
        quoted = written[:1] in ('"', "`", "[")
        text = node.name if quoted else written
        if not quoted and not written.isidentifier() and not written.replace("$", "_").isidentifier():
            return
        name = Name(text, self.catalog.fold(text, quoted=quoted), quoted=quoted)
        self.recorder.site(Site(span, "Function", self.recorder.region, schema=schema))
        if known:
            finding = self.lookup.function(schema or "", name)
        else:
            finding = Finding(Verdict.UNKNOWN, None, "it is a method of a value")
        self.recorder.refer(span, text, "Function", finding)

    # -- columns --------------------------------------------------------------------------------------------------------

    def column(self, node: exp.Column, place: Place, *, target: Relation | None = None) -> None:
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
                self._alias_reference(qualifier, place)
            self._special(identifier, place)
            return
        if not isinstance(identifier, exp.Identifier):
            if isinstance(identifier, exp.Expression):
                self.expression(identifier, place)
            return
        span = self.recorder.span(identifier)
        if span is None:
            return
        if isinstance(qualifier, exp.Identifier):
            self._qualified(node, qualifier, identifier, span, place)
            return
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
        if finding is STRING and self.recorder.source.written(identifier).startswith('"'):
            return
        self.recorder.refer(span, name.text, "Column", finding)

    def _qualified(
        self, node: exp.Column, qualifier: exp.Identifier, identifier: exp.Identifier, span: Span, place: Place
    ) -> None:
        first = self.recorder.span(qualifier)
        name, table = self.name(identifier), self.name(qualifier)
        db = node.args.get("db")
        schema = self.schema(db)
        if self._bound and any(table.folded in names for names in self._bound):
            return
        relation = place.scope.named(table.folded)
        if relation is None and self.dialect.fields and isinstance(db, exp.Identifier):
            holder = place.scope.named(self.name(db).folded)
            if holder is not None and first is not None:
                self.recorder.site(Site(first, "Column", self.recorder.region, place, holder))
                self.recorder.refer(first, table.text, "Column", self.lookup.member(holder, table))
                return
        vague = self.recorder.vague(first) or self.recorder.vague(self.recorder.span(db))
        if first is not None:
            self.recorder.site(Site(first, "Alias", self.recorder.region, place, member=name.folded))
        self.recorder.site(Site(span, "Column", self.recorder.region, place, relation))
        if vague:
            self.recorder.refer(span, name.text, "Column", Finding(Verdict.UNKNOWN, None, "its qualifier is not known"))
            return
        finding = self.lookup.qualified(table, schema, name, place)
        if relation is not None and first is not None:
            self.recorder.refer(first, table.text, "Alias", self._alias_finding(relation))
        elif finding.verdict is Verdict.GHOST and first is not None:
            # What is wrong is the qualifier; what is missing, and what a fix replaces, is the column.
            start = self.recorder.span(db) if isinstance(db, exp.Identifier) else first
            whole = type(span)((start or first).start, span.end)
            text = ".".join(each.name for each in (db, qualifier, identifier) if isinstance(each, exp.Identifier))
            self.recorder.refer(whole, text, "Column", finding)
            return
        self.recorder.refer(span, name.text, "Column", finding)

    def _alias_reference(self, identifier: exp.Identifier, place: Place) -> None:
        """A relation's name on its own: `u.*`, `FOR UPDATE OF u`."""
        span = self.recorder.span(identifier)
        if span is None:
            return
        name = self.name(identifier)
        self.recorder.site(Site(span, "Alias", self.recorder.region, place))
        relation = place.scope.named(name.folded)
        if relation is not None:
            finding = self._alias_finding(relation)
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

    def _alias_finding(self, relation: Relation) -> Finding:
        binding = Binding(
            relation.spelling, "Alias", namespace="Alias", folded=relation.name, attrs={"table": relation.owner}
        )
        return Finding(Verdict.DECLARED, binding)


def grows(node: exp.Expression) -> bool:
    """Whether a SELECT at the end of an unfinished statement may still get relations into its FROM clause."""
    return not any(node.args.get(key) for key in _AFTER_FROM)


def _alias(node: exp.Expression) -> exp.Expression | None:
    """The identifier that a FROM item or a CTE is named by."""
    alias = node.args.get("alias")
    if isinstance(alias, exp.TableAlias):
        alias = alias.this
    return alias if isinstance(alias, exp.Identifier) else None


def _star(node: exp.Expression) -> exp.Star | None:
    if isinstance(node, exp.Star):
        return node
    return node.this if isinstance(node, exp.Column) and isinstance(node.this, exp.Star) else None


def _windows(node: exp.Window) -> list[exp.Expression]:
    """The windows that a WINDOW clause around the call declares."""
    select = node.find_ancestor(exp.Select)
    windows = select.args.get("windows") if select is not None else None
    return [each for each in windows or () if isinstance(each.this, exp.Identifier)]
