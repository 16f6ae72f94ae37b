"""Libraries as judges of kernels: whether they elaborate them, which needs no GPU.

TileLang elaborates a kernel when it is made; Triton, asked for one, lowers it to its first intermediate form. Elaborating runs
the text, so only text that was generated for the purpose, or that the user named for it, is ever given to it: benches and tests
do that, and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from gproj_lsp.oracles.base import Judgement, OracleUnavailableError

__all__ = ["TILELANG", "TRITON", "Elaborator", "Library", "elaborator"]

_WORKER = Path(__file__).parent / "elaborating.py"
_ABSENT = frozenset({"NameError", "UnboundLocalError", "AttributeError"})
_WITHIN = re.compile(r"^(\w+(?:Error|Exception))\(", re.MULTILINE)


@dataclass(frozen=True)
class Library:
    """A library that judges.

    Attributes:
        name: Its module.
        shown: Its name as messages have it.
        tools: A script whose names calls can use, or empty.
    """

    name: str
    shown: str
    tools: str = ""


TILELANG = Library("tilelang", "TileLang", "elaborating_tilelang.py")
"""Calls make kernels. `lowered(kernel)` gives one's CUDA C++, which needs no GPU either."""
TRITON = Library("triton", "Triton", "elaborating_triton.py")
"""`ttir(function, signature, constants)` elaborates one: `ttir(add, {"x": "*fp32", "SIZE": "constexpr"}, {"SIZE": 64})`."""


@dataclass
class Elaborator:
    """A running interpreter that has the library.

    Attributes:
        library: Which.
        process: The interpreter.
        folder: Where texts lie while they are judged.
    """

    library: Library
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
        error, message = found.get("error", ""), found.get("message", "").strip()
        within = _WITHIN.search(message)  # a compiler's own error that tells another
        code = within[1] if within else error
        lines = message[within.start() if within else 0 :].splitlines()
        return Judgement(1, not error, absent=code in _ABSENT, code=code, message=next(iter(lines), ""))

    def _ask(self, question: Sequence[str]) -> dict[str, str]:
        if self.process.stdin is None or self.process.stdout is None:
            raise OracleUnavailableError("its interpreter has no pipes", place=self.library.name)
        try:
            self.process.stdin.write(json.dumps(list(question)) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError as error:
            raise OracleUnavailableError("its interpreter ended", place=self.library.name) from error
        if not line:
            raise OracleUnavailableError("its interpreter ended", place=self.library.name)
        found: dict[str, str] = json.loads(line)
        return found


@contextmanager
def elaborator(
    python: str = sys.executable, library: Library = TILELANG, *, seconds: float = 20.0
) -> Iterator[Elaborator]:
    """A judge, which ends with the context.

    Args:
        python: The interpreter that has the library.
        library: Which.
        seconds: What one text may take.

    Raises:
        OracleUnavailableError: The library can't be imported there, or the system can't fork.
    """
    if not hasattr(os, "fork"):
        raise OracleUnavailableError("kernels are judged in forked processes", place=library.name)
    tools = [str(_WORKER.with_name(library.tools))] if library.tools else []
    with TemporaryDirectory() as folder:
        process = subprocess.Popen(  # noqa: S603  (the user named the interpreter)
            [python, "-I", str(_WORKER), library.name, str(seconds), *tools],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={**os.environ, "TILELANG_CACHE_DIR": folder, "TRITON_CACHE_DIR": folder, "HOME": folder},
        )
        try:
            if process.stdout is None or process.stdout.readline().strip() != "ready":
                mend = f"pip install {library.name} there, or name another interpreter with --python"
                raise OracleUnavailableError(f"{library.shown} can't be imported", place=python, mend=mend)
            yield Elaborator(library, process, Path(folder))
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.communicate()
