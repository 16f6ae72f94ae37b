"""How long somebody waits for text."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Stop

__all__ = ["Patience"]


@dataclass(frozen=True)
class Patience:
    """Until when text is wanted.

    Attributes:
        stop: Says that nobody wants it any more.
        until: When the time is up, by `time.perf_counter`; None: never.
    """

    stop: Stop | None = None
    until: float | None = None

    def gone(self) -> bool:
        """Whether nobody wants more."""
        return self.stop is not None and self.stop()

    def over(self) -> bool:
        """Whether nobody wants more, or the time is up."""
        return self.gone() or (self.until is not None and time.perf_counter() >= self.until)
