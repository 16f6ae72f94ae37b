"""Times of a kind, held against what was promised of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gproj_lsp.bench.sheet import Value

__all__ = ["Timed", "quantile"]


@dataclass
class Timed:
    """How long one kind of answer took, and what was promised.

    Attributes:
        name: The kind.
        wanted: The promise, as it reads.
        limit: The most that keeps it, in milliseconds; None: nothing is promised.
        by: Which quantile is held against it, `p50` or `p95`.
        seconds: Each time, in seconds.
    """

    name: str
    wanted: str
    limit: float | None
    by: str
    seconds: list[float] = field(default_factory=list)

    def row(self) -> tuple[Value, ...]:
        """Name, number of times, both quantiles in milliseconds, the promise, and whether it is kept."""
        middle, high = (quantile(self.seconds, part) * 1000 for part in (0.5, 0.95))
        judged = middle if self.by == "p50" else high
        kept = "" if self.limit is None else "yes" if judged <= self.limit else "no"
        return self.name, len(self.seconds), middle, high, self.wanted, kept


def quantile(values: Sequence[float], part: float) -> float:
    """The value that a part of some values do not exceed."""
    ordered = sorted(values)
    return ordered[min(round(part * (len(ordered) - 1)), len(ordered) - 1)]
