"""A live database's schema, introspected read-only.

SQLite and PostgreSQL are read through SQLAlchemy's inspector, MySQL too; DuckDB through its own driver. Nothing is ever created
or written.
"""

from __future__ import annotations

from time import time, time_ns

from gproj_lsp.environment import Origin
from gproj_lsp.facts import NOTHING, Facts, Request
from gproj_lsp.providers.connection import connected, parse_address
from gproj_lsp.providers.duckdb import read_duckdb
from gproj_lsp.providers.reflection import reflect

__all__ = ["Database"]


class Database:
    """The setting `database = "sqlite:///shop.db"`."""

    name = "database"

    def fingerprint(self, request: Request) -> str | None:
        """A file's path, size, time and counters; for a server, which gives no cheap sign of change, never the same twice."""
        said = request.settings.get("database")
        if not isinstance(said, str) or not said:
            return None
        address = parse_address(said, request.root)
        if address.path is None:
            return f"server {address.shown} {time_ns()}"
        signs = []
        for suffix in ("", "-wal"):
            path = address.path.with_name(address.path.name + suffix)
            try:
                stat = path.stat()
                with path.open("rb") as file:
                    head = file.read(100)  # SQLite counts changes here: two within a tick of the clock differ
            except OSError:
                signs.append("absent")
            else:
                signs.append(f"{stat.st_size} {stat.st_mtime_ns} {head[24:44].hex()}")
        return f"file {address.path.absolute()} {' '.join(signs)}"

    def read(self, request: Request) -> Facts:
        """Every table, view, column, key, function and type that may be named.

        Raises:
            ProviderError: The database is absent, locked, no database, or does not answer; `place` names it without secrets.
        """
        said = request.settings.get("database")
        if not isinstance(said, str) or not said:
            return NOTHING
        address = parse_address(said, request.root)
        origin = Origin("database", address.shown, time())
        if address.dialect == "duckdb":
            return read_duckdb(address, origin, request.seconds)
        with connected(address, request.seconds) as connection:
            return reflect(connection, address, origin, request.seconds)
