"""Tokenizing short texts once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["SHORT", "remembered"]

SHORT = 120
"""Bytes of the longest text that is remembered."""


def remembered(encode: Callable[[bytes], Sequence[int]]) -> Callable[[bytes], list[int]]:
    """The same tokenizer, with the short texts it was given last remembered.

    Decoding asks for the same few words again and again, and splitting one into words costs 50 µs in some vocabularies.
    """
    known = lru_cache(maxsize=16_384)(lambda text: tuple(encode(text)))
    return lambda text: list(known(text) if len(text) <= SHORT else encode(text))
