"""How many threads a model should run on here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["free_threads", "physical_cores"]


def free_threads() -> int:
    """One thread a physical core; a single one where the machine has more than twice as much to do as it has cores.

    llama.cpp's threads wait for each other hundreds of times a token, and for a whole time slice where one of them has no
    core: on two cores with a load of ten, two threads took far longer than one.
    """
    cores = physical_cores()
    try:
        busy = os.getloadavg()[0]
    except (AttributeError, OSError):  # not on Windows
        return cores
    return cores if busy <= 2 * cores else 1


def physical_cores() -> int:
    """Cores this process may use, counting siblings of one core once; llama.cpp is slower with more threads."""
    usable = (
        sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )
    return max(1, len(set(_siblings(usable))))


def _siblings(cpus: Sequence[int]) -> Iterator[str]:
    for cpu in cpus:
        place = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            yield place.read_text().strip()
        except OSError:
            yield str(cpu)
