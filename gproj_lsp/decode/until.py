"""A matcher whose text is over where given text may follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gproj_lsp.decode.engines.stepped import bits

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Mask, Matcher, Vocabulary

__all__ = ["Until"]


class Until:
    """What a matcher admits, with an end wherever the rest of the text may follow (`gproj_lsp.decode.base.Matcher`).

    Args:
        matcher: Reads the text before the rest.
        rest: The rest.
        vocabulary: The model's.
    """

    def __init__(self, matcher: Matcher, rest: bytes, vocabulary: Vocabulary) -> None:
        self._matcher = matcher
        self._rest = rest
        self._vocabulary = vocabulary

    def mask(self, buffer: Mask) -> None:
        """Write the tokens that the matcher admits; ends as they are here."""
        self._matcher.mask(buffer)
        ends = bits(self._vocabulary.end, len(buffer))
        if self.is_complete():
            buffer |= ends
        else:
            buffer &= np.invert(ends)

    def accept_token(self, token: int) -> bool:
        """Advance by a token; False, and no change, where it is not admitted."""
        return self._matcher.accept_token(token)

    def accept_bytes(self, text: bytes) -> bool:
        """Advance by text; False, and no change, where it is not admitted."""
        return self._matcher.accept_bytes(text)

    def rollback(self, steps: int) -> None:
        """Undo the last `steps` accept calls."""
        self._matcher.rollback(steps)

    def fork(self) -> Until:
        """An independent copy."""
        return Until(self._matcher.fork(), self._rest, self._vocabulary)

    def is_complete(self) -> bool:
        """Whether the rest may follow."""
        if not self._matcher.accept_bytes(self._rest):
            return False
        over = self._matcher.is_complete()
        self._matcher.rollback(1)
        return over

    def forced(self) -> bytes:
        """The text every continuation begins with; none where the text may be over."""
        return b"" if self.is_complete() else self._matcher.forced()
