"""Text that goes in circles: a model that has lost its way says the same again and again."""

from __future__ import annotations

__all__ = ["circle"]

_SHORTEST = 4
_LONGEST = 120
_LONG = 40
"""A stretch of so many bytes says too much to be meant twice in a row; a shorter one may be."""


def circle(text: bytes, start: int = 0) -> tuple[int, bytes] | None:
    """Where a text that ends in the same stretch, said three times in a row or twice if it is long, should have ended.

    Args:
        text: The text.
        start: What stands before this byte does not count.

    Returns:
        The end of the stretch's first time, and the stretch; None where the text does not go in circles.
    """
    end = len(text)
    for length in range(_SHORTEST, min(_LONGEST, (end - start) // 2) + 1):
        times = 2 if length >= _LONG else 3
        first = end - times * length
        if first < start:
            continue
        stretch = text[end - length :]
        if text[end - 2 * length : end - length] == stretch and text[first : first + length] == stretch:
            return first + length, stretch
    return None
