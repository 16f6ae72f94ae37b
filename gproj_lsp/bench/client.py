"""A client of a language server in a process of its own: as thin as can be, so that what is measured is the server."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Condition, Thread
from typing import IO, cast

from gproj_lsp.errors import GprojError

__all__ = ["Client", "Message", "RequestError"]

Message = Mapping[str, object]
"""One JSON object."""

_SECONDS = 180.0


class RequestError(GprojError):
    """A request that was answered with an error.

    Attributes:
        code: The number that LSP gives it.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class _Arrived:
    """A message and when it came, in seconds."""

    at: float
    message: Message


class Client:
    """Starts a server and talks to it over its standard input and output; any thread may.

    Args:
        command: The server and its arguments.
        environment: Variables over those of this process.
        log: Where what the server writes to its standard error goes; None: nowhere.

    Attributes:
        started: When the process was started, as `time.perf_counter` tells it.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        log: IO[bytes] | None = None,
    ) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(  # noqa: S603  (the caller's command)
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log or subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
        )
        self._news = Condition()
        self._arrived: list[_Arrived] = []
        self._answers: dict[int, _Arrived] = {}
        self._number = 0
        self._open = True
        self._reader = Thread(target=self._read, name="answers", daemon=True)
        self._reader.start()

    @property
    def process(self) -> int:
        """The server's process number."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the server runs."""
        return self._process.poll() is None

    def begin(self, method: str, params: object) -> int:
        """Send a request and give its number; `answer` waits for what comes back."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number: int) -> object:
        """What a request was answered with.

        Raises:
            RequestError: An error.
            TimeoutError: Nothing came.
        """
        return self.answered(number)[0]

    def answered(self, number: int) -> tuple[object, float]:
        """What a request was answered with, and when, as `time.perf_counter` tells it; raises as `answer`."""
        arrived = self._waited(lambda: self._answers.pop(number, None), f"request {number}")
        message = arrived.message
        error = message.get("error")
        if isinstance(error, Mapping):
            raise RequestError(int(cast("int", error.get("code", 0))), str(error.get("message", "")))
        return message.get("result"), arrived.at

    def request(self, method: str, params: object) -> object:
        """Send a request and wait for its answer; raises as `answer`."""
        return self.answer(self.begin(method, params))

    def answers_to(self, numbers: Sequence[int]) -> int:
        """How many of some requests are answered, and nobody took the answer yet."""
        with self._news:
            return sum(number in self._answers for number in numbers)

    def timed(self, method: str, params: object) -> tuple[object, float]:
        """A request's answer, and how many seconds it took; raises as `answer`."""
        began = time.perf_counter()
        answer = self.request(method, params)
        return answer, time.perf_counter() - began

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: object) -> None:
        """Send anything as JSON."""
        self.write(json.dumps(message).encode())

    def write(self, body: bytes) -> None:
        """Send any bytes as the body of a message."""
        stream = cast("IO[bytes]", self._process.stdin)
        stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        stream.flush()

    def mark(self) -> int:
        """A place in what the server tells by itself; `told` looks behind it."""
        with self._news:
            return len(self._arrived)

    def told(
        self, method: str, since: int, fits: Callable[[Message], bool] = lambda _: True
    ) -> tuple[Message, float]:
        """The first notification behind a mark that fits, and when it came.

        Raises:
            TimeoutError: None came.
        """

        def found() -> _Arrived | None:
            behind = (each for each in self._arrived[since:] if each.message.get("method") == method)
            return next((each for each in behind if fits(_params(each.message))), None)

        arrived = self._waited(found, method)
        return _params(arrived.message), arrived.at

    def heard(self, method: str, since: int) -> list[tuple[Message, float]]:
        """The notifications of a method behind a mark that are there already, and when each came."""
        with self._news:
            behind = self._arrived[since:]
        return [(_params(each.message), each.at) for each in behind if each.message.get("method") == method]

    def close(self) -> None:
        """End the server, politely if it listens."""
        try:
            if self.alive:
                self.request("shutdown", None)
                self.notify("exit", None)
                self._process.wait(10)
        except (OSError, TimeoutError, GprojError, subprocess.TimeoutExpired):
            self._process.kill()
        finally:
            self._process.wait()
            self._reader.join(5)
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()

    def _waited(self, found: Callable[[], _Arrived | None], what: str) -> _Arrived:
        deadline = time.monotonic() + _SECONDS
        with self._news:
            while (arrived := found()) is None:
                left = deadline - time.monotonic()
                if left <= 0 or not self._open:
                    raise TimeoutError(f"no answer: {what}")
                self._news.wait(left)
            return arrived

    def _read(self) -> None:
        stream = cast("IO[bytes]", self._process.stdout)
        try:
            while (message := _message(stream)) is not None:
                self._take(_Arrived(time.perf_counter(), message))
        except (OSError, ValueError):
            pass  # the process is gone; whoever waits is told below
        with self._news:
            self._open = False
            self._news.notify_all()

    def _take(self, arrived: _Arrived) -> None:
        message = arrived.message
        number = message.get("id")
        if "method" in message and number is not None:
            self.send({"jsonrpc": "2.0", "id": number, "result": _reply(str(message["method"]))})
            return
        with self._news:
            if isinstance(number, int) and "method" not in message:
                self._answers[number] = arrived
            else:
                self._arrived.append(arrived)
            self._news.notify_all()


def _message(stream: IO[bytes]) -> Message | None:
    size = 0
    while (line := stream.readline().strip()) or not size:
        if not line:
            return None
        name, _, text = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(text)
    return cast("Message", json.loads(stream.read(size)))


def _reply(method: str) -> object:
    """What an obliging editor answers."""
    if method == "workspace/applyEdit":
        return {"applied": True}
    if method == "window/showDocument":
        return {"success": True}
    return [None] if method == "workspace/configuration" else None


def _params(message: Message) -> Message:
    found = message.get("params")
    return found if isinstance(found, Mapping) else {}
