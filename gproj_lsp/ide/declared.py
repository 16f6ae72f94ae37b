"""Where a text itself declares a name for the statements after it."""

from __future__ import annotations

from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.syntax import Statement
from gproj_lsp.text import Span

__all__ = ["declaration_before"]

_QUOTES = "\"'`[]"


def declaration_before(analysis: Analysis, name: str, sort: str, offset: int) -> Span | None:
    """The bytes of the nearest declaration of a name before a place; None where no statement declares it.

    Args:
        analysis: The document.
        name: As it would be written, quoted and qualified or not.
        sort: What it is.
        offset: The place.
    """
    plain = name.rpartition(".")[2].strip(_QUOTES)
    for index in range(min(analysis.source.before(offset), len(analysis.statements)) - 1, -1, -1):
        resolved = analysis.statements[index]
        if any(each.sort == sort and each.name == plain for each in resolved.effect.declares):
            span = _token(resolved.statement, plain)
            return span.shift(analysis.source.span(index).start) if span else None
    return None


def _token(statement: Statement, name: str) -> Span | None:
    wanted = name.casefold()
    return next(
        (token.span for token in statement.code if token.text.strip(_QUOTES).casefold() == wanted), None
    )
