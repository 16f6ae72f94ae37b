"""The program as a user runs it: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import gproj_lsp

HOME = str(Path(gproj_lsp.__file__).parents[1])


def gproj(folder, *arguments, stdin=b"", env=None, timeout=600):
    """Run `gproj-lsp` with these arguments in a folder; gives the finished process, its output as bytes."""
    return subprocess.run(
        [sys.executable, "-m", "gproj_lsp", *map(str, arguments)],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": HOME, "NO_COLOR": "1", "COLUMNS": "100", **(env or {})},
        check=False,
        timeout=timeout,
    )


def spent():
    """Processor seconds of all programs run so far: what else the machine does is not in them."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def contents(folder):
    """Every file under a folder and what is in it."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
