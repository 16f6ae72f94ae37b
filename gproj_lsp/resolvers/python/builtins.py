"""What Python declares by itself: `grammars/python/facts/builtins.json`, loaded when first asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypedDict, cast

import gproj_lsp
from gproj_lsp.environment import Binding, Origin
from gproj_lsp.facts import Facts
from gproj_lsp.resolve import World

__all__ = ["Lexicon", "builtins", "lexicon"]

_PACKAGE = Path(gproj_lsp.__file__).parent


# Written as a call, since a key is a keyword of Python.
_Data = TypedDict(
    "_Data",
    {
        "builtins": dict[str, str],
        "since": dict[str, dict[str, str]],
        "module": str,
        "class": str,
        "hosts": str,
        "past": str,
        "generics": str,
        "harmless": str,
    },
)


@dataclass(frozen=True)
class Lexicon:
    """Names that no text declares.

    Attributes:
        always: Builtins that every release has, by name, with their kind.
        since: Builtins of later releases: the release and the kind.
        of_module: What the import system gives a module.
        of_class: What a class statement gives its body.
        hosts: What may be there, depending on what runs the file.
        past: Builtins of releases before all of those.
        generics: Between the brackets of which a string is a type.
        harmless: Functions that change no dictionary that they are given.
    """

    always: Mapping[str, str]
    since: Mapping[str, tuple[str, str]]
    of_module: frozenset[str]
    of_class: frozenset[str]
    hosts: frozenset[str]
    past: frozenset[str]
    generics: frozenset[str]
    harmless: frozenset[str]

    def own(self, name: str) -> Binding:
        """A name that the language itself sets."""
        return _own(name)


@cache
def _own(name: str) -> Binding:
    return Binding(name, "Name", attrs={"kind": "constant"}, origin=Origin("builtin"))


@cache
def lexicon() -> Lexicon:
    """The words of the shipped data."""
    shelves = (_PACKAGE / "grammars", _PACKAGE.parent / "grammars")
    path = next(each / "python" / "facts" / "builtins.json" for each in shelves if each.is_dir())
    data = cast("_Data", json.loads(path.read_text("utf-8")))
    return Lexicon(
        {name: kind for kind, names in data["builtins"].items() for name in names.split()},
        {
            name: (release, kind)
            for release, kinds in data["since"].items()
            for kind, names in kinds.items()
            for name in names.split()
        },
        frozenset(data["module"].split()),
        frozenset(data["class"].split()),
        frozenset(data["hosts"].split()),
        frozenset(data["past"].split()),
        frozenset(data["generics"].split()),
        frozenset(data["harmless"].split()),
    )


def builtins(world: World) -> Facts:
    """The builtins of the release that the setting `version` names, of any release where it names none."""
    words = lexicon()
    version = world.settings.get("version", "")
    found = dict(words.always)
    found |= {
        name: kind
        for name, (release, kind) in words.since.items()
        if not version or _number(release) <= _number(version)
    }
    found |= dict.fromkeys(words.of_module, "constant")
    origin = Origin("builtin", f"Python {version}".strip())
    bindings = (Binding(name, "Name", attrs={"kind": kind}, origin=origin) for name, kind in found.items())
    return Facts(tuple(bindings), frozenset({"Name"}))


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
