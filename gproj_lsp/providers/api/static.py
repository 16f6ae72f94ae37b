"""What a package declares, read from its source by griffe; runs none of it, and sees what is written there only.

Whatever may have names that no source spells out (a computed `__all__`, `globals()`, a base from elsewhere) is marked as open.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import Facts
from gproj_lsp.providers.api.importing import CLOSED

if TYPE_CHECKING:
    import griffe

__all__ = ["by_reading"]

_OPEN = "open"
_DYNAMIC = re.compile(r"\bglobals\(|\bsetattr\(|\bexec\(|\bsys\.modules|__dict__|\bvars\(|\bdef __getattr__")
_KNOWN_BASES = frozenset(
    {"object", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ABC", "NamedTuple", "Exception"}
)
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_LITERAL = re.compile(
    r"(?:typing\.|t\.)?(?:Optional\[)?(?:typing\.|t\.)?Literal(?P<list>\[.*?\])(?:\]| \| None)?\Z"
)
_DEPRECATED = re.compile(r"\.\. deprecated::([^\n]*)")


def by_reading(package: str, *, folders: Sequence[Path] = ()) -> Facts:
    """What a package's source declares.

    Args:
        package: Its name.
        folders: Where else to look for it, before the places of this Python.

    Raises:
        ProviderError: griffe is not installed, or the package has no source that it can read.
    """
    try:
        import griffe  # noqa: PLC0415  (an extra)
    except ImportError as error:
        mend = 'pip install "gproj-lsp[api]"'
        raise ProviderError("needs griffe to read a package's source", place=package, mend=mend) from error
    loader = griffe.GriffeLoader(allow_inspection=False, search_paths=[*map(str, folders), *_own_places()])
    try:
        root = loader.load(package)
        loader.resolve_aliases(implicit=True, external=False)
    except (ImportError, griffe.GriffeError, OSError, SyntaxError, RecursionError) as error:
        mend = "is it installed? --path names a folder; without --static it is imported"
        raise ProviderError(f"its source can't be read: {error}", place=package, mend=mend) from error
    if not isinstance(root, griffe.Module):
        raise ProviderError("is no package", place=package)
    return _Reading(package).facts(root)


def _own_places() -> list[str]:
    import sys  # noqa: PLC0415  (its path may be changed until then)

    return [each for each in sys.path if each]


@dataclass
class _Reading:
    """Walks over what griffe read."""

    package: str
    found: list[Binding] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def facts(self, root: griffe.Module) -> Facts:
        version = root.members.get("__version__")
        said = str(getattr(version, "value", "") or "").strip("'\"")
        attrs = {"version": said} if re.fullmatch(r"[\w.+!-]+", said) else {}
        self._add("Module", "", self.package, {**attrs, **_openness(root)})
        self._module(root)
        origin = Origin("static", f"{self.package} {said}".strip(), time())
        names = {
            each.key: Binding(each.name, each.sort, each.owner, attrs=each.attrs, origin=origin)
            for each in self.found
        }
        return Facts(tuple(names.values()), CLOSED)

    def _add(self, sort: str, owner: str, name: str, attrs: dict[str, str]) -> None:
        self.found.append(Binding(name, sort, owner, attrs=attrs))

    def _module(self, module: griffe.Module) -> None:
        if module.path in self.done:
            return
        self.done.add(module.path)
        for name, member in sorted(module.members.items()):
            if not (name.startswith("__") and name.endswith("__")) and "*" not in name:
                self._add("Attribute", module.path, name, self._member(module.path, member))

    def _member(self, owner: str, member: griffe.Object | griffe.Alias) -> dict[str, str]:
        target = _final(member)
        if target is None:
            return {"kind": "constant"}  # it comes from elsewhere, and what it is can't be seen
        attrs = self._described(target)
        return {**attrs, "target": target.path} if target.path != f"{owner}.{member.name}" else attrs

    def _described(self, target: griffe.Object) -> dict[str, str]:
        import griffe  # noqa: PLC0415  (an extra)

        if isinstance(target, griffe.Module):
            self._module(target)
            return {"kind": "module", **_openness(target)}
        if isinstance(target, griffe.Class):
            return self._class(target)
        if isinstance(target, griffe.Function):
            return {"kind": "function", **self._function(target), **_deprecation(target)}
        value = str(getattr(target, "value", "") or "")
        return {"kind": "constant", **({"value": value} if 0 < len(value) <= 60 else {})}

    def _class(self, cls: griffe.Class) -> dict[str, str]:
        bases = [str(base).rpartition(".")[2] for base in cls.bases]
        is_enum = not _ENUMS.isdisjoint(bases)
        attrs = {"kind": "enum" if is_enum else "class", **_deprecation(cls)}
        if self._may_have_more(cls):
            attrs["attributes"] = _OPEN
        members = cls.all_members
        maker = members.get("__init__")
        if is_enum or attrs.get("attributes") == _OPEN or cls.decorators or cls.keywords or maker is None:
            attrs["keywords"] = _OPEN
        attrs |= self._maker(cls, maker)
        if cls.path not in self.done:
            self.done.add(cls.path)
            for name, member in sorted(members.items()):
                if not (name.startswith("__") and name.endswith("__")):
                    self._add(
                        "Attribute", cls.path, name, self._class_member(cls.path, member, is_enum=is_enum)
                    )
        return attrs

    def _maker(self, cls: griffe.Class, maker: griffe.Object | griffe.Alias | None) -> dict[str, str]:
        import griffe  # noqa: PLC0415  (an extra)

        target = _final(maker) if maker is not None else None
        return (
            self._keywords(cls.path, target.parameters, drop=True)
            if isinstance(target, griffe.Function)
            else {}
        )

    def _class_member(
        self, owner: str, told: griffe.Object | griffe.Alias, *, is_enum: bool
    ) -> dict[str, str]:
        import griffe  # noqa: PLC0415  (an extra)

        member = _final(told)
        if member is None:
            return {"kind": "field"}
        if isinstance(member, griffe.Function):
            labels = {str(each.value) for each in member.decorators}
            if "property" in labels:
                return {"kind": "property", **_deprecation(member)}
            drop = "staticmethod" not in labels
            attrs = self._keywords(f"{owner}.{member.name}", member.parameters, drop=drop)
            opened = {"keywords": _OPEN} if labels - {"staticmethod", "classmethod"} else {}
            return {"kind": "method", **attrs, **opened, **_deprecation(member)}
        if "property" in member.labels:
            return {"kind": "property"}
        return {"kind": "member" if is_enum else "field"}

    def _function(self, function: griffe.Function) -> dict[str, str]:
        attrs = self._keywords(function.path, function.parameters, drop=False)
        plain = all("deprecated" in str(each.value) for each in function.decorators)
        return attrs if plain else {**attrs, "keywords": _OPEN}

    def _keywords(self, path: str, parameters: griffe.Parameters, *, drop: bool) -> dict[str, str]:
        attrs: dict[str, str] = {}
        for index, each in enumerate(parameters):
            kind = each.kind.value if each.kind is not None else ""
            if kind == "variadic keyword":
                attrs["keywords"] = _OPEN
            if (drop and not index) or kind not in ("positional or keyword", "keyword-only"):
                continue
            told = {"type": str(each.annotation)} if each.annotation is not None else {}
            told |= {"default": str(each.default)} if each.default is not None else {}
            self._add("Keyword", path, each.name, told)
            for text in _choices(str(each.annotation)):
                self._add("Choice", f"{path}({each.name})", text, {})
        return attrs

    def _may_have_more(self, cls: griffe.Class) -> bool:
        known = {str(base).rpartition(".")[2] for base in cls.bases} - _KNOWN_BASES
        if cls.keywords or len(cls.resolved_bases) < len(known):
            return True
        return any(_DYNAMIC.search(each.source or "") for each in (cls, *cls.mro()))


def _final(member: griffe.Object | griffe.Alias) -> griffe.Object | None:
    """What a member is in the end; None where that is not of the package."""
    import griffe  # noqa: PLC0415  (an extra)

    try:
        found = member.final_target if isinstance(member, griffe.Alias) else member
    except griffe.GriffeError:
        return None
    return found if isinstance(found, griffe.Object) else None


def _openness(module: griffe.Module) -> dict[str, str]:
    """Whether a module may have names that its source does not spell out."""
    source = module.source if isinstance(module.filepath, Path) else ""
    wild = any("*" in name for name in module.members)
    return {"attributes": _OPEN} if not source or wild or _DYNAMIC.search(source) else {}


def _choices(annotation: str) -> Iterator[str]:
    match = _LITERAL.match(annotation)
    if match is None:
        return
    try:
        texts = ast.literal_eval(match["list"])
    except (ValueError, SyntaxError):
        return
    if all(isinstance(text, str) for text in texts):
        yield from texts


def _deprecation(thing: griffe.Object | griffe.Alias) -> dict[str, str]:
    for decorator in getattr(thing, "decorators", ()):
        written = str(decorator.value)
        if written.partition("(")[0].rpartition(".")[2] == "deprecated":
            return {"deprecated": written.partition("(")[2].rstrip(")").strip("'\"")}
    doc = thing.docstring.value if thing.docstring is not None else ""
    match = _DEPRECATED.search(doc)
    return {"deprecated": match[1].strip()} if match is not None else {}
