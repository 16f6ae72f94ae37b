"""Tables: rows under named columns."""

import warnings
from typing import Literal

from shelf.kinds import Fit, Kind


class Grouping:
    """The rows of a table, by the values of some of its columns."""

    def __init__(self, table: "Table", by: list[str]) -> None:
        self.table = table
        self.by = by

    def tally(self, *, into: str = "n") -> "Table":
        """How many rows each group has."""
        return self.table

    def total(self, column: str, *, into: str = "") -> "Table":
        """The sum of a column in each group."""
        return self.table


class Table:
    """Rows under named columns.

    Args:
        rows: Its rows.
        names: The names of its columns.
        kinds: What they hold.
    """

    def __init__(
        self, rows: list[list[object]], *, names: list[str], kinds: list[Kind] | None = None
    ) -> None:
        self.rows = rows
        self.names = names
        self.kinds = kinds

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def keep(self, *columns: str) -> "Table":
        """The table with these columns only."""
        return self

    def where(self, condition: str, *, missing: Literal["drop", "keep", "fail"] = "drop") -> "Table":
        """The rows for which a condition holds."""
        return self

    def arrange(self, *columns: str, descending: bool = False) -> "Table":
        """The rows in the order of some columns."""
        return self

    def sort_by(self, column: str) -> "Table":
        """The rows in the order of a column."""
        warnings.warn("use arrange", DeprecationWarning, stacklevel=2)
        return self.arrange(column)

    def pair(self, other: "Table", *, using: str, fit: Fit = Fit.BOTH) -> "Table":
        """The rows of two tables whose values are equal."""
        return self

    def gather(self, *columns: str) -> Grouping:
        """The rows by the values of some columns."""
        return Grouping(self, list(columns))

    def head(self, count: int = 10) -> "Table":
        """The first rows."""
        return self

    def save(self, path: str, *, form: Literal["csv", "arrow"] = "csv", mark: str = ",") -> None:
        """Write the table to a file."""


def load(
    path: str, *, form: Literal["csv", "arrow"] = "csv", mark: str = ",", limit: int | None = None
) -> Table:
    """The table in a file."""
    return Table([], names=[])


def stack(*tables: Table, fill: object = None) -> Table:
    """Several tables, one below the other."""
    return tables[0]
