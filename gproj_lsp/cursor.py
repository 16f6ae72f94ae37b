"""A buffer while someone types in it: which statement may go on, and which word is not one yet."""

from __future__ import annotations

from dataclasses import replace

from gproj_lsp.syntax import Source, Statement, TokenKind
from gproj_lsp.text import Span, decode

__all__ = ["typed", "without_word", "word_at"]


def typed(source: Source, cursor: int | None) -> Source:
    """The buffer as someone types it: only a statement at whose end the cursor is may go on.

    Without a cursor nobody types, and the buffer's end ends its last statement as a terminator would. With one, a terminator
    right behind it does not count: people write it first and the statement then.

    Args:
        source: The buffer.
        cursor: A byte offset, if there is one.
    """
    here = source.at(cursor) if cursor is not None else None
    pieces = list(source.pieces)
    changed = False
    for index, piece in enumerate(pieces):
        if index == here and cursor is not None:
            statement = _under(piece.statement, cursor - source.span(index).start)
        elif piece.statement.complete and piece.statement.cursor is None:
            continue
        else:
            statement = source.lexer.statement(piece.statement.text)
        pieces[index] = replace(piece, statement=statement)
        changed = True
    return Source(source.text, source.lexer, tuple(pieces)) if changed else source


def _under(statement: Statement, cursor: int) -> Statement:
    last = max((token.span.end for token in statement.code), default=0)
    return statement.lexer.statement(statement.text, complete=cursor < last, cursor=cursor)


def word_at(statement: Statement, offset: int) -> Span | None:
    """The word that a cursor in a statement touches."""
    words = (token.span for token in statement.code if token.kind is TokenKind.WORD)
    return next((span for span in words if span.touches(offset)), None)


def without_word(statement: Statement, span: Span) -> Statement:
    """The statement with spaces in place of a word; nothing else moves."""
    data = statement.data
    text = decode(b"".join((data[: span.start], b" " * len(span), data[span.end :])))
    return statement.lexer.statement(text, complete=statement.complete, cursor=statement.cursor)
