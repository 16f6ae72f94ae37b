"""A text with some of its names taken out, to be filled from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gproj_lsp.text import encode

__all__ = ["Opened"]


@dataclass(frozen=True)
class Opened:
    """A text without some names of one sort.

    Attributes:
        sort: Their sort.
        between: The text before, between and after them.
        names: What stood there, as Γ spells it.
    """

    sort: str
    between: tuple[str, ...]
    names: tuple[str, ...]

    def text(self, names: Sequence[str]) -> str:
        """The text with names in the first places, and a hole in each of the others."""
        written = [*names, *(f"{{:{self.sort}}}" for _ in self.names[len(names) :])]
        return "".join(text for pair in zip(self.between, (*written, ""), strict=True) for text in pair)

    def hole(self, names: Sequence[str]) -> int:
        """Where the first hole of that begins, in bytes."""
        done = zip(self.between, names, strict=False)
        return len(encode("".join(text for pair in done for text in pair) + self.between[len(names)]))
