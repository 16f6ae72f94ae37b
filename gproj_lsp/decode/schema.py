"""The world as a model is told of it: the stable head of every prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gproj_lsp.environment import Binding, Environment
from gproj_lsp.surface import Surface
from gproj_lsp.text import encode

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Vocabulary

__all__ = ["head", "within"]

_ROOM = 6_000
"""Characters of a head: some 2,000 tokens, which take 5 s to read once on two cores."""
_QUIET = frozenset({"builtin", "buffer"})
"""Who declares what a model need not be told: the language knows the first, the text shows the second."""


@dataclass
class _Owner:
    """Something with members: a table with its columns."""

    binding: Binding
    members: list[Binding] = field(default_factory=list)


def head(surface: Surface, world: Environment, text: str, room: int = _ROOM) -> str:
    """The surface's example, then what is declared outside of a text, one line an owner, in the words of the surface.

    Where there is too much, owners that the text names come first, then as many others as there is room for. The order does not
    depend on where in the text a hole is, so that the tokens stay the same from hole to hole.

    Args:
        surface: Its template for lines.
        world: Γ before the text's first statement.
        text: The document.
        room: How many characters to give at most.
    """
    example = surface.prompt.example if len(surface.prompt.example) <= room else ""
    room -= len(example)
    owners = _owners(surface, world)
    lines = {key: _line(surface, owner) for key, owner in owners.items()}
    if sum(map(len, lines.values())) + len(lines) > room:
        lines = dict(_fitting(lines, owners, text.casefold(), room))
    return example + "".join(line + "\n" for line in lines.values())


def within(surface: Surface, world: Environment, text: str, vocabulary: Vocabulary, most: int) -> bytes:
    """As much of a `head` as takes at most so many tokens.

    Args:
        surface: As in `head`.
        world: As in `head`.
        text: As in `head`.
        vocabulary: What counts the tokens.
        most: How many there may be.
    """
    room = _ROOM
    while len(vocabulary.encode(told := encode(head(surface, world, text, room)))) > most:
        room //= 2
    return told


def _owners(surface: Surface, world: Environment) -> dict[str, _Owner]:
    plural = {name for name, sort in surface.sorts.items() if sort.plural}
    owners: dict[str, _Owner] = {}
    members: list[Binding] = []
    for binding in world:
        if binding.origin.provider in _QUIET or binding.sort not in surface.sorts:
            continue
        if binding.sort in plural:
            members.append(binding)
        else:
            key = f"{binding.owner}.{binding.folded}" if binding.owner else binding.folded
            owners.setdefault(key, _Owner(binding))
    for member in members:
        if member.owner in owners:
            owners[member.owner].members.append(member)
    return {key: owner for key, owner in owners.items() if owner.members}


def _line(surface: Surface, owner: _Owner) -> str:
    members = ", ".join(surface.prompt.member.format_map(_words(member)).strip() for member in owner.members)
    return surface.prompt.owner.format_map({**_words(owner.binding), "members": members})


def _words(binding: Binding) -> Mapping[str, str]:
    return {
        "name": binding.spelling,
        "type": binding.attrs.get("type", ""),
        "references": binding.attrs.get("references", ""),
    }


def _fitting(
    lines: Mapping[str, str], owners: Mapping[str, _Owner], text: str, room: int
) -> Iterable[tuple[str, str]]:
    named = {key for key, owner in owners.items() if owner.binding.name.casefold() in text}
    kept: set[str] = set()
    for key in (*(key for key in lines if key in named), *(key for key in lines if key not in named)):
        if len(lines[key]) < room:
            room -= len(lines[key]) + 1
            kept.add(key)
    return [(key, line) for key, line in lines.items() if key in kept]
