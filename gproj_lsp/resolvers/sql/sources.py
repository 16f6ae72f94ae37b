"""FROM clauses resolved: tables, joins, derived tables, functions."""

from __future__ import annotations

from sqlglot import exp

from gproj_lsp.environment import Binding
from gproj_lsp.resolve import Verdict
from gproj_lsp.resolvers.sql.expressions import Expressions, alias_of, children
from gproj_lsp.resolvers.sql.names import Name
from gproj_lsp.resolvers.sql.recorder import Finding, Place, Site
from gproj_lsp.resolvers.sql.scopes import NO_CTES, Ctes, Outputs, Relation, Scope

__all__ = ["Sources"]


_SAID = ("kind", "side", "method", "on", "using", "match_condition", "hint", "global")
"""What tells a JOIN from a comma."""


class Sources(Expressions):
    """Resolves FROM clauses."""

    def from_clause(self, node: exp.Expr, scope: Scope) -> None:
        """FROM, its joins and its lateral views."""
        args = node.args
        scope.clause = "From"
        if isinstance(start := args.get("from_"), exp.From) and isinstance(start.this, exp.Expr):
            with self.recorder.inside("From"):
                self.source(start.this, scope)
        for join in args.get("joins") or ():
            self.join(join, scope)
        for lateral in args.get("laterals") or ():
            with self.recorder.inside("From"):
                self.source(lateral, scope)
        self.settle(scope)
        if args.get("pivots") or args.get("match"):
            scope.names_open = True

    def settle(self, scope: Scope) -> None:
        """Read the ON clauses that may name relations joined after them."""
        pending, scope.pending = scope.pending, []
        scope.clause = "Join"
        scope.item = scope.start if self.dialect.tight else 0
        for condition, joined, region in pending:
            outer, self.recorder.region = self.recorder.region, region
            self.expression(condition, Place(scope, "Join", joined))
            self.recorder.region = outer
        scope.item = 0

    def values(self, node: exp.Values, scope: Scope) -> Outputs:
        """VALUES: rows without a FROM clause, whose columns the dialect names."""
        for row in node.expressions:
            self.expression(row, Place(scope, "Values"))
        first = node.expressions[0] if node.expressions else None
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        if not self.dialect.values:
            return Outputs((None,) * width, guess=True)
        numbers = range(self.dialect.first, self.dialect.first + width)
        return Outputs(tuple(Binding(self.dialect.values % number, "Column") for number in numbers))

    def everything(self, scope: Scope) -> Outputs:
        """What `*` gives."""
        if len(scope.relations) == 1 and not scope.names_open:
            return scope.relations[0].outputs()
        columns: list[Binding | None] = []
        given = [relation.outputs() for relation in scope.relations]
        for at, outputs in enumerate(given):
            for column in outputs.columns:
                merged = scope.merged.get(column.folded, ()) if column is not None else ()
                if at not in merged or at == min(merged):
                    columns.append(column)
        return Outputs(
            tuple(columns),
            scope.names_open or scope.lenient or any(each.open for each in given),
            any(each.guess for each in given),
            not scope.merged and all(each.exact for each in given),
        )

    def join(self, join: exp.Expr, scope: Scope) -> None:
        """One JOIN: its relation, then ON or USING."""
        before = len(scope.relations)
        if not any(join.args.get(key) for key in _SAID):
            scope.start = before  # a comma
        with self.recorder.inside("Join"):
            self.source(join.this, scope)
            if str(join.args.get("method") or "").upper() == "NATURAL":
                self._natural(scope, before, join.this)
            for identifier in join.args.get("using") or ():
                self._using(identifier, scope, before)
            for key in ("on", "match_condition"):
                if isinstance(on := join.args.get(key), exp.Expr):
                    scope.pending.append((on, len(scope.relations), self.recorder.region))
        if not self.dialect.prior:
            self.settle(scope)

    def _compared(self, folded: str, relations: list[Relation], name: exp.Expr) -> None:
        """Write down that a join compares the columns of a name without naming them."""
        for relation in relations:
            if (column := relation.find(folded)) is not None:
                self.recorder.imply(name, column)

    def _natural(self, scope: Scope, before: int, name: exp.Expr) -> None:
        if scope.open:
            scope.lenient = True
        for at in range(before, len(scope.relations)):
            for folded in scope.relations[at].columns():
                if any(left.find(folded) is not None for left in scope.relations[:before]):
                    scope.merge(folded, at)
                    self._compared(folded, scope.relations[: at + 1], name)

    def _using(self, identifier: exp.Expr, scope: Scope, before: int) -> None:
        if isinstance(identifier, exp.Column):
            identifier = identifier.this
        span = self.recorder.span(identifier)
        if not isinstance(identifier, exp.Identifier) or span is None:
            return
        name = self.name(identifier)
        first = scope.start if self.dialect.tight else 0
        left, right = scope.relations[first:before], scope.relations[before:]
        common = self._common(left, right)
        self.recorder.site(Site(span, "Column", self.recorder.region, Place(scope, "Using"), common))
        self.recorder.refer(span, name.text, "Column", self._shared(name, left, right, common, scope))
        for at in range(before, len(scope.relations)):
            scope.merge(name.folded, at, first)
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

    def source(self, node: exp.Expr, scope: Scope) -> None:
        """One item of FROM; adds its relation to the scope."""
        if isinstance(node, exp.Table):
            self._table(node, scope)
        elif isinstance(node, exp.Subquery):
            self._derived(node, scope, lateral=self.dialect.lateral)
        elif isinstance(node, exp.Lateral):
            self._lateral(node, scope)
        elif isinstance(node, exp.Values):
            outputs = self.values(node, Scope(scope if self.dialect.lateral else scope.parent, scope.ctes))
            self._add_derived(node, outputs, scope)
        elif isinstance(node, exp.Query):
            self._add_derived(node, self.query(node, scope.parent, scope.ctes)(), scope)
        elif isinstance(node, exp.Alias):
            self.source(node.this, scope)
        else:
            self._function(node, node, scope)
        for join in node.args.get("joins") or ():
            self.join(join, scope)
        if node.args.get("pivots"):
            self._pivoted(node, scope)

    def _pivoted(self, node: exp.Expr, scope: Scope) -> None:
        """PIVOT and UNPIVOT make other columns of those there are."""
        if scope.relations:
            last = scope.relations[-1]
            scope.relations[-1] = Relation(last.name, last.spelling, known={}, is_open=True)
        for pivot in node.args.get("pivots") or ():
            if isinstance(identifier := alias_of(pivot), exp.Identifier):
                scope.relations.append(self.called(self.unread(identifier), identifier))
        scope.names_open = True

    def _table(self, node: exp.Table, scope: Scope) -> None:
        if isinstance(node.this, exp.Identifier):
            self._named_table(node, node.this, scope)
        elif node.args.get("rows_from"):
            for each in node.args["rows_from"]:
                inner = Scope(scope, scope.ctes)
                self.source(each, inner)
            self._add_open(node, scope)
        elif isinstance(node.this, exp.Expr):
            self._function(node, node.this, scope)
        else:
            scope.names_open = True

    def _named_table(self, node: exp.Table, identifier: exp.Identifier, scope: Scope) -> None:
        name = self.name(identifier)
        schema = self.schema(node.args.get("db"))
        table = self.table_reference(node, scope)
        alias = alias_of(node)
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
        relation = self._as(table, shown, spelling, (schema or "") if alias is None else None, node)
        scope.relations.append(self.called(relation, identifier if alias is None else alias))

    def _as(self, table: Relation, name: str, spelling: str, schema: str | None, node: exp.Expr) -> Relation:
        """A relation under the name and the column list that FROM gives it."""
        columns = self.column_list(node, name)
        if columns:
            outputs = table.outputs().relabelled(columns)
            return Relation.derived(name, spelling, outputs, base=table.base, binding=table.binding)
        return table.under(name, spelling, schema)

    def table_reference(
        self, node: exp.Table, scope: Scope | None = None, *, target: bool = False, doubt: str = ""
    ) -> Relation:
        """Resolve a table's name (see `Expressions.table_reference`)."""
        identifier = node.this
        name, schema = self.name(identifier), self.schema(node.args.get("db"))
        span = self.recorder.span(identifier)
        ctes = NO_CTES if scope is None or target else scope.ctes
        if span is not None:
            place = None if target else Place(Scope(ctes=ctes), "From")
            self.recorder.site(Site(span, "Table", self.recorder.region, place, schema=schema))
        cte = ctes.get(name.folded) if schema is None else None
        found = Finding(Verdict.DECLARED, cte.binding) if cte is not None else None
        finding = found or self._table_finding(node, schema, name)
        if finding.verdict is Verdict.GHOST:
            if target and scope is not None and name.folded in scope.ctes and self.dialect.name == "generic":
                doubt = "some databases change tables through a common table expression"
            if doubt:
                finding = Finding(Verdict.UNKNOWN, None, doubt)
            else:
                finding = finding._replace(candidates=self._tables(ctes, schema), owner=schema or "")
        if span is not None:
            self.recorder.refer(span, name.text, "Table", finding)
        if cte is not None:
            return cte
        return self.relation_of(finding.binding, name.folded, self.spelling(identifier), schema or "")

    def _table_finding(self, node: exp.Table, schema: str | None, name: Name) -> Finding:
        finding = self.lookup.table(schema, name)
        said = [self.recorder.span(node.args.get(key)) for key in ("db", "catalog")]
        if any(self.recorder.vague(span) for span in said):
            return Finding(Verdict.UNKNOWN, None, "its schema is not known")
        if node.args.get("catalog") is not None and finding.verdict is not Verdict.DECLARED:
            return Finding(Verdict.UNKNOWN, None, "its database is not known")
        return finding

    def _tables(self, ctes: Ctes, schema: str | None) -> tuple[str, ...]:
        """Spellings of the tables that could stand there."""
        catalog = self.catalog
        if schema is not None:
            return tuple(binding.spelling for binding in catalog.relations if binding.owner == schema)
        declared = (binding for binding in catalog.relations if binding.origin.provider != "builtin")
        return (
            *(cte.spelling for cte in ctes.values()),
            *(catalog.spelling(binding) for binding in declared),
        )

    def relation_of(self, binding: Binding | None, name: str, spelling: str, schema: str | None) -> Relation:
        """A table in Γ as a relation; of one that is not there, no column is known."""
        return Relation.table(self.catalog, binding, name, spelling, schema)

    def _derived(self, node: exp.Subquery, scope: Scope, *, lateral: bool) -> None:
        inner = node.this
        parent = scope if lateral else scope.parent
        if isinstance(inner, exp.Table) or (isinstance(inner, exp.Subquery) and inner.args.get("joins")):
            self._nested_join(node, inner, scope)
            return
        ctes = self.with_clause(node, parent, scope.ctes)
        outputs = self.query(inner, parent, ctes)()
        if isinstance(order := node.args.get("order"), exp.Expr):
            self.expression(order, Place(Scope(parent, ctes, names_open=True), "Order"))
        self._add_derived(node, outputs, scope)

    def _nested_join(self, node: exp.Subquery, inner: exp.Expr, scope: Scope) -> None:
        """A join in parentheses: one relation if it has an alias, else all of its relations."""
        nested = Scope(scope.parent, scope.ctes)
        self.source(inner, nested)
        self.settle(nested)
        scope.names_open = scope.names_open or nested.names_open
        scope.lenient = scope.lenient or nested.lenient
        if alias_of(node) is not None:
            self._add_derived(node, self.everything(nested), scope, base=True)
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
        elif isinstance(inner, exp.Expr):
            self._function(node, inner, scope)
        else:
            scope.names_open = True

    def _add_derived(self, node: exp.Expr, outputs: Outputs, scope: Scope, *, base: bool = False) -> None:
        identifier = alias_of(node)
        if identifier is None or not self.is_name(identifier) or self.recorder.span(identifier) is None:
            if identifier is not None and self.recorder.vague(self.recorder.span(identifier)):
                self.declares(identifier, "")
                scope.names_open = True
            scope.relations.append(Relation.derived("", "", outputs, base=True))
            return
        self.declares(identifier, "")
        name = self.name(identifier).folded
        given = outputs.relabelled(self.column_list(node, name))
        base = base or self.dialect.name == "sqlite"  # SQLite's subqueries have a rowid
        relation = Relation.derived(name, self.spelling(identifier), given, base=base)
        scope.relations.append(self.called(relation, identifier))

    # -- functions ------------------------------------------------------------------------------------------------------

    def _function(self, node: exp.Expr, call: exp.Expr, scope: Scope) -> None:
        """A function in FROM; it sees the relations before it.

        Args:
            node: The item of FROM, which has the alias.
            call: The function, which may be the item itself.
            scope: The block.
        """
        scope.clause = "From"
        table = self._table_function(call)
        place = Place(scope, "From")
        if call is not node:
            self.expression(call, place)
        else:
            if table is None:
                self.function_reference(call, None)
            for each in children(node):
                if each.arg_key not in ("alias", "offset", "joins", "pivots"):
                    self.expression(each, place)
        if table is None:
            self._add_open(node, scope, self.recorder.source.written(call))
        else:
            alias = alias_of(node)
            name = table.folded if alias is None else self.name(alias).folded
            spelling = table.spelling if alias is None else self.spelling(alias)
            relation = self.relation_of(table, name, spelling, None)
            relation = self._as(relation, name, spelling, None, node)
            scope.relations.append(self.called(relation, alias or call))

    def _table_function(self, call: exp.Expr) -> Binding | None:
        """The table that a call reads: SQLite's table-valued functions are tables with arguments."""
        written, span = self.recorder.source.written(call), self.recorder.span(call)
        if not written or span is None:
            return None
        table = self.catalog.relation("", self.catalog.fold(written, quoted=False))
        if table is not None:
            self.recorder.site(Site(span, "Function", self.recorder.region))
            self.recorder.refer(span, written, "Function", Finding(Verdict.DECLARED, table))
        return table

    def _add_open(self, node: exp.Expr, scope: Scope, called: str = "") -> None:
        """A relation of which nothing but its name and its column list are known.

        Args:
            node: The item of FROM.
            scope: The block.
            called: The name of the function, by which its rows go without an alias.
        """
        identifier = alias_of(node)
        if (identifier is not None and not self.is_name(identifier)) or not (identifier or called):
            scope.names_open = True
            return
        quoted = called[:1] in ('"', "`", "[")
        name, spelling = self.catalog.fold(called[1:-1] if quoted else called, quoted=quoted), called
        itself: tuple[Binding, ...] = ()
        if identifier is not None:
            self.declares(identifier, "")
            name, spelling = self.name(identifier).folded, self.spelling(identifier)
        columns = self.column_list(node, name)
        if identifier is not None and not columns:
            itself = (self.column_binding(identifier, name),)  # a function that gives one value
        offset = node.args.get("offset")
        ordinality = (self.column_binding(offset, name),) if isinstance(offset, exp.Identifier) else ()
        outputs = Outputs((*columns, *itself, *ordinality), open=True, exact=False)
        relation = Relation.derived(name, spelling, outputs, base=True)
        scope.relations.append(relation if identifier is None else self.called(relation, identifier))
