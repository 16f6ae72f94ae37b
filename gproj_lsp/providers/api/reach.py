"""Facts of a library cut down to some of its modules, and to what these lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gproj_lsp.environment import Binding
from gproj_lsp.facts import Facts

__all__ = ["only"]

_OPEN = "open"
_MODULE = "module"


def only(facts: Facts, modules: Iterable[str]) -> Facts:
    """What modules of a library offer, with the members and keywords of all of that; of other modules only their names.

    What is left out is told as not told, so that nothing is a ghost that was not before.

    Args:
        facts: Everything that the library has.
        modules: Dotted names, the library's own among them or not.
    """
    reach = _Reach(facts, frozenset(modules))
    return replace(facts, bindings=tuple(reach.kept()))


class _Reach:
    """What some modules lead to."""

    def __init__(self, facts: Facts, modules: frozenset[str]) -> None:
        self._facts = facts
        self._modules = modules
        self._members: dict[str, list[Binding]] = {}
        for each in facts.bindings:
            if each.sort == "Attribute":
                self._members.setdefault(each.owner, []).append(each)

    def kept(self) -> Iterator[Binding]:
        """The bindings that are left, in their order."""
        owners = self._owners()
        ways = {part for module in self._modules for part in _parents(module)}
        led = ways | self._modules
        for each in self._facts.bindings:
            if each.sort == "Module":
                yield each if each.name in owners else _opened(each)
            elif each.owner.partition("(")[0] in owners or (each.owner in ways and _path(each) in led):
                closed = each.attrs.get("kind") != _MODULE or _path(each) in owners
                yield each if closed else _opened(each)

    def _owners(self) -> frozenset[str]:
        """Everything whose members are kept."""
        found: set[str] = set()
        left = [*self._modules]
        while left:
            owner = left.pop()
            if owner in found:
                continue
            found.add(owner)
            for each in self._members.get(owner, ()):
                if each.attrs.get("kind") != _MODULE:
                    left.append(_path(each))
                if (returned := each.attrs.get("returns")) is not None:
                    left.append(returned)
        return frozenset(found)


def _path(binding: Binding) -> str:
    return binding.attrs.get("target") or f"{binding.owner}.{binding.name}"


def _parents(module: str) -> Iterator[str]:
    """The modules around one, the outermost first."""
    parts = module.split(".")
    return (".".join(parts[:size]) for size in range(1, len(parts)))


def _opened(binding: Binding) -> Binding:
    return replace(binding, attrs={**binding.attrs, "attributes": _OPEN})
