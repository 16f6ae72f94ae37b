"""Surfaces that stand on another one: its data with some keys set anew, and its fragments with some in the place of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gproj_lsp import tomlfile
from gproj_lsp.errors import InputError, SurfaceError
from gproj_lsp.tomlfile import TomlFile

__all__ = ["FILE_NAME", "SHELVES", "read_stack", "read_toml"]

FILE_NAME = "surface.toml"
_KEY = "base"
_PACKAGE = Path(__file__).resolve().parent.parent
SHELVES = (_PACKAGE / "grammars", _PACKAGE.parent / "grammars")
"""Where shipped surfaces lie: inside an installed package, beside it in a source checkout."""


def read_stack(root: Path) -> tuple[TomlFile, tuple[Path, ...]]:
    """A surface's data over that of the surfaces that it stands on.

    Tables are joined key by key; anything else that is set again stands alone. Places are those of the surface's own file.

    Args:
        root: The surface's folder.

    Returns:
        The data, and the surfaces' folders, the lowest first and its own last.

    Raises:
        SurfaceError: A file can't be read, a base is not there, or a surface stands on itself.
    """
    file = read_toml(root / FILE_NAME)
    folders = [root]
    table: Mapping[str, object] = file.table
    here = file
    while (name := here.table.get(_KEY)) is not None:
        folder = _folder(here, name, folders)
        folders.insert(0, folder)
        here = read_toml(folder / FILE_NAME)
        table = _over(here.table, table)
    return replace(file, table=table), tuple(folders)


def read_toml(path: Path) -> TomlFile:
    """A file of a surface.

    Raises:
        SurfaceError: It can't be read, or is not TOML.
    """
    try:
        return tomlfile.read(path)
    except InputError as error:
        raise SurfaceError(error.message, place=error.place, mend=error.mend) from error


def _folder(file: TomlFile, name: object, above: list[Path]) -> Path:
    """Where the base of a surface lies: beside it, else where the shipped ones do."""
    if not isinstance(name, str) or not name.isidentifier():
        raise SurfaceError("a base is the name of a surface's folder", place=file.place(_KEY))
    places = [shelf / name for shelf in (above[0].parent, *SHELVES)]
    found = next((each for each in places if (each / FILE_NAME).is_file()), None)
    if found is None:
        raise SurfaceError(f'there is no surface "{name}" to stand on', place=file.place(_KEY))
    if found.resolve() in {each.resolve() for each in above}:
        raise SurfaceError(f'"{name}" stands on this surface itself', place=file.place(_KEY))
    return found


def _over(below: Mapping[str, object], above: Mapping[str, object]) -> Mapping[str, object]:
    joined = dict(below)
    for key, value in above.items():
        under = joined.get(key)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            joined[key] = _over(under, value)
        else:
            joined[key] = value
    return joined
