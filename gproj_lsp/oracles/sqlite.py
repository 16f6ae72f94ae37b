"""SQLite as the judge of which names exist: statements are compiled, queries never run.

SQLite reads a double-quoted name that matches nothing as a string, so it is *blind* to ghosts in double quotes unless that
habit is switched off, which Python can do since 3.12.
"""

from __future__ import annotations

import sqlite3

from gproj_lsp.oracles.base import Judgement

__all__ = ["SQLiteOracle"]

_ABSENT = ("no such ", "has no column named", "unknown column", "unknown database")


class SQLiteOracle:
    """A private in-memory database that judges statements against a schema; `contextlib.closing` closes it.

    Attributes:
        sees_quoted: Whether an absent name in double quotes is refused; False means blind there.
    """

    def __init__(self, schema: str = "") -> None:
        """Open the database and run the schema's statements.

        Args:
            schema: DDL to run first.

        Raises:
            sqlite3.Error: The schema is not valid.
        """
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self.sees_quoted = self._refuse_quoted_strings()
        self._connection.executescript(schema)

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def judge(self, statement: str) -> Judgement:
        """Compile a statement without running it."""
        return self._verdict(f"EXPLAIN {statement}")

    def run(self, statement: str) -> Judgement:
        """Run a statement: later ones see what it declares."""
        return self._verdict(statement)

    def _verdict(self, statement: str) -> Judgement:
        try:
            self._connection.execute(statement)
        except (sqlite3.Error, sqlite3.Warning, ValueError, UnicodeError) as error:
            message = str(error)
            return Judgement(
                line=1,
                accepted=False,
                absent=any(sign in message for sign in _ABSENT),
                ambiguous="ambiguous column name" in message,
                message=message,
            )
        return Judgement(line=1, accepted=True)

    def _refuse_quoted_strings(self) -> bool:
        setconfig = getattr(self._connection, "setconfig", None)
        if setconfig is None:
            return False
        for option in ("SQLITE_DBCONFIG_DQS_DDL", "SQLITE_DBCONFIG_DQS_DML"):
            setconfig(getattr(sqlite3, option), False)  # noqa: FBT003 - positional in sqlite3's own interface
        return True
