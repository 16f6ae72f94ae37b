"""Where surfaces lie: shipped beside the package, and in a workspace."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from gproj_lsp.errors import SurfaceError
from gproj_lsp.surface.base import FILE_NAME, SHELVES
from gproj_lsp.surface.reader import load
from gproj_lsp.surface.spec import Surface

__all__ = ["folders", "shipped", "surface_for"]


def folders() -> tuple[Path, ...]:
    """The folders of the shipped surfaces: inside an installed package, beside it in a source checkout.

    Raises:
        SurfaceError: There are none, so the installation is broken.
    """
    for shelf in SHELVES:
        found = tuple(sorted(path.parent for path in shelf.glob(f"*/{FILE_NAME}")))
        if found:
            return found
    raise SurfaceError(
        "no surface is installed", place=str(SHELVES[0].parent), mend="install gproj-lsp again"
    )


def shipped(extra: Iterable[Path] = ()) -> Mapping[str, Surface]:
    """The shipped surfaces by name, and those of a workspace, which win.

    Args:
        extra: Folders of further surfaces; these are data only, so their resolver must be an installed one.

    Raises:
        SurfaceError: One of them is not valid.
    """
    return {surface.name: surface for surface in map(load, (*folders(), *extra))}


def surface_for(
    path: Path | str, surfaces: Iterable[Surface], language: str = "", text: str = ""
) -> Surface | None:
    """The surface that reads a file.

    Args:
        path: The file; only its name counts.
        surfaces: To choose from, the first that fits; one whose marks the text holds before those that have none.
        language: The editor's language id, which decides where given and known.
        text: What the file holds, as far as that is known.
    """
    candidates = sorted(
        (each for each in surfaces if not each.marks or _is_marked(text, each)),
        key=lambda each: not each.marks,
    )
    for surface in candidates:
        if language and language in surface.languages:
            return surface
    name = Path(path).name.lower()
    for surface in candidates:
        if any(fnmatchcase(name, pattern.lower()) for pattern in surface.patterns):
            return surface
    return None


def _is_marked(text: str, surface: Surface) -> bool:
    return any(re.search(mark, text, re.MULTILINE) for mark in surface.marks)
