"""Queries resolved: FROM brings relations into scope, and every other clause names their columns.

sqlglot's own `qualify` changes trees and stops at the first name it does not know, so scopes are ours. FROM is read before the
clauses that stand before it in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType

from sqlglot import exp

from gproj_lsp.environment import Binding
from gproj_lsp.resolve import Verdict
from gproj_lsp.resolvers.sql.expressions import Lazy, alias_of, children
from gproj_lsp.resolvers.sql.recorder import Finding, Place
from gproj_lsp.resolvers.sql.scopes import ANYTHING, NO_CTES, Ctes, Outputs, Relation, Scope
from gproj_lsp.resolvers.sql.sources import Sources

__all__ = ["Queries"]

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

Anchored = Callable[[Outputs], None]


class Queries(Sources):
    """Resolves queries."""

    def query(
        self,
        node: exp.Expr,
        parent: Scope | None,
        ctes: Ctes = NO_CTES,
        anchored: Anchored | None = None,
    ) -> Lazy:
        """Resolve a query (see `Expressions.query`)."""
        if isinstance(node, exp.Select):
            return self._select(node, parent, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, parent, ctes, anchored)
        if isinstance(node, exp.Subquery):
            return self._parenthesised(node, parent, ctes, anchored)
        if isinstance(node, exp.Values):
            outputs = self.values(node, Scope(parent, ctes))
            return lambda: outputs
        if isinstance(node, exp.Table):
            scope = Scope(parent, ctes)
            self.source(node, scope)
            return lambda: self.everything(scope)
        return self.other(node, parent, ctes)

    def other(self, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> Lazy:
        """A statement in a query's place; nothing is known of what it gives."""
        place = Place(Scope(parent, ctes, names_open=True), "Select")
        for each in children(node):
            self.expression(each, place)
        return lambda: ANYTHING

    # -- WITH -----------------------------------------------------------------------------------------------------------

    def with_clause(self, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> Ctes:
        """The common table expressions in force after a statement's WITH (see `Expressions.with_clause`)."""
        clause = node.args.get("with_")
        if not isinstance(clause, exp.With):
            return ctes
        recursive = bool(clause.args.get("recursive"))
        found = dict(ctes)
        later = {}
        for cte in clause.expressions:
            if isinstance(identifier := alias_of(cte), exp.Identifier) and self._reaches(
                identifier, recursive
            ):
                later[self.name(identifier).folded] = self.unread(identifier)
        with self.recorder.inside("With"):
            late = self._read_late(clause, node)
            for cte in clause.expressions:
                identifier = alias_of(cte)
                hidden = isinstance(identifier, exp.Identifier) and self.name(identifier).folded in late
                self._cte(cte, Scope(parent, names_open=True) if hidden else parent, found, later)
        return MappingProxyType(found)

    def _read_late(self, clause: exp.With, node: exp.Expr) -> frozenset[str]:
        """The folded names of those common table expressions that are only read where other names are in scope.

        SQLite reads one where it is used, and what is in scope there is in scope in it. Nothing is around the FROM clause of
        the statement that has the WITH, nor around that of an expression which is read there.
        """
        if self.dialect.name != "sqlite":
            return frozenset()
        bodies = {
            self.name(identifier).folded: cte.this
            for cte in clause.expressions
            if isinstance(identifier := alias_of(cte), exp.Identifier)
        }
        used = [
            (self.name(table.this).folded, table)
            for table in node.find_all(exp.Table)
            if isinstance(table.this, exp.Identifier) and not table.args.get("db")
        ]
        early: set[str] = set()
        blocks = [node]
        while blocks:
            block = blocks.pop()
            read = {name for name, table in used if name in bodies and _stands_in(table, block)} - early
            early |= read
            blocks.extend(bodies[name] for name in read)
        return frozenset(name for name, _ in used if name in bodies) - early

    def _reaches(self, identifier: exp.Expr, recursive: bool) -> bool:  # noqa: FBT001  (a fact about WITH)
        """Whether a common table expression can be named in its own WITH before it has been read.

        Where the dialect leaves that open, a table of that name is meant: `WITH users AS (SELECT … FROM users)`.
        """
        name = self.name(identifier).folded
        return recursive or (self.dialect.later_ctes and self.catalog.relation("", name) is None)

    def _cte(
        self,
        cte: exp.Expr,
        parent: Scope | None,
        found: dict[str, Relation],
        later: dict[str, Relation],
    ) -> None:
        identifier = alias_of(cte)
        if not isinstance(identifier, exp.Identifier):
            self.query(cte.this, parent, MappingProxyType({**later, **found}))
            return
        self.declares(identifier, "TableDecl")
        name, spelling = self.name(identifier).folded, self.spelling(identifier)
        binding = self.common_table(identifier)
        columns = self.column_list(cte, name)
        seen = {**found, **later}

        def anchored(outputs: Outputs) -> None:
            seen[name] = Relation.derived(name, spelling, outputs.relabelled(columns), binding=binding)

        outputs = self.query(cte.this, parent, MappingProxyType(seen), anchored if name in later else None)()
        if any(each.args.get("search") for each in (cte, cte.parent) if each is not None):
            outputs = Outputs(outputs.columns, open=True, exact=False)  # SEARCH and CYCLE add columns
        later.pop(name, None)
        found[name] = Relation.derived(name, spelling, outputs.relabelled(columns), binding=binding)

    # -- set operations -------------------------------------------------------------------------------------------------

    def _parenthesised(
        self, node: exp.Subquery, parent: Scope | None, ctes: Ctes, anchored: Anchored | None
    ) -> Lazy:
        ctes = self.with_clause(node, parent, ctes)
        inner = self.query(node.this, parent, ctes, anchored)
        self._after(node, [inner], parent, ctes)
        return inner

    def _set_operation(
        self, node: exp.SetOperation, parent: Scope | None, ctes: Ctes, anchored: Anchored | None
    ) -> Lazy:
        # Long unions lean to the left: unrolled, they need no recursion.
        operands: list[exp.Expr] = []
        spine: exp.Expr = node
        while isinstance(spine, exp.SetOperation):
            ctes = self.with_clause(spine, parent, ctes)
            operands.append(spine.expression)
            spine = spine.this
        first = self.query(spine, parent, ctes)
        if anchored is not None:
            anchored(first())
        rest = [self.query(operand, parent, ctes) for operand in reversed(operands)]
        self._after(node, [first, *rest], parent, ctes)
        if node.args.get("by_name"):
            return lambda: Outputs(first().columns, open=True, exact=False)
        return first

    def _after(self, node: exp.Expr, operands: list[Lazy], parent: Scope | None, ctes: Ctes) -> None:
        """ORDER BY and LIMIT of a set operation or a parenthesised query: they name outputs, and nothing behind them."""
        if isinstance(order := node.args.get("order"), exp.Expr):
            scope = Scope(
                None if "Order" in self.dialect.own else parent,
                ctes,
                [Relation.derived("", "", operand()) for operand in operands],
                behind=True,
            )
            # A single query in parentheses lets it name what its own ORDER BY could.
            scope.names_open = len(operands) == 1
            for at in range(1, len(operands)):
                for folded in scope.relations[at].columns():
                    scope.merge(folded, at)
            with self.recorder.inside("Order"):
                self.expression(order, Place(scope, "Order"))
        for key in ("limit", "offset"):
            if isinstance(each := node.args.get(key), exp.Expr):
                with self.recorder.inside("Limit"):
                    self.expression(each, Place(Scope(parent, ctes), "Limit"))

    # -- SELECT ---------------------------------------------------------------------------------------------------------

    def _select(self, node: exp.Select, parent: Scope | None, ctes: Ctes) -> Lazy:
        args = node.args
        scope = Scope(parent, self.with_clause(node, parent, ctes))
        self._read_from(node, scope)
        windows = args.get("windows") or ()
        self._declare_windows(windows, scope)
        scope.clause = "Select"
        with self.recorder.inside("Select"):
            self._projections(node, scope)
        if isinstance(into := args.get("into"), exp.Expr):
            for table in into.find_all(exp.Table):
                self.declares(table.this, "TableDecl")
        self.clauses(node, scope)
        for window in windows:
            with self.recorder.inside("Window"):
                for each in children(window):
                    if each is not window.this:
                        self.expression(each, Place(scope, "Window"))
        for lock in args.get("locks") or ():
            for table in lock.args.get("expressions") or ():
                if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
                    self.alias_reference(table.this, Place(scope, "Lock"))
        return lambda: self.outputs(node.expressions, scope)

    def clauses(self, node: exp.Expr, scope: Scope) -> None:
        """The clauses that may follow FROM."""
        for key, clause in _CLAUSES:
            if isinstance(each := node.args.get(key), exp.Expr):
                scope.clause = clause
                seen = scope.alone() if clause in self.dialect.own else scope
                with self.recorder.inside(clause):
                    self.expression(each, Place(seen, clause))

    def _read_from(self, node: exp.Select, scope: Scope) -> None:
        """FROM; in some dialects ON sees the aliases of SELECT, which SELECT itself may see only one after the other."""
        shown = "Join" in self.dialect.aliases
        if shown:
            self._declare_aliases(node.expressions, scope)
        self.from_clause(node, scope)
        if shown:
            for names in (scope.aliases, scope.explicit, scope.aggregates):
                names.clear()

    def _projections(self, node: exp.Select, scope: Scope) -> None:
        early = "Select" in self.dialect.aliases
        if not early:
            self._declare_aliases(node.expressions, scope)
        place = Place(scope, "Select")
        for each in node.expressions:
            if self.dialect.twins and (star := _star(each)) is not None:
                self._doubt_twins(star, scope)
            self.expression(each, place)
            if early:
                self._declare_aliases((each,), scope)
        if isinstance(distinct := node.args.get("distinct"), exp.Expr) and isinstance(
            on := distinct.args.get("on"), exp.Expr
        ):
            self.expression(on, Place(scope, "Order"))

    def _doubt_twins(self, star: exp.Star, scope: Scope) -> None:
        """`*` asks for the columns of two relations that have them under one name."""
        span = self.recorder.span(star)
        for at, relation in enumerate(scope.relations):
            before = (each for each in scope.twins(relation) if each in scope.relations[:at])
            if span and any(
                each.columns().keys() & relation.columns().keys() - set(scope.merged) for each in before
            ):
                reason = f"FROM has two relations of the name {relation.spelling}"
                self.recorder.refer(span, "*", "Column", Finding(Verdict.AMBIGUOUS, None, reason))
                return

    def _declare_windows(self, windows: Iterable[exp.Expr], scope: Scope) -> None:
        for each in windows:
            if isinstance(each.this, exp.Identifier):
                name = self.name(each.this)
                window = scope.windows.setdefault(
                    name.folded, Binding(name.text, "Window", folded=name.folded)
                )
                self.recorder.declare(each.this, window)

    def _declare_aliases(self, expressions: Iterable[exp.Expr], scope: Scope) -> None:
        for each in expressions:
            implicit = not isinstance(each, (exp.Alias, exp.Aliases))
            if implicit and not self.dialect.implicit:
                continue
            called = self._output_name(each) if implicit else None
            for identifier in _aliases(each) if called is None else [called]:
                folded = self.name(identifier).folded
                scope.aliases.setdefault(folded, self.column_binding(identifier, ""))
                if not implicit:
                    scope.explicit.add(folded)
                    if each.find(exp.AggFunc, exp.Window) is not None:
                        scope.aggregates.add(folded)

    # -- outputs --------------------------------------------------------------------------------------------------------

    def outputs(self, expressions: list[exp.Expr], scope: Scope) -> Outputs:
        """The columns that a SELECT list or RETURNING gives."""
        columns: list[Binding | None] = []
        is_open = guess = False
        exact = True
        for each in expressions:
            if (star := _star(each)) is not None:
                given = self._starred(star, each, scope)
                columns.extend(given.columns)
                is_open, guess, exact = is_open or given.open, guess or given.guess, exact and given.exact
            elif isinstance(each, exp.Columns):
                is_open, exact = True, False
            elif isinstance(each, exp.Aliases):
                columns.extend(self.column_binding(identifier, "") for identifier in _aliases(each))
            else:
                identifier = self._output_name(each)
                same = self._same(each, scope)
                columns.append(None if identifier is None else self.column_binding(identifier, "", same))
                guess = guess or (identifier is None and self.dialect.anonymous != "text")
        return Outputs(tuple(columns), is_open, guess, exact)

    def _same(self, node: exp.Expr, scope: Scope) -> Binding | None:
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

    def _output_name(self, node: exp.Expr) -> exp.Expr | None:
        """What names an output column, if it can be told."""
        if isinstance(node, exp.Alias):
            alias = node.args.get("alias")
            return alias if isinstance(alias, exp.Identifier) else None
        passed: tuple[type[exp.Expr], ...] = (exp.Paren, exp.Collate)
        if self.dialect.anonymous == "function":
            passed = (*passed, exp.Cast, exp.Window)
        while isinstance(node, passed):
            node = node.this
        if isinstance(node, exp.Dot):
            return node.expression if isinstance(node.expression, exp.Identifier) else None
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
            return node.this
        if self.dialect.anonymous == "function" and isinstance(node, exp.Func):
            written = self.recorder.source.written(node)
            return exp.Identifier(this=written.lower(), quoted=False) if written.isidentifier() else None
        return None

    def _starred(self, star: exp.Star, node: exp.Expr, scope: Scope) -> Outputs:
        table = node.args.get("table") if isinstance(node, exp.Column) else None
        if isinstance(table, exp.Identifier):
            relation = scope.named(self.name(table).folded)
            given = relation.outputs() if relation is not None else ANYTHING
        else:
            given = self.everything(scope)
        if star.args.get("rename") or star.args.get("replace"):
            return Outputs(given.columns, open=True, exact=False)
        without = {self.name(each).folded for each in star.args.get("except_") or () if each.name}
        if not without:
            return given
        columns = tuple(column for column in given.columns if column is None or column.folded not in without)
        return Outputs(columns, given.open, given.guess, given.exact)


def _stands_in(table: exp.Expr, block: exp.Expr) -> bool:
    """Whether a table stands in the FROM clause of a query itself, or of a part of a set operation."""
    above = table.parent
    while above is not block and isinstance(
        above, (exp.From, exp.Join, exp.Table, exp.Select, exp.SetOperation, exp.Paren)
    ):
        above = above.parent
    return above is block


def _aliases(node: exp.Expr) -> list[exp.Expr]:
    """The names that an item of a SELECT list can be called by."""
    if isinstance(node, exp.Alias):
        found = [node.args.get("alias")]
    elif isinstance(node, exp.Aliases):
        found = list(node.expressions)
    elif isinstance(node, exp.Column):
        found = [node.this]
    else:
        return []
    return [each for each in found if isinstance(each, exp.Identifier)]


def _star(node: exp.Expr) -> exp.Star | None:
    if isinstance(node, exp.Star):
        return node
    return node.this if isinstance(node, exp.Column) and isinstance(node.this, exp.Star) else None
