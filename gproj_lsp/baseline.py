"""Known ghosts that `check` need not report again.

A baseline is a JSON file to commit. It counts, for each file, how often a name is a ghost, and knows no line numbers: it
stays true when other lines change, and one more use of the same ghost is new. Paths start at its own folder, so that it does
not matter where `check` is run.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gproj_lsp.document import read, write_atomically
from gproj_lsp.errors import InputError
from gproj_lsp.ide import Diagnostic
from gproj_lsp.report.value import FileReport

__all__ = ["Baseline", "load", "save"]

_VERSION = 1
_Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Baseline:
    """How often each finding is known.

    Attributes:
        known: By path, code, sort and name.
        folder: Where the paths start.
    """

    known: Counter[_Key]
    folder: Path

    @classmethod
    def of(cls, reports: Iterable[FileReport], folder: Path) -> Baseline:
        """A baseline of everything that the reports hold."""
        made = cls(Counter(), folder)
        made.known.update(made._key(report, found) for report in reports for found in report.diagnostics)
        return made

    def new(self, report: FileReport) -> FileReport:
        """The report without what is known; of equal findings, the first ones are the known ones."""
        left = Counter(self.known)
        kept = []
        for found in report.diagnostics:
            key = self._key(report, found)
            if left[key] > 0:
                left[key] -= 1
            else:
                kept.append(found)
        return report.only(kept)

    def _key(self, report: FileReport, found: Diagnostic) -> _Key:
        path = os.path.relpath(report.path, self.folder)
        return (Path(path).as_posix(), found.code, found.sort, found.name)


def load(path: Path, label: str = "") -> Baseline:
    """The baseline in a file.

    Raises:
        InputError: It can't be read, or is no baseline.
    """
    document = read(path, label)
    problem = InputError(
        "is not a baseline", place=document.label, mend="make one with check --update-baseline"
    )
    try:
        table = json.loads(document.text)
        if table["version"] != _VERSION:
            raise problem
        known = {
            (str(row["path"]), str(row["code"]), str(row["sort"]), str(row["name"])): int(row["count"])
            for row in table["known"]
        }
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise problem from error
    return Baseline(Counter(known), path.parent)


def save(baseline: Baseline, path: Path) -> None:
    """Write a baseline, sorted, so that its diffs are small.

    Raises:
        InputError: The file can't be written, or is something else than a baseline.
    """
    if path.is_file() and path.stat().st_size:
        _require_baseline(path)
    rows = [
        {"path": file, "code": code, "sort": sort, "name": name, "count": count}
        for (file, code, sort, name), count in sorted(baseline.known.items())
    ]
    text = json.dumps({"version": _VERSION, "known": rows}, indent=2, ensure_ascii=False) + "\n"
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror or error}", place=str(path)) from error


def _require_baseline(path: Path) -> None:
    """A file that is something else was named by mistake, and is not ours to replace."""
    try:
        load(path)
    except InputError as error:
        message = "is there and is no baseline; nothing was written"
        raise InputError(message, place=str(path), mend="name another file") from error
