"""How what two readings of a package say differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gproj_lsp.facts import Facts

__all__ = ["Difference", "compared"]


@dataclass(frozen=True)
class Difference:
    """Two readings of a package, compared by public names.

    Attributes:
        both: How many names both have.
        first: Names that only the first has, as dotted names; keywords as `function(keyword)`.
        second: Names that only the second has.
    """

    both: int
    first: tuple[str, ...]
    second: tuple[str, ...]


def compared(first: Facts, second: Facts) -> Difference:
    """Compare two readings of one package.

    Args:
        first: One.
        second: The other.
    """
    one, other = set(_names(first)), set(_names(second))
    return Difference(len(one & other), tuple(sorted(one - other)), tuple(sorted(other - one)))


def _names(facts: Facts) -> Iterator[str]:
    for each in facts.bindings:
        parts = f"{each.owner}.{each.name}".split(".")
        if any(part.startswith("_") for part in parts):
            continue
        yield f"{each.owner}({each.name})" if each.sort == "Keyword" else ".".join(filter(None, parts))
