"""The documents that the editor has open, version by version. Nothing here is read from a disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lsprotocol import types

from gproj_lsp.lsp.convert import path_of, span_of
from gproj_lsp.text import Encoding, LineIndex, Span, decode, encode

__all__ = ["Document", "Documents"]


@dataclass(frozen=True, eq=False)
class Document:
    """One version of an open document; two are the same only if they are one object.

    Attributes:
        uri: As the client writes it.
        version: The client's number for this state.
        language: The client's language id.
        data: The text in UTF-8.
        cursor: Where somebody types, in bytes: the end of the last edit. None: nobody does, it was just opened or saved.
        notebook: The notebook whose cell it is, or empty.
        shrunk: Whether the last edit only took text away.
    """

    uri: str
    version: int
    language: str
    data: bytes
    cursor: int | None = None
    notebook: str = ""
    shrunk: bool = False

    @cached_property
    def text(self) -> str:
        """The text."""
        return decode(self.data)

    @cached_property
    def lines(self) -> LineIndex:
        """Its lines."""
        return LineIndex(self.data)

    @cached_property
    def path(self) -> Path | None:
        """The file it is, or lies in; None where it is none."""
        return path_of(self.notebook or self.uri)

    def edited(
        self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int, encoding: Encoding
    ) -> Document:
        """The document after changes that apply one after another."""
        document = replace(self, version=version)
        for change in changes:
            new = encode(change.text)
            if isinstance(change, types.TextDocumentContentChangePartial):
                span = span_of(document.lines, change.range, encoding)
                old = document.data[span.start : span.end]
                data = b"".join((document.data[: span.start], new, document.data[span.end :]))
                cursor = span.start + len(new)
            else:
                old = document.data
                data, cursor = new, _difference(old, new).end
            shrunk = len(new) < len(old) and not _difference(old, new)
            document = replace(document, data=data, cursor=cursor, shrunk=shrunk)
        return document

    def settled(self) -> Document:
        """The same text where nobody types."""
        return self if self.cursor is None else replace(self, cursor=None)


def _difference(old: bytes, new: bytes) -> Span:
    """The bytes of `new` that are not as in `old`, from the first that differs to the last."""
    most = min(len(old), len(new))
    head = _longest(most, lambda size: old[:size] == new[:size])
    tail = _longest(most - head, lambda size: old[len(old) - size :] == new[len(new) - size :])
    return Span(head, len(new) - tail)


def _longest(most: int, same: Callable[[int], bool]) -> int:
    """The largest size up to `most` that is the same; smaller ones are then, too."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if same(middle) else (low, middle - 1)
    return low


class Documents:
    """The open documents by URI, and the order of cells in notebooks."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._cells: dict[str, tuple[str, ...]] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """The document, if it is open."""
        return self._open.get(uri)

    def put(self, document: Document) -> None:
        """Open a document, or take its next version."""
        self._open[document.uri] = document

    def remove(self, uri: str) -> None:
        """Close a document."""
        self._open.pop(uri, None)

    def order(self, notebook: str, cells: Sequence[str]) -> None:
        """Tell the cells of a notebook in order; none: it was closed."""
        if cells:
            self._cells[notebook] = tuple(cells)
        else:
            self._cells.pop(notebook, None)

    def cells(self, notebook: str) -> tuple[str, ...]:
        """The URIs of a notebook's cells in order."""
        return self._cells.get(notebook, ())

    def before(self, document: Document) -> Document | None:
        """The cell of the same language before a cell, if there is one."""
        cells = self.cells(document.notebook) if document.notebook else ()
        if document.uri not in cells:
            return None
        for uri in reversed(cells[: cells.index(document.uri)]):
            found = self._open.get(uri)
            if found is not None and found.language == document.language:
                return found
        return None

    def chain(self, document: Document) -> tuple[Document, ...]:
        """A document and all that comes before it and declares names for it, nearest first."""
        found = [document]
        while (before := self.before(found[-1])) is not None:
            found.append(before)
        return tuple(found)
