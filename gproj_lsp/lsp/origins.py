"""Where the world's names are declared: places in files, as locations."""

from __future__ import annotations

import re
from pathlib import Path

from lsprotocol import types

from gproj_lsp.environment import Binding
from gproj_lsp.ide.navigation import declarations_of, name_in_line
from gproj_lsp.lsp.convert import range_of, uri_of
from gproj_lsp.lsp.session import Session, Snapshot
from gproj_lsp.text import LineIndex

__all__ = ["location_of"]

_IN_FILES = frozenset({"ddl", "snapshot", "facts"})
"""The providers whose places are files."""
_BUFFER = "buffer"
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+)\Z")
_LARGEST = 50_000_000


async def location_of(session: Session, snapshot: Snapshot, binding: Binding) -> types.Location | None:
    """Where a name is declared, if that is in a file; the name itself where it still stands in that line.

    Args:
        session: Whose documents are as they are in the editor.
        snapshot: Where relative places start.
        binding: What a provider says.
    """
    origin = binding.origin
    if origin.provider == _BUFFER:
        return await _before(session, snapshot, binding)
    if origin.provider not in _IN_FILES or not origin.place:
        return None
    match = _PLACE.match(origin.place)
    name, number = (match["file"], int(match["line"]) - 1) if match else (origin.place, 0)
    path = snapshot.root / name
    uri = uri_of(path)
    document = session.documents.get(uri)
    lines = document.lines if document is not None else await session.run(_lines, path)
    if lines is None:
        return None
    return types.Location(uri, range_of(lines, name_in_line(lines, number, binding.name), snapshot.encoding))


async def _before(session: Session, snapshot: Snapshot, binding: Binding) -> types.Location | None:
    """Where a cell of a notebook before this one declares a name.

    Args:
        session: Whose documents are as they are in the editor.
        snapshot: The cell.
        binding: What cells before it declare.
    """
    document = session.documents.before(snapshot.document)
    while document is not None:
        cell = await session.snapshot(document.uri)
        places = await session.run(declarations_of, cell.analysis, binding) if cell is not None else ()
        if cell is not None and places:
            return types.Location(document.uri, cell.range(places[0]))
        document = session.documents.before(document)
    return None


def _lines(path: Path) -> LineIndex | None:
    try:
        return LineIndex(path.read_bytes()) if path.stat().st_size <= _LARGEST else LineIndex(b"")
    except (OSError, ValueError):
        return None
