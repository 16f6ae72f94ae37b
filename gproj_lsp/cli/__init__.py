"""The command line: the one place that wires concrete adapters together.

Exit codes: 0, nothing is wrong; 1, `check` found ghosts, or `fill` left holes; 2, something could not be done, told in one line
on stderr as `gproj-lsp: place: message (mend)`.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Sequence

__all__ = ["collect_seldom", "main", "run"]

_INTERRUPTED = 130
_PIPE_CLOSED = 141
_TRACEBACK = "GPROJ_LSP_TRACEBACK"


def main() -> None:
    """Run the program with the process's arguments and leave it."""
    try:
        from gproj_lsp.cli.streams import prepare_streams

        prepare_streams()
        if not sys.warnoptions:
            warnings.simplefilter("ignore")  # what libraries warn of is for us, not for users
        collect_seldom()
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are still being imported
        code = _INTERRUPTED
    raise SystemExit(code)


def collect_seldom() -> None:
    """Let Python look for garbage less often than by default.

    Trees of statements stay, and nearly nothing here is a cycle; looking through them after every 700 new objects takes a third
    of an analysis.
    """
    gc.set_threshold(100_000, 20, 50)


def run(arguments: Sequence[str]) -> int:
    """Run the program.

    Args:
        arguments: What follows the program's name.

    Returns:
        The exit code.
    """
    from typer.exceptions import TyperException

    from gproj_lsp.cli.app import app
    from gproj_lsp.cli.console import complain
    from gproj_lsp.cli.streams import silence_stdout
    from gproj_lsp.errors import Cancelled, GprojError

    try:
        code = app(list(arguments), prog_name="gproj-lsp", standalone_mode=False)
        sys.stdout.flush()
    except GprojError as error:
        if isinstance(error, Cancelled):
            return _INTERRUPTED
        complain(str(error))
        return 2
    except TyperException as error:
        complain(f"{error.format_message().rstrip('.')} (gproj-lsp --help lists the commands)")
        return 2
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has what it wanted; the interpreter must not complain when it flushes at exit.
        silence_stdout()
        return _PIPE_CLOSED
    except OSError as error:
        # Everything that has a place was told with it; what is left is the system itself: a full disk, no current folder.
        if os.environ.get(_TRACEBACK):
            raise
        silence_stdout()
        complain(f"the system says: {error.strerror or error}")
        return 2
    except Exception as error:
        if os.environ.get(_TRACEBACK):
            raise
        complain(f"unexpected {type(error).__name__}: {error} (a bug: {_TRACEBACK}=1 shows where)")
        return 2
    return code if isinstance(code, int) else 0
