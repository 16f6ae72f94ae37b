"""The standard streams, made fit: there, and in UTF-8 where programs read them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

__all__ = ["prepare_streams", "silence_stdout"]

_INPUT, _OUTPUT, _ERRORS = range(3)


def prepare_streams() -> None:
    """Open what the caller closed, and let results be UTF-8 wherever no terminal shows them.

    A closed stream's number would go to the next file that is opened, and what libraries print would end up in it. Files are
    UTF-8, so diffs and JSON are too, whatever the locale says; a terminal gets what it can show.
    """
    for number in (_INPUT, _OUTPUT, _ERRORS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    if sys.stdin is None:
        sys.stdin = os.fdopen(_INPUT, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(_OUTPUT, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(_ERRORS, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                encoding=stream.encoding if stream.isatty() else "utf-8", errors="backslashreplace"
            )


def silence_stdout() -> None:
    """Let what is still to be written go nowhere: the interpreter must not complain when it flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
