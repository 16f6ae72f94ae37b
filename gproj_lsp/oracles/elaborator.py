"""TileLang as a judge of kernels: whether it elaborates them, which needs no GPU.

Elaborating runs the text, so only text that was generated for the purpose, or that the user named for it, is ever given to it:
benches and tests do that, and nothing else.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from gproj_lsp.oracles.base import Judgement, OracleUnavailableError

__all__ = ["Elaborator", "elaborator"]

_WORKER = Path(__file__).parent / "elaborating.py"
_LIBRARY = "tilelang"
_ABSENT = frozenset({"NameError", "UnboundLocalError", "AttributeError"})


@dataclass
class Elaborator:
    """A running interpreter that has the library.

    Attributes:
        process: The interpreter.
        folder: Where texts lie while they are judged.
    """

    process: subprocess.Popen[str]
    folder: Path
    _count: int = field(default=0, init=False)

    def judge(self, text: str, calls: Sequence[str] = ()) -> Judgement:
        """What becomes of a text, and of calls of what it defines.

        Args:
            text: A module.
            calls: Expressions over its names: functions that make kernels are called there.

        Raises:
            OracleUnavailableError: The interpreter ended.
        """
        self._count += 1
        path = self.folder / f"kernel_{self._count}.py"  # sources are kept by their paths
        path.write_text(text, "utf-8")
        found = self._ask([str(path), *calls])
        path.unlink(missing_ok=True)
        error, message = found.get("error", ""), found.get("message", "")
        first = message.strip().splitlines()[0] if message.strip() else ""
        return Judgement(1, not error, absent=error in _ABSENT, code=error, message=first)

    def _ask(self, question: Sequence[str]) -> dict[str, str]:
        if self.process.stdin is None or self.process.stdout is None:
            raise OracleUnavailableError("its interpreter has no pipes", place=_LIBRARY)
        try:
            self.process.stdin.write(json.dumps(list(question)) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError as error:
            raise OracleUnavailableError("its interpreter ended", place=_LIBRARY) from error
        if not line:
            raise OracleUnavailableError("its interpreter ended", place=_LIBRARY)
        found: dict[str, str] = json.loads(line)
        return found


@contextmanager
def elaborator(python: str = sys.executable, *, seconds: float = 20.0) -> Iterator[Elaborator]:
    """A judge, which ends with the context.

    Args:
        python: The interpreter that has TileLang.
        seconds: What one text may take.

    Raises:
        OracleUnavailableError: TileLang can't be imported there, or the system can't fork.
    """
    if not hasattr(os, "fork"):
        raise OracleUnavailableError("kernels are judged in forked processes", place=_LIBRARY)
    with TemporaryDirectory() as folder:
        process = subprocess.Popen(  # noqa: S603  (the user named the interpreter)
            [python, "-I", str(_WORKER), _LIBRARY, str(seconds)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={**os.environ, "TILELANG_CACHE_DIR": folder, "HOME": folder},
        )
        try:
            if process.stdout is None or process.stdout.readline().strip() != "ready":
                mend = "pip install tilelang there, or name another interpreter with --python"
                raise OracleUnavailableError("TileLang can't be imported", place=python, mend=mend)
            yield Elaborator(process, Path(folder))
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.communicate()
