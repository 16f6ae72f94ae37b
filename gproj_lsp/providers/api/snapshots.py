"""The setting `api = ["mylib"]`: frozen facts of libraries, in the workspace or shipped with the surface."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gproj_lsp.document import at_home
from gproj_lsp.environment import Origin
from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import NOTHING, Facts, Request
from gproj_lsp.providers import snapshot
from gproj_lsp.providers.api.roles import file_name as roles_of
from gproj_lsp.providers.api.roles import read_roles

__all__ = ["ApiSnapshots", "file_name"]

_SETTING = "api"
_SUFFIX = ".api.json"
_MEND = "write it with gproj-lsp facts freeze {package}"


def file_name(package: str) -> str:
    """What the snapshot of a package is called where nothing else is said."""
    return f"{package}{_SUFFIX}"


class ApiSnapshots:
    """Reads snapshots.

    An entry is a package's name, whose snapshot `<name>.api.json` lies in the workspace or is shipped with the surface, or the
    path of a snapshot, relative to the workspace. What the surface knows of a package besides (`roles`) is read with it.
    """

    name = "api"

    def fingerprint(self, request: Request) -> str | None:
        """The files' paths and digests of what they hold."""
        entries = _entries(request)
        if not entries:
            return None
        digest = hashlib.sha256()
        for entry in entries:
            for path in (_path(entry, request), *_roles(entry, request)):
                try:
                    held = hashlib.sha256(path.read_bytes()).hexdigest()
                except OSError:
                    held = "absent"
                digest.update(f"{path.absolute()}\0{held}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def read(self, request: Request) -> Facts:
        """What the snapshots hold.

        Raises:
            ProviderError: One is absent or none; `place` names it.
        """
        entries = _entries(request)
        read = [_read(entry, request) for entry in entries]
        if not read:
            return NOTHING
        roles = [each for entry in entries for path in _roles(entry, request) for each in read_roles(path)]
        return Facts(
            (*(binding for facts in read for binding in facts.bindings), *roles),
            frozenset[str]().union(*(facts.closed for facts in read)),
        )


def _entries(request: Request) -> tuple[str, ...]:
    said = request.settings.get(_SETTING, ())
    return tuple(filter(None, (said,) if isinstance(said, str) else said))


def _path(entry: str, request: Request) -> Path:
    if entry.endswith(".json") or "/" in entry or "\\" in entry:
        return request.root / at_home(entry)
    return next((path for path in _places(entry, request) if path.is_file()), request.root / file_name(entry))


def _places(package: str, request: Request) -> Iterator[Path]:
    yield request.root / file_name(package)
    if request.shelf is not None:
        yield request.shelf / file_name(package)


def _roles(entry: str, request: Request) -> Iterator[Path]:
    """What the surface knows of the functions of a package besides its snapshot."""
    if request.shelf is not None:
        path = request.shelf / roles_of(entry.rpartition("/")[2].removesuffix(".json").removesuffix(".api"))
        if path.is_file():
            yield path


def _read(entry: str, request: Request) -> Facts:
    path = _path(entry, request)
    label = path.relative_to(request.root).as_posix() if path.is_relative_to(request.root) else path.name
    try:
        data = path.read_bytes()
    except OSError as error:
        mend = _MEND.format(package=entry.removesuffix(".json").removesuffix(".api"))
        raise ProviderError(f"can't be read: {error.strerror or error}", place=label, mend=mend) from error
    facts = snapshot.load(data, label)
    read = max((each.origin.read for each in facts.bindings), default=0.0)
    origin = Origin(_SETTING, label, read)
    return replace(facts, bindings=tuple(replace(each, origin=origin) for each in facts.bindings))
