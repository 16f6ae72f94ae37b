"""INSERT, UPDATE, DELETE and MERGE resolved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from gproj_lsp.resolvers.sql.expressions import children
from gproj_lsp.resolvers.sql.query import Queries
from gproj_lsp.resolvers.sql.recorder import Place, Site
from gproj_lsp.resolvers.sql.scopes import ANYTHING, Ctes, Relation, Scope

if TYPE_CHECKING:
    from gproj_lsp.resolvers.sql.expressions import Lazy

__all__ = ["Changes"]


class Changes(Queries):
    """Resolves statements that change data; they may stand where a query does."""

    def other(self, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> Lazy:
        """A statement that changes data, which may stand where a query does."""
        if isinstance(node, exp.Insert):
            return self._insert(node, parent, ctes)
        if isinstance(node, exp.Update):
            return self._update(node, parent, ctes)
        if isinstance(node, exp.Delete):
            return self._delete(node, parent, ctes)
        if isinstance(node, exp.Merge):
            return self._merge(node, parent, ctes)
        return lambda: ANYTHING

    def _target(self, node: object, scope: Scope) -> Relation | None:
        """The table that a statement writes to, under its alias."""
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            scope.names_open = True
            return None
        table = self.table_reference(node, scope, target=True)
        vague = self.recorder.vague(self.recorder.span(node.this))
        alias = node.args.get("alias")
        identifier = alias.this if isinstance(alias, exp.TableAlias) else None
        if isinstance(identifier, exp.Identifier) and self.recorder.span(identifier) is not None:
            self.declares(identifier, "")
            if self.is_name(identifier):
                table = table.under(self.name(identifier).folded, self.spelling(identifier))
            else:
                scope.names_open = True
            self.called(table, identifier)
        else:
            self.called(table, node.this)
        scope.names_open = scope.names_open or vague
        return table

    def _insert(self, node: exp.Insert, parent: Scope | None, ctes: Ctes) -> Lazy:
        ctes = self.with_clause(node, parent, ctes)
        scope = Scope(parent, ctes)
        this = node.this
        columns: list[exp.Expr] = []
        with self.recorder.inside("Into"):
            if isinstance(this, exp.Schema):
                columns = list(this.expressions)
                this = this.this
            target = self._target(this, scope)
            if target is None:
                target = Relation("", "", known={}, is_open=True)
            self.listed(columns, target)
        for each in children(node):
            if isinstance(each, (exp.Query, exp.Values, exp.Table)) and each is node.args.get("expression"):
                with self.recorder.inside("Select"):
                    self.query(each, parent, ctes)
        scope.relations.append(target)
        if isinstance(conflict := node.args.get("conflict"), exp.OnConflict):
            with self.recorder.inside("Conflict"):
                self._conflict(conflict, target, scope)
        return self._returning(node, scope, target)

    def listed(self, columns: list[exp.Expr], target: Relation) -> None:
        """A column list of one table; each column fits once."""
        without: set[str] = set()
        listed = [each.this if isinstance(each, (exp.Column, exp.ColumnDef)) else each for each in columns]
        folded = [self.name(each).folded for each in listed if self.is_name(each)]
        for each in listed:
            if not isinstance(each, exp.Identifier):
                if isinstance(each, exp.Expr):
                    self.expression(each, Place(Scope(), "Into"))
                continue
            span = self.recorder.span(each)
            if span is None:
                continue
            without = set(folded) - ({self.name(each).folded} if self.is_name(each) else set())
            self.recorder.site(Site(span, "Column", self.recorder.region, None, target, frozenset(without)))
            name = self.name(each)
            self.recorder.refer(span, name.text, "Column", self.lookup.member(target, name))

    def _conflict(self, conflict: exp.OnConflict, target: Relation, scope: Scope) -> None:
        keys = Scope(relations=[target])
        for key in conflict.args.get("conflict_keys") or ():
            self.expression(key, Place(keys, "Conflict"))
        if isinstance(where := conflict.args.get("index_where"), exp.Expr):
            self.expression(where, Place(keys, "Conflict"))
        inner = Scope(scope.parent, scope.ctes, [target])
        if self.dialect.name != "mysql":
            inner.relations.append(
                target.one("excluded")
                if self.dialect.name == "sqlite"
                else target.under("excluded", "excluded")
            )
        else:
            # A row alias (`AS new`) is not kept by sqlglot.
            inner.names_open = True
        self._assignments(conflict.expressions, target, Place(inner, "Set"))
        if isinstance(where := conflict.args.get("where"), exp.Expr):
            self.expression(where, Place(inner, "Where"))

    def _assignments(self, assignments: list[exp.Expr], target: Relation | None, place: Place) -> None:
        """`SET a = …, (b, c) = …`: the left sides are columns of the target."""
        for each in assignments:
            if not isinstance(each, exp.EQ):
                self.expression(each, place)
                continue
            left = each.this
            while isinstance(left, (exp.Bracket, exp.Paren)):
                for index in left.expressions:
                    self.expression(index, place)
                left = left.this
            parts = left.expressions if isinstance(left, exp.Tuple) else [left]
            for part in parts:
                if isinstance(part, exp.Column):
                    self._assigned(part, target, place)
                elif isinstance(part, exp.Expr):
                    self.expression(part, place)
            self.expression(each.expression, place)

    def _assigned(self, column: exp.Column, target: Relation | None, place: Place) -> None:
        qualifier = column.parts[0] if len(column.parts) > 1 else None
        if target is None or not isinstance(column.this, exp.Identifier):
            self.column(column, place)
            return
        if not isinstance(qualifier, exp.Identifier):
            self.column(column, place, target=target)
            return
        if place.scope.named(self.name(qualifier).folded) is not None:
            self.column(column, place)
        elif (span := self.recorder.span(qualifier)) is not None:
            # PostgreSQL: a field of a composite column.
            name = self.name(qualifier)
            self.recorder.site(Site(span, "Column", self.recorder.region, place, target))
            self.recorder.refer(span, name.text, "Column", self.lookup.member(target, name))

    def _update(self, node: exp.Update, parent: Scope | None, ctes: Ctes) -> Lazy:
        ctes = self.with_clause(node, parent, ctes)
        scope = Scope(parent, ctes)
        target = self._joined_target(node.this, scope)
        self.settle(scope)
        several = len(scope.relations) > 1
        self.from_clause(node, scope)
        scope.clause = "Set"
        with self.recorder.inside("Set"):
            self._assignments(node.expressions, None if several else target, Place(scope, "Set"))
        self.clauses(node, scope)
        return self._returning(node, scope, target)

    def _joined_target(self, node: object, scope: Scope) -> Relation | None:
        """The table that a statement changes, with what is joined to it, brought into scope."""
        target = self._target(node, scope)
        if target is not None:
            scope.relations.append(target)
        if isinstance(node, exp.Expr):
            for join in node.args.get("joins") or ():
                self.join(join, scope)
        return target

    def _delete(self, node: exp.Delete, parent: Scope | None, ctes: Ctes) -> Lazy:
        ctes = self.with_clause(node, parent, ctes)
        scope = Scope(parent, ctes)
        with self.recorder.inside("From"):
            target = self._joined_target(node.this, scope)
            using = node.args.get("using")
            for each in using if isinstance(using, list) else ():
                self.source(each, scope)
            self.settle(scope)
        for each in node.args.get("tables") or ():
            if isinstance(each, exp.Table) and isinstance(each.this, exp.Identifier):
                self.alias_reference(each.this, Place(scope, "From"))
        self.clauses(node, scope)
        return self._returning(node, scope, target)

    def _merge(self, node: exp.Merge, parent: Scope | None, ctes: Ctes) -> Lazy:
        ctes = self.with_clause(node, parent, ctes)
        scope = Scope(parent, ctes)
        with self.recorder.inside("Into"):
            target = self._target(node.this, scope)
        if target is not None:
            scope.relations.append(target)
        with self.recorder.inside("From"):
            if isinstance(node.args.get("using"), exp.Expr):
                self.source(node.args["using"], scope)
        if isinstance(on := node.args.get("on"), exp.Expr):
            with self.recorder.inside("Join"):
                self.expression(on, Place(scope, "Join"))
        whens = node.args.get("whens")
        for when in whens.expressions if isinstance(whens, exp.Whens) else ():
            self._when(when, target, scope)
        return self._returning(node, scope, target)

    def _when(self, when: exp.Expr, target: Relation | None, scope: Scope) -> None:
        if isinstance(condition := when.args.get("condition"), exp.Expr):
            with self.recorder.inside("Where"):
                self.expression(condition, Place(scope, "Where"))
        then = when.args.get("then")
        if isinstance(then, exp.Update):
            with self.recorder.inside("Set"):
                self._assignments(then.expressions, target, Place(scope, "Set"))
        elif isinstance(then, exp.Insert):
            with self.recorder.inside("Into"):
                if isinstance(then.this, (exp.Tuple, exp.Schema)) and target is not None:
                    self.listed(list(then.this.expressions), target)
            if isinstance(then.expression, exp.Expr):
                with self.recorder.inside("Select"):
                    self.expression(then.expression, Place(scope, "Values"))

    def _returning(self, node: exp.Expr, scope: Scope, target: Relation | None = None) -> Lazy:
        returning = node.args.get("returning")
        if not isinstance(returning, exp.Returning):
            return lambda: ANYTHING
        seen = scope
        if target is not None and self.dialect.name == "sqlite":
            seen = scope = Scope(scope.parent, scope.ctes, [target], names_open=scope.names_open)
        elif target is not None and self.dialect.name == "postgres":
            rows = [target.one("old"), target.one("new")]  # since PostgreSQL 18
            seen = replace(scope, relations=[*scope.relations, *rows])
        with self.recorder.inside("Returning"):
            for each in returning.expressions:
                self.expression(each, Place(seen, "Select"))
        return lambda: self.outputs(returning.expressions, scope)
