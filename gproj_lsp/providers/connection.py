"""Connecting to databases, read-only, within a time limit, and without ever telling a password.

Every message about a URL goes through `Address`: what it shows has no secrets, and `scrubbed` takes them out of what a driver
says.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from urllib.parse import quote, quote_plus

from sqlalchemy import create_engine
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from gproj_lsp.document import at_home
from gproj_lsp.errors import ProviderError, UnreachableError

__all__ = ["Address", "connected", "parse_address"]

_DRIVERS = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
}
_DIALECTS = {
    "sqlite": "sqlite",
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
    "duckdb": "duckdb",
}
_EXTRAS = {"postgres": "postgresql", "mysql": "mysql", "duckdb": "duckdb"}
_SECRET_KEYS = re.compile(r"pass|pwd|secret|token|key|credential", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/\s]*@")


@dataclass(frozen=True)
class Address:
    """A database's URL.

    Attributes:
        url: As SQLAlchemy takes it, its driver filled in.
        dialect: `sqlite`, `postgres`, `mysql`, `duckdb`, or empty for another one.
        path: The file, for SQLite and DuckDB.
    """

    url: URL
    dialect: str
    path: Path | None = None

    @property
    def shown(self) -> str:
        """The URL as messages and origins show it: no password, no secret parameter; a file as its path is said."""
        if self.path is not None:
            return self.url.database or ""
        hidden = {key: "***" for key in self.url.query if _SECRET_KEYS.search(key)}
        shown = self.url.set(drivername=self.url.get_backend_name()).update_query_dict(hidden)
        return shown.render_as_string(hide_password=True)

    def scrubbed(self, text: str) -> str:
        """A driver's message without this URL's secrets, its first line only."""
        secrets = [self.url.password or ""]
        secrets += [str(value) for key, value in self.url.query.items() if _SECRET_KEYS.search(key)]
        for secret in filter(None, secrets):
            for form in {secret, quote(secret, safe=""), quote_plus(secret)}:
                text = text.replace(form, "***")
        lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
        return _USER_INFO.sub("***@", lines[0]) if lines else "no reason given"

    def failure(self, message: str, *, mend: str = "") -> ProviderError:
        """An error about this database."""
        return ProviderError(message, place=self.shown, mend=mend)


def parse_address(text: str, root: Path) -> Address:
    """Read a URL, or the path of an SQLite file.

    Args:
        text: `sqlite:///shop.db`, `postgresql://user@host/db`, `shop.db`.
        root: Where relative paths of files start.

    Raises:
        ProviderError: It is no database URL.
    """
    if "://" not in text:
        text = f"sqlite:///{text}"
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # What can't be read as a URL may hold its password anywhere, and the cause quotes all of it: neither is told.
        shown = f"{text.partition('://')[0]}://..."
        mend = "write it as sqlite:///file.db or postgresql://user@host/database"
        raise ProviderError("is not a database URL", place=shown, mend=mend) from None
    backend = url.get_backend_name()
    dialect = _DIALECTS.get("postgresql" if backend == "postgres" else backend, "")
    url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
    return Address(url, dialect, _path(url, dialect, root))


def _path(url: URL, dialect: str, root: Path) -> Path | None:
    if dialect not in ("sqlite", "duckdb") or not url.database or url.database == ":memory:":
        return None
    return root / at_home(url.database.removeprefix("file:"))


def existing(address: Address) -> Path:
    """The file of an address.

    Raises:
        ProviderError: There is none; nothing is created.
    """
    path = address.path
    if path is None:
        raise address.failure("an in-memory database holds nothing to read", mend="name a file")
    if path.is_dir():
        raise address.failure("is a folder and no database")
    if not path.exists():
        raise address.failure("no such database file", mend="check the setting `database`")
    if path.is_file() and not path.stat().st_size:
        raise address.failure("the file is empty, so it says nothing of any table")
    return path


@contextmanager
def connected(address: Address, seconds: float) -> Iterator[Connection]:
    """A read-only connection that gives up after about `seconds`.

    Raises:
        ProviderError: The driver is not installed, the file is absent or no database.
        UnreachableError: It is locked, takes too long, or does not let us in.
    """
    try:
        if address.dialect == "sqlite":
            path = existing(address)
            engine = create_engine(
                "sqlite://", creator=lambda: _open_sqlite(path, seconds), poolclass=NullPool
            )
        else:
            arguments = _arguments(address.dialect, seconds)
            engine = create_engine(address.url, poolclass=NullPool, connect_args=arguments)
    except NoSuchModuleError as error:
        kind = address.url.get_backend_name()
        raise address.failure(f"no driver for {kind} is installed", mend=_install(address.dialect)) from error
    except ModuleNotFoundError as error:
        message = f"the driver {error.name} is not installed"
        raise address.failure(message, mend=_install(address.dialect)) from error
    try:
        with engine.connect() as connection:
            yield connection
    except (SQLAlchemyError, sqlite3.Error, OSError, UnicodeError) as error:
        raise _failure(address, error) from None
    finally:
        engine.dispose()


def _install(dialect: str) -> str:
    extra = _EXTRAS.get(dialect)
    return f'pip install "gproj-lsp[{extra}]"' if extra else "install its SQLAlchemy dialect"


def _open_sqlite(path: Path, seconds: float) -> sqlite3.Connection:
    """Open a file that is there, never writing to it, and stop any statement that runs over the limit."""
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, timeout=min(seconds, 1.0), check_same_thread=False)
    deadline = monotonic() + seconds
    connection.set_progress_handler(lambda: int(monotonic() > deadline), 100_000)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _arguments(dialect: str, seconds: float) -> dict[str, object]:
    whole = max(1, math.ceil(seconds))
    if dialect == "postgres":
        options = f"-c default_transaction_read_only=on -c statement_timeout={int(seconds * 1000)}"
        return {"connect_timeout": max(2, whole), "options": options}
    if dialect == "mysql":
        return {"connect_timeout": whole, "read_timeout": whole, "write_timeout": whole}
    return {}


def _failure(address: Address, error: Exception) -> ProviderError:
    """What went wrong in one clause, without secrets and without the statement that met it."""
    cause = getattr(error, "orig", None) or error
    text = address.scrubbed(str(cause))
    said = f"can't be read: {text}"
    if address.dialect == "sqlite":
        if "not a database" in text or "malformed" in text:
            return address.failure(f"is not a readable SQLite database: {text}")
        if "locked" in text:
            said = "is locked by another program"
        if "interrupted" in text:
            said = "took too long to read"
    if "statement timeout" in text:
        said = "took too long to read"
    return UnreachableError(said, place=address.shown)
