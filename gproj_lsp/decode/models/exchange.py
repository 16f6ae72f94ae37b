"""One HTTP request and its answer, within a time and a size, and broken off at any moment.

The standard library does what is needed: one connection, no redirect followed, nothing read beyond a bound. A socket can only
be broken off from outside, so it is waited for in a thread of its own.
"""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from io import BufferedReader, RawIOBase
from ipaddress import ip_address
from threading import Event, Thread
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from gproj_lsp.errors import Cancelled, ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from _typeshed import WriteableBuffer

    from gproj_lsp.decode.base import Stop

__all__ = ["MOST", "Address", "Answer", "LateError", "UnansweredError", "address", "exchange", "shown_model"]

MOST = 1 << 20
"""Bytes of the longest answer that is read; a hole's text has a few hundred."""
_POLL = 0.02
"""Seconds between two looks at `stop`."""
_URL = "write it as in https://host:8000/v1, and the key by remote.key"


@dataclass(frozen=True)
class Address:
    """Where a server is. Printing one shows no secret.

    Attributes:
        secure: Whether it is spoken to over TLS.
        host: Its name or number.
        port: Its port.
        path: What requests' paths begin with.
        query: What stands after each path; may hold a secret.
        user: Name and password out of the URL; empty where there are none.
    """

    secure: bool
    host: str
    port: int
    path: str
    query: str = field(default="", repr=False)
    user: str = field(default="", repr=False)

    def __str__(self) -> str:
        scheme, usual = ("https", 443) if self.secure else ("http", 80)
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}{'' if self.port == usual else f':{self.port}'}{self.path}"

    @property
    def local(self) -> bool:
        """Whether it is on this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host.casefold() == "localhost"


@dataclass(frozen=True)
class Answer:
    """What a server said.

    Attributes:
        status: The HTTP status.
        headers: By name in small letters; of several of one name the last.
        body: At most `MOST` bytes.
        whole: Whether that is all of it.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True


class UnansweredError(Exception):
    """No answer came.

    Attributes:
        reason: Why, in one clause.
        passing: Whether it may be otherwise a moment later.
    """

    def __init__(self, reason: str, *, passing: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.passing = passing


class LateError(UnansweredError):
    """No answer came in time."""

    def __init__(self) -> None:
        super().__init__("no answer in time", passing=False)


def address(url: str) -> Address:
    """The address that a URL means; a trailing slash or `/completions` is left out.

    Raises:
        ModelError: It is none. The URL is not repeated: it may hold a password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ModelError("the model's URL can't be read", mend=_URL) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable() or " " in url:
        raise ModelError("the model's URL can't be read", mend=_URL)
    secure = parts.scheme == "https"
    path = quote(unquote(parts.path)).rstrip("/").removesuffix("/completions")
    query = quote(parts.query, safe="=&%+/:,;@!$'()*?")
    return Address(secure, _host(parts), port or (443 if secure else 80), path, query, _user(parts))


def shown_model(setting: str) -> str:
    """The setting `model` as it may be shown: of a URL only what is not secret."""
    if "://" not in setting:
        return setting
    try:
        return str(address(setting))
    except ModelError:
        return "a server"


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    try:
        return host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        raise ModelError("the model's URL can't be read", mend=_URL) from None


def _user(parts: SplitResult) -> str:
    if parts.username is None and parts.password is None:
        return ""
    return f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"


def exchange(  # noqa: PLR0913  (whom, what, and for how long)
    to: Address,
    path: str,
    headers: Mapping[str, str],
    body: bytes | None = None,
    *,
    seconds: float,
    stop: Stop | None = None,
) -> Answer:
    """Send a request (a POST where there is a body) and wait for the answer.

    Args:
        to: Whom to ask.
        path: What is asked for, below the address's own path.
        headers: Sent as they are.
        body: Sent as it is.
        seconds: How long to wait for all of the answer.
        stop: Asked meanwhile.

    Raises:
        Cancelled: `stop` said so; the connection is broken off, so that the server may stop too.
        UnansweredError: No answer came; `LateError` where it may only be late.
    """
    asking = _Asking(to, path, headers, body, seconds)
    asking.start()
    until = time.monotonic() + seconds
    try:
        while not asking.over.wait(_POLL):
            if stop and stop():
                raise Cancelled("decoding was cancelled")
            if time.monotonic() > until:
                raise LateError
    finally:
        asking.leave()
    return asking.result()


class _Bounded(RawIOBase):
    """What a socket gives, up to a bound: a chunk of a negative length would have the library read without end."""

    def __init__(self, sock: socket.socket) -> None:
        self._raw = sock.makefile("rb", buffering=0)
        self._left = 2 * MOST

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        """See `RawIOBase`.

        Raises:
            HTTPException: More came than is read.
        """
        count = self._raw.readinto(buffer)
        self._left -= count or 0
        if self._left < 0:
            raise HTTPException("too long")
        return count

    def close(self) -> None:
        """Let go of the socket."""
        self._raw.close()
        super().close()


class _Response(HTTPResponse):
    """An answer that is read up to a bound, its head included."""

    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
    ) -> None:
        super().__init__(sock, debuglevel, method, url)
        self.fp.close()
        self.fp = BufferedReader(_Bounded(sock))


class _Asking(Thread):
    """One request under way."""

    def __init__(
        self, to: Address, path: str, headers: Mapping[str, str], body: bytes | None, seconds: float
    ) -> None:
        super().__init__(daemon=True)
        self.over = Event()
        self._left = False
        self._answer: Answer | None = None
        self._error: Exception | None = None
        self._method = "GET" if body is None else "POST"
        self._target = f"{to.path}{path}{'?' + to.query if to.query else ''}"
        self._headers = {"Accept": "application/json", "Connection": "close", **headers}
        self._body = body
        self._connection, prefix = _connection(to, seconds)
        self._connection.response_class = _Response
        self._target = prefix + self._target

    def run(self) -> None:
        """Ask, and keep what came of it."""
        try:
            self._answer = self._ask()
        except Exception as error:  # noqa: BLE001  (kept, and raised where it was asked)
            self._error = error
        finally:
            self._connection.close()
            self.over.set()

    def leave(self) -> None:
        """Break it off, if it is not over."""
        self._left = True
        sock = self._connection.sock
        if not self.over.is_set() and sock is not None:
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)  # of a TLS socket too, whose own would wait

    def result(self) -> Answer:
        """What came of it."""
        if self._answer is not None:
            return self._answer
        raise _unanswered(self._error) from None

    def _ask(self) -> Answer:
        connection = self._connection
        connection.connect()
        if self._left:
            raise OSError("left")
        connection.request(self._method, self._target, self._body, dict(self._headers))
        with connection.getresponse() as answer:
            body = answer.read(MOST + 1)
            if len(body) <= MOST and answer.length:
                raise IncompleteRead(body, answer.length)
            headers = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, headers, body[:MOST], len(body) <= MOST)


def _connection(to: Address, seconds: float) -> tuple[HTTPConnection, str]:
    """A connection, by the system's proxy where it names one, and what a proxy wants before the path."""
    proxy = None if to.local or proxy_bypass(to.host) else getproxies().get("https" if to.secure else "http")
    by = urlsplit(proxy if "://" in proxy else f"http://{proxy}") if proxy else None
    host, port = (by.hostname, by.port or 80) if by and by.hostname else (to.host, to.port)
    if not to.secure:
        return HTTPConnection(host, port, timeout=seconds), f"http://{to.host}:{to.port}" if by else ""
    connection = HTTPSConnection(host, port, timeout=seconds, context=ssl.create_default_context())
    if by:
        connection.set_tunnel(to.host, to.port)
    return connection, ""


def _unanswered(error: Exception | None) -> UnansweredError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return UnansweredError(f"its certificate is not valid: {error.verify_message}", passing=False)
    if isinstance(error, ssl.SSLError):
        return UnansweredError("it does not speak TLS as expected", passing=False)
    if isinstance(error, socket.gaierror):
        return UnansweredError("there is no host of this name")
    if isinstance(error, TimeoutError):
        return LateError()
    if isinstance(error, OSError):
        return UnansweredError((error.strerror or "the connection broke").lower())
    if isinstance(error, (HTTPException, ValueError)):
        return UnansweredError("the connection broke, or what came is no HTTP")
    return UnansweredError("the request could not be sent", passing=False)
