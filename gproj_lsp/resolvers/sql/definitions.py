"""Definitions resolved: what CREATE, ALTER and DROP name, and the expressions in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from gproj_lsp.environment import Binding, Key
from gproj_lsp.resolve import Verdict
from gproj_lsp.resolvers.sql.changes import Changes
from gproj_lsp.resolvers.sql.expressions import children, table_of
from gproj_lsp.resolvers.sql.recorder import Finding, Place, Site
from gproj_lsp.resolvers.sql.scopes import NO_CTES, Relation, Scope

__all__ = ["Definitions"]

_COPIES = (exp.LikeProperty, exp.InheritsProperty, exp.PartitionedOfProperty)
"""What gives a new table the columns of others."""


class Definitions(Changes):
    """Resolves statements that define things."""

    # -- CREATE ---------------------------------------------------------------------------------------------------------

    def create(self, node: exp.Expr) -> None:
        """CREATE of a table, a view or an index; other kinds name nothing that is looked up."""
        this = node.this
        if isinstance(this, exp.Index):
            self._index(this)
            return
        kind = _kind(node)
        schema = this if isinstance(this, exp.Schema) else None
        table = schema.this if schema is not None else this
        if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
            self.declares(table.this, "TableDecl" if kind in ("TABLE", "VIEW") else "")
        body = node.args.get("expression")
        ctes = self.with_clause(node, None, NO_CTES)
        if isinstance(this, exp.UserDefinedFunction):
            self._macro(this, body)
        elif isinstance(body, (exp.Query, exp.Values, exp.Table)):
            self.query(body, None, ctes)
        properties = node.args.get("properties")
        given = list(properties.expressions) if isinstance(properties, exp.Properties) else []
        for each in schema.expressions if schema is not None else ():
            self.declares(each.this if isinstance(each, exp.ColumnDef) else each, "ColDecl")
        if schema is not None and kind == "TABLE":
            more = body is not None or any(isinstance(each, _COPIES) for each in given)
            self._table_defined(schema, table, more=more)
        for each in given:
            self._property(each)

    def _macro(self, function: exp.UserDefinedFunction, body: object) -> None:
        """A function whose body sqlglot reads: it sees its parameters, and perhaps other variables."""
        known: dict[str, Binding] = {}
        for each in function.expressions:
            identifier = each.this if isinstance(each, exp.ColumnDef) else each
            if isinstance(identifier, exp.Identifier):
                binding = self.column_binding(identifier, "")
                known.setdefault(binding.folded, binding)
        outer = Scope(relations=[Relation("", "", known=known)], names_open=True)
        if isinstance(body, (exp.Query, exp.Values, exp.Table)):
            self.query(body, outer)
        elif isinstance(body, exp.Expr):
            self.expression(body, Place(outer, "Select"))

    def _property(self, node: exp.Expr) -> None:
        owned = node.args.get("owned")
        if isinstance(node, _COPIES):
            for table in node.find_all(exp.Table):
                if isinstance(table.this, exp.Identifier):
                    self.table_reference(table)
        elif isinstance(node, exp.SequenceProperties) and isinstance(owned, exp.Column):
            self._column_of_table(owned, doubt="it may be of another kind")

    def _table_defined(self, schema: exp.Schema, table: exp.Expr, *, more: bool) -> None:
        """What a table's checks, defaults and keys name; they see its own columns.

        Args:
            schema: Its columns and constraints.
            table: It.
            more: Whether it has columns that are not listed there.
        """
        known: dict[str, Binding] = {}
        for each in schema.expressions:
            if not isinstance(each, exp.ColumnDef):
                more = more or isinstance(each, (exp.LikeProperty, exp.Identifier))
            elif self.is_name(each.this):
                binding = self.column_binding(each.this, "")
                known.setdefault(binding.folded, binding)
            else:
                more = True  # a hole or a template
        named = isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier)
        name = self.name(table.this).folded if named else ""
        itself = Binding(name, "Table", namespace="relation", folded=name)
        if named:
            self.recorder.declare(table.this, itself)
        own = Relation(name, name, binding=itself, known=known, is_open=more, base=True)
        with self.recorder.inside("Columns"):
            for each in schema.expressions:
                self._constraints(each, own)

    def _index(self, node: exp.Index) -> None:
        table, params = node.args.get("table"), node.args.get("params")
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return
        relation = self.table_reference(table, target=True)
        scope = Scope(relations=[relation])
        if isinstance(params, exp.Expr):
            with self.recorder.inside("Columns"):
                for each in params.args.get("columns") or ():
                    self.expression(each, Place(scope, "Index"))
                self.listed(list(params.args.get("include") or ()), relation)
            if isinstance(where := params.args.get("where"), exp.Expr):
                with self.recorder.inside("Where"):
                    self.expression(where, Place(scope, "Where"))

    # -- constraints ----------------------------------------------------------------------------------------------------

    def _constraints(self, node: exp.Expr, own: Relation) -> None:
        """What a column definition or a table constraint names."""
        readers = self._constraint_readers()
        stack = [node]
        while stack:
            each = stack.pop()
            if (read := readers.get(type(each))) is not None:
                read(each, own)
            elif not isinstance(each, (exp.DataType, exp.Identifier, exp.Literal)):
                stack.extend(children(each))

    def _constraint_readers(self) -> Mapping[type[exp.Expr], Callable[[exp.Expr, Relation], None]]:
        return {
            exp.Reference: self._reference,
            exp.ForeignKey: self._foreign_key,
            exp.PrimaryKey: self._key,
            exp.UniqueColumnConstraint: self._unique,
            exp.CheckColumnConstraint: self._check,
            exp.ComputedColumnConstraint: self._check,
            exp.GeneratedAsIdentityColumnConstraint: self._generated,
            exp.DefaultColumnConstraint: self._default,
            exp.LikeProperty: lambda node, _: self._property(node),
        }

    def _check(self, node: exp.Expr, own: Relation) -> None:
        self.expression(node.this, Place(Scope(relations=[own]), "Check"))

    def _generated(self, node: exp.Expr, own: Relation) -> None:
        if isinstance(node.expression, exp.Expr):
            self.expression(node.expression, Place(Scope(relations=[own]), "Check"))

    def _default(self, node: exp.Expr, own: Relation) -> None:
        """A default names no column; what it may name (functions, keywords, labels) is not all known."""
        del own
        self.expression(node.this, Place(Scope(names_open=True), "Default"))

    def _foreign_key(self, node: exp.Expr, own: Relation) -> None:
        self.listed(list(node.expressions), own)
        if isinstance(reference := node.args.get("reference"), exp.Reference):
            self._reference(reference, own)

    def _unique(self, node: exp.Expr, own: Relation) -> None:
        if isinstance(node.this, exp.Schema):
            self._key(node.this, own)

    def _key(self, node: exp.Expr, own: Relation) -> None:
        """The columns of a key, which may be ordered or be expressions."""
        plain = [each.this if isinstance(each, exp.Ordered) else each for each in node.expressions]
        if all(isinstance(each, (exp.Identifier, exp.Column)) for each in plain):
            self.listed(plain, own)
            return
        for each in node.expressions:
            self.expression(each, Place(Scope(relations=[own]), "Check"))

    def _reference(self, node: exp.Expr, own: Relation) -> None:
        """`REFERENCES t(a)`."""
        this = node.this
        table = this.this if isinstance(this, exp.Schema) else this
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return
        if own.name and self.name(table.this).folded == own.name and not table.args.get("db"):
            target = own
            if (span := self.recorder.span(table.this)) is not None:
                self.recorder.site(Site(span, "Table", self.recorder.region))
                self.recorder.refer(span, table.name, "Table", Finding(Verdict.DECLARED, own.binding))
        else:
            doubt = "it may be created later" if self.dialect.foreign else ""
            target = self.table_reference(table, target=True, doubt=doubt)
        if isinstance(this, exp.Schema):
            self.listed(list(this.expressions), target)

    # -- ALTER, DROP and the rest ---------------------------------------------------------------------------------------

    def alter(self, node: exp.Expr) -> None:
        """ALTER TABLE: columns that are there, and those that it adds."""
        table = node.this
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return
        if _kind(node) not in ("TABLE", "VIEW"):
            return
        actions = [each for each in node.args.get("actions") or () if isinstance(each, exp.Expr)]
        doubt = "IF EXISTS" if node.args.get("exists") else ""
        if self.dialect.name in ("postgres", "generic") and any(
            isinstance(each, exp.AlterRename) for each in actions
        ):
            doubt = doubt or "it may be an index or a sequence"
        relation = self.table_reference(table, target=True, doubt=doubt)
        known = dict(relation.columns())
        for action in actions:
            if isinstance(action, exp.ColumnDef) and isinstance(action.this, exp.Identifier):
                binding = self.column_binding(action.this, relation.name)
                known.setdefault(binding.folded, binding)
        after = Relation(relation.name, relation.spelling, known=known, is_open=relation.open, base=True)
        for action in actions:
            self._action(action, relation, after)

    def _action(self, action: exp.Expr, before: Relation, after: Relation) -> None:
        if isinstance(action, exp.ColumnDef):
            self.declares(action.this, "ColDecl")
            self._constraints(action, after)
        elif isinstance(action, exp.RenameColumn):
            self.listed([action.this], before)
            if isinstance(to := action.args.get("to"), exp.Column):
                self.declares(to.this, "ColDecl")
        elif isinstance(action, exp.AlterColumn):
            self.listed([action.this], after)
        elif isinstance(action, exp.Drop) and _kind(action) == "COLUMN":
            if action.args.get("exists") or self._dropped_again(action, before):
                before = Relation(before.name, before.spelling, known=before.columns(), is_open=True)
            self.listed(list(action.args.get("tables") or ()), before)
        elif isinstance(action, (exp.AddConstraint, exp.Constraint, exp.ForeignKey, exp.PrimaryKey)):
            self._constraints(action, after)

    def _existing(self, table: exp.Table, statement: exp.Expr) -> Relation:
        """A table that a definition changes; with IF EXISTS its absence proves nothing."""
        doubt = "IF EXISTS" if statement.args.get("exists") else ""
        return self.table_reference(table, target=True, doubt=doubt)

    def _dropped_again(self, action: exp.Expr, table: Relation) -> bool:
        """Whether an earlier statement dropped the column: that it is dropped again says that this may have been refused."""
        columns = [
            each for each in action.args.get("tables") or () if self.is_name(getattr(each, "this", None))
        ]
        return any(self.catalog.column_dropped(table.owner, self.name(each.this).folded) for each in columns)

    def drop(self, node: exp.Expr) -> None:
        """DROP TABLE and DROP VIEW; what an earlier DROP took away may be there still, if that was refused."""
        if _kind(node) not in ("TABLE", "VIEW"):
            return
        guarded = "IF EXISTS" if node.args.get("exists") else ""
        for table in (*(node.args.get("expressions") or ()), *(node.args.get("tables") or ())):
            if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
                schema, name = self.schema(table.args.get("db")), self.name(table.this)
                again = self.catalog.dropped(schema or "", name.folded)
                doubt = guarded or ("an earlier DROP may have been refused" if again else "")
                self.table_reference(table, target=True, doubt=doubt)

    def tables_of(self, node: exp.Expr) -> None:
        """The tables that a statement lists."""
        for table in (*(node.args.get("expressions") or ()), *(node.args.get("tables") or ())):
            if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
                self._existing(table, node)

    def comment(self, node: exp.Expr) -> None:
        """COMMENT ON a table or a column."""
        this, kind = node.this, _kind(node)
        if isinstance(this, exp.Column) and kind == "COLUMN":
            self._column_of_table(this)
        elif (
            isinstance(this, exp.Table)
            and isinstance(this.this, exp.Identifier)
            and kind in ("TABLE", "VIEW")
        ):
            self._existing(this, node)

    def _column_of_table(self, column: exp.Column, doubt: str = "") -> None:
        """`t.a` outside any query: a table's name and its column."""
        qualifier = column.args.get("table")
        if isinstance(qualifier, exp.Identifier) and isinstance(column.this, exp.Identifier):
            table = table_of(qualifier, column.args.get("db"))
            key = Key("Type", self.schema(column.args.get("db")) or "", self.name(qualifier).folded)
            if self.catalog.environment.lookup(key) is not None:
                doubt = "it may be a composite type"
            self.listed([column.this], self.table_reference(table, target=True, doubt=doubt))

    def copy(self, node: exp.Expr) -> None:
        """COPY of a table, some of its columns, or a query."""
        this = node.this
        table = this.this if isinstance(this, exp.Schema) else this
        if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
            relation = self._existing(table, node)
            if isinstance(this, exp.Schema):
                self.listed(list(this.expressions), relation)
        elif isinstance(this, exp.Query):
            self.query(this, None)


def _kind(node: exp.Expr) -> str:
    return str(node.args.get("kind") or "").upper()
