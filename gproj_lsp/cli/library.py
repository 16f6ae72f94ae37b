"""`gproj-lsp facts freeze PACKAGE`: what a library declares, frozen; and how two ways of finding that out differ."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from gproj_lsp.cli.console import note, out, progress
from gproj_lsp.errors import InputError
from gproj_lsp.facts import Facts
from gproj_lsp.report.terminal import counted
from gproj_lsp.settings import shown_path

__all__ = ["Library", "compare_readings", "freeze_library"]

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
_SHOWN = 20


@dataclass(frozen=True)
class Library:
    """A library, and how it is found.

    Attributes:
        package: Its name.
        folders: Where else it may lie.
        python: The interpreter that has it.
        seconds: The time that importing may take.
        only: The modules that are kept of it; none: all.
    """

    package: str
    folders: tuple[Path, ...]
    python: str
    seconds: float
    only: tuple[str, ...] = ()

    def imported(self) -> Facts:
        """What an interpreter that imports it sees.

        Raises:
            InputError: The name is none.
            ProviderError: It can't be imported.
        """
        from gproj_lsp.providers.api.importing import by_import

        with progress(f"importing {self._checked()}"):
            facts = by_import(self.package, folders=self.folders, python=self.python, seconds=self.seconds)
        return self._kept(facts)

    def read(self) -> Facts:
        """What its source says.

        Raises:
            InputError: The name is none.
            ProviderError: It has no source that can be read, or griffe is not installed.
        """
        from gproj_lsp.providers.api.static import by_reading

        with progress(f"reading {self._checked()}"):
            return self._kept(by_reading(self.package, folders=self.folders))

    def _kept(self, facts: Facts) -> Facts:
        from gproj_lsp.providers.api.reach import only

        return only(facts, self.only) if self.only else facts

    def _checked(self) -> str:
        if not _NAME.match(self.package):
            raise InputError("is no package's name", place=self.package, mend="as in facts freeze mylib")
        return self.package


def freeze_library(library: Library, output: Path | None, *, static: bool) -> int:
    """Write a snapshot of what a library declares.

    Args:
        library: Which.
        output: The file; None: `<package>.api.json` in the current folder.
        static: Whether to read its source instead of importing it.
    """
    from gproj_lsp.providers.api.snapshots import file_name
    from gproj_lsp.providers.snapshot import write

    facts = library.read() if static else library.imported()
    path = output or Path(file_name(library.package))
    try:
        write(path, facts)
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror or error}", place=shown_path(path)) from error
    note(f"{shown_path(path)}: {_counts(facts)}")
    return 0


def compare_readings(library: Library) -> int:
    """Write how what importing a library shows differs from what its source says."""
    from gproj_lsp.providers.api.difference import compared

    found = compared(library.imported(), library.read())
    out(f"{counted(found.both, 'name')} in both\n")
    out(f"{counted(len(found.first), 'name')} only when imported{_listed(found.first)}\n")
    out(f"{counted(len(found.second), 'name')} only in the source{_listed(found.second)}\n")
    return 0


def _listed(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f": {', '.join(names[:_SHOWN])}{more}"


def _counts(facts: Facts) -> str:
    sorts = Counter(binding.sort for binding in facts.bindings)
    return ", ".join(counted(number, sort) for sort, number in sorts.items())
