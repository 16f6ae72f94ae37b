"""Texts that were offered at cursors: whoever types what one of them says is offered its rest, and nothing is written anew."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from gproj_lsp.text import encode

__all__ = ["Suggested", "Suggestions"]


@dataclass(frozen=True)
class Suggested:
    """What was offered at a place.

    Attributes:
        world: What the document was read with; another one may mean other names.
        data: The document.
        offset: The cursor, in bytes.
        texts: What was offered, best first; perhaps nothing.
        several: Whether alternatives were wanted.
    """

    world: Hashable
    data: bytes
    offset: int
    texts: tuple[str, ...]
    several: bool = False

    def rest(self, other: Suggested) -> tuple[str, ...] | None:
        """What is left of the texts where another place is the same with the beginning of one typed; None elsewhere."""
        typed = other.data[self.offset : other.offset]
        same = (
            self.world == other.world
            and len(self.data) - self.offset == len(other.data) - other.offset
            and self.offset <= other.offset
            and other.data.startswith(self.data[: self.offset])
            and other.data.endswith(self.data[self.offset :])
        )
        if not same or (other.several and not self.several):
            return None
        begun = (encode(text) for text in self.texts)
        left = tuple(
            text[len(typed) :].decode() for text in begun if text.startswith(typed) and text != typed
        )
        return left if left or not typed else None


class Suggestions:
    """What was offered lately, by document.

    Args:
        most: How many places are kept.
    """

    def __init__(self, most: int = 32) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, Hashable], Suggested] = OrderedDict()

    def put(self, document: str, made: Suggested) -> None:
        """Keep what was offered."""
        key = (document, (hash(made.data), made.offset, made.several))
        self._kept[key] = made
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def at(self, document: str, place: Suggested) -> tuple[str, ...] | None:
        """What is left of what was offered last where it fits a place; None where nothing is known of it.

        Args:
            document: The document.
            place: Where, without texts.
        """
        for (kept, _), made in reversed(self._kept.items()):
            if kept == document and (left := made.rest(place)) is not None:
                return left if place.several else left[:1]
        return None
