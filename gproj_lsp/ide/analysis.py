"""What is known of one text: plain values in bytes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from gproj_lsp.environment import Environment
from gproj_lsp.ghosts import Diagnostic
from gproj_lsp.holes import Hole, inside
from gproj_lsp.resolve import Declaration, Effect, Expectation, Reference, Resolution
from gproj_lsp.syntax import Source, Statement
from gproj_lsp.text import LineIndex, Span

__all__ = ["Analysis", "Resolved"]


@dataclass(frozen=True, eq=False)
class Resolved:
    """One statement under the Γ it saw; spans are relative to it.

    Attributes:
        statement: The statement.
        before: Γ before it.
        after: Γ after it.
        closed: The sorts known completely before it.
        effect: What it declares and drops.
        references: Its references.
        declarations: What it declares inside itself; references to that have the very bindings of these.
        unknown: How many of its references are unknown.
        diagnostics: Its findings.
    """

    statement: Statement
    before: Environment
    after: Environment
    closed: frozenset[str]
    effect: Effect
    references: tuple[Reference, ...]
    declarations: tuple[Declaration, ...]
    unknown: int
    diagnostics: tuple[Diagnostic, ...]
    _resolve: Callable[[], Resolution] = field(repr=False)

    @property
    def resolution(self) -> Resolution:
        """What is known of its places; kept for a while only, it is most of what a statement takes."""
        return self._resolve()

    @property
    def closed_after(self) -> frozenset[str]:
        """The sorts known completely after it."""
        return self.closed - self.effect.opens if self.effect.opens else self.closed


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is known of one text. Everything is in bytes of its UTF-8; `lines` converts.

    Attributes:
        source: The text, cut into statements.
        statements: What is known of each statement.
        start: Γ before the first.
        diagnostics: The findings, in order.
        holes: The holes, in order.
        references: How many names stand at reference positions.
        unknown: How many of them nothing is known of.
        problems: Why analysis was cut short, as a user should see it.
    """

    source: Source
    statements: tuple[Resolved, ...]
    start: Environment
    diagnostics: tuple[Diagnostic, ...]
    holes: tuple[Hole, ...]
    references: int
    unknown: int
    problems: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text that was analysed."""
        return self.source.text

    @cached_property
    def lines(self) -> LineIndex:
        """Its lines."""
        return LineIndex(self.source.data)

    def environment_at(self, offset: int) -> Environment:
        """Γ at a byte offset."""
        index = self._index(offset)
        if index is not None:
            here = self.statements[index]
            return inside(here.resolution, here.before, offset - self.source.span(index).start)
        before = min(self.source.before(offset), len(self.statements))
        return self.statements[before - 1].after if before else self.start

    def readable(self, span: Span) -> bool:
        """Whether every statement that the bytes touch was read as the language has it."""
        edges = self.source.edges
        first, last = bisect_right(edges, span.start) - 1, bisect_left(edges, span.end)
        return all(each.resolution.readable for each in self.statements[first:last])

    def expectation_at(self, offset: int) -> Expectation:
        """What a name at a byte offset would have to be."""
        index = self._index(offset)
        if index is None:
            return Expectation("")
        return self.statements[index].resolution.expectation_at(offset - self.source.span(index).start)

    def each_reference(self) -> Iterator[tuple[Span, Reference]]:
        """Every reference with its bytes in the document, in order."""
        for (_, start), each in zip(self.source.placed(), self.statements, strict=False):
            for reference in each.references:
                yield reference.span.shift(start), reference

    def reference_at(self, offset: int) -> tuple[Span, Reference] | None:
        """The reference that a cursor at a byte offset touches."""
        index = self._index(offset)
        if index is None:
            return None
        start = self.source.span(index).start
        return next(
            (
                (reference.span.shift(start), reference)
                for reference in self.statements[index].references
                if reference.span.touches(offset - start)
            ),
            None,
        )

    def _index(self, offset: int) -> int | None:
        index = self.source.at(offset)
        return index if index is not None and index < len(self.statements) else None
