"""FROM clauses resolved: tables, joins, derived tables, functions."""

from __future__ import annotations

from sqlglot import exp

from gproj_lsp.environment import Binding
from gproj_lsp.resolve import Verdict
from gproj_lsp.resolvers.sql.expressions import Expressions, alias_of
from gproj_lsp.resolvers.sql.lookup import Name
from gproj_lsp.resolvers.sql.recorder import Finding, Place, Site
from gproj_lsp.resolvers.sql.scopes import Ctes, Outputs, Relation, Scope

__all__ = ["Sources"]


class Sources(Expressions):
    """Resolves FROM clauses."""

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
            outputs = self.values(node, Scope(scope if self.dialect.lateral else scope.parent, scope.ctes))
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
            if isinstance(identifier := alias_of(pivot), exp.Identifier):
                scope.relations.append(self.unread(identifier))
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
        scope.relations.append(self._as(table, shown, spelling, schema if alias is None else None, node))

    def _as(
        self, table: Relation, name: str, spelling: str, schema: str | None, node: exp.Expression
    ) -> Relation:
        """A relation under the name and the column list that FROM gives it."""
        columns = self.column_list(node, name)
        if columns:
            return Relation.derived(name, spelling, table.outputs().relabelled(columns), base=table.base)
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
                binding = Binding(
                    cte.spelling, "Table", folded=cte.name, namespace="relation", attrs={"kind": "cte"}
                )
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
            binding.spelling
            if not binding.owner
            else f"{self.catalog.spell(binding.owner)}.{binding.spelling}"
            for binding in self.catalog.relations
            if binding.origin.provider != "builtin"
        )
        return (*(cte.spelling for cte in ctes.values()), *declared)

    def relation_of(self, binding: Binding | None, name: str, spelling: str, schema: str) -> Relation:
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
        if isinstance(order := node.args.get("order"), exp.Expression):
            self.expression(order, Place(Scope(parent, ctes, names_open=True), "Order"))
        self._add_derived(node, outputs, scope)

    def _nested_join(self, node: exp.Subquery, inner: exp.Expression, scope: Scope) -> None:
        """A join in parentheses: one relation if it has an alias, else all of its relations."""
        nested = Scope(scope.parent, scope.ctes)
        self.source(inner, nested)
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
        elif isinstance(inner, exp.Expression):
            self._function(node, inner, scope)
        else:
            scope.names_open = True

    def _add_derived(
        self, node: exp.Expression, outputs: Outputs, scope: Scope, *, base: bool = False
    ) -> None:
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
        scope.relations.append(Relation.derived(name, self.spelling(identifier), given, base=base))

    def _add_open(self, node: exp.Expression, scope: Scope) -> None:
        """A relation of which nothing but its alias is known."""
        identifier = alias_of(node)
        alias = node.args.get("alias")
        offset = node.args.get("offset")
        extra = [offset] if isinstance(offset, exp.Identifier) else []
        if identifier is None or not self.is_name(identifier):
            columns = self.column_list(node, "")
            extra_columns = tuple(self.column_binding(each, "") for each in extra)
            if isinstance(alias, exp.TableAlias) or identifier is None:
                outputs = Outputs((*columns, *extra_columns), open=True, exact=False)
                scope.relations.append(Relation.derived("", "", outputs, base=True))
            scope.names_open = scope.names_open or identifier is not None
            return
        self.declares(identifier, "")
        name = self.name(identifier).folded
        columns = self.column_list(node, name)
        itself = (
            () if columns else (self.column_binding(identifier, name),)
        )  # a function that gives one value
        extra_columns = tuple(self.column_binding(each, name) for each in extra)
        outputs = Outputs((*columns, *itself, *extra_columns), open=True, exact=False)
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
                self.function_reference(call, None)
        else:
            self.expression(call, place)
        if binding is None or node.args.get("alias") is not None and self.column_list(node, ""):
            before = len(scope.relations)
            self._add_open(node, scope)
            if alias_of(node) is None and written and len(scope.relations) > before:
                folded = self.catalog.fold(written, quoted=False)
                last = scope.relations[-1]
                scope.relations[-1] = Relation(folded, written, known=last.columns(), is_open=True, base=True)
            return
        alias = alias_of(node)
        shown = self.name(alias).folded if alias is not None else binding.folded
        spelling = self.spelling(alias) if alias is not None else binding.spelling
        scope.relations.append(self.relation_of(binding, shown, spelling, ""))
