"""Budget-aware masking: a decode never goes where the end of its grammar is out of reach (paper, 4.3).

Looking at every step would cost more than the mask itself, so the look is taken when half of what is left is used up; where
it finds the end out of reach, the decode goes back to the last place where it was not, and from there on each token is
looked at before it is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gproj_lsp.decode.completion import Rest

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Vocabulary
    from gproj_lsp.gbnf import Grammar

__all__ = ["Budget", "Unlimited", "ended", "open_bytes"]

_CAREFUL = 16
"""Where so few tokens are left, each one is looked at."""


class Budget:
    """The tokens one decode may write.

    Attributes:
        tokens: How many in all.
        safe: The bytes of text, and the tokens, at the last place from which the end was within reach.
        careful: Whether each token is to be looked at.
    """

    def __init__(self, grammar: Grammar, tokens: int, vocabulary: Vocabulary) -> None:
        self.tokens = tokens
        self.safe = (b"", 0)
        self.careful = tokens <= _CAREFUL
        self._grammar = grammar
        self._vocabulary = vocabulary
        self._rests: dict[bytes, Rest] = {}
        self._next = tokens // 2

    def due(self, written: int) -> bool:
        """Whether it is time for `holds` to look."""
        return not self.careful and written >= self._next

    def holds(self, text: bytes, written: int) -> bool:
        """Whether the end is within reach, as far as is looked at here; moves `safe` on."""
        if not self.due(written):
            return True
        self._next = written + (self.tokens - written) // 2
        if not self.reaches(text, written):
            self.careful = True
            return False
        self.safe = (text, written)
        self._rests = {key: rest for key, rest in self._rests.items() if key == text}
        self.careful = self.tokens - written <= 2 * _CAREFUL
        return True

    def reaches(self, text: bytes, written: int) -> bool:
        """Whether the shortest text that ends the grammar after this one fits the tokens that are left."""
        end = self.ending(text)
        return (
            end is not None and len(self._vocabulary.encode(end)) + open_bytes(text) <= self.tokens - written
        )

    def ending(self, text: bytes) -> bytes | None:
        """The shortest text that ends the grammar after this one; None where there is none."""
        end = self._rest(text).shortest()
        return None if end is None else end.encode()

    def reason(self) -> str:
        """Why nothing can be written at all; empty where something can."""
        end = self.ending(b"")
        if end is None:
            return "the grammar has no string"
        needed = len(self._vocabulary.encode(end))
        return f"needs {needed} tokens, and the budget is {self.tokens}" if needed > self.tokens else ""

    def _rest(self, text: bytes) -> Rest:
        whole = text[: len(text) - open_bytes(text)]
        if (known := self._rests.get(whole)) is not None:
            return known
        base = max((key for key in self._rests if whole.startswith(key)), key=len, default=None)
        start = Rest(self._grammar) if base is None else self._rests[base]
        rest = start.after(whole[len(base or b"") :].decode())
        self._rests[whole] = rest
        return rest


def ended(grammar: Grammar, text: bytes) -> bytes | None:
    """The text with the shortest end that the grammar has for it; None where it has none."""
    whole = text[: len(text) - open_bytes(text)]
    end = Rest(grammar).after(whole.decode()).shortest()
    return None if end is None else whole + end.encode()


class Unlimited:
    """No bound: whoever asked for the text ends it.

    Attributes:
        safe: As in `Budget`.
        careful: As in `Budget`.
    """

    safe = (b"", 0)
    careful = False

    def due(self, written: int) -> bool:  # noqa: ARG002  (as `Budget.due`)
        """Never."""
        return False

    def holds(self, text: bytes, written: int) -> bool:  # noqa: ARG002  (as `Budget.holds`)
        """Always."""
        return True

    def reaches(self, text: bytes, written: int) -> bool:  # noqa: ARG002  (as `Budget.reaches`)
        """Always."""
        return True

    def ending(self, text: bytes) -> bytes | None:  # noqa: ARG002  (as `Budget.ending`)
        """Not known."""
        return None

    def reason(self) -> str:
        """None."""
        return ""


def open_bytes(text: bytes) -> int:
    """How many bytes at the end are the beginning of a character that is not all there."""
    for back in range(1, min(4, len(text)) + 1):
        byte = text[-back]
        if byte & 0xC0 != 0x80:
            length = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if length > back else 0
    return 0
