"""Tile kernels with open operands, read from a file: what benches of TileLang fill, or write anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from gproj_lsp import tomlfile
from gproj_lsp.bench.opened import Opened
from gproj_lsp.decode.lanes import Crew, Job
from gproj_lsp.errors import InputError
from gproj_lsp.ghosts import GHOST
from gproj_lsp.ide import Analyzer
from gproj_lsp.oracles.base import Judgement

__all__ = ["PLANS", "SHIPPED", "SORT", "Judge", "Kernel", "by_arm", "ghosts", "kernels"]

SORT = "Buffer"
"""What operands are."""
SHIPPED = Path(__file__).with_name("kernels.toml")
PLANS = Path(__file__).with_name("attention.toml")
"""Ways to write one kernel."""
_GRID = "T.Kernel("
_OPEN = re.compile(r"<(\w+)>")

T = TypeVar("T")
Judge = Callable[[str, Sequence[str]], Judgement]
"""What becomes of a module and of calls of what it defines."""


@dataclass(frozen=True)
class Kernel(Opened):
    """A kernel with its operands taken out.

    Attributes:
        name: What it is called.
        calls: What makes the kernel, for the judge.
        uses: What a body that does its work has in it, as regular expressions.
    """

    name: str
    calls: tuple[str, ...]
    uses: tuple[str, ...] = ()

    @property
    def shell(self) -> tuple[str, str]:
        """The text before the line of the grid, and what follows the block under it."""
        lines = self.text(self.names).splitlines(keepends=True)
        grid = next(at for at, line in enumerate(lines) if _GRID in line)
        depth = _depth(lines[grid])
        inside = (at for at, line in enumerate(lines) if at > grid and line.strip() and _depth(line) <= depth)
        end = next(inside, len(lines))
        return "".join(lines[:grid]), "\n" + "".join(lines[end:])


class _Text(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    calls: tuple[str, ...]
    uses: tuple[str, ...] = ()


class _File(msgspec.Struct, forbid_unknown_fields=True):
    kernels: dict[str, _Text]


def kernels(path: Path = SHIPPED) -> tuple[Kernel, ...]:
    """Kernels with open operands: those that are shipped, or a file's of the same form.

    Args:
        path: The file.

    Raises:
        InputError: It can't be read, or is something else.
    """
    try:
        file = msgspec.convert(tomlfile.read(path).table, _File)
    except msgspec.ValidationError as error:
        raise InputError(f"no kernels: {error}", place=str(path)) from error
    return tuple(_kernel(name, said) for name, said in file.kernels.items())


def by_arm(
    crew: Crew,
    arms: Sequence[str],
    sample: int,
    job: Callable[[str, int], Job[T]],
    progress: Callable[[int, int], None],
) -> Mapping[str, Sequence[T]]:
    """What comes of so many jobs in each arm, in the order of their numbers.

    Args:
        crew: Runs them.
        arms: The arms.
        sample: How many jobs an arm has.
        job: The job of an arm and a number.
        progress: Told how many jobs of how many are done.

    Raises:
        ModelError: The model failed.
    """
    jobs = [job(arm, number) for number in range(sample) for arm in arms]
    found = [outcome.get() for outcome in crew.run(jobs, lambda done: progress(done, len(jobs)))]
    return {arm: found[at :: len(arms)] for at, arm in enumerate(arms)}


def ghosts(analyzer: Analyzer, text: str) -> int:
    """How many names in a kernel are not there."""
    return sum(found.code == GHOST for found in analyzer.analyse(text).diagnostics)


def _kernel(name: str, said: _Text) -> Kernel:
    parts = _OPEN.split(said.text.lstrip("\n"))
    return Kernel(SORT, tuple(parts[::2]), tuple(parts[1::2]), name, said.calls, said.uses)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
