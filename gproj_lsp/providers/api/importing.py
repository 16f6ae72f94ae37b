"""What a package declares, found by importing it in a Python of its own. That runs its code: only a user may ask for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time

import msgspec

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import Facts

__all__ = ["CLOSED", "by_import"]

CLOSED = frozenset({"Attribute", "Choice", "Keyword"})
"""Of what is told, whatever is not marked as open is told completely."""

_PROBE = Path(__file__).parent / "probe.py"
_LARGEST = 200_000_000
_TOLD = 2000


class _Name(msgspec.Struct):
    """One name as the probe writes it."""

    sort: str
    owner: str
    name: str
    attrs: dict[str, str]


class _Answer(msgspec.Struct):
    """All that the probe writes."""

    version: str
    names: list[_Name]


def by_import(
    package: str, *, folders: Sequence[Path] = (), python: str = sys.executable, seconds: float = 60.0
) -> Facts:
    """What a package has, as an interpreter that imports it sees it.

    The interpreter is isolated (`-I`): neither the current folder nor the environment's paths are searched.

    Args:
        package: Its name.
        folders: Where else to look for it.
        python: The interpreter that has it.
        seconds: The time it may take.

    Raises:
        ProviderError: It can't be imported, or takes too long.
    """
    with TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        places = [str(each.resolve()) for each in folders]
        _run([python, "-I", str(_PROBE), package, str(answer), *places], package, folder, seconds)
        try:
            if answer.stat().st_size > _LARGEST:
                raise ProviderError("has more names than can be kept", place=package)
            found = msgspec.json.decode(answer.read_bytes(), type=_Answer)
        except (OSError, msgspec.MsgspecError) as error:
            raise ProviderError("ended its Python before it was read", place=package) from error
    now = time()
    origin = Origin("import", f"{package} {found.version}".strip(), now)
    names = (
        Binding(each.name, each.sort, each.owner, attrs=each.attrs, origin=origin) for each in found.names
    )
    return Facts(tuple({binding.key: binding for binding in names}.values()), CLOSED)


def _run(command: Sequence[str], package: str, folder: str, seconds: float) -> None:
    """Run the probe; whatever it started ends with it."""
    try:
        process = subprocess.Popen(  # noqa: S603  (the user named the interpreter and the package)
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ProviderError(f"can't be started: {error.strerror or error}", place=command[0]) from error
    with process:
        try:
            _, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            mend = "give it more with --seconds, or read its source with --static"
            raise ProviderError(
                f"takes more than {seconds:g} s to import", place=package, mend=mend
            ) from error
        finally:
            _end(process)
    if process.returncode:
        lines = said.decode("utf-8", "replace")[-_TOLD:].strip().splitlines()
        reason = lines[-1] if lines else f"its Python ended with {process.returncode}"
        mend = "is it installed there? --python names another interpreter, --path a folder"
        raise ProviderError(f"can't be imported: {reason}", place=package, mend=mend)


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return
    else:
        process.kill()
