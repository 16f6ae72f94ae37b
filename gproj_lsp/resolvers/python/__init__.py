"""Python: names resolved by scopes as the language has them, and the members of libraries by frozen facts.

`PythonResolver` is the entry point `gproj_lsp.resolvers`' `python`. `reading` walks over a module's tree and notes what is
bound and used where (`scopes`); `lookup` says what a use means, `flow` whether it is bound by then, `dynamic` what may only
come to be when the module runs; `api` follows libraries' members, `sites` says what a place expects.
"""

from __future__ import annotations

from gproj_lsp.resolvers.python.resolver import PythonResolver

__all__ = ["PythonResolver", "resolver"]

resolver = PythonResolver()
