"""SQLite as the judge of answers: whether a query runs, what it names that is not there, and whether it gives what it should.

The databases may be anybody's and the queries a model's: each is opened read-only, a query may read and nothing else, and it
has a limit of time, of rows and of the size of a value.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gproj_lsp.errors import InputError

__all__ = ["Execution", "Judge", "Row", "absent", "matches"]

Cell = str | bytes | int | float | None
Row = tuple[Cell, ...]
_SECONDS = 5.0
_ROWS = 20_000
_LONGEST = 1_000_000
"""Bytes of the longest value."""
_LIMIT_LENGTH = 0
"""SQLITE_LIMIT_LENGTH, which the module has no name for before Python 3.11."""
_STEPS = 1_000
"""Steps of SQLite's machine between two looks at the clock."""
_DIGITS = 10
"""Digits that sums of the same numbers agree in, whatever the order they were added in."""
_READING = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
)
_ABSENT = re.compile(r"no such (?P<kind>table|column|function): (?P<name>.+)")
_QUOTED = re.compile(
    r"""'(?:[^']|'')*' | --[^\n]* | /\*.*?\*/ | "(?P<name>(?:[^"]|"")*)" """, re.VERBOSE | re.DOTALL
)
_ORDER = re.compile(r"\border\s+by\b", re.IGNORECASE)


@dataclass(frozen=True)
class Execution:
    """What became of a query.

    Attributes:
        rows: What it gave; None where it did not run to its end.
        error: Why it did not.
    """

    rows: tuple[Row, ...] | None
    error: str = ""


@dataclass
class Judge:
    """One database, opened read-only; `contextlib.closing` closes it.

    Attributes:
        path: Its file.
        seconds: What a query may take.

    Raises:
        InputError: The file is not there, or is no database.
    """

    path: Path
    seconds: float = _SECONDS
    _connection: sqlite3.Connection = field(init=False, repr=False)
    _deadline: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        try:
            uri = f"{self.path.absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(uri, uri=True, isolation_level=None)
            self._connection.execute("SELECT 1 FROM sqlite_master").fetchall()
        except sqlite3.Error as error:
            raise InputError(f"the database can't be read: {error}", place=str(self.path)) from error
        self._connection.text_factory = _text
        setlimit = getattr(self._connection, "setlimit", None)  # from Python 3.11 on
        if setlimit is not None:
            setlimit(_LIMIT_LENGTH, _LONGEST)
        self._connection.set_authorizer(_authorized)
        self._connection.set_progress_handler(lambda: time.monotonic() > self._deadline, _STEPS)

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def run(self, query: str) -> Execution:
        """Run a query, as far as time and rows go."""
        self._deadline = time.monotonic() + self.seconds
        try:
            rows = self._connection.execute(query).fetchmany(_ROWS + 1)
        except (
            sqlite3.Error,
            sqlite3.Warning,
            ValueError,
            UnicodeError,
            MemoryError,
            OverflowError,
        ) as error:
            return Execution(None, str(error) or type(error).__name__)
        if len(rows) > _ROWS:
            return Execution(None, f"more than {_ROWS} rows")
        return Execution(tuple(rows))

    def strictly(self, query: str) -> str:
        """What SQLite complains of where text in double quotes is a name always, and never a string; empty: of nothing."""
        self._deadline = time.monotonic() + self.seconds
        try:
            self._connection.execute(f"EXPLAIN {_names_only(query)}").fetchall()
        except (sqlite3.Error, sqlite3.Warning, ValueError, UnicodeError, MemoryError) as error:
            return str(error)
        return ""


def absent(complaint: str) -> tuple[str, str]:
    """What a complaint of SQLite says is not there: `table`, `column` or `function`, and its name; empty texts: nothing."""
    found = _ABSENT.search(complaint)
    return (found["kind"], found["name"]) if found else ("", "")


def matches(expected: Sequence[Row], given: Sequence[Row], query: str) -> bool:
    """Whether two results are the same, by the convention of Spider's test suites (Zhong et al., 2020).

    Columns may stand in another order; rows may too, unless the reference query orders them.

    Args:
        expected: What the reference query gave.
        given: What the answer gave.
        query: The reference query.
    """
    if not expected and not given:
        return True
    if len(expected) != len(given) or len(expected[0]) != len(given[0]):
        return False
    one = [_column(column) for column in zip(*expected, strict=True)]
    other = [_column(column) for column in zip(*given, strict=True)]
    ordered = _ORDER.search(query) is not None
    return _pairing(one, other, (), ordered=ordered)


_Column = tuple[Cell, ...]


def _pairing(
    one: Sequence[_Column], other: Sequence[_Column], taken: tuple[int, ...], *, ordered: bool
) -> bool:
    """Whether the first columns of one result, paired with those taken of the other, can be continued to equal rows."""
    mine = list(zip(*one[: len(taken)], strict=True))
    its = list(zip(*(other[at] for at in taken), strict=True))
    if (mine != its) if ordered else (Counter(mine) != Counter(its)):
        return False
    if len(taken) == len(one):
        return True
    tried: set[_Column] = set()
    for at, column in enumerate(other):
        if at in taken or column in tried:
            continue
        tried.add(column)  # an equal column would lead to the same rows
        if _pairing(one, other, (*taken, at), ordered=ordered):
            return True
    return False


def _column(cells: Sequence[Cell]) -> _Column:
    return tuple(float(f"{cell:.{_DIGITS}g}") if isinstance(cell, float) else cell for cell in cells)


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _authorized(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Lets a query read, and nothing else."""
    del first
    if action not in _READING or (action == sqlite3.SQLITE_FUNCTION and second == "load_extension"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _names_only(query: str) -> str:
    """The query with its double quotes as backticks, which SQLite never reads as a string's."""

    def respelled(found: re.Match[str]) -> str:
        name = found["name"]
        return found[0] if name is None else "`" + name.replace('""', '"').replace("`", "``") + "`"

    return _QUOTED.sub(respelled, query)
