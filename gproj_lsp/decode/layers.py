"""Several matchers over one text: what every one of them admits.

While a scope is being written, the grammar of its statement and the narrower one of the scope hold together. A mask of several
is the intersection of theirs; what one of them forces, all together force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gproj_lsp.decode.base import Mask, Matcher

__all__ = ["Layers", "admitted"]


class Layers:
    """A matcher that admits what all of its layers admit (`gproj_lsp.decode.base.Matcher`).

    No layer looks ahead for another: each may admit a beginning that only the others could end.

    Args:
        layers: At least one; all have read the same text.
    """

    def __init__(self, layers: Sequence[Matcher]) -> None:
        self._layers = tuple(layers)
        self._buffer: Mask | None = None

    def mask(self, buffer: Mask) -> None:
        """Write the tokens that every layer admits."""
        first, *others = self._layers
        first.mask(buffer)
        for other in others:
            if self._buffer is None:
                self._buffer = np.zeros_like(buffer)
            other.mask(self._buffer)
            buffer &= self._buffer

    def accept_token(self, token: int) -> bool:
        """Advance every layer by a token; False, and no change, where one refuses it."""
        for at, layer in enumerate(self._layers):
            if not layer.accept_token(token):
                self._undo(at)
                return False
        return True

    def accept_bytes(self, text: bytes) -> bool:
        """Advance every layer by text; False, and no change, where one refuses it."""
        for at, layer in enumerate(self._layers):
            if not layer.accept_bytes(text):
                self._undo(at)
                return False
        return True

    def rollback(self, steps: int) -> None:
        """Undo the last `steps` accept calls."""
        for layer in self._layers:
            layer.rollback(steps)

    def fork(self) -> Layers:
        """An independent copy."""
        return Layers([layer.fork() for layer in self._layers])

    def is_complete(self) -> bool:
        """Whether the text so far is in every layer's language."""
        return all(layer.is_complete() for layer in self._layers)

    def forced(self) -> bytes:
        """The longest text that a layer forces, as far as all admit it: where one does not, nothing may follow at all."""
        texts = [layer.forced() for layer in self._layers]
        longest = max(texts, key=len)
        others = (layer for layer, text in zip(self._layers, texts, strict=True) if text != longest)
        return longest[: min((admitted(layer, longest) for layer in others), default=len(longest))]

    def _undo(self, count: int) -> None:
        for layer in self._layers[:count]:
            layer.rollback(1)


def admitted(matcher: Matcher, text: bytes) -> int:
    """How many bytes of a text a matcher admits.

    Args:
        matcher: It has read what comes before; afterwards it is as it was.
        text: The text.
    """
    low, high = 0, len(text)
    while low < high:
        middle = high if not low else (low + high + 1) // 2
        if matcher.accept_bytes(text[:middle]):
            matcher.rollback(1)
            low = middle
        else:
            high = middle - 1
    return low
