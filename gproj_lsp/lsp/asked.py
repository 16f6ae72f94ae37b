"""What a code action or a command is asked to do: sent to the client as JSON, and checked when it comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsprotocol import types

from gproj_lsp.errors import InputError
from gproj_lsp.ide.actions import Action, Deed
from gproj_lsp.lsp.options import plain
from gproj_lsp.lsp.session import Snapshot
from gproj_lsp.text import Span

__all__ = ["Asked", "is_flagged", "position_in", "uri_in"]

_SCOPES = {"hole": Deed.FILL, "statement": Deed.FILL_STATEMENT, "file": Deed.FILL_FILE}


@dataclass(frozen=True)
class Asked:
    """One deed in one document.

    Attributes:
        uri: The document.
        deed: What to do.
        place: Where; None: at the first hole.
        text: What to write, where that is known.
        version: The version that it was offered for; None: whatever is there.
    """

    uri: str
    deed: Deed
    place: types.Range | None = None
    text: str = ""
    version: int | None = None

    @classmethod
    def of(cls, given: object) -> Asked:
        """What a client sends: what `told` gave, or `{uri, scope, position?}` with a scope of hole, statement or file.

        Raises:
            InputError: It is neither.
        """
        table = plain(given)
        uri = uri_in(table)
        if not isinstance(table, Mapping):
            raise _wrong("an object")
        if "scope" in table:
            deed = _SCOPES.get(str(table["scope"]))
            if deed is None:
                raise _wrong(f"scope: one of {', '.join(_SCOPES)}")
            position = position_in(table)
            return cls(uri, deed, types.Range(position, position) if position else None)
        known = {deed.value: deed for deed in Deed}
        name, text, version = table.get("deed"), table.get("text", ""), table.get("version")
        if name not in known or not isinstance(text, str) or not isinstance(version, int):
            raise _wrong("uri, deed, range, text and version, as in an action's data")
        return cls(uri, known[str(name)], _range(table.get("range")), text, version)

    @classmethod
    def about(cls, snapshot: Snapshot, action: Action) -> Asked:
        """What to send for an action that is listed."""
        document = snapshot.document
        place = snapshot.range(action.span)
        return cls(document.uri, action.deed, place, action.text, document.version)

    @property
    def told(self) -> dict[str, object]:
        """It as JSON."""
        ends = {"start": self.place.start, "end": self.place.end} if self.place else {}
        return {
            "uri": self.uri,
            "deed": self.deed.value,
            "range": {name: {"line": at.line, "character": at.character} for name, at in ends.items()},
            "text": self.text,
            "version": self.version,
        }

    def span(self, snapshot: Snapshot) -> Span:
        """The bytes it is about: where only a place was told, the hole there or the first one after it.

        Raises:
            InputError: There is no hole.
        """
        span = snapshot.span(self.place) if self.place else Span(0, 0)
        if self.version is not None:
            return span
        holes = snapshot.analysis.holes
        if not holes:
            raise InputError("there is no hole", mend="write ?? where a name is missing")
        after = (hole.span for hole in holes if hole.span.end >= span.start)
        return next(after, holes[0].span)


def uri_in(given: object) -> str:
    """The document that an argument names: a URI, or an object with one.

    Raises:
        InputError: It names none.
    """
    table = plain(given)
    uri = table.get("uri") if isinstance(table, Mapping) else table
    if not isinstance(uri, str) or not uri:
        raise _wrong("the URI of a document")
    return uri


def is_flagged(given: object, name: str) -> bool:
    """Whether an object in the arguments says `true` under a name."""
    table = plain(given)
    return isinstance(table, Mapping) and table.get(name) is True


def position_in(given: object) -> types.Position | None:
    """The position in an argument: an object with a line and a character, or one that has such a `position`.

    Raises:
        InputError: There is something else.
    """
    table = plain(given)
    found = table.get("position", table) if isinstance(table, Mapping) else table
    if found is None or (isinstance(found, Mapping) and "line" not in found):
        return None
    line = found.get("line") if isinstance(found, Mapping) else None
    character = found.get("character") if isinstance(found, Mapping) else None
    if not isinstance(line, int) or not isinstance(character, int) or min(line, character) < 0:
        raise _wrong("position: a line and a character")
    return types.Position(line, character)


def _range(found: object) -> types.Range:
    ends = (found.get("start"), found.get("end")) if isinstance(found, Mapping) else (None, None)
    start, end = (position_in(each) for each in ends)
    if start is None or end is None:
        raise _wrong("range: a start and an end")
    return types.Range(start, end)


def _wrong(wanted: str) -> InputError:
    return InputError(f"the arguments are wrong: {wanted}")
