"""Things of libraries, as frozen facts tell them by their dotted names."""

from __future__ import annotations

from dataclasses import dataclass

from gproj_lsp.environment import Binding, Environment, Key, Query

__all__ = ["CALLABLE", "HOLDERS", "Thing", "exported", "member_of", "part", "thing_at"]

HOLDERS = frozenset({"module", "class", "enum"})
"""Kinds of things whose members are told."""
CALLABLE = frozenset({"class", "function", "method"})


@dataclass(frozen=True)
class Thing:
    """Something of a library.

    Attributes:
        path: The dotted name under which its members stand.
        kind: What it is; for an instance `instance`.
        binding: What tells of it: for an instance, its class.
    """

    path: str
    kind: str
    binding: Binding

    @property
    def told(self) -> bool:
        """Whether its members are told, all of them."""
        held = self.kind in HOLDERS or self.kind == "instance"
        return held and self.binding.attrs.get("attributes") != "open"


def thing_at(environment: Environment, path: str) -> Thing | None:
    """What a dotted name is, in a library that is known."""
    root, *names = path.split(".")
    module = environment.lookup(Key("Module", "", root))
    if module is None:
        return None
    found: Thing | None = Thing(root, "module", module)
    for name in names:
        if found is None:
            return None
        member = member_of(environment, found, name)
        found = part(found, member) if member is not None else None
    return found


def member_of(environment: Environment, thing: Thing, name: str) -> Binding | None:
    """What something has under a name."""
    return environment.lookup(Key("Attribute", thing.path, name))


def part(thing: Thing, member: Binding) -> Thing:
    """What a member of something is."""
    path = member.attrs.get("target") or f"{thing.path}.{member.name}"
    return Thing(path, member.attrs.get("kind", ""), member)


def exported(environment: Environment, path: str) -> frozenset[str] | None:
    """Every name that importing all of a module may bring; None where that is not told."""
    thing = thing_at(environment, path)
    if thing is None or thing.kind != "module" or not thing.told:
        return None
    return frozenset(each.name for each in environment.names(Query.of("Attribute", owner=thing.path)))
