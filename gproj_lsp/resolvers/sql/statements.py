"""Statements resolved: data changes, definitions and their bodies; queries go to `query`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from gproj_lsp.environment import Binding
from gproj_lsp.resolve import Verdict
from gproj_lsp.resolvers.sql.expressions import Lazy, children
from gproj_lsp.resolvers.sql.query import Queries
from gproj_lsp.resolvers.sql.recorder import Finding, Place, Recorder, Site
from gproj_lsp.resolvers.sql.scopes import ANYTHING, NO_CTES, Ctes, Relation, Scope

if TYPE_CHECKING:
    from gproj_lsp.resolvers.sql.catalog import Catalog

__all__ = ["Statements"]

_REGIONS: tuple[tuple[type[exp.Expression], str], ...] = (
    (exp.Insert, "Insert"),
    (exp.Update, "Update"),
    (exp.Delete, "Delete"),
    (exp.Merge, "Merge"),
    (exp.Create, "Create"),
    (exp.Alter, "Alter"),
    (exp.Drop, "Drop"),
    (exp.Query, "Select"),
    (exp.Values, "Select"),
)


class Statements(Queries):
    """Resolves one whole statement."""

    def __init__(self, recorder: Recorder, catalog: Catalog) -> None:
        super().__init__(recorder, catalog)
        self._handlers: tuple[tuple[type[exp.Expression], Callable[[exp.Expression], None]], ...] = (
            (exp.Create, self._create),
            (exp.Alter, self._alter),
            (exp.Drop, self._drop),
            (exp.TruncateTable, self._tables_of),
            (exp.Comment, self._comment),
            (exp.Copy, self._copy),
            (exp.Analyze, self._tables_of),
            (exp.Describe, self._described),
        )

    def statement(self, tree: exp.Expression, outer: Scope | None = None) -> Lazy:
        """Resolve a statement.

        Args:
            tree: It.
            outer: Names that are visible in all of it (NEW and OLD, a function's parameters).
        """
        region = next((region for kind, region in _REGIONS if isinstance(tree, kind)), type(tree).__name__)
        with self.recorder.inside(region):
            for kind, handler in self._handlers:
                if isinstance(tree, kind):
                    handler(tree)
                    return lambda: ANYTHING
            if isinstance(tree, (exp.Query, exp.Values, exp.Table)):
                return self.query(tree, outer)
            return self.other(tree, outer, NO_CTES)

    def other(self, node: exp.Expression, parent: Scope | None, ctes: Ctes) -> Lazy:
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

    # -- data changes ---------------------------------------------------------------------------------------------------

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
                table = table.under(self.name(identifier).folded, self.spelling(identifier), "")
            else:
                scope.names_open = True
        scope.names_open = scope.names_open or vague
        return table

    def _insert(self, node: exp.Insert, parent: Scope | None, ctes: Ctes) -> Lazy:
        ctes = self.with_clause(node, parent, ctes)
        scope = Scope(parent, ctes)
        this = node.this
        columns: list[exp.Expression] = []
        with self.recorder.inside("Into"):
            if isinstance(this, exp.Schema):
                columns = list(this.expressions)
                this = this.this
            target = self._target(this, scope)
            if target is None:
                target = Relation("", "", known={}, is_open=True)
            self._listed(columns, target)
        for each in children(node):
            if isinstance(each, (exp.Query, exp.Values, exp.Table)) and each is node.args.get("expression"):
                with self.recorder.inside("Select"):
                    self.query(each, parent, ctes)
        scope.relations.append(target)
        if isinstance(conflict := node.args.get("conflict"), exp.OnConflict):
            with self.recorder.inside("Conflict"):
                self._conflict(conflict, target, scope, node)
        return self._returning(node, scope)

    def _listed(self, columns: list[exp.Expression], target: Relation) -> None:
        """A column list of one table; each column fits once."""
        without: set[str] = set()
        listed = [each.this if isinstance(each, (exp.Column, exp.ColumnDef)) else each for each in columns]
        folded = [self.name(each).folded for each in listed if self.is_name(each)]
        for each in listed:
            if not isinstance(each, exp.Identifier):
                if isinstance(each, exp.Expression):
                    self.expression(each, Place(Scope(None), "Into"))
                continue
            span = self.recorder.span(each)
            if span is None:
                continue
            without = set(folded) - ({self.name(each).folded} if self.is_name(each) else set())
            self.recorder.site(Site(span, "Column", self.recorder.region, None, target, frozenset(without)))
            name = self.name(each)
            self.recorder.refer(span, name.text, "Column", self.lookup.member(target, name))

    def _conflict(self, conflict: exp.OnConflict, target: Relation, scope: Scope, node: exp.Insert) -> None:
        keys = Scope(None, relations=[target])
        for key in conflict.args.get("conflict_keys") or ():
            self.expression(key, Place(keys, "Conflict"))
        if isinstance(where := conflict.args.get("index_where"), exp.Expression):
            self.expression(where, Place(keys, "Conflict"))
        inner = Scope(scope.parent, scope.ctes, [target])
        if self.dialect.name != "mysql":
            inner.relations.append(
                target.one("excluded")
                if self.dialect.name == "sqlite"
                else target.under("excluded", "excluded", "")
            )
        else:
            # A row alias (`AS new`) is not kept by sqlglot.
            inner.names_open = True
        self._assignments(conflict.expressions, target, Place(inner, "Set"))
        if isinstance(where := conflict.args.get("where"), exp.Expression):
            self.expression(where, Place(inner, "Where"))

    def _assignments(self, assignments: list[exp.Expression], target: Relation | None, place: Place) -> None:
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
                elif isinstance(part, exp.Expression):
                    self.expression(part, place)
            self.expression(each.expression, place)

    def _assigned(self, column: exp.Column, target: Relation | None, place: Place) -> None:
        qualifier = column.args.get("table")
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
        target = self._target(node.this, scope)
        if target is not None:
            scope.relations.append(target)
        if isinstance(node.this, exp.Expression):
            for join in node.this.args.get("joins") or ():
                self.join(join, scope)
        several = len(scope.relations) > 1
        self.from_clause(node, scope)
        scope.clause = "Set"
        with self.recorder.inside("Set"):
            self._assignments(node.expressions, None if several else target, Place(scope, "Set"))
        self.clauses(node, scope)
        return self._returning(node, scope, target)

    def _delete(self, node: exp.Delete, parent: Scope | None, ctes: Ctes) -> Lazy:
        ctes = self.with_clause(node, parent, ctes)
        scope = Scope(parent, ctes)
        with self.recorder.inside("From"):
            target = self._target(node.this, scope)
            if target is not None:
                scope.relations.append(target)
            if isinstance(node.this, exp.Expression):
                for join in node.this.args.get("joins") or ():
                    self.join(join, scope)
            using = node.args.get("using")
            for each in using if isinstance(using, list) else ():
                self.source(each, scope)
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
            if isinstance(node.args.get("using"), exp.Expression):
                self.source(node.args["using"], scope)
        if isinstance(on := node.args.get("on"), exp.Expression):
            with self.recorder.inside("Join"):
                self.expression(on, Place(scope, "Join"))
        whens = node.args.get("whens")
        for when in whens.expressions if isinstance(whens, exp.Whens) else ():
            self._when(when, target, scope)
        return self._returning(node, scope)

    def _when(self, when: exp.Expression, target: Relation | None, scope: Scope) -> None:
        if isinstance(condition := when.args.get("condition"), exp.Expression):
            with self.recorder.inside("Where"):
                self.expression(condition, Place(scope, "Where"))
        then = when.args.get("then")
        if isinstance(then, exp.Update):
            with self.recorder.inside("Set"):
                self._assignments(then.expressions, target, Place(scope, "Set"))
        elif isinstance(then, exp.Insert):
            with self.recorder.inside("Into"):
                if isinstance(then.this, (exp.Tuple, exp.Schema)) and target is not None:
                    self._listed(list(then.this.expressions), target)
            if isinstance(then.expression, exp.Expression):
                with self.recorder.inside("Select"):
                    self.expression(then.expression, Place(scope, "Values"))

    def _returning(self, node: exp.Expression, scope: Scope, target: Relation | None = None) -> Lazy:
        returning = node.args.get("returning")
        if not isinstance(returning, exp.Returning):
            return lambda: ANYTHING
        if target is not None and self.dialect.name == "sqlite":
            scope = Scope(scope.parent, scope.ctes, [target], names_open=scope.names_open)
        with self.recorder.inside("Returning"):
            for each in returning.expressions:
                self.expression(each, Place(scope, "Select"))
        return lambda: self.outputs(returning.expressions, scope)

    # -- definitions ----------------------------------------------------------------------------------------------------

    def _create(self, node: exp.Expression) -> None:
        this = node.this
        kind = str(node.args.get("kind") or "").upper()
        if isinstance(this, exp.Index):
            self._index(this)
            return
        schema = this if isinstance(this, exp.Schema) else None
        table = schema.this if schema is not None else this
        if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
            self.declares(table.this, "TableDecl" if kind in ("TABLE", "VIEW") else "")
        body = node.args.get("expression")
        ctes = self.with_clause(node, None, NO_CTES)
        if isinstance(body, (exp.Query, exp.Values, exp.Table)):
            self.query(body, None, ctes)
        if schema is not None and kind == "TABLE":
            self._columns_defined(schema, table)
        elif schema is not None:
            for each in schema.expressions:
                self.declares(each.this if isinstance(each, exp.ColumnDef) else each, "ColDecl")
        properties = node.args.get("properties")
        if isinstance(properties, exp.Properties):
            for each in properties.expressions:
                self._property(each)

    def _property(self, node: exp.Expression) -> None:
        if isinstance(node, (exp.LikeProperty, exp.InheritsProperty, exp.PartitionedOfProperty)):
            for table in node.find_all(exp.Table):
                if isinstance(table.this, exp.Identifier):
                    self.table_reference(table, Scope(None))
        elif isinstance(node, exp.SequenceProperties) and isinstance(
            owned := node.args.get("owned"), exp.Column
        ):
            self._column_of_table(owned)

    def _columns_defined(self, schema: exp.Schema, table: object) -> None:
        """A table's own column list: what its checks, defaults and keys may name."""
        defined = [each for each in schema.expressions if isinstance(each, exp.ColumnDef)]
        known: dict[str, Binding] = {}
        for each in defined:
            self.declares(each.this, "ColDecl")
            if isinstance(each.this, exp.Identifier):
                binding = self.column_binding(each.this, "")
                known.setdefault(binding.folded, binding)
        inherits = any(
            not isinstance(each, exp.ColumnDef) and _brings_columns(each) for each in schema.expressions
        )
        create = schema.parent
        if isinstance(create, exp.Create):
            properties = create.args.get("properties")
            inherits = (
                inherits
                or create.args.get("expression") is not None
                or (
                    isinstance(properties, exp.Properties)
                    and any(
                        isinstance(each, (exp.LikeProperty, exp.InheritsProperty, exp.PartitionedOfProperty))
                        for each in properties.expressions
                    )
                )
            )
        for each in schema.expressions:
            if isinstance(each, exp.Identifier):
                self.declares(each, "ColDecl")
        name = ""
        vague = any(self.recorder.vague(self.recorder.span(each.this)) for each in defined)
        if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
            name = self.name(table.this).folded
        own = Relation(name, name, known=known, is_open=inherits or vague, base=True)
        with self.recorder.inside("Columns"):
            for each in schema.expressions:
                self._constraints(each, own)

    def _constraints(self, node: exp.Expression, own: Relation) -> None:
        """What a column definition or a table constraint names."""
        scope = Scope(None, relations=[own])
        stack = [node]
        while stack:
            each = stack.pop()
            if isinstance(each, exp.Reference):
                self._reference(each, own)
            elif isinstance(each, exp.ForeignKey):
                self._listed(list(each.expressions), own)
                if isinstance(reference := each.args.get("reference"), exp.Reference):
                    self._reference(reference, own)
            elif isinstance(each, exp.PrimaryKey):
                self._key(each.expressions, own)
            elif isinstance(each, exp.UniqueColumnConstraint):
                if isinstance(each.this, exp.Schema):
                    self._key(each.this.expressions, own)
            elif isinstance(each, (exp.CheckColumnConstraint, exp.ComputedColumnConstraint)):
                self.expression(each.this, Place(scope, "Check"))
            elif isinstance(each, exp.DefaultColumnConstraint):
                # A default names no column; what it may name (functions, keywords, enumeration labels) is not all known.
                self.expression(each.this, Place(Scope(None, names_open=True), "Default"))
            elif isinstance(each, exp.GeneratedAsIdentityColumnConstraint):
                if isinstance(each.expression, exp.Expression):
                    self.expression(each.expression, Place(scope, "Check"))
            elif isinstance(each, exp.LikeProperty):
                self._property(each)
            elif not isinstance(each, (exp.DataType, exp.Identifier, exp.Literal)):
                stack.extend(children(each))

    def _key(self, columns: list[exp.Expression], own: Relation) -> None:
        """The columns of a key, which may be ordered or be expressions."""
        scope = Scope(None, relations=[own])
        plain = [each.this if isinstance(each, exp.Ordered) else each for each in columns]
        if all(isinstance(each, (exp.Identifier, exp.Column)) for each in plain):
            self._listed(plain, own)
            return
        for each in columns:
            self.expression(each, Place(scope, "Check"))

    def _reference(self, node: exp.Reference, own: Relation) -> None:
        """`REFERENCES t(a)`."""
        this = node.this
        schema = this if isinstance(this, exp.Schema) else None
        table = schema.this if schema is not None else this
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return
        if own.name and self.name(table.this).folded == own.name and not table.args.get("db"):
            target = own
            if (span := self.recorder.span(table.this)) is not None:
                self.recorder.site(Site(span, "Table", self.recorder.region))
                self.recorder.refer(span, table.name, "Table", Finding(Verdict.DECLARED, own.binding))
        else:
            before = len(self.recorder.sites)
            target = self._foreign_table(table)
            del before
        if schema is not None:
            self._listed(list(schema.expressions), target)

    def _foreign_table(self, table: exp.Table) -> Relation:
        if not self.dialect.foreign:
            return self.table_reference(table, Scope(None))
        name = self.name(table.this)
        schema = self.schema(table.args.get("db"))
        finding = self.lookup.table(schema, name)
        if finding.verdict is Verdict.GHOST:
            finding = Finding(Verdict.UNKNOWN, None, "it may be created later")
        if (span := self.recorder.span(table.this)) is not None:
            self.recorder.site(Site(span, "Table", self.recorder.region, schema=schema))
            self.recorder.refer(span, name.text, "Table", finding)
        return self.relation_of(finding.binding, name.folded, self.spelling(table.this), schema or "")

    def _index(self, node: exp.Index) -> None:
        table = node.args.get("table")
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return
        relation = self.table_reference(table, Scope(None))
        scope = Scope(None, relations=[relation])
        params = node.args.get("params")
        if isinstance(params, exp.Expression):
            with self.recorder.inside("Columns"):
                for each in params.args.get("columns") or ():
                    self.expression(each, Place(scope, "Index"))
                self._listed(list(params.args.get("include") or ()), relation)
            if isinstance(where := params.args.get("where"), exp.Expression):
                with self.recorder.inside("Where"):
                    self.expression(where, Place(scope, "Where"))

    def _alter(self, node: exp.Expression) -> None:
        table = node.this
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return
        if str(node.args.get("kind") or "").upper() not in ("TABLE", "VIEW"):
            return
        relation = self._existing(table, forgiving=bool(node.args.get("exists")))
        added: dict[str, Binding] = dict(relation.columns())
        actions = node.args.get("actions") or []
        for action in actions:
            if isinstance(action, exp.ColumnDef) and isinstance(action.this, exp.Identifier):
                binding = self.column_binding(action.this, relation.name)
                added.setdefault(binding.folded, binding)
        whole = Relation(relation.name, relation.spelling, known=added, is_open=relation.open, base=True)
        for action in actions:
            if isinstance(action, exp.Expression):
                self._action(action, relation, whole)

    def _action(self, action: exp.Expression, relation: Relation, whole: Relation) -> None:
        if isinstance(action, exp.ColumnDef):
            self.declares(action.this, "ColDecl")
            self._constraints(action, whole)
        elif isinstance(action, (exp.RenameColumn, exp.AlterColumn)):
            self._listed([action.this], relation if isinstance(action, exp.RenameColumn) else whole)
            if isinstance(to := action.args.get("to"), exp.Column):
                self.declares(to.this, "ColDecl")
        elif isinstance(action, exp.Drop):
            if str(action.args.get("kind") or "").upper() == "COLUMN":
                target = relation
                if action.args.get("exists"):
                    target = Relation(
                        relation.name, relation.spelling, known=relation.columns(), is_open=True
                    )
                self._listed(list(action.args.get("tables") or ()), target)
        elif isinstance(action, (exp.AddConstraint, exp.Constraint, exp.ForeignKey, exp.PrimaryKey)):
            self._constraints(action, whole)

    def _existing(self, table: exp.Table, *, forgiving: bool) -> Relation:
        """A table that a definition changes; with IF EXISTS its absence proves nothing."""
        if not forgiving:
            return self.table_reference(table, Scope(None), target=True)
        name = self.name(table.this)
        schema = self.schema(table.args.get("db"))
        finding = self.lookup.table(schema, name)
        if finding.verdict is Verdict.GHOST:
            finding = Finding(Verdict.UNKNOWN, None, "IF EXISTS")
        if (span := self.recorder.span(table.this)) is not None:
            self.recorder.site(Site(span, "Table", self.recorder.region, schema=schema))
            self.recorder.refer(span, name.text, "Table", finding)
        return self.relation_of(finding.binding, name.folded, self.spelling(table.this), schema or "")

    def _drop(self, node: exp.Expression) -> None:
        if str(node.args.get("kind") or "").upper() not in ("TABLE", "VIEW"):
            return
        for table in node.args.get("tables") or ():
            if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
                self._existing(table, forgiving=bool(node.args.get("exists")))

    def _tables_of(self, node: exp.Expression) -> None:
        tables = [*(node.args.get("expressions") or ()), *(node.args.get("tables") or ())]
        for table in tables:
            if not isinstance(table, exp.Table):
                continue
            if isinstance(table.this, exp.Identifier):
                self._existing(table, forgiving=bool(node.args.get("exists")))

    def _comment(self, node: exp.Expression) -> None:
        kind = str(node.args.get("kind") or "").upper()
        if isinstance(node.this, exp.Column) and kind == "COLUMN":
            self._column_of_table(node.this)
        elif (
            isinstance(node.this, exp.Table)
            and kind in ("TABLE", "VIEW")
            and isinstance(node.this.this, exp.Identifier)
        ):
            self._existing(node.this, forgiving=False)

    def _column_of_table(self, column: exp.Column) -> None:
        """`t.a` outside any query: a table's name and its column."""
        qualifier = column.args.get("table")
        if not isinstance(qualifier, exp.Identifier) or not isinstance(column.this, exp.Identifier):
            return
        table = exp.Table()
        table.args["this"] = qualifier  # not `set`: that would take the node from its tree
        if (db := column.args.get("db")) is not None:
            table.args["db"] = db
        self._listed([column.this], self._existing(table, forgiving=False))

    def _copy(self, node: exp.Expression) -> None:
        this = node.this
        if isinstance(this, exp.Schema) and isinstance(this.this, exp.Table):
            self._listed(list(this.expressions), self._existing(this.this, forgiving=False))
        elif isinstance(this, exp.Table) and isinstance(this.this, exp.Identifier):
            self._existing(this, forgiving=False)
        elif isinstance(this, exp.Query):
            self.query(this, None)

    def _described(self, node: exp.Expression) -> None:
        if isinstance(node.this, (exp.Query, exp.DML)):
            self.statement(node.this)


def _brings_columns(node: exp.Expression) -> bool:
    return isinstance(node, (exp.LikeProperty, exp.Identifier))
