"""TOML read with places: every complaint about a key can name its line.

The standard parser gives values without positions, so `TomlFile.line` looks a key's line up in the text, and only when there
is something to complain about.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gproj_lsp.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["TomlFile", "parse", "read", "value"]

_HEADER = re.compile(r"^\s*\[\[?\s*(?P<keys>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_PAIR = re.compile(
    r"^\s*(?P<keys>(?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*="
)
_KEY = re.compile(r"[\w-]+|\"[^\"]*\"|'[^']*'")
_WHERE = re.compile(r"\s*\(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")


@dataclass(frozen=True)
class TomlFile:
    """A TOML document and where it came from.

    Attributes:
        label: The path as messages show it.
        text: The source.
        table: The parsed values.
    """

    label: str
    text: str
    table: Mapping[str, object]

    def line(self, *keys: str) -> int:
        """The 1-based line that sets the key, or the nearest table around it; 1 where neither is written out."""
        best, depth = 1, 0
        section: tuple[str, ...] = ()
        for number, line in enumerate(self.text.splitlines(), 1):
            if header := _HEADER.match(line):
                section = _split(header["keys"])
                written = section
            elif pair := _PAIR.match(line):
                written = section + _split(pair["keys"])
            else:
                continue
            shared = _common(written, keys)
            if shared > depth:
                best, depth = number, shared
        return best

    def place(self, *keys: str) -> str:
        """`path:line` of the key."""
        return f"{self.label}:{self.line(*keys)}"


def read(path: Path, label: str = "") -> TomlFile:
    """The file at `path`.

    Args:
        path: Where it lies.
        label: The path as messages show it; `path` itself if empty.

    Raises:
        InputError: It can't be read, is not UTF-8, or is not TOML; `place` has file and line.
    """
    shown = label or str(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror or error}", place=shown) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 (byte {error.start})", place=shown, mend="save it as UTF-8"
        ) from error
    return parse(text, shown)


def parse(text: str, label: str) -> TomlFile:
    """The document in `text`.

    Raises:
        InputError: It is not TOML; `place` has the line and column.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML: {_reason(error)}", place=_place(error, text, label)) from error
    except RecursionError as error:
        raise InputError("is nested too deeply", place=label) from error
    except ValueError as error:
        raise InputError("holds a number with more digits than can be read", place=label) from error
    return TomlFile(label, text, table)


def value(text: str) -> object | None:
    """One TOML value (`true`, `3`, `["a", "b"]`, `"x"`), or None where `text` is none: then it is a plain word."""
    try:
        return tomllib.loads(f"value = {text}").get("value") if "\n" not in text else None
    except (ValueError, RecursionError):
        return None


def _reason(error: tomllib.TOMLDecodeError) -> str:
    reason = _WHERE.sub("", str(error))
    return reason[:1].lower() + reason[1:]


def _place(error: tomllib.TOMLDecodeError, text: str, label: str) -> str:
    where = _WHERE.search(str(error))
    if where is None:
        return label
    if where["line"]:
        return f"{label}:{where['line']}:{where['column']}"
    return f"{label}:{max(1, len(text.splitlines()))}"


def _split(keys: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _KEY.findall(keys))


def _common(written: tuple[str, ...], keys: tuple[str, ...]) -> int:
    if len(written) > len(keys):
        # `[surfaces.sql]` was asked for and only `surfaces.sql.ddl = …` is written out.
        return len(keys) if written[: len(keys)] == keys else 0
    return len(written) if keys[: len(written)] == written else 0
