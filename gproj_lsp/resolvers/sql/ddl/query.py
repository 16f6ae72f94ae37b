"""The queries that give relations their columns: of views, CREATE TABLE AS, SELECT INTO."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gproj_lsp.environment import Binding, Key
from gproj_lsp.resolvers.sql.ddl.draft import EVERYTHING, Draft, Target
from gproj_lsp.resolvers.sql.ddl.reader import Reader
from gproj_lsp.resolvers.sql.ddl.session import search
from gproj_lsp.resolvers.sql.names import table_key
from gproj_lsp.resolvers.sql.scopes import ANYTHING, Outputs
from gproj_lsp.syntax import TokenKind
from gproj_lsp.text import Span

__all__ = ["Given", "copy", "given", "select"]

_TAILS = (
    ("with", "no", "data"),
    ("with", "data"),
    ("with", "check", "option"),
    ("with", "local", "check", "option"),
    ("with", "cascaded", "check", "option"),
    ("with", "no", "schema", "binding"),
)
"""What may follow a view's query and is no part of it."""

_NO_TARGETS = frozenset({"insert", "merge", "replace", "ignore", "overwrite"})


@dataclass(frozen=True)
class Given:
    """The columns a relation takes from a query.

    Attributes:
        outputs: The query's, as columns of the relation.
        uses: Keys of the relations the query reads, what a DROP of them would meet; separated by spaces.
        star: Whether it has a star in it.
    """

    outputs: Outputs = ANYTHING
    uses: str = ""
    star: bool = False

    @property
    def columns(self) -> tuple[Binding, ...]:
        """Those with a name, the first of equal ones."""
        return tuple({column.key: column for column in reversed(tuple(self.outputs.named))}.values())[::-1]

    @property
    def open(self) -> bool:
        """Whether there may be more."""
        return self.outputs.open or self.outputs.guess or not self.outputs.exact

    def under(self, names: tuple[Binding, ...], dialect: str) -> Given:
        """The columns under a list of names, which PostgreSQL lets be shorter."""
        if dialect in ("postgres", "generic"):
            return replace(self, outputs=self.outputs.relabelled(names))
        return replace(self, outputs=Outputs(names))


def given(draft: Draft, reader: Reader, target: Target) -> Given:
    """Read the query that stands at the reader, up to its end."""
    if reader.peek() in ("table", "from") and draft.dialect != "sqlite":
        return _whole_table(draft, reader, target)
    if reader.peek() not in ("select", "with", "values", "("):
        return Given()
    span = _span(reader)
    star = any(token.text == "*" and span.contains(token.span) for token in reader.tokens)
    return Given(_moved(draft, draft.outputs(span), target), _uses(draft, reader, span), star)


def _moved(draft: Draft, outputs: Outputs, target: Target) -> Outputs:
    columns = tuple(column if column is None else draft.moved(column, target) for column in outputs.columns)
    for column, place in zip(columns, outputs.places, strict=False):
        if column is not None:
            draft.place(column.key, place)
    return replace(outputs, columns=columns)


def _whole_table(draft: Draft, reader: Reader, target: Target) -> Given:
    """`TABLE t` and DuckDB's `FROM t`."""
    reader.at += 1
    path = reader.path()
    if path is None or (reader.here is not None and reader.peek() != "with"):
        reader.at = len(reader.tokens)
        return Given()
    source = draft.target(path)
    columns: dict[Key, Binding] = {}
    is_open = copy(draft, [source], target, columns)
    return Given(Outputs(tuple(columns.values()), open=is_open), source.owner)


def _span(reader: Reader) -> Span:
    """From here to the end, without what follows the query."""
    tokens = reader.tokens[reader.at :]
    words = tuple(token.text.lower() for token in tokens[-4:])
    end = len(tokens)
    for tail in _TAILS:
        if words[-len(tail) :] == tail:
            end = len(tokens) - len(tail)
    reader.at = len(reader.tokens)
    return Span(tokens[0].span.start, tokens[max(end, 1) - 1].span.end)


def _uses(draft: Draft, reader: Reader, span: Span) -> str:
    """The relations that a name in the span may mean."""
    found: dict[str, None] = {}
    for token in reader.tokens:
        if token.kind in (TokenKind.WORD, TokenKind.QUOTED) and span.contains(token.span):
            name = reader.within((token,)).name()
            if name is not None:
                for each in draft.catalog.elsewhere(name.folded(draft.dialect)):
                    found[table_key(each.owner, each.folded)] = None
    return " ".join(found)


def copy(draft: Draft, sources: Iterable[Target], target: Target, into: dict[Key, Binding]) -> bool:
    """Take over the columns of other tables; whether some of them are not known."""
    is_open = False
    for source in sources:
        is_open |= source.open
        for column in draft.columns(source):
            moved = draft.moved(column, target)
            into.setdefault(moved.key, moved)
    return is_open


def select(draft: Draft, reader: Reader) -> None:
    """SELECT … INTO t creates a table (PostgreSQL, generic); set_config and load_extension act on what follows."""
    words = [token.text.lower() for token in reader.tokens]
    if "load_extension" in words:
        draft.opens |= EVERYTHING
    if "set_config" in words:
        _set_config(draft, words)
    if draft.dialect not in ("postgres", "generic") or reader.skip_to("into") != "into":
        return
    if reader.at and words[reader.at - 1] in _NO_TARGETS:
        return
    whole = Span(reader.tokens[0].span.start, reader.tokens[-1].span.end)
    reader.at += 1
    temporary = reader.take_any("temp", "temporary", "unlogged")
    reader.take("table")
    path = reader.path()
    if path is None:
        return
    target = draft.target(path)
    query = Given(_moved(draft, draft.outputs(whole), target))
    kind = "temp" if temporary.startswith("temp") else "table"
    draft.establish(draft.table(target, kind, columns="open" if query.open else ""), query.columns)


def _set_config(draft: Draft, words: list[str]) -> None:
    at = words.index("set_config")
    if words[at + 2 : at + 3] == ["'search_path'"]:
        value = words[at + 4] if len(words) > at + 4 else ""
        search(draft, value.strip("'").split(","))
