"""Bytes inside, lines and encoded characters outside: the one place where LSP's positions become offsets and back."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from gproj_lsp.text import Encoding, LineIndex, Position, Span

__all__ = ["offset_of", "path_of", "position_of", "range_of", "span_of", "uri_of"]


def offset_of(lines: LineIndex, position: types.Position, encoding: Encoding) -> int:
    """The byte offset of a position; one that is outside the text is clamped."""
    at = Position(max(position.line, 0), max(position.character, 0))
    return lines.offset(at, encoding)


def span_of(lines: LineIndex, place: types.Range, encoding: Encoding) -> Span:
    """The bytes of a range; one whose end comes first is empty at its start."""
    start = offset_of(lines, place.start, encoding)
    return Span(start, max(start, offset_of(lines, place.end, encoding)))


def position_of(lines: LineIndex, offset: int, encoding: Encoding) -> types.Position:
    """The position of a byte offset."""
    at = lines.position(offset, encoding)
    return types.Position(at.line, at.character)


def range_of(lines: LineIndex, span: Span, encoding: Encoding) -> types.Range:
    """The range of a byte span."""
    return types.Range(position_of(lines, span.start, encoding), position_of(lines, span.end, encoding))


def path_of(uri: str) -> Path | None:
    """The file that a URI names; None for what is no file on this machine (`untitled:`, `git:`)."""
    if not uri.lower().startswith("file:"):
        return None
    found = to_fs_path(uri)
    return Path(found) if found and "\0" not in found else None


def uri_of(path: Path) -> str:
    """The URI of a file."""
    return from_fs_path(str(path.absolute())) or path.absolute().as_uri()
