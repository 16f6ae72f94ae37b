"""A buffer cut into statements, and cut again after an edit at the cost of what the edit touched."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from gproj_lsp.lexer import Lexer, Statement
from gproj_lsp.patterns import Block
from gproj_lsp.text import Span, encode

__all__ = ["Piece", "Source", "split"]


@dataclass(frozen=True)
class Piece:
    """A statement with the text around it; the pieces of a buffer and its rest make up the buffer.

    Sizes, not places: an edit elsewhere leaves it as it is.

    Attributes:
        statement: The statement.
        lead: Bytes of space and comments before it.
        tail: Bytes of what ends it, data lines included.
        chars: Characters of all three together.
        before: The terminator in force where the piece begins.
        after: The terminator in force behind it.
        far: Whether where it ends depends on text further on (data lines).
    """

    statement: Statement
    lead: int
    tail: int
    chars: int
    before: str
    after: str
    far: bool = False

    @cached_property
    def size(self) -> int:
        """Bytes of all of it."""
        return self.lead + len(self.statement.data) + self.tail


@dataclass(frozen=True, eq=False)
class Source:
    """A buffer and its statements.

    Attributes:
        text: The buffer.
        lexer: What cut it.
        pieces: Its statements in order.
    """

    text: str
    lexer: Lexer
    pieces: tuple[Piece, ...]

    @cached_property
    def data(self) -> bytes:
        """Its UTF-8."""
        return encode(self.text)

    @cached_property
    def edges(self) -> tuple[int, ...]:
        """Where each piece begins, in bytes, and where the last one ends."""
        return (0, *accumulate(piece.size for piece in self.pieces))

    def placed(self) -> Iterator[tuple[Statement, int]]:
        """Each statement and the byte it begins at."""
        for piece, edge in zip(self.pieces, self.edges, strict=False):
            yield piece.statement, edge + piece.lead

    def span(self, index: int) -> Span:
        """The bytes of a statement."""
        piece = self.pieces[index]
        start = self.edges[index] + piece.lead
        return Span(start, start + len(piece.statement.data))

    def at(self, offset: int) -> int | None:
        """The index of the statement a cursor at a byte offset is in or at the edge of."""
        index = bisect_right(self.edges, offset) - 1
        # A cursor right behind a piece's edge may still touch the statement that ends there.
        for each in (index, index - 1):
            if 0 <= each < len(self.pieces) and self.span(each).touches(offset):
                return each
        return None

    def writing(self, offset: int) -> int | None:
        """The index of the statement that text at a byte offset would belong to; None where it would begin a new one.

        Behind a statement that nothing ends yet, and behind no comment, text goes on with it.
        """
        index = self.at(offset)
        if index is not None:
            ended = self.pieces[index].statement.complete and offset > self.span(index).end
            return None if ended else index
        last = len(self.pieces) - 1
        if last < 0 or self.pieces[last].statement.complete or offset < self.span(last).end:
            return None
        between = self.data[self.span(last).end : offset]
        return None if between.strip() else last

    def before(self, offset: int) -> int:
        """How many statements begin before a byte offset."""
        index = max(bisect_right(self.edges, offset) - 1, 0)
        return index + (index < len(self.pieces) and self.span(index).start < offset)


def split(text: str, lexer: Lexer, previous: Source | None = None) -> Source:
    """Cut a buffer into statements.

    Args:
        text: The buffer.
        lexer: What reads it.
        previous: The buffer before an edit; what the edit did not touch is taken from it.
    """
    if previous is None or previous.lexer is not lexer or not previous.pieces:
        return Source(text, lexer, tuple(_Walk(lexer, text).pieces()))
    return _resplit(text, previous)


def _resplit(text: str, previous: Source) -> Source:
    old = previous.text
    same = _common_prefix(old, text)
    if same == len(old) == len(text):
        return previous
    tail = _common_suffix(old, text, min(len(old), len(text)) - same)
    ends = list(accumulate(piece.chars for piece in previous.pieces))
    keep = _untouched(previous.pieces, ends, same)
    start = ends[keep - 1] if keep else 0
    terminator = previous.pieces[keep - 1].after if keep else previous.lexer.spec.terminator
    shift = len(text) - len(old)
    pieces = list(previous.pieces[:keep])
    at = start
    for piece in _Walk(previous.lexer, text, start, terminator).pieces():
        pieces.append(piece)
        at += piece.chars
        index = _ending(ends, at - shift) if at > len(text) - tail else None
        if index is not None and previous.pieces[index].after == piece.after:
            pieces.extend(previous.pieces[index + 1 :])
            break
    return Source(text, previous.lexer, tuple(pieces))


def _ending(ends: list[int], at: int) -> int | None:
    """The piece that ends at a character."""
    index = bisect_left(ends, at)
    return index if index < len(ends) and ends[index] == at else None


def _untouched(pieces: tuple[Piece, ...], ends: list[int], same: int) -> int:
    """How many pieces at the beginning an edit behind `same` characters can't have changed."""
    keep = bisect_right(ends, same - 1)
    return next((index for index in range(keep) if pieces[index].far), keep)


def _common_prefix(one: str, two: str) -> int:
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(one: str, two: str, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == two[len(two) - middle : len(two) - low]:
            low = middle
        else:
            high = middle - 1
    return low


class _Walk:
    """One pass over a buffer's tokens, from the end of a piece on, that cuts it into pieces.

    What is left over (space and comments at the end) is in no piece.
    """

    def __init__(self, lexer: Lexer, text: str, at: int = 0, terminator: str = "") -> None:
        self.lexer = lexer
        self.patterns = lexer.patterns
        self.text = text
        self.at = at  # where the piece in hand begins
        self.before = self.terminator = terminator or lexer.spec.terminator
        self.start = -1  # where its statement begins; -1: not yet
        self.head = False  # whether its first word was seen
        self.block: Block | None = None
        self.depth = 0
        self.skip = 0  # tokens before this place were read as part of another
        self.no_data = False

    def pieces(self) -> Iterator[Piece]:
        at: int | None = self.at
        while at is not None:
            at = yield from self._run(at)
        if self.start >= 0:
            yield self._cut(len(self.text), len(self.text), complete=False)

    def _run(self, begin: int) -> Generator[Piece, None, int | None]:
        """Walk until matching must start anew elsewhere; gives that place, or None at the end."""
        for match in self.patterns.master(self.terminator).finditer(self.text, begin):
            group = match.lastgroup or "end"
            if self.head and self.block is None and group in _INNER:
                continue
            if group == "end":
                return None
            start, end = match.span(group)
            real = self.patterns.comment_end(self.text, start, end) if group == "comment" else end
            piece, resume = self._token(group, start, end) if group != "comment" else (None, real)
            if piece is not None:
                yield piece
            if resume != end:
                return resume
        return None

    def _token(self, group: str, start: int, end: int) -> tuple[Piece | None, int]:
        """Take one token: the piece it ends, if it ends one, and where to go on."""
        if start < self.skip:
            return None, end
        if group == "terminator" and self.depth <= 0:
            return (self._cut(start, end, complete=True), self.at) if self.start >= 0 else (None, end)
        if group == "command":
            return self._command(start, end)
        if self.start < 0:
            if (after := self._delimiter(start)) is not None:
                return None, after
            self.start = start
        if group == "word" and not self.head:
            self.head = True
            self.block = next(
                (each for each in self.patterns.blocks if each.opener.match(self.text, start)), None
            )
        if self.block is not None:
            self._step(self.block, start)
        return None, end

    def _command(self, start: int, end: int) -> tuple[Piece | None, int]:
        if self.start < 0:
            self.start = start
            return self._cut(end, end, complete=True), self.at
        if self.patterns.command_ends is not None and self.patterns.command_ends.match(self.text, start):
            return self._cut(start, end, complete=True), self.at
        return None, end

    def _delimiter(self, start: int) -> int | None:
        match = self.patterns.delimiter.match(self.text, start) if self.patterns.delimiter else None
        if match is None:
            return None
        self.terminator = match["mark"]
        return match.end()

    def _step(self, block: Block, start: int) -> None:
        if (match := block.step.match(self.text, start)) is not None:
            self.skip = match.end()
            self.depth += {"open": 1, "close": -1}.get(match.lastgroup or "", 0)

    def _cut(self, end: int, resume: int, *, complete: bool) -> Piece:
        statement = self.lexer.statement(self.text[self.start : end], complete=complete)
        far = (
            complete
            and self.patterns.data_after is not None
            and bool(self.patterns.data_after.match(statement.text))
        )
        if far:
            resume = self._behind_data(resume)
        lead, tail = encode(self.text[self.at : self.start]), encode(self.text[end:resume])
        piece = Piece(statement, len(lead), len(tail), resume - self.at, self.before, self.terminator, far)
        self.at, self.start, self.before = resume, -1, self.terminator
        self.block, self.head, self.depth = None, False, 0
        return piece

    def _behind_data(self, at: int) -> int:
        if self.patterns.data_end is None or self.no_data:
            return at
        if self.patterns.data_not is not None and self.patterns.data_not.match(self.text, at):
            return at
        match = self.patterns.data_end.search(self.text, at)
        self.no_data = match is None
        return match.end() if match else at


_INNER = frozenset({"word", "punctuation", "operator", "number", "string", "quoted", "hole", "opaque"})
