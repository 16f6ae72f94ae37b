"""What a provider found last time, kept in a file: trusted while what it was read from is unchanged.

`read` gives what is kept if the source's fingerprint is the same, else reads anew and keeps that. A source that does not answer
while something is kept degrades to what is kept, which then closes nothing, and says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from time import time

import msgspec
from platformdirs import user_cache_path

from gproj_lsp import __version__
from gproj_lsp.document import write_atomically
from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import UnreachableError
from gproj_lsp.facts import Facts, Provider, Request

__all__ = ["Cached", "cache_folder"]

_VERSION = 1
_AGE = 90 * 24 * 3600.0
"""Seconds after which an answer that nobody asked for is not kept any more."""
_SECRETS = re.compile(r"(?<=://)[^/\s\"]*@|\?[^\"]*")


class _Name(msgspec.Struct, array_like=True):
    """A binding with its provenance."""

    name: str
    sort: str
    owner: str
    namespace: str
    folded: str
    attrs: dict[str, str]
    provider: str
    place: str
    read: float


class _Kept(msgspec.Struct):
    """What lies in a file."""

    version: int
    fingerprint: str
    closed: list[str]
    details: dict[str, str]
    names: list[_Name]


def cache_folder() -> Path:
    """Where caches of facts lie: the user's cache folder, on each platform its own."""
    return user_cache_path("gproj-lsp", appauthor=False) / "facts"


class Cached:
    """A provider with a memory (`gproj_lsp.facts.Provider`).

    Args:
        provider: Who reads.
        folder: Where its answers are kept; created for the user alone.
    """

    def __init__(self, provider: Provider, folder: Path | None = None) -> None:
        self._provider = provider
        self._folder = folder or cache_folder()

    @property
    def name(self) -> str:
        """The provider's."""
        return self._provider.name

    def fingerprint(self, request: Request) -> str | None:
        """The provider's."""
        return self._provider.fingerprint(request)

    def read(self, request: Request) -> Facts:
        """What holds now.

        Raises:
            ProviderError: The source can't be read.
            UnreachableError: It does not answer, and nothing is kept.
        """
        fingerprint = _digest(self._provider.fingerprint(request) or "")
        kept = self._load(request)
        if kept is not None and kept[0] == fingerprint:
            return kept[1]
        try:
            facts = self._provider.read(request)
        except UnreachableError as error:
            if kept is None:
                raise
            return _aged(kept[1], error)
        if not facts.problems:
            self._keep(request, fingerprint, facts)
        return facts

    def _load(self, request: Request) -> tuple[str, Facts] | None:
        path = self._path(request)
        try:
            kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
            os.utime(path)
        except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
            return None  # absent or damaged: it is only a cache
        return (kept.fingerprint, _facts(kept)) if kept.version == _VERSION else None

    def _keep(self, request: Request, fingerprint: str, facts: Facts) -> None:
        with suppress(OSError, ValueError):  # a full or read-only disk costs time, never an answer
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(self._path(request), msgspec.json.encode(_kept(fingerprint, facts)))
            self._clean()

    def _clean(self) -> None:
        """Remove what was not read for long: databases that are gone, and answers kept by other releases."""
        oldest = time() - _AGE
        for path in self._folder.glob("*.json"):
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)

    def _path(self, request: Request) -> Path:
        said = {key: request.settings[key] for key in sorted(request.settings)}
        known = json.dumps([__version__, str(request.root.absolute()), self.name, said])
        # Nobody can guess a password from a hash it is not in.
        return self._folder / f"{_digest(_SECRETS.sub('', known))[:32]}.json"


def _kept(fingerprint: str, facts: Facts) -> _Kept:
    names = [
        _Name(
            each.name,
            each.sort,
            each.owner,
            each.namespace,
            each.folded,
            dict(each.attrs),
            each.origin.provider,
            each.origin.place,
            each.origin.read,
        )
        for each in facts.bindings
    ]
    return _Kept(_VERSION, fingerprint, sorted(facts.closed), dict(facts.details), names)


def _facts(kept: _Kept) -> Facts:
    origins: dict[tuple[str, str, float], Origin] = {}
    bindings: list[Binding] = []
    for each in kept.names:
        where = (each.provider, each.place, each.read)
        origin = origins.setdefault(where, Origin(*where))
        names = (each.name, each.sort, each.owner, each.namespace, each.folded)
        bindings.append(Binding(*names, each.attrs, origin=origin))
    return Facts(tuple(bindings), frozenset(kept.closed), details=kept.details)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _aged(facts: Facts, error: UnreachableError) -> Facts:
    """Old facts, of which none is everything: what they lack may have come since."""
    read = max((each.origin.read for each in facts.bindings), default=0.0)
    when = datetime.fromtimestamp(read, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return replace(
        facts, closed=frozenset(), partial=True, problems=(f"{error}; using what was read on {when}",)
    )
