"""The resolver protocol for SQL; sqlglot is imported when the first statement is resolved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gproj_lsp.environment import Binding, Environment
from gproj_lsp.resolve import Resolution, Scope, World
from gproj_lsp.resolvers.sql import blocks, builtins, names

if TYPE_CHECKING:
    from gproj_lsp.facts import Facts
    from gproj_lsp.syntax import Statement

__all__ = ["SqlResolver"]


class SqlResolver:
    """Resolution of SQL names (`gproj_lsp.resolve.Resolver`)."""

    def resolve(self, statement: Statement, environment: Environment, world: World) -> Resolution:
        """Resolve one statement; never raises on any text."""
        from gproj_lsp.resolvers.sql.reading import resolve  # noqa: PLC0415  (sqlglot takes 0.1 s to import)

        return resolve(statement, environment, world)

    def scopes(self, statement: Statement) -> tuple[Scope, ...]:
        """Every SELECT and every statement that changes data."""
        return blocks.scopes(statement)

    def adopt(self, bindings: Iterable[Binding], world: World) -> tuple[Binding, ...]:
        """A provider's bindings as SQL names them: folded, qualified, spelled for the dialect."""
        return names.adopt(bindings, world)

    def builtins(self, world: World) -> Facts:
        """The dialect's functions, system catalogs, system columns and pseudo-tables."""
        return builtins.builtins(world)
