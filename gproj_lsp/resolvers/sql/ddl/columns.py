"""The bracketed list of CREATE TABLE: columns with their types and keys, and what the list takes from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gproj_lsp.resolvers.sql.ddl.kinds import words
from gproj_lsp.resolvers.sql.ddl.reader import Name, Path, Reader
from gproj_lsp.syntax import Token

__all__ = ["ColumnDef", "Definitions", "column_def", "definitions"]

_ENDS_TYPE = words(
    "as auto_increment autoincrement check collate comment compression constraint default encode first after generated"
    " identity invisible key not null on primary references storage unique visible virtual stored"
)
_TYPES = words(
    "bigint blob bool boolean char character clob date datetime decimal double enum float int integer json jsonb numeric"
    " real serial smallint text time timestamp tinyint uuid varchar"
)


@dataclass(frozen=True)
class ColumnDef:
    """A column as declared.

    Attributes:
        name: Its name.
        type: As written, spaces collapsed.
        nullable: Whether NULL may stand there.
        primary: Whether it is (part of) the primary key.
        references: The table a foreign key names.
        target: The column of that table, if named.
    """

    name: Name
    type: str = ""
    nullable: bool = True
    primary: bool = False
    references: Path | None = None
    target: Name | None = None


@dataclass(frozen=True)
class Definitions:
    """A whole list.

    Attributes:
        columns: The columns.
        like: Tables whose columns it takes over.
        open: Whether there may be more (a hole or template stands among them).
    """

    columns: tuple[ColumnDef, ...] = ()
    like: tuple[Path, ...] = ()
    open: bool = False


@dataclass
class _Keys:
    """What the table's constraints say, by folded column."""

    primary: set[str] = field(default_factory=set)
    foreign: dict[str, tuple[Path, Name | None]] = field(default_factory=dict)


def definitions(tokens: Sequence[Token], dialect: str) -> Definitions:
    """Read what stands between the brackets."""
    columns: list[ColumnDef] = []
    like: list[Path] = []
    is_open = False
    keys = _Keys()
    for item in Reader(tokens, dialect).items():
        reader = Reader(item, dialect)
        if reader.take("like") and (path := reader.path()) is not None:
            like.append(path)
        elif _is_constraint(reader := Reader(item, dialect)):
            _read_constraint(reader, keys)
        elif (column := column_def(reader)) is not None:
            columns.append(column)
        else:
            is_open = True
    return Definitions(tuple(_keyed(each, keys, dialect) for each in columns), tuple(like), is_open)


def column_def(reader: Reader) -> ColumnDef | None:
    """A column's name, type and constraints, up to the reader's end; None where no name stands."""
    if (name := reader.name()) is None:
        return None
    column = ColumnDef(name, _type(reader))
    while reader.here is not None:
        if reader.take("not", "null"):
            column = replace(column, nullable=False)
        elif reader.take("primary", "key"):
            column = replace(column, primary=True, nullable=False)
        elif reader.take("references"):
            column = _referring(column, reader)
        elif reader.group() is None:
            reader.at += 1
    return column


def _type(reader: Reader) -> str:
    start = reader.at
    while reader.here is not None and reader.peek() not in _ENDS_TYPE:
        if reader.group() is None:
            reader.at += 1
    words = ""
    for token in reader.tokens[start : reader.at]:
        glued = token.text in "(),[]." or words[-1:] in ("(", "[", ".", "")
        words += token.text if glued else f" {token.text}"
    return words


def _referring(column: ColumnDef, reader: Reader) -> ColumnDef:
    path = reader.path()
    group = reader.group()
    target = Reader(group, reader.dialect).name() if group else None
    return replace(column, references=path, target=target)


def _is_constraint(reader: Reader) -> bool:
    """Whether an item of the list begins a table constraint, though its first word may also name a column."""
    first, second = reader.peek(), reader.peek(1)
    if first == "constraint":
        return True
    if first in ("primary", "foreign"):
        return second == "key"
    if first in ("check", "unique"):
        return second in ("(", "key", "index", "nulls") or (first == "unique" and reader.peek(2) == "(")
    if first == "exclude":
        return second in ("using", "(")
    if first == "period":
        return second == "for"
    if first in ("fulltext", "spatial"):
        return second in ("key", "index", "(") or reader.peek(2) == "("
    if first in ("key", "index"):
        return second == "(" or (reader.peek(2) in ("(", "using") and second not in _TYPES)
    return False


def _read_constraint(reader: Reader, keys: _Keys) -> None:
    if reader.take("constraint"):
        reader.name()
    if reader.take("primary", "key"):
        reader.skip_to("(")
        keys.primary.update(name.folded(reader.dialect) for name in _names(reader))
    elif reader.take("foreign", "key"):
        reader.skip_to("(")
        own = _names(reader)
        if reader.take("references") and (path := reader.path()) is not None:
            targets = _names(reader)
            for at, name in enumerate(own):
                keys.foreign[name.folded(reader.dialect)] = (path, targets[at] if at < len(targets) else None)


def _names(reader: Reader) -> tuple[Name, ...]:
    group = reader.group()
    if group is None:
        return ()
    found = (Reader(item, reader.dialect).name() for item in Reader(group, reader.dialect).items())
    return tuple(name for name in found if name is not None)


def _keyed(column: ColumnDef, keys: _Keys, dialect: str) -> ColumnDef:
    """The column with what the table's constraints say of it."""
    folded = column.name.folded(dialect)
    if folded in keys.primary:
        column = replace(column, primary=True, nullable=False)
    if column.references is None and folded in keys.foreign:
        path, target = keys.foreign[folded]
        column = replace(column, references=path, target=target)
    return column
