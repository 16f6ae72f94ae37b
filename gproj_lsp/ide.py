"""The façade that the command line and the editors see: a text in, plain values in bytes and labels out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gproj_lsp.environment import Environment, Origin
from gproj_lsp.facts import NOTHING, Facts
from gproj_lsp.holes import Hole
from gproj_lsp.resolve import Expectation, Reference, Resolver
from gproj_lsp.surface import Surface
from gproj_lsp.syntax import Source
from gproj_lsp.text import LineIndex, Span

__all__ = ["Analysis", "Analyzer", "Diagnostic"]


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: `ghost-reference`, `ambiguous-reference`, `unknown-sort`.
        severity: `error` or `warning`.
        message: One sentence for people; names the thing, its sort and where candidates come from.
        name: The name as written, unquoted.
        sort: The sort its place expects.
        span: Its bytes in the document, quotes included.
        suggestions: Spellings that could stand there, nearest first, all of them.
        origin: Where the first suggestion is declared.
    """

    code: str
    severity: str
    message: str
    name: str
    sort: str
    span: Span
    suggestions: tuple[str, ...] = ()
    origin: Origin | None = None


class Analysis:
    """What is known of one text. Everything is in bytes of its UTF-8; `lines` converts."""

    text: str
    lines: LineIndex
    source: Source
    diagnostics: tuple[Diagnostic, ...]
    holes: tuple[Hole, ...]
    references: int
    unknown: int
    problems: tuple[str, ...]  # why analysis was cut short, or a provider could not read

    def environment_at(self, offset: int) -> Environment:
        """Γ at a byte offset."""
        raise NotImplementedError

    def expectation_at(self, offset: int) -> Expectation:
        """What a name at a byte offset would have to be."""
        raise NotImplementedError

    def each_reference(self) -> Iterator[tuple[Span, Reference]]:
        """Every reference with its bytes in the document, in order."""
        raise NotImplementedError

    def reference_at(self, offset: int) -> tuple[Span, Reference] | None:
        """The reference that a cursor at a byte offset touches."""
        raise NotImplementedError


class Analyzer:
    """Analyses texts of one surface against one world; keeps what an edit does not touch.

    Args:
        surface: The language.
        resolver: Its resolver; `gproj_lsp.resolve.resolver_of(surface)` finds it.
        facts: What each provider found, in order of precedence.
        settings: The surface's settings that resolution depends on (`dialect`).
    """

    def __init__(
        self,
        surface: Surface,
        resolver: Resolver,
        facts: Facts | Sequence[Facts] = NOTHING,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        raise NotImplementedError

    def analyse(self, text: str, cursor: int | None = None) -> Analysis:
        """Analyse a text; never raises on any text.

        Args:
            text: The whole buffer.
            cursor: A byte offset; the word it touches is still being typed and is left alone.
        """
        raise NotImplementedError

    def declared(self, sources: Sequence[tuple[str, str]]) -> Facts:
        """What source texts (DDL files) declare, each on top of those before it.

        Args:
            sources: (text, label of its place) pairs in order.
        """
        raise NotImplementedError
