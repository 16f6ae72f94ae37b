"""Statements resolved: which reader each kind goes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from gproj_lsp.resolvers.sql.definitions import Definitions
from gproj_lsp.resolvers.sql.scopes import ANYTHING, NO_CTES, Scope

if TYPE_CHECKING:
    from gproj_lsp.resolvers.sql.expressions import Lazy

__all__ = ["Statements"]

_REGIONS: Mapping[type[exp.Expr], str] = {
    exp.Insert: "Insert",
    exp.Update: "Update",
    exp.Delete: "Delete",
    exp.Merge: "Merge",
    exp.Create: "Create",
    exp.Alter: "Alter",
    exp.Drop: "Drop",
}


class Statements(Definitions):
    """Resolves one whole statement."""

    def statement(self, tree: exp.Expr, outer: Scope | None = None) -> Lazy:
        """Resolve a statement.

        Args:
            tree: It.
            outer: Names that are visible in all of it (NEW and OLD, a routine's parameters).

        Returns:
            The columns of the rows that it gives.
        """
        query = isinstance(tree, (exp.Query, exp.Values, exp.Table))
        region = "Select" if query else _REGIONS.get(type(tree), type(tree).__name__)
        with self.recorder.inside(region):
            if query:
                return self.query(tree, outer)
            if (handler := self._handlers().get(type(tree))) is not None:
                handler(tree)
                return lambda: ANYTHING
            return self.other(tree, outer, NO_CTES)

    def _handlers(self) -> Mapping[type[exp.Expr], Callable[[exp.Expr], None]]:
        return {
            exp.Create: self.create,
            exp.Alter: self.alter,
            exp.Drop: self.drop,
            exp.TruncateTable: self.tables_of,
            exp.Analyze: self.tables_of,
            exp.Comment: self.comment,
            exp.Copy: self.copy,
            exp.Describe: self._described,
        }

    def _described(self, node: exp.Expr) -> None:
        if isinstance(node.this, (exp.Query, exp.DML)):
            self.statement(node.this)
