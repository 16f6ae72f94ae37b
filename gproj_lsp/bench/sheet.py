"""What a benchmark gives: rows of figures that read as a table and as JSON, with what exactly was measured."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gproj_lsp.decode.lanes import Crew

__all__ = ["Sheet", "Value", "model_of"]

Value = str | int | float | None


@dataclass(frozen=True)
class Sheet:
    """The result of one benchmark.

    Attributes:
        title: What was measured, in one line.
        columns: What each row tells, in order.
        rows: One value a column.
        notes: What a reader must know to judge the figures.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        cells = [self.columns, *(tuple(map(_shown, row)) for row in self.rows)]
        widths = [max(len(row[at]) for row in cells) for at in range(len(self.columns))]
        lines = [self.title, ""]
        for number, row in enumerate(cells):
            first = row[0].ljust(widths[0])
            rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
            lines.append("  ".join((first, *rest)).rstrip())
            if not number:
                lines.append("  ".join("-" * width for width in widths))
        return "\n".join((*lines, *(("", *self.notes) if self.notes else ())))

    def to_json(self) -> str:
        """The same figures for programs: `{"title", "rows": [{column: value}], "notes"}`."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return json.dumps(
            {"title": self.title, "rows": rows, "notes": list(self.notes)}, indent=2, ensure_ascii=False
        )


def model_of(crew: Crew) -> str:
    """What a title says of the model that figures are of, and of how many texts it wrote at once."""
    beside = f", {crew.width} side by side" if crew.width > 1 else ""
    return f"model {crew.name}{beside}"


def _shown(value: Value) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
