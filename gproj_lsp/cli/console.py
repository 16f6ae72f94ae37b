"""What the commands say: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["Progress", "complain", "note", "out", "progress", "stdout"]

_SLOW = 1.0  # seconds after which a user should see that something happens


def out(text: str) -> None:
    """Write a result to stdout, with a line end."""
    sys.stdout.write(f"{text}\n")


def complain(message: str) -> None:
    """Say on stderr, in one line that can't drive the terminal, what could not be done."""
    from gproj_lsp.report.terminal import printable

    sys.stdout.flush()
    sys.stderr.write(f"gproj-lsp: {printable(' '.join(message.split()))}\n")
    sys.stderr.flush()


def note(message: str) -> None:
    """Say something on stderr that is neither a result nor an error."""
    complain(message)


def stdout() -> Console:
    """A console for results; colours only on a terminal (NO_COLOR and FORCE_COLOR are heeded)."""
    from rich.console import Console

    return Console(highlight=False, emoji=False, markup=False)


class Progress:
    """Tells on a terminal what takes longer than a second; elsewhere stderr is for what went wrong alone."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._lock = threading.Lock()
        self._status: _Spinner | None = None
        self._over = False
        self._timer = threading.Timer(_SLOW, self._show)
        self._timer.daemon = True
        if sys.stderr.isatty():
            self._timer.start()

    def update(self, label: str) -> None:
        """Say what is being done now."""
        with self._lock:
            self._label = label
            if self._status is not None:
                self._status.update(label)

    def stop(self) -> None:
        """Take the line away."""
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()
                self._status = None

    def _show(self) -> None:
        with self._lock:
            if not self._over:  # the timer may have gone off while `stop` held the lock
                self._status = _Spinner(self._label)


class _Spinner:
    def __init__(self, label: str) -> None:
        from rich.console import Console
        from rich.status import Status

        self._status = Status(_plain(label), console=Console(stderr=True))
        self._status.start()

    def update(self, label: str) -> None:
        self._status.update(_plain(label))

    def stop(self) -> None:
        self._status.stop()


def _plain(label: str) -> Text:
    """The label as it is: file names are no markup."""
    from rich.text import Text

    from gproj_lsp.report.terminal import printable

    return Text(printable(label))


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """Show progress while the block runs."""
    shown = Progress(label)
    try:
        yield shown
    finally:
        shown.stop()
