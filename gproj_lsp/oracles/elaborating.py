"""Runs texts of Python, one after another, each in a process of its own: a script, run by the interpreter that has the library.

    python -I elaborating.py LIBRARY SECONDS [TOOLS]

LIBRARY is imported once, and TOOLS, a script, is run, whose names calls can use. Then each line of standard input is a JSON
list: the path of a file, and the calls to make of what it defines, as expressions. For each a line of JSON is written:
`{"error": "NameError", "message": "…"}`, both empty where all went well. It needs nothing but the standard library, and a
system that can fork.
"""

from __future__ import annotations

import json
import os
import resource
import runpy
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

_TIMEOUT = "TimeoutError"
_LONG = 500

Names = dict[str, object]


def elaborated(path: str, calls: Sequence[str], tools: Names) -> tuple[str, str]:
    """What running a file, and then calls of what it defines, raises: the error's class and its message."""
    try:
        names = runpy.run_path(path)
        for each in calls:
            eval(each, {**tools, **names})  # noqa: S307  (this is what the script is for)
    except BaseException as error:  # noqa: BLE001  (whatever it is, it is the answer)
        said = str(error)
        return type(error).__name__, said if len(said) <= 2 * _LONG else f"{said[:_LONG]}\n{said[-_LONG:]}"
    return "", ""


def judged(path: str, calls: Sequence[str], tools: Names, seconds: float) -> dict[str, str]:
    """What becomes of a file in a process of its own, which has so much time."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reads)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        error, message = elaborated(path, calls, tools)
        os.write(writes, json.dumps({"error": error, "message": message}).encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as answer:
        said = answer.read()
    _, status = os.waitpid(child, 0)
    if said:
        found: dict[str, str] = json.loads(said)
        return found
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return {"error": _TIMEOUT if ended == signal.SIGALRM else "SystemError", "message": f"signal {ended}"}


def main(library: str, seconds: str, script: str = "") -> None:
    """Answer until standard input ends.

    Args:
        library: What every text imports.
        seconds: What one may take.
        script: Defines what calls can use besides.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)  # what texts print is no answer
    os.dup2(quiet, 2)
    import_module(library)
    tools: Names = runpy.run_path(script) if script else {}
    sys.path.insert(0, str(Path.cwd()))
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        path, *calls = json.loads(line)
        print(json.dumps(judged(path, calls, tools, float(seconds))), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
