"""What a document would be with something else in it: read from what is known of the document, at the cost of the change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gproj_lsp.ide.memory import Recent

if TYPE_CHECKING:
    from gproj_lsp.ide.analysis import Analysis
    from gproj_lsp.ide.analyzer import Analyzer
    from gproj_lsp.ide.drafting import Drafting

__all__ = ["Reading"]

_KEPT = 4


@dataclass(frozen=True, eq=False)
class Reading:
    """Analyses texts that are like a document's (`gproj_lsp.decode.complete.Reader`).

    Attributes:
        analyzer: What analysed the document.
        analysis: What was found in it.
    """

    analyzer: Analyzer
    analysis: Analysis
    _known: Recent[tuple[str, int | None], Analysis] = field(default_factory=lambda: Recent(_KEPT))

    def analyse(self, text: str, cursor: int | None = None) -> Analysis:
        """What is known of a text; with a cursor, of one that somebody still writes there."""
        found = self._known.get((text, cursor))
        if found is None:
            found = self._known.put((text, cursor), self.analyzer.again(self.analysis, text, cursor))
        return found

    def statement(self, text: str, offset: int) -> Drafting:
        """The statement at a byte offset of a text."""
        return self.analyzer.drafting(self.analyse(text), offset)
