"""SQL with its verdicts written into it.

`[-name-]` is a ghost, `[~name~]` is ambiguous, `[?name?]` is unknown; every other reference must be declared.
"""

from __future__ import annotations

import re

from gproj_lsp.environment import Binding, Environment, Origin
from gproj_lsp.resolve import Reference, Resolution, Verdict, World
from gproj_lsp.resolvers.sql import resolver
from gproj_lsp.surface import shipped
from gproj_lsp.syntax import Statement, lexer_of

MARKS = {"-": Verdict.GHOST, "~": Verdict.AMBIGUOUS, "?": Verdict.UNKNOWN}
MARK = re.compile(r"\[([-~?])(.*?)\1\]", re.DOTALL)
DIALECTS = ("sqlite", "postgres", "mysql", "duckdb", "generic")


class Schema:
    """A world with some tables, whose every table and column is known.

    Args:
        dialect: The dialect.
        tables: Columns by table, as words or as a list; `app.events` is a table of the schema `app`.
    """

    def __init__(self, dialect: str, tables: dict[str, str | list[str]]) -> None:
        self.lexer = lexer_of(shipped()["sql"], dialect)
        builtins = resolver.builtins(World(frozenset(), {"dialect": dialect}))
        self.world = World(builtins.closed | {"Table", "Column"}, {"dialect": dialect})
        given = []
        for path, columns in tables.items():
            schema, _, table = path.rpartition(".")
            place = {"schema": schema} if schema else {}
            given.append(Binding(table, "Table", attrs=place, origin=Origin("facts")))
            attrs = {"table": table, **place}
            words = columns.split() if isinstance(columns, str) else columns
            given.extend(Binding(name, "Column", attrs=attrs, origin=Origin("facts")) for name in words)
        adopted = resolver.adopt(given, self.world)
        self.environment = Environment.of([*builtins.bindings, *adopted]).push()

    def statement(self, text: str, *, complete: bool = True) -> Statement:
        return self.lexer.statement(text, complete=complete)

    def resolve(self, text: str, *, complete: bool = True) -> Resolution:
        return resolver.resolve(self.statement(text, complete=complete), self.environment, self.world)

    def marked(self, marked: str, *, complete: bool = True) -> str:
        """The text with the marks that its verdicts ask for."""
        text = MARK.sub(r"\2", marked)
        data = text.encode()
        parts: list[bytes] = []
        at = 0
        signs = {verdict: sign for sign, verdict in MARKS.items()}
        for reference in self.resolve(text, complete=complete).references:
            sign = signs.get(reference.verdict, "")
            if not sign or (reference.sort == "Function" and sign == "?"):
                continue
            span = reference.span
            parts += [
                data[at : span.start],
                f"[{sign}".encode(),
                data[span.start : span.end],
                f"{sign}]".encode(),
            ]
            at = span.end
        return b"".join([*parts, data[at:]]).decode()

    def reference(self, text: str, name: str) -> Reference:
        return next(each for each in self.resolve(text).references if each.name == name)

    def visible(self, text: str, sort: str = "", hole: int = 0) -> list[str]:
        """How the names visible at a hole are spelled."""
        offset = self.statement(text).holes[hole].span.start
        frames = self.resolve(text).frames_at(offset)
        bindings = frames[-1].bindings.values() if frames else ()
        return [
            each.spelling
            for each in bindings
            if each.attrs.get("scope") == "visible" and sort in ("", each.sort)
        ]

    def expected(self, text: str, hole: int = 0) -> str:
        """The sort and the regions at a hole: `Column in Select/Where`."""
        offset = self.statement(text).holes[hole].span.start
        found = self.resolve(text).expectation_at(offset)
        return f"{found.sort or 'anything'} in {'/'.join(found.region)}"
