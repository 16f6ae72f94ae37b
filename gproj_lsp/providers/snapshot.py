r"""Facts frozen in a file, to commit: what CI checks against where no database is.

One name a line, sorted, so that a change of schema reads well as a diff::

    {
      "gproj-lsp snapshot": 1,
      "read": "2026-01-31T12:00:00Z",
      "sources": ["postgresql://me@db/shop"],
      "details": {"dialect": "postgres"},
      "closed": ["Function", "Table"],
      "names": [
        {"sort": "Column", "owner": "users", "name": "id", "attrs": {"table": "users", "type": "BIGINT"}},
        {"sort": "Table", "name": "users", "attrs": {"kind": "table"}}
      ]
    }

Columns keep the order of their table; everything else is in the order of its name.
"""

from __future__ import annotations

import hashlib
import json
import re
from datetime import datetime, timezone
from pathlib import Path
from time import time

import msgspec

from gproj_lsp.document import at_home, write_atomically
from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import NOTHING, Facts, Request

__all__ = ["Snapshot", "dump", "load", "write"]

VERSION = 1
_SETTING = "snapshot"
_LINE = re.compile(r":\d+\Z")
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_MEND = "write it again with gproj-lsp facts freeze"


class _Name(msgspec.Struct, forbid_unknown_fields=True):
    """One line of a file."""

    sort: str
    name: str
    owner: str = ""
    namespace: str = ""
    folded: str = ""
    attrs: dict[str, str] = {}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """A whole file."""

    version: int = msgspec.field(name="gproj-lsp snapshot")
    read: str
    sources: list[str]
    details: dict[str, str]
    closed: list[str]
    names: list[_Name]


class _Version(msgspec.Struct):
    """What is looked at first."""

    version: int = msgspec.field(name="gproj-lsp snapshot")


class Snapshot:
    """The setting `snapshot = "schema.json"`."""

    name = "snapshot"

    def fingerprint(self, request: Request) -> str | None:
        """The file's path and a digest of what it holds."""
        path = _path(request)
        if path is None:
            return None
        try:
            return f"{path.absolute()} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        except OSError:
            return f"{path.absolute()} absent"

    def read(self, request: Request) -> Facts:
        """What the file holds.

        Raises:
            ProviderError: It is absent or no snapshot; `place` names it.
        """
        path = _path(request)
        if path is None:
            return NOTHING
        label = str(request.settings[_SETTING])
        try:
            data = path.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise ProviderError(f"can't be read: {reason}", place=label, mend=_MEND) from error
        return load(data, label)


def _path(request: Request) -> Path | None:
    said = request.settings.get(_SETTING)
    return request.root / at_home(said) if isinstance(said, str) and said else None


def write(path: Path, facts: Facts) -> None:
    """Freeze facts into a file, whole or not at all.

    Raises:
        OSError: It can't be written; what was there is untouched.
    """
    write_atomically(path, dump(facts).encode())


def dump(facts: Facts) -> str:
    """The text of a snapshot; equal facts give equal texts."""
    read = max((each.origin.read for each in facts.bindings), default=0.0) or time()
    sources = {_LINE.sub("", each.origin.place) for each in facts.bindings} - {""}
    head = {
        "gproj-lsp snapshot": VERSION,
        "read": datetime.fromtimestamp(read, timezone.utc).strftime(_TIME),
        "sources": sorted(sources),
        "details": dict(sorted(facts.details.items())),
        "closed": sorted(facts.closed),
    }
    lines = [f"  {_json(key)}: {_json(value)}," for key, value in head.items()]
    names = ",\n".join(f"    {_json(_line(each))}" for each in sorted(facts.bindings, key=_order))
    return "\n".join(["{", *lines, '  "names": [', *([names] if names else []), "  ]", "}"]) + "\n"


def load(data: bytes, label: str) -> Facts:
    """The facts of a snapshot's text.

    Args:
        data: The text, UTF-8.
        label: What messages and provenance call it.

    Raises:
        ProviderError: It is no snapshot, or one of a newer release.
    """
    try:
        version = msgspec.json.decode(data, type=_Version).version
        if version > VERSION:
            mend = "update gproj-lsp, or write it again with this one"
            raise ProviderError("was written by a newer gproj-lsp", place=label, mend=mend)
        file = msgspec.json.decode(data, type=_File)
        when = datetime.strptime(file.read, _TIME).replace(tzinfo=timezone.utc).timestamp()
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ProviderError(f"is not a snapshot: {error}", place=label, mend=_MEND) from error
    origin = Origin("snapshot", label, when)
    bindings = tuple(
        Binding(each.name, each.sort, each.owner, each.namespace, each.folded, each.attrs, origin=origin)
        for each in file.names
    )
    return Facts(bindings, frozenset(file.closed), details=file.details)


def _line(binding: Binding) -> dict[str, object]:
    line: dict[str, object] = {"sort": binding.sort}
    if binding.owner:
        line["owner"] = binding.owner
    line["name"] = binding.name
    if binding.namespace != binding.sort:
        line["namespace"] = binding.namespace
    if binding.folded != binding.name:
        line["folded"] = binding.folded
    if binding.attrs:
        line["attrs"] = dict(sorted(binding.attrs.items()))
    return line


def _order(binding: Binding) -> tuple[str, str, str]:
    """By sort and owner; what belongs to a table stays in the table's order, which sorting keeps."""
    name = "" if "table" in binding.attrs else binding.name
    return binding.sort, binding.owner, name


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
