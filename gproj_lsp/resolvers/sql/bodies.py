"""The SQL inside definitions that sqlglot keeps as text: triggers, routines, policies, rules.

Each part of a body is read at its own place: what stands before it is blanked, so that offsets stay those of the statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gproj_lsp.environment import Binding
from gproj_lsp.resolve import Declaration
from gproj_lsp.resolvers.sql.ddl.reader import Name, Path, Reader
from gproj_lsp.resolvers.sql.scopes import Relation
from gproj_lsp.statements import split
from gproj_lsp.syntax import TokenKind
from gproj_lsp.text import Span, decode, encode

if TYPE_CHECKING:
    from gproj_lsp.resolvers.sql.catalog import Catalog
    from gproj_lsp.syntax import Statement, Token

__all__ = ["Part", "parts"]

_OPENER = re.compile(
    r"CREATE\s+(?:(?:OR\s+REPLACE|TEMP|TEMPORARY|CONSTRAINT)\s+)*(TRIGGER|FUNCTION|PROCEDURE|POLICY|RULE)\b",
    re.IGNORECASE,
)
_EXPRESSION = "SELECT "
_TABLE = "SELECT * FROM "
_DOLLAR = re.compile(r"\$\w*\$")
_MODES = frozenset({"in", "out", "inout", "variadic"})


@dataclass(frozen=True)
class Part:
    """One piece of SQL inside a definition.

    Attributes:
        text: The piece at its own place behind blanks; an expression stands behind a SELECT.
        relations: The names that are visible in all of it.
        variables: Whether a bare name may also be a variable.
        vague: Spans of holes and parameters inside a quoted body; outside, they are the statement's.
        routine: The folded name of the routine whose body it is, which it may call; or empty.
        declarations: The parameters among those names.
    """

    text: str
    relations: tuple[Relation, ...] = ()
    variables: bool = False
    vague: tuple[Span, ...] = ()
    routine: str = ""
    declarations: tuple[Declaration, ...] = ()


def parts(statement: Statement, catalog: Catalog) -> tuple[Part, ...] | None:
    """The SQL inside a definition, or None if the statement is none of those that hold some."""
    opener = _OPENER.match(statement.text)
    if opener is None:
        return None
    body = _Body(statement, catalog)
    kind = opener[1].lower()
    body.reader.skip_to(kind)
    body.reader.take(kind)
    body.reader.take("if", "not", "exists")
    if kind == "trigger":
        return tuple(body.trigger())
    if kind == "policy":
        return tuple(body.policy())
    if kind == "rule":
        return tuple(body.rule())
    return tuple(
        replace(part, routine=body.name, declarations=tuple(body.declarations)) for part in body.routine()
    )


class _Body:
    """One definition being taken apart."""

    def __init__(self, statement: Statement, catalog: Catalog) -> None:
        self.data = encode(statement.filled)
        self.lexer = statement.lexer
        self.catalog = catalog
        self.name = ""
        self.declarations: list[Declaration] = []
        self.reader = Reader(statement.tokens, catalog.dialect.name)

    # -- kinds ----------------------------------------------------------------------------------------------------------

    def trigger(self) -> Iterator[Part]:
        reader = self.reader
        if reader.skip_to("instead", "on", "of") == "instead":
            reader.at += 1
            reader.take("of")
            reader.skip_to("on", "of")
        columns = self._until("on") if reader.take("of") else ()
        if not reader.take("on"):
            return
        named, relation = self._table()
        if named is None:
            return
        yield self._piece(named, _TABLE)
        if columns:
            yield self._piece(columns, _EXPRESSION, relation)
        rows = self._rows(relation)
        if reader.skip_to("when", "begin", "execute", "row") == "when":
            reader.at += 1
            yield self._piece(self._until("begin", "execute"), _EXPRESSION, *rows)
        reader.take("row")
        if reader.peek() == "when":
            reader.at += 1
            yield self._piece(self._until("begin", "execute"), _EXPRESSION, *rows)
        if reader.take("execute"):
            reader.take_any("function", "procedure")
            yield self._call()
            return
        block = reader.take("begin")
        variables = self.catalog.dialect.variables
        for tokens in self._statements(reader.tokens[reader.at :], block=block):
            yield self._piece(tokens, "", *rows, variables=variables)

    def policy(self) -> Iterator[Part]:
        reader = self.reader
        if reader.skip_to("on") and reader.take("on"):
            named, relation = self._table()
            if named is not None:
                yield self._piece(named, _TABLE)
                while reader.skip_to("using", "check"):
                    reader.at += 1
                    if condition := reader.group():
                        yield self._piece(condition, _EXPRESSION, relation)

    def rule(self) -> Iterator[Part]:
        reader = self.reader
        if not (reader.skip_to("to") and reader.take("to")):
            return
        named, relation = self._table()
        if named is None:
            return
        yield self._piece(named, _TABLE)
        rows = self._rows(relation)
        if reader.take("where"):
            # The condition may leave NEW and OLD out; the actions may not.
            yield self._piece(self._until("do"), _EXPRESSION, relation, *rows)
        if not reader.take("do"):
            return
        reader.take_any("also", "instead")
        if reader.peek() == "nothing":
            return
        block = reader.group() if reader.peek() == "(" else reader.tokens[reader.at :]
        for tokens in self._statements(block or (), block=False):
            yield self._piece(tokens, "", *rows)

    def routine(self) -> Iterator[Part]:
        reader = self.reader
        path = reader.path()
        arguments = reader.group()
        if path is None or arguments is None:
            return
        name = self.name = path.name.folded(self.catalog.dialect.name)
        parameters = self._parameters(name, reader.within(arguments))
        rest = reader.tokens[reader.at :]
        language = _language(rest)
        for at, token in enumerate(rest):
            word = token.text.lower() if token.kind is TokenKind.WORD else ""
            before = rest[at - 1].text.lower() if at else ""
            if word == "begin" and at + 1 < len(rest) and rest[at + 1].text.lower() == "atomic":
                for tokens in self._statements(rest[at + 2 :], block=True):
                    yield self._piece(tokens, "", *parameters)
                return
            if word == "return" and language in ("", "sql") and self.catalog.dialect.name == "postgres":
                yield self._piece(rest[at + 1 :], _EXPRESSION, *parameters)
                return
            if token.kind is TokenKind.STRING and before == "as" and language == "sql":
                yield from self._quoted(token, parameters)
                return

    # -- pieces ---------------------------------------------------------------------------------------------------------

    def _piece(
        self, tokens: Sequence[Token], prefix: str, *relations: Relation, variables: bool = False
    ) -> Part:
        if not tokens:
            return Part("")
        return self._part(
            Span(tokens[0].span.start, tokens[-1].span.end), prefix, relations, variables=variables
        )

    def _call(self) -> Part:
        """The function that a trigger calls; its arguments are strings, however they are written."""
        start = self.reader.at
        if self.reader.path() is None:
            return Part("")
        called = self._piece(self.reader.tokens[start : self.reader.at], _EXPRESSION)
        return Part(f"{called.text}()")

    def _part(self, span: Span, prefix: str, relations: tuple[Relation, ...], *, variables: bool) -> Part:
        blank = " " * (span.start - len(prefix))
        return Part(blank + prefix + decode(self.data[span.start : span.end]), relations, variables)

    def _quoted(self, token: Token, parameters: tuple[Relation, ...]) -> Iterator[Part]:
        """The statements in a string; one with escapes has other offsets than it shows."""
        dollar = _DOLLAR.match(token.text)
        mark = dollar[0] if dollar is not None else "'"
        inner = token.text[len(mark) : -len(mark)]
        if not token.text.startswith(mark) or (mark == "'" and ("'" in inner or "\\" in inner)):
            return
        start = token.span.start + len(encode(mark))
        for statement, offset in split(inner, self.lexer).placed():
            text = " " * (start + offset) + statement.filled
            vague = (*(hole.span for hole in statement.holes), *statement.opaque)
            yield Part(text, parameters, vague=tuple(span.shift(start + offset) for span in vague))

    def _statements(self, tokens: Sequence[Token], *, block: bool) -> Iterator[Sequence[Token]]:
        """The statements of a block, up to the END that closes it."""
        depth = start = 0
        for at, token in enumerate(tokens):
            word = token.text.lower() if token.kind in (TokenKind.WORD, TokenKind.PUNCTUATION) else ""
            if word in ("case", "("):
                depth += 1
            elif word == ")" or (word == "end" and depth):
                depth -= 1
            elif depth == 0 and (word == ";" or (word == "end" and block)):
                if at > start:
                    yield tokens[start:at]
                start = at + 1
                if word == "end":
                    return
        if start < len(tokens):
            yield tokens[start:]

    def _until(self, *words: str) -> Sequence[Token]:
        start = self.reader.at
        self.reader.skip_to(*words)
        return self.reader.tokens[start : self.reader.at]

    # -- names ----------------------------------------------------------------------------------------------------------

    def _table(self) -> tuple[Sequence[Token] | None, Relation]:
        """The table that a definition hangs on: its tokens, and its columns."""
        start = self.reader.at
        path = self.reader.path()
        if path is None:
            return None, Relation("", "")
        dialect = self.catalog.dialect.name
        schema, name = path.schema_key(dialect), path.name.folded(dialect)
        binding = self.catalog.relation(schema, name)
        relation = Relation.table(self.catalog, binding, name, path.name.text, schema)
        return self.reader.tokens[start : self.reader.at], relation

    def _rows(self, relation: Relation) -> tuple[Relation, ...]:
        return tuple(relation.one(name) for name in ("new", "old"))

    def _parameters(self, function: str, reader: Reader) -> tuple[Relation, ...]:
        """A routine's parameters, bare or qualified by its name, and the fields of those that are rows."""
        known: dict[str, Binding] = {}
        rows: list[Relation] = []
        for item in reader.items():
            one = reader.within(item)
            one.take_any(*_MODES)
            name = one.name()
            if name is None or one.here is None:
                continue
            binding = self._parameter(name, function)
            known[binding.folded] = binding
            if name.span is not None:
                self.declarations.append(Declaration(name.span, binding))
            rows.append(self._row(binding, one.path()))
        return (Relation(function, self.catalog.spell(function), known=known), *rows)

    def _parameter(self, name: Name, function: str) -> Binding:
        return Binding(
            name.text,
            "Column",
            function,
            folded=name.folded(self.catalog.dialect.name),
            attrs={"table": function, "kind": "parameter"},
            spelling=self.catalog.spell(name.text),
        )

    def _row(self, parameter: Binding, kind: Path | None) -> Relation:
        """The fields of a parameter: the columns of the table its type is a row of; of any other type nothing is known."""
        dialect = self.catalog.dialect.name
        table = kind and self.catalog.relation(kind.schema_key(dialect), kind.name.folded(dialect))
        relation = Relation.table(self.catalog, table or None, parameter.folded, parameter.spelling, None)
        return relation.under(parameter.folded, parameter.spelling, row=True)


def _language(tokens: Sequence[Token]) -> str:
    for at, token in enumerate(tokens[:-1]):
        if token.kind is TokenKind.WORD and token.text.lower() == "language":
            return tokens[at + 1].text.strip("'\"").lower()
    return ""
