"""A server that says what a test wants it to say, and remembers what it was asked. Nothing but loopback."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["Asked", "FakeServer", "Reply", "completion", "fake_server"]


@dataclass(frozen=True)
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        """What the body says."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """What to answer.

    Attributes:
        body: As it is, or as JSON.
        status: The HTTP status.
        headers: Beside the usual ones.
        promised: The length that the header tells; by default the true one.
        pause: Seconds before each byte of the body.
        hangs: Whether nothing is answered until the other side leaves.
        raw: Sent instead of all that.
    """

    body: object = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    promised: int | None = None
    pause: float = 0.0
    hangs: bool = False
    raw: bytes | None = None

    @property
    def data(self) -> bytes:
        """The body's bytes."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def completion(text: str, *, finish: str = "stop", tokens: int | None = 3) -> Reply:
    """A completion as OpenAI's protocol has it."""
    usage = {} if tokens is None else {"usage": {"completion_tokens": tokens}}
    return Reply({"object": "text_completion", "choices": [{"text": text, "finish_reason": finish}], **usage})


@dataclass
class FakeServer:
    """A running server.

    Attributes:
        url: Where its completions are.
        asked: What it was asked, in order.
        left: Set when somebody left before the answer was there.
    """

    url: str
    asked: list[Asked] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def fake_server(answer: Callable[[Asked], Reply]) -> Iterator[FakeServer]:
    """Serve on a free port of loopback while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(b"")

        def do_POST(self):
            self.answer(self.rfile.read(int(self.headers["Content-Length"])))

        def answer(self, body):
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            running.asked.append(asked)
            send(self, answer(asked), running)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_):
            running.left.set()

    server = Server(("127.0.0.1", 0), Handler)
    running = FakeServer(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield running
    finally:
        running.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def send(handler: BaseHTTPRequestHandler, reply: Reply, running: FakeServer) -> None:
    if reply.hangs:
        wait_until_left(handler.connection, running)
        return
    if reply.raw is not None:
        handler.wfile.write(reply.raw)
        return
    data = reply.data
    handler.send_response(reply.status)
    for name, value in {"Content-Type": "application/json", **reply.headers}.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(data) if reply.promised is None else reply.promised))
    handler.end_headers()
    if not reply.pause:
        handler.wfile.write(data)
        return
    for byte in data:
        if running.over.wait(reply.pause):
            return
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()


def wait_until_left(connection: socket.socket, running: FakeServer) -> None:
    while not running.over.is_set():
        readable, _, _ = select.select([connection], [], [], 0.02)
        if readable and not connection.recv(1):
            running.left.set()
            return
