"""The answer to `initialize`, given while the server is still being imported.

An editor that has its answer goes on and sends its documents, while what takes half a second is imported (the types of the
protocol alone a quarter). What is answered depends on the program and on what the client can do, so it is kept from one start
to the next. The server answers all the same: its answer is compared, kept, and not sent twice.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import re
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, BinaryIO, cast

from gproj_lsp import __version__
from gproj_lsp.document import write_atomically

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["Greeting"]

logger = logging.getLogger(__name__)

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_KEPT = 20
"""For how many clients and versions answers are kept."""


class Greeting:
    """Answers the first message if it is `initialize` and the answer is known; then lets the server have all of it.

    Args:
        source: Where the client's messages come from.
        sink: Where it is answered.
        folder: Where answers are kept.
    """

    def __init__(self, source: BinaryIO, sink: BinaryIO, folder: Path) -> None:
        self._source = source
        self._sink = sink
        self._folder = folder
        self._first = b""
        self._number: int | str | None = None
        self._path: Path | None = None
        self._told: bytes | None = None
        self._thread = Thread(target=self._greet, name="greeting", daemon=True)
        self._thread.start()

    def streams(self) -> tuple[BinaryIO, BinaryIO]:
        """Input and output for the server; waits for the first message."""
        self._thread.join()
        reader = io.BufferedReader(_Again(self._first, self._source))
        return reader, cast("BinaryIO", _Once(self))

    def send(self, data: bytes) -> None:
        """Send what the server sends, but for the answer that was given already."""
        result = self._answer(data) if self._path is not None else None
        if result is not None:
            told, self._told = self._told, None
            self._keep(result, told)
            self._path = None
            if told is not None:
                return
        self._sink.write(data)
        self._sink.flush()

    def _greet(self) -> None:
        self._first = _message(self._source)
        with suppress(OSError, ValueError, RecursionError, AttributeError):
            request = json.loads(self._first.partition(b"\r\n\r\n")[2])
            if request.get("method") == "initialize" and isinstance(request.get("id"), (int, str)):
                self._number = request["id"]
                self._path = self._folder / f"{_digest(request)}.json"
                self._tell()

    def _tell(self) -> None:
        if self._path is None:
            return
        try:
            result = self._path.read_bytes()
            json.loads(result)
        except (OSError, ValueError, RecursionError):
            return  # the first start, or a damaged file: the server answers
        number = json.dumps(self._number).encode()
        body = b'{"jsonrpc": "2.0", "id": %s, "result": %s}' % (number, result)
        self._sink.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._sink.flush()
        self._told = result

    def _answer(self, data: bytes) -> bytes | None:
        """The result in a message, if it is the answer to `initialize`."""
        with suppress(ValueError):
            message = json.loads(data.partition(b"\r\n\r\n")[2])
            if message.get("id") == self._number and "result" in message and "method" not in message:
                return json.dumps(message["result"]).encode()
        return None

    def _keep(self, result: bytes, told: bytes | None) -> None:
        if self._path is None or result == told:
            return
        if told is not None:
            logger.warning("the program changed, and what the client was told at first is not right any more")
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(self._path, result)
            known = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
            for old in known[:-_KEPT]:
                old.unlink(missing_ok=True)


class _Again(io.RawIOBase):
    """Input that begins with what was read from it already."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self._first = io.BytesIO(first)
        self._rest = cast("io.BufferedReader", rest)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self._first.read(len(view)) or self._rest.read1(len(view))
        view[: len(data)] = data
        return len(data)


class _Once:
    """Output in which nothing is answered twice; whole messages are written to it."""

    def __init__(self, greeting: Greeting) -> None:
        self._greeting = greeting

    def write(self, data: bytes) -> int:
        self._greeting.send(data)
        return len(data)

    def flush(self) -> None:
        """Everything is sent when it is written."""

    def close(self) -> None:
        """The stream is the process's own."""


def _message(source: BinaryIO) -> bytes:
    """One whole message with its headers; what there is of it where the input ends."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = source.readline()
        if not line:
            return head
        head += line
    match = _LENGTH.search(head)
    return head + (source.read(int(match[1])) if match else b"")


def _digest(request: dict[str, object]) -> str:
    """What the answer depends on: this program as it is installed, and what the client can do."""
    params = request.get("params")
    able = params.get("capabilities") if isinstance(params, dict) else None
    package = Path(__file__).parents[1]
    files = sorted(package.rglob("*.py"))
    for shelf in (package, package.parent):
        files += sorted(shelf.glob("grammars/*/*.toml"))
    for name in ("pygls", "lsprotocol"):
        spec = find_spec(name)
        files += [Path(spec.origin)] if spec is not None and spec.origin else []
    stamps = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    known = json.dumps([__version__, sys.version, stamps, able], sort_keys=True)
    return hashlib.sha256(known.encode()).hexdigest()[:32]
