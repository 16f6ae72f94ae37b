"""PostgreSQL as the judge of which names exist: a throw-away server on a private socket, driven by its own client.

Whole files go through `psql`, because only `psql` knows its backslash commands, its variables and where a statement ends;
its complaints carry the line on which the statement ended and the SQLSTATE.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gproj_lsp.oracles.base import Judgement, OracleUnavailableError

__all__ = ["OracleUnavailableError", "PostgresOracle", "postgres"]

# SQLSTATE codes that say "this name does not exist" (PostgreSQL's documentation, appendix A, class 42 and 3F).
_ABSENT = frozenset({"42P01", "42703", "42883", "42704", "42P02", "3F000", "3D000", "34000", "26000"})
_AMBIGUOUS = frozenset({"42702", "42725", "42P09"})
_COMPLAINT = re.compile(
    r"^psql:(?P<file>.*?):(?P<line>\d+): (?:ERROR|FATAL|PANIC):  (?:(?P<code>\w{5}): )?(?P<text>.*)$"
)
_UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True)
class PostgresOracle:
    """A running throw-away server.

    Attributes:
        programs: Where `psql` and its like lie.
        socket: The directory of its socket; nothing listens on the network.
        user: Its superuser.
    """

    programs: Path
    socket: Path
    user: str = "postgres"

    def url(self, database: str = "postgres") -> str:
        """How SQLAlchemy reaches a database of this server."""
        return f"postgresql+psycopg://{self.user}@/{database}?host={self.socket}"

    def create(self, database: str) -> None:
        """Create an empty database.

        Raises:
            OracleUnavailableError: The server refused.
        """
        self.run(f'CREATE DATABASE "{database}"')

    def run(self, statement: str, database: str = "postgres") -> None:
        """Run one statement that must succeed.

        Raises:
            OracleUnavailableError: It failed; the message is the server's.
        """
        done = self._psql(database, "-v", "ON_ERROR_STOP=1", "-c", statement)
        if done.returncode:
            raise OracleUnavailableError(done.stderr.strip())

    def complaints(
        self, file: Path, database: str = "postgres", seconds: float = 600
    ) -> tuple[Judgement, ...]:
        """Run a whole file, going on after errors; what the server refused, in order.

        Raises:
            OracleUnavailableError: The run took longer than the limit.
        """
        try:
            done = self._psql(database, "-v", "VERBOSITY=verbose", "-f", str(file), seconds=seconds)
        except subprocess.TimeoutExpired as error:
            raise OracleUnavailableError(f"psql took over {seconds:g} s on {file}") from error
        return tuple(_read_complaints(done.stderr, str(file)))

    def _psql(self, database: str, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        connection = ["-X", "-q", "-h", str(self.socket), "-U", self.user, "-d", database]
        return subprocess.run(  # noqa: S603 - the program is PostgreSQL's own, found on this machine
            [str(self.programs / "psql"), *connection, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PGCLIENTENCODING": "UTF8", "PGAPPNAME": "gproj-oracle"},
        )


def _read_complaints(output: str, file: str) -> Iterator[Judgement]:
    for line in output.splitlines():
        found = _COMPLAINT.match(line)
        if found and found["file"] == file:
            code = found["code"] or ""  # a file may set another VERBOSITY
            yield Judgement(
                line=int(found["line"]),
                accepted=False,
                absent=code in _ABSENT if code else "does not exist" in found["text"],
                ambiguous=code in _AMBIGUOUS,
                code=code,
                message=found["text"],
            )


@contextmanager
def postgres() -> Iterator[PostgresOracle]:
    """Start a server in a temporary directory; stop and delete it at the end.

    Raises:
        OracleUnavailableError: PostgreSQL's programs are not installed, or the server does not start.
    """
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="gproj-pg-") as name:
        home = Path(name)
        owner = _owner(home)
        data = home / "data"
        _serve(
            owner,
            [
                str(programs / "initdb"),
                "-D",
                str(data),
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            ],
        )
        options = (
            f"-c listen_addresses='' -c unix_socket_directories='{home}' -c fsync=off -c timezone=PST8PDT"
        )
        control = [str(programs / "pg_ctl"), "-D", str(data), "-w"]
        _serve(owner, [*control, "-o", options, "-l", str(home / "log"), "start"])
        try:
            yield PostgresOracle(programs, home)
        finally:
            _serve(owner, [*control, "-m", "immediate", "stop"])


def _programs() -> Path:
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: place.parent.name, reverse=True
    )
    for place in places:
        if all((place / program).exists() for program in ("initdb", "pg_ctl", "psql")):
            return place
    raise OracleUnavailableError(
        "PostgreSQL's server programs are not installed (Debian: apt-get install postgresql)"
    )


def _owner(home: Path) -> str | None:
    """The user to run the server as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for user in _UNPRIVILEGED:
        try:
            shutil.chown(home, user)
        except LookupError:
            continue
        return user
    raise OracleUnavailableError(f"no unprivileged user of {', '.join(_UNPRIVILEGED)} to run PostgreSQL as")


def _serve(owner: str | None, command: list[str]) -> None:
    done = subprocess.run(  # noqa: S603 - the program is PostgreSQL's own, found on this machine
        command, user=owner, cwd="/", capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise OracleUnavailableError(f"{Path(command[0]).name} failed: {done.stderr.strip()}")
