"""The language server's process."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import BinaryIO, NoReturn

from platformdirs import user_cache_path, user_state_path

from gproj_lsp.cli.greeting import Greeting
from gproj_lsp.errors import InputError

__all__ = ["serve"]

_ARENAS = -8
"""glibc's `M_ARENA_MAX`."""
_SWITCH = 0.001
"""Seconds after which a thread that computes lets the one that answers go on."""


def serve(tcp: str | None, *, overrides: Iterable[str], verbose: bool) -> NoReturn:
    """Serve one editor until it says `exit` or goes away, and end the process: with 0 if the editor said `shutdown` before.

    Args:
        tcp: `HOST:PORT` to listen on for one client; standard input and output where it is not given.
        overrides: Settings, over all others.
        verbose: Whether everything is logged on stderr.

    Raises:
        InputError: `tcp` is no address.
    """
    address = _address(tcp) if tcp is not None else None
    _share_one_heap()
    gc.disable()  # nothing that is imported becomes garbage; it is enabled when the server is initialized
    sys.setswitchinterval(_SWITCH)
    kept = user_cache_path("gproj-lsp", appauthor=False) / "greetings"
    greeting = Greeting(sys.stdin.buffer, _private_output(), kept) if address is None else None
    from gproj_lsp.cli.console import note
    from gproj_lsp.cli.wiring import lsp_parts
    from gproj_lsp.lsp.server import create

    logging.basicConfig(level=logging.DEBUG if verbose else logging.WARNING, stream=sys.stderr)
    if not verbose:
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # what fails is logged where it is answered
    server = create(lsp_parts(overrides, user_state_path("gproj-lsp", appauthor=False) / "trusted.json"))
    if greeting is not None:
        server.start_io(*greeting.streams())
    elif address is not None:
        note(f"listening on {address[0]}:{address[1]}")
        server.start_tcp(*address)
    code = 0 if server.session.closed else 1
    server.session.close()
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)  # a thread may still wait for a database, and nobody waits for that


def _share_one_heap() -> None:
    """Have all threads allocate from one heap, not each from its own.

    Only one computes at a time, and every heap keeps some MiB for itself.
    """
    with suppress(OSError, AttributeError):  # no C library that is known here, or another one than glibc
        ctypes.CDLL(None).mallopt(_ARENAS, 1)


def _private_output() -> BinaryIO:
    """The standard output for nobody but the protocol: what a library prints goes to stderr."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(kept, "wb")


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 <= int(port) < 1 << 16:
        raise InputError(f'"{text}" is no address', place="--tcp", mend="write it as 127.0.0.1:2087")
    return host.strip("[]") or "127.0.0.1", int(port)
