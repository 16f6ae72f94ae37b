"""The comment that silences what is found in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gproj_lsp.ghosts import Diagnostic, suppressed
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.edits import Edit, applied, shifted
from gproj_lsp.lexer import Statement, TokenKind
from gproj_lsp.statements import Source, split
from gproj_lsp.surface import LexerSpec
from gproj_lsp.text import LineIndex, Span, encode

__all__ = ["suppression"]

_CODES = re.compile(rb"gproj:\s*ignore\[([\w\s,-]*)")
_INDENT = re.compile(rb"[ \t]*")


def suppression(analysis: Analysis, offset: int) -> Edit | None:
    """What to write so that the findings of a line are ignored; None where no comment can stand.

    A comment is put in only where it is one and nothing else: not into a string that spans lines, not into another line.

    Args:
        analysis: The document.
        offset: A byte of the line.
    """
    lines = analysis.lines
    line = lines.position(offset, "utf-8").line
    here = [each for each in analysis.diagnostics if lines.position(each.span.start, "utf-8").line == line]
    if not here:
        return None
    tried = _candidates(lines, line, sorted({each.code for each in here}), analysis.source.lexer.spec)
    return next((edit for edit in tried if _silences(edit, analysis.source, here)), None)


def _candidates(lines: LineIndex, line: int, codes: Sequence[str], spec: LexerSpec) -> Iterator[Edit]:
    """Ways to write it, the least conspicuous first."""
    span = lines.line_span(line)
    text = lines.data[span.start : span.end]
    mark = f"gproj: ignore[{', '.join(codes)}]"
    for found in _CODES.finditer(text):
        end = span.start + found.end()
        yield Edit(Span(end, end), "".join(f", {code}" for code in codes if code.encode() not in found[1]))
    space = "" if text.endswith((b" ", b"\t")) else " "
    behind = Span(span.end, span.end)
    if spec.line_comments:
        comment = f"{spec.line_comments[0].rstrip()} {mark}"
        yield Edit(behind, space + mark)  # where the line ends in a comment already
        yield Edit(behind, space + comment)
        yield _before(lines, span, comment)
    if spec.block_comment:
        comment = f"{spec.block_comment[0]} {mark} {spec.block_comment[1]}"
        yield Edit(behind, space + comment)
        yield _before(lines, span, comment)


def _before(lines: LineIndex, span: Span, comment: str) -> Edit:
    indent = _INDENT.match(lines.data, span.start, span.end)
    ended = lines.data[span.end : span.end + 2]
    ending = "\r\n" if ended == b"\r\n" or (not ended and b"\r\n" in lines.data) else "\n"
    return Edit(Span(span.start, span.start), f"{indent[0].decode() if indent else ''}{comment}{ending}")


def _silences(edit: Edit, source: Source, found: Sequence[Diagnostic]) -> bool:
    """Whether an edit changes comments only, and none of the findings is left after it."""
    text = applied(source.text, [edit])
    changed = split(text, source.lexer, source)
    if not _same_code(source, changed):
        return False
    spec = source.lexer.spec
    openers = (*spec.line_comments, *(spec.block_comment or ())[:1])
    lines = LineIndex(encode(text))
    moved = (each.shift(shifted(each.span.start, [edit]) - each.span.start) for each in found)
    return all(suppressed(each, lines, openers) for each in moved)


def _same_code(one: Source, other: Source) -> bool:
    if len(one.pieces) != len(other.pieces):
        return False
    pairs = zip(one.pieces, other.pieces, strict=True)
    return all(
        old is new or (_code(old.statement) == _code(new.statement) and old.after == new.after)
        for old, new in pairs
    )


def _code(statement: Statement) -> list[tuple[TokenKind, str]]:
    return [(token.kind, token.text) for token in statement.code]
