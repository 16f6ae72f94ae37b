"""The resolver protocol for Python; tree-sitter's language is loaded when the first module is resolved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gproj_lsp.environment import Binding, Environment
from gproj_lsp.resolve import Resolution, Scope, World
from gproj_lsp.resolvers.python import builtins

if TYPE_CHECKING:
    from gproj_lsp.facts import Facts
    from gproj_lsp.syntax import Statement

__all__ = ["PythonResolver"]


class PythonResolver:
    """Resolution of Python's names (`gproj_lsp.resolve.Resolver`)."""

    def resolve(self, statement: Statement, environment: Environment, world: World) -> Resolution:
        """Resolve one module; never raises on any text."""
        from gproj_lsp.resolvers.python.resolution import ModuleResolution  # noqa: PLC0415  (loads native code)

        return ModuleResolution(statement, environment, world)

    def scopes(self, statement: Statement) -> tuple[Scope, ...]:  # noqa: ARG002  (a protocol's method)
        """None: nothing writes whole statements here."""
        return ()

    def adopt(self, bindings: Iterable[Binding], world: World) -> tuple[Binding, ...]:  # noqa: ARG002  (a protocol's)
        """A provider's bindings with dotted names taken apart."""
        from gproj_lsp.resolvers.python.api import adopt  # noqa: PLC0415  (as above)

        return adopt(bindings)

    def builtins(self, world: World) -> Facts:
        """The builtins of the release that the settings name."""
        return builtins.builtins(world)
