"""DDL files: what a folder of schema files or migrations declares, each on top of those before it.

The provider knows where files are and in which order they apply; what their text declares, the surface's resolver says.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath

from gproj_lsp.document import at_home
from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import NOTHING, Facts, Request

__all__ = ["DdlFiles", "migration_key"]

_SETTING = "ddl"
_LARGEST = 50_000_000
"""Bytes past which a file is data, not a schema."""

_DIGITS = re.compile(r"(\d+)")
_VERSION = re.compile(r"(?P<prefix>[^\d]*)(?P<version>\d+(?:[._]\d+)*)(?P<rest>.*)", re.DOTALL)
_REPEATABLE = re.compile(r"R__", re.IGNORECASE)
_UNDO = re.compile(r"U\d+.*__|.*[._-](down|undo|rollback)\.\w+\Z", re.IGNORECASE)

_Key = tuple[tuple[int, str, int], ...]


def migration_key(path: PurePath) -> tuple[tuple[bool, _Key, tuple[int, ...], _Key], ...]:
    """Sorts migrations as they apply: V2 before V10, V1 before V1.1, repeatable ones (`R__`) last, folder by folder."""
    return tuple(_part_key(part) for part in path.parts)


def _part_key(name: str) -> tuple[bool, _Key, tuple[int, ...], _Key]:
    match = _VERSION.match(name)
    if match is None or _REPEATABLE.match(name):
        return bool(_REPEATABLE.match(name)), _natural(name), (), ()
    version = tuple(int(number) for number in re.split(r"[._]", match["version"]))
    return False, _natural(match["prefix"]), version, _natural(match["rest"])


def _natural(text: str) -> _Key:
    """The text with its numbers as numbers; upper and lower case together."""
    pieces = _DIGITS.split(text.casefold())
    return tuple((1, "", int(piece)) if piece.isdecimal() else (0, piece, 0) for piece in pieces if piece)


class DdlFiles:
    """The setting `ddl = ["schema/**/*.sql"]`.

    Patterns are relative to the workspace and stay inside it; an absolute one may lead anywhere. A folder stands for the
    files in it that are in the surface's language. Patterns apply in the order they are given, the files of one in the
    order of their versions; scripts that undo a migration (`U2__x.sql`, `2_x.down.sql`) are left out.
    """

    name = "ddl"

    def fingerprint(self, request: Request) -> str | None:
        """The files' paths, sizes and times."""
        patterns = _patterns(request)
        if not patterns:
            return None
        digest = hashlib.sha256()
        for path, label in _Search(request, patterns).files():
            digest.update(f"{label}\0{_stamp(path)}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def read(self, request: Request) -> Facts:
        """What all files together declare; one that can't be read is told, and closes nothing.

        Raises:
            ProviderError: A pattern is not valid, or no file was found.
        """
        patterns = _patterns(request)
        if not patterns:
            return NOTHING
        search = _Search(request, patterns)
        sources: list[tuple[str, str]] = []
        unread: list[str] = []
        for path, label in search.files():
            text, reason = _read(path)
            if reason:
                unread.append(f"{label}: {reason}")
            else:
                sources.append((text, label))
        if not sources and not unread:
            place = request.key(_SETTING)
            told = [problem.removeprefix(f"{place}: ") for problem in search.problems]
            problem = told[0] if told else f"nothing matches {', '.join(patterns)}"
            raise ProviderError(problem, place=place, mend=f"patterns start at {request.root}")
        facts = request.declared(sources)
        problems = (*search.problems, *unread, *facts.problems)
        closed = frozenset[str]() if unread else facts.closed
        return replace(facts, closed=closed, problems=problems, partial=bool(unread))


def _patterns(request: Request) -> tuple[str, ...]:
    said = request.settings.get(_SETTING, ())
    return tuple(filter(None, (said,) if isinstance(said, str) else said))


class _Search:
    """The files that patterns match, in order, once each."""

    def __init__(self, request: Request, patterns: tuple[str, ...]) -> None:
        self.root = request.root
        self.kinds = request.patterns
        self.place = request.key(_SETTING)
        self.patterns = patterns
        self.problems: list[str] = []

    def files(self) -> Iterator[tuple[Path, str]]:
        """Each file with the label that messages give it."""
        seen: set[Path] = set()
        for pattern in self.patterns:
            matched = False
            for path in sorted(self._matches(pattern), key=self._key):
                matched = True
                if path.resolve() not in seen and not _UNDO.match(path.name):
                    seen.add(path.resolve())
                    yield path, self._label(path)
            if not matched:
                self.problems.append(f"{self.place}: nothing matches {pattern}")

    def _matches(self, pattern: str) -> Iterator[Path]:
        pure = at_home(pattern)
        absolute = pure.is_absolute()
        if not absolute and ".." in pure.parts:
            raise ProviderError(
                f"{pattern} leads outside the workspace",
                place=self.place,
                mend="write it as an absolute path",
            )
        base, relative = (Path(pure.anchor), pure.relative_to(pure.anchor)) if absolute else (self.root, pure)
        inside = None if absolute else self.root.resolve()
        try:
            found = [base / relative] if (base / relative).exists() else list(base.glob(str(relative)))
        except (ValueError, NotImplementedError, IndexError) as error:
            raise ProviderError(f"{pattern} is not a pattern: {error}", place=self.place) from error
        except OSError as error:
            raise ProviderError(f"{pattern}: {_reason(error)}", place=self.place) from error
        for path in found:
            for file in self._inside(path) if path.is_dir() else [path]:
                if inside is None or file.resolve().is_relative_to(inside):
                    yield file
                else:
                    self.problems.append(
                        f"{self._label(file)}: leads outside the workspace, so it is not read"
                    )

    def _inside(self, folder: Path) -> list[Path]:
        return sorted({file for kind in self.kinds for file in folder.glob(kind)})

    def _label(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def _key(self, path: Path) -> tuple[object, ...]:
        inside = path.relative_to(self.root) if path.is_relative_to(self.root) else path
        return migration_key(inside)


def _stamp(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:
        return "absent"
    return f"{stat.st_size} {stat.st_mtime_ns}"


def _read(path: Path) -> tuple[str, str]:
    """A file's text, or why it has none."""
    try:
        if path.stat().st_size > _LARGEST:
            return "", f"is larger than {_LARGEST:,} bytes, so it is taken for data and not read"
        data = path.read_bytes()
    except OSError as error:
        return "", f"can't be read: {_reason(error)}"
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return "", f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8"


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).replace("\n", " ")
