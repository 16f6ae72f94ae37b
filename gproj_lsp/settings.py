"""Settings: `gproj.toml`, the editor's settings and `-c key=value`, checked and frozen.

The three sources share their keys; a later one wins. Keys of one surface live under `surfaces.<name>`, and the surface itself
says which there are (`[settings]` in its surface.toml), so that this module names none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from pathlib import Path
from types import MappingProxyType

from gproj_lsp import tomlfile
from gproj_lsp.errors import InputError, SettingsError

__all__ = ["FILE_NAME", "KEYS", "Key", "Settings", "SurfaceKeys", "Value", "find_root", "load", "nearest"]

FILE_NAME = "gproj.toml"
Value = str | tuple[str, ...] | float | bool
_Place = Callable[[tuple[str, ...]], str]
SurfaceKeys = Mapping[str, Mapping[str, str]]
"""The kinds of every surface's keys, by surface and key, as its surface.toml gives them."""


@dataclass(frozen=True)
class Key:
    """One setting.

    Attributes:
        kind: `text`, `texts`, `url`, `number`, `whole`, `flag`, or the choices as `a|b`.
        default: What holds where nothing is said.
        about: One line for the reference in the README.
        least: The smallest number admitted.
        most: The largest number admitted.
    """

    kind: str
    default: Value = ""
    about: str = ""
    least: float = -inf
    most: float = inf


SEVERITIES = "error|warning|information|hint|off"
"""How a finding may be told."""

KEYS: Mapping[str, Key] = MappingProxyType(
    {
        "engine": Key("llguidance|xgrammar|llama", "llguidance", "which mask engine decodes"),
        "model": Key(
            "text",
            "embedded",
            "`embedded`, the path of a GGUF file, the `hf:` reference of a pulled one, `hf:` and a folder of Transformers, or "
            "the URL of a server",
        ),
        "remote.model": Key("text", "", "what the server calls the model; needed where it has several"),
        "remote.server": Key(
            "auto|llama.cpp|vllm|vllm-before-0.12|sglang|fireworks", "auto", "how the server takes a grammar"
        ),
        "remote.key": Key("text", "", "the name of the environment variable that holds the server's key"),
        "remote.timeout": Key("number", 60.0, "seconds that one hole may take", 0.1, 3600.0),
        "remote.context": Key("whole", 4096, "tokens that the server's context holds", 512, 10_000_000),
        "exclude": Key(
            "texts", (), "globs of files that are not looked at: by `check` in a folder, by an editor at all"
        ),
        "baseline": Key("text", "", "a file of known ghosts that `check` does not report again"),
        "checks.ghost-reference": Key(SEVERITIES, "error", "how a name that nothing declares is told"),
        "checks.ambiguous-reference": Key(SEVERITIES, "warning", "how a name that means two things is told"),
        "checks.deprecated-reference": Key(
            SEVERITIES, "warning", "how a name that is on its way out is told"
        ),
        "checks.unfit-reference": Key(
            SEVERITIES, "warning", "how a name that can't be what its place takes is told"
        ),
        "checks.unknown-sort": Key(SEVERITIES, "error", "how a hole of a sort that there is not is told"),
        "checks.hole": Key(SEVERITIES, "hint", "how an editor tells holes"),
        "fill.temperature": Key("number", 0.0, "0 takes the likeliest text", 0.0, 10.0),
        "fill.top-p": Key(
            "number", 1.0, "sample from the likeliest tokens that together have this probability", 0.01, 1.0
        ),
        "fill.seed": Key("whole", 0, "same seed, same text", 0, 2**32 - 1),
        "fill.allow-base": Key(
            "flag", default=False, about="may a hole without candidates be filled by an undeclared name"
        ),
        "complete.tokens": Key("whole", 192, "the most tokens that one completion may have", 1, 4096),
        "complete.milliseconds": Key(
            "number", 0.0, "the time one completion may take; 0: no bound", 0.0, 600_000.0
        ),
        "inline.milliseconds": Key(
            "number", 300.0, "the time that text shown while somebody types may take", 10.0, 60_000.0
        ),
        "inline.asked-milliseconds": Key(
            "number",
            5000.0,
            "the time that text somebody asked for may take, all alternatives together",
            10.0,
            600_000.0,
        ),
        "complete.sketch": Key(
            "text", "", "the model, or server, that writes sketches; empty: the model itself"
        ),
    }
)
"""Every key that is not a surface's."""

_VARIABLE = re.compile(r"\$\$\{|\$\{(?P<name>[A-Za-z_]\w*)\}")
_SURFACES = "surfaces"


def _defaults() -> Mapping[str, Value]:
    return MappingProxyType({name: key.default for name, key in KEYS.items()})


@dataclass(frozen=True)
class Settings:
    """What the user asked for.

    Attributes:
        root: The workspace: the folder of gproj.toml, and where relative paths start.
        place: The settings file as messages show it, or empty where there is none.
        values: Every key of `KEYS`.
        surfaces: The keys set for each surface; texts and tuples of texts.
        ignored: What the settings file says and nobody listens to, because the user does not trust the workspace.
        filed: The keys whose values only the settings file gives, which may be somebody else's.
    """

    root: Path
    place: str = ""
    values: Mapping[str, Value] = field(default_factory=_defaults)
    surfaces: Mapping[str, Mapping[str, str | tuple[str, ...]]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    ignored: tuple[str, ...] = ()
    filed: frozenset[str] = frozenset()

    def text(self, key: str) -> str:
        """The value of a `text` or choice key."""
        return str(self.values[key])

    def texts(self, key: str) -> tuple[str, ...]:
        """The value of a `texts` key."""
        found = self.values[key]
        return found if isinstance(found, tuple) else (str(found),)

    def number(self, key: str) -> float:
        """The value of a `number` or `whole` key."""
        found = self.values[key]
        return float(found) if isinstance(found, (int, float)) else 0.0

    def flag(self, key: str) -> bool:
        """The value of a `flag` key."""
        return self.values[key] is True

    def having(self, key: str, other: str) -> Settings:
        """The same where one of `KEYS` has the value of another, said by whoever said that."""
        filed = self.filed - {key} | ({key} if other in self.filed else set())
        return replace(self, values=MappingProxyType({**self.values, key: self.values[other]}), filed=filed)

    def surface(self, name: str) -> Mapping[str, str | tuple[str, ...]]:
        """What is set for a surface."""
        return self.surfaces.get(name, MappingProxyType({}))


def find_root(start: Path) -> Path | None:
    """The nearest folder at or above `start` that holds a gproj.toml."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if _is_file(folder / FILE_NAME):
            return folder
    return None


def load(  # noqa: PLR0913  (three sources of settings, and what they may do)
    root: Path,
    surfaces: SurfaceKeys,
    *,
    editor: Mapping[str, object] | None = None,
    overrides: Iterable[str] = (),
    environ: Mapping[str, str] | None = None,
    trusted: bool = True,
) -> Settings:
    """The settings that hold in a workspace.

    Args:
        root: Its folder; a gproj.toml there is read.
        surfaces: The keys that each surface has.
        editor: The editor's settings, with the same keys.
        overrides: `key=value`, as after `-c`.
        environ: Where `${VARIABLES}` are looked up; the process's environment by default.
        trusted: Whether the user trusts the folder. Of a file in one that is not, only what can lead nowhere is taken: choices
            between words that are known, and what is left out. No path, no URL, no variable of the environment.

    Raises:
        SettingsError: A file that can't be read, an unknown key, a value of another kind, an unset variable. `place` is
            `file:line`, `editor settings` or `-c key`.
    """
    reader = _Reader(surfaces, os.environ if environ is None else environ)
    settings = Settings(root)
    path = root / FILE_NAME
    if _is_file(path):
        label = shown_path(path)
        file = _read(path, label)
        reads = reader if trusted else replace(reader, harmless=True)
        filed = frozenset(".".join(keys) for keys, _ in _leaves(file.table))
        settings = replace(settings, place=label, filed=filed)
        settings = reads.merge(settings, file.table, lambda keys: file.place(*keys))
    if editor:
        settings = reader.merge(settings, editor, lambda keys: f"editor settings: {'.'.join(keys)}")
        settings = replace(settings, filed=settings.filed - {".".join(keys) for keys, _ in _leaves(editor)})
    for override in overrides:
        settings = reader.override(settings, override)
    return settings


def _is_file(path: Path) -> bool:
    """Whether there is such a file, as far as one may look."""
    return os.path.isfile(path)  # noqa: PTH113  (Path's own raises where one may not look)


def shown_path(path: Path) -> str:
    """The path as people read it: relative to the current folder where it lies under it."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that `word` most likely meant, or empty."""
    from difflib import get_close_matches  # noqa: PLC0415  (only a complaint needs it)

    found = get_close_matches(word, list(known), n=1)
    return found[0] if found else ""


def _read(path: Path, label: str) -> tomlfile.TomlFile:
    try:
        return tomlfile.read(path, label)
    except InputError as error:
        raise SettingsError(error.message, place=error.place, mend=error.mend) from error


@dataclass(frozen=True)
class _Reader:
    """Puts values into settings, one key at a time."""

    surfaces: SurfaceKeys
    environ: Mapping[str, str]
    harmless: bool = False

    def merge(self, settings: Settings, table: Mapping[str, object], place: _Place) -> Settings:
        for keys, found in _leaves(table):
            settings = self._set(settings, keys, found, place)
        return settings

    def override(self, settings: Settings, text: str) -> Settings:
        name, equals, word = text.partition("=")
        keys = tuple(name.strip().split("."))
        if not equals or not all(keys):
            raise SettingsError("an override is key=value", place="-c", mend="as in -c engine=xgrammar")
        place = f"-c {'.'.join(keys)}"
        kind = self._key(keys, lambda _: place).kind
        settings = replace(settings, filed=settings.filed - {".".join(keys)})
        return self._set(settings, keys, _said(word.strip(), kind), lambda _: place)

    def _set(self, settings: Settings, keys: tuple[str, ...], found: object, place: _Place) -> Settings:
        key = self._key(keys, place)
        if self.harmless and not _is_harmless(keys, key):
            return replace(settings, ignored=(*settings.ignored, ".".join(keys)))
        checked = _checked(self._expand(found, lambda: place(keys)), key, lambda: place(keys))
        if keys[0] != _SURFACES:
            return replace(settings, values=MappingProxyType({**settings.values, ".".join(keys): checked}))
        _, surface, name = keys
        plain = checked if isinstance(checked, tuple) else str(checked)
        grown = MappingProxyType({**settings.surface(surface), name: plain})
        return replace(settings, surfaces=MappingProxyType({**settings.surfaces, surface: grown}))

    def _key(self, keys: tuple[str, ...], place: _Place) -> Key:
        if keys[0] != _SURFACES:
            name = ".".join(keys)
            if name in KEYS:
                return KEYS[name]
            raise _unknown(name, [*KEYS, *self._written()], place(keys))
        if len(keys) > 1 and keys[1] not in self.surfaces:
            raise _unknown(keys[1], self.surfaces, place(keys[:2]), what="surface")
        if len(keys) == 3 and keys[2] in self.surfaces[keys[1]]:
            return Key(self.surfaces[keys[1]][keys[2]])
        raise _unknown(".".join(keys), self._written(), place(keys))

    def _written(self) -> list[str]:
        return [f"{_SURFACES}.{surface}.{name}" for surface, names in self.surfaces.items() for name in names]

    def _expand(self, found: object, place: Callable[[], str]) -> object:
        if isinstance(found, list):
            return [self._expand(item, place) for item in found]
        if not isinstance(found, str):
            return found

        def replaced(match: re.Match[str]) -> str:
            name = match["name"]
            if name is None:
                return "${"
            if name not in self.environ:
                mend = f"export {name}, or write $${{{name}}} for the text itself"
                raise SettingsError(f"the variable {name} is not set", place=place(), mend=mend)
            return self.environ[name]

        if self.harmless:
            return found
        return _VARIABLE.sub(replaced, found)


def _is_harmless(keys: tuple[str, ...], key: Key) -> bool:
    """Whether a value can lead nowhere, whoever wrote it."""
    return "|" in key.kind or keys == ("exclude",)


def _leaves(
    table: Mapping[str, object], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, found in table.items():
        keys = (*above, *str(name).split("."))
        if isinstance(found, Mapping):
            yield from _leaves(found, keys)
        else:
            yield keys, found


def _said(word: str, kind: str) -> object:
    """What a word on the command line means for a key of this kind."""
    found = tomlfile.value(word)
    if kind in {"number", "whole", "flag", "texts"}:
        return word if found is None else found
    return found if isinstance(found, str) else word


def _checked(found: object, key: Key, place: Callable[[], str]) -> Value:
    """The value as the key's kind has it; a value that is refused is not repeated, it may hold a password."""
    if any(
        "\0" in text
        for text in (found if isinstance(found, (list, tuple)) else (found,))
        if isinstance(text, str)
    ):
        raise SettingsError("the value holds a NUL character, which no path and no name has", place=place())
    if key.kind == "flag" and isinstance(found, bool):
        return found
    if key.kind in {"number", "whole"} and isinstance(found, (int, float)) and not isinstance(found, bool):
        return _number(found, key, place)
    if key.kind == "texts" and isinstance(found, (str, list, tuple)):
        texts = (found,) if isinstance(found, str) else tuple(found)
        if all(isinstance(text, str) for text in texts):
            return texts
    if key.kind == "text" and isinstance(found, str):
        return found
    if key.kind == "url" and isinstance(found, str) and "://" in found:
        return found
    if "|" in key.kind and isinstance(found, str):
        return _choice(found, key.kind.split("|"), place)
    raise SettingsError(f"the value must be {_KINDS.get(key.kind, 'one of ' + key.kind)}", place=place())


_KINDS = {
    "flag": "true or false",
    "number": "a number",
    "whole": "a whole number",
    "text": "a text",
    "texts": "a list of texts",
    "url": "a URL, as in sqlite:///shop.db",
}


def _number(found: float, key: Key, place: Callable[[], str]) -> float:
    whole = key.kind != "whole" or isinstance(found, int)
    if key.least <= found <= key.most and whole and isfinite(found):
        return found
    kind = _KINDS[key.kind]
    raise SettingsError(f"the value must be {kind} from {key.least:g} to {key.most:g}", place=place())


def _choice(found: str, choices: list[str], place: Callable[[], str]) -> str:
    if found in choices:
        return found
    close = nearest(found, choices)
    mend = f"did you mean {close}?" if close else ""
    raise SettingsError(f'"{found}" is none of {", ".join(choices)}', place=place(), mend=mend)


def _unknown(name: str, known: Iterable[str], place: str, *, what: str = "key") -> SettingsError:
    names = list(known)
    close = nearest(name, names)
    mend = f"did you mean {close}?" if close else f"known: {', '.join(sorted(names))}"
    return SettingsError(f'unknown {what} "{name}"', place=place, mend=mend)
