"""SQL: names resolved through sqlglot's trees and scopes of our own.

`SqlResolver` is the entry point `gproj_lsp.resolvers`' `sql`. What sqlglot can't read goes to `unfinished`; what statements
declare is read by `ddl`; what dialects declare by themselves is in `builtins`.
"""

from __future__ import annotations

from gproj_lsp.resolvers.sql.resolver import SqlResolver

__all__ = ["SqlResolver", "resolver"]

resolver = SqlResolver()
