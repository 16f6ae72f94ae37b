"""Texts that sqlglot can read, made of texts it can't by putting in what is missing.

What is missing is told from neighbouring tokens: behind a dangling dot, comma, operator or keyword stands a dummy name, open
brackets, CASE, BETWEEN and WITH lists are brought to their end, and words that no rule has a place for are blanked. Nothing of
the original moves but by what was put in before it, so places map to and fro.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from gproj_lsp.resolvers.sql.outline import Level, Outline
from gproj_lsp.resolvers.sql.words import INFIX, JOINS, SET_OPERATORS, STOPS, WANTING
from gproj_lsp.syntax import TokenKind
from gproj_lsp.text import Span

__all__ = ["DUMMY", "Mend", "Repaired", "build", "mends", "repaired"]

DUMMY = "gproj_x"
"""The name that stands for a missing one; it is known by its place, so a user may have one of that name."""

_MARK = "\0"
_OPERATORS = frozenset("=<>+-/%|&^~.!,([:@#")
_UNARY = frozenset({"-", "+", "~", "(", "[", "{", ":", "@", "$", "?", "#", "!"})
_AFTER_NOT = frozenset(
    {"IN", "LIKE", "ILIKE", "BETWEEN", "SIMILAR", "REGEXP", "RLIKE", "GLOB", "MATCH", "EXISTS"}
)
_AFTER_SET_OPERATOR = frozenset({"SELECT", "(", "VALUES", "WITH", "ALL", "DISTINCT", "FROM", "TABLE"})
_AFTER_JOIN_WORD = JOINS | {"JOIN", "(", "SEMI", "ANTI", "APPLY"}
_QUERY = f"SELECT {_MARK}"
_FIRST_CTE = f"{_MARK} AS (SELECT {_MARK}) SELECT {_MARK}"


@dataclass(frozen=True)
class Mend:
    """Something put into a text.

    Attributes:
        at: The byte of the original before which it goes.
        text: What goes there; each NUL is a dummy name.
        gap: Where a cursor stands at the first dummy.
    """

    at: int
    text: str
    gap: Span


@dataclass(frozen=True)
class Repaired:
    """A text with what was put into it.

    Attributes:
        text: The text.
        dummies: Its bytes that are no names of the original.
        inserted: What was put in: the byte of the original before which it went, and its length in bytes.
        gaps: For the mends with a dummy: where in the original a cursor stands at it, and where it is in the text.
    """

    text: str
    dummies: tuple[Span, ...]
    inserted: tuple[tuple[int, int], ...]
    gaps: tuple[tuple[Span, int], ...]

    @cached_property
    def _totals(self) -> tuple[int, ...]:
        """All that was put in before each insertion, and in the end all."""
        return (0, *accumulate(length for _, length in self.inserted))

    @cached_property
    def _ats(self) -> tuple[int, ...]:
        return tuple(at for at, _ in self.inserted)

    @cached_property
    def _begins(self) -> tuple[int, ...]:
        """Where each insertion begins in the text."""
        return tuple(at + total for at, total in zip(self._ats, self._totals, strict=False))

    def forward(self, offset: int) -> int:
        """Where a byte of the original is in the text."""
        return offset + self._totals[bisect_right(self._ats, offset)]

    def place(self, offset: int) -> int:
        """Where a cursor in the original is in the text: at the dummy, if one stands for what is typed there."""
        for gap, at in self.gaps:
            if gap.touches(offset):
                return at
        # A cursor behind a name is at that name, not at what was put in behind it.
        return offset + self._totals[bisect_left(self._ats, offset)]

    def back(self, span: Span) -> Span | None:
        """The bytes of the original that a span of the text is, unless all of it was put in."""
        start, end = self._back(span.start), self._back(span.end)
        return Span(start, end) if start < end else None

    def _back(self, offset: int) -> int:
        index = bisect_right(self._begins, offset) - 1
        if index < 0:
            return offset
        at, length = self.inserted[index]
        return at if offset < self._begins[index] + length else offset - self._totals[index + 1]


def build(
    data: bytes, mends: list[Mend], vague: tuple[Span, ...], blanks: list[Span] | None = None
) -> Repaired:
    """A text with mends put in and spans blanked.

    Args:
        data: The original, valid UTF-8.
        mends: What to put in, in order of place.
        vague: Spans of the original that are no names: holes, templates.
        blanks: What to blank.
    """
    if blanks:
        mutable = bytearray(data)
        for span in blanks:
            mutable[span.start : span.end] = b" " * len(span)
        data = bytes(mutable)
    parts: list[bytes] = []
    dummies: list[Span] = []
    inserted: list[tuple[int, int]] = []
    gaps: list[tuple[Span, int]] = []
    last = size = 0
    for mend in mends:
        size += mend.at - last
        parts.append(data[last : mend.at])
        last = mend.at
        found = list(_dummies(mend.text, size))
        text = mend.text.replace(_MARK, DUMMY).encode()
        dummies += found
        if found:
            gaps.append((mend.gap, found[0].start))
        inserted.append((mend.at, len(text)))
        parts.append(text)
        size += len(text)
    parts.append(data[last:])
    result = Repaired(b"".join(parts).decode("utf-8", "replace"), (), tuple(inserted), tuple(gaps))
    moved = [
        Span(result.forward(span.start), result.forward(span.end - 1) + 1) for span in vague if len(span)
    ]
    return Repaired(result.text, tuple(sorted([*dummies, *moved])), result.inserted, result.gaps)


def _dummies(text: str, start: int) -> Iterator[Span]:
    at = start
    for index, part in enumerate(text.split(_MARK)):
        if index:
            yield Span(at, at + len(DUMMY))
            at += len(DUMMY)
        at += len(part)


def repaired(outline: Outline, data: bytes, vague: tuple[Span, ...]) -> Iterator[Repaired]:
    """Texts that may be readable, the most faithful first; there are few of them.

    Args:
        outline: The statement's outline.
        data: The statement as parsers see it.
        vague: Its holes and templates.
    """
    if not outline.tokens:
        return
    found = mends(outline)
    tail = _closing(outline, data)
    stray = [outline.tokens[index].span for index in _stray(outline)]
    if found or tail or stray:
        yield build(data, _with(found, tail, data), vague, stray)
    extra = [outline.tokens[index].span for index in range(len(outline.tokens)) if _is_extra(outline, index)]
    if extra:
        yield build(data, _with(found, tail, data), vague, [*stray, *extra])


def _with(found: list[Mend], tail: str, data: bytes) -> list[Mend]:
    """The mends, with what closes the last token put before what is missing behind it."""
    if not tail:
        return found
    end = len(data)
    return [
        *(mend for mend in found if mend.at < end),
        Mend(end, tail, Span(end, end)),
        *(m for m in found if m.at >= end),
    ]


def _stray(outline: Outline) -> Iterator[int]:
    """Closing brackets that close nothing."""
    for index, word in enumerate(outline.words):
        if word in (")", "]", "}") and not any(
            level.bracket == word for level in outline.closed.get(index, ())
        ):
            yield index


def _closing(outline: Outline, data: bytes) -> str:
    """What closes the last token, if it is a string, a quoted name or a comment without its end."""
    token = outline.tokens[-1]
    text = token.text
    if token.kind is TokenKind.STRING and text.startswith("$"):
        tag = text[: text.find("$", 1) + 1]
        return "" if tag and len(text) >= 2 * len(tag) and text.endswith(tag) else tag or "$"
    if token.kind in (TokenKind.STRING, TokenKind.QUOTED):
        at = next((index for index, char in enumerate(text) if char in "'\"`["), -1)
        if at < 0:
            return ""
        close = "]" if text[at] == "[" else text[at]
        return "" if text[at + 1 :].count(close) % 2 else close
    rest = data[token.span.end :]
    return "*/" if rest.rfind(b"/*") > rest.rfind(b"*/") else ""


def mends(outline: Outline) -> list[Mend]:
    """What is missing between the tokens of a statement."""
    return list(_Mender(outline).mends())


class _Mender:
    """One pass over the boundaries between tokens."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.word = outline.word
        self.count = len(outline.tokens)
        self.pending: dict[int, list[str]] = {}  # unfinished CASE and BETWEEN by the opener of their level

    def mends(self) -> Iterator[Mend]:
        """In order of place."""
        for index in range(self.count + 1):
            parts = [part for part in self._parts(index) if part]
            if parts:
                yield self._mend(index, " ".join(parts))

    def _mend(self, index: int, text: str) -> Mend:
        tokens = self.outline.tokens
        before = tokens[index - 1] if index else None
        at = before.span.end if before is not None else 0
        start = at + (before is not None and before.kind is not TokenKind.PUNCTUATION)
        if index == self.count:
            return Mend(at, f" {text} ", Span(start, max(start, 2**62)))
        end = tokens[index].span.start
        return Mend(at, f" {text} ", Span(start, max(start, end)))

    def _parts(self, index: int) -> Iterator[str]:
        """What is missing before a token, in order; behind the last one, all that is still open."""
        outline = self.outline
        level = self._level(index)
        yield self._operand(index, level)
        ending = outline.closed.get(index, [])
        word = self.word(index)
        inner: Level | None = None
        for position, each in enumerate(ending):
            yield from self._flush(each.opener)
            yield self._end_of(each, inner, index)
            if index == self.count or position < len(ending) - 1 or word != each.bracket:
                yield each.bracket
            inner = each
        if index == self.count:
            yield from self._flush(-1)
            yield self._end_of(outline.root, inner, index)
            return
        clause = outline.clauses[index]
        if clause.start == index or word in (",", ";", *SET_OPERATORS):
            yield from self._flush(clause.level.opener, only_between=word == ",")
        yield from self._case(word, clause.level.opener, index)

    def _level(self, index: int) -> Level:
        """The level that a name before a token would stand in."""
        outline = self.outline
        if index == 0:
            return outline.root
        return outline.opened.get(index - 1) or outline.clauses[index - 1].level

    def _flush(self, opener: int, *, only_between: bool = False) -> Iterator[str]:
        """Finish every CASE and BETWEEN of a level."""
        pending = self.pending.get(opener, [])
        while pending and not (only_between and pending[-1] != "BETWEEN"):
            state = pending.pop()
            if state == "BETWEEN":
                yield f"AND {_MARK}"
            elif state == "CASE":
                yield f"WHEN {_MARK} THEN {_MARK} END"
            elif state == "WHEN":
                yield f"THEN {_MARK} END"
            else:
                yield "END"

    def _case(self, word: str, opener: int, index: int) -> Iterator[str]:
        """Keep the account of CASE and BETWEEN; finish what a word shows to be unfinished."""
        if word not in _COUNTED or self.outline.tokens[index].kind is not TokenKind.WORD:
            return
        pending = self.pending.setdefault(opener, [])
        if word in ("CASE", "BETWEEN"):
            pending.append(word)
            return
        if word == "AND":
            if pending and pending[-1] == "BETWEEN":
                pending.pop()
            return
        yield from self._flush(opener, only_between=True)
        if not pending or word == "OR":
            return
        if word == "END":
            state = pending.pop()
            yield (
                f"WHEN {_MARK} THEN {_MARK}"
                if state == "CASE"
                else f"THEN {_MARK}"
                if state == "WHEN"
                else ""
            )
            return
        if word in ("WHEN", "ELSE") and pending[-1] == "WHEN":
            yield f"THEN {_MARK}"
        pending[-1] = word if word != "ELSE" else "THEN"

    def _end_of(self, level: Level, inner: Level | None, index: int) -> str:
        """What is missing at the end of a level but its bracket.

        Args:
            level: It.
            inner: The level inside that ends at the same place, if any.
            index: The token before which it ends.
        """
        if level.role == "call":
            words = self.outline.words[level.opener + 1 : index]
            called = self.word(level.opener - 1)
            if called == "EXTRACT" and "FROM" not in words:
                return f"FROM {_MARK}"
            return "AS INT" if called in _CASTS and "AS" not in words else ""
        if not level.blocks:
            return ""
        block = level.blocks[-1]
        if block.verb == "WITH":
            return self._with_list(inner, index)
        if block.verb == "MERGE" and block.clauses[-1].name in ("From", "Into"):
            words = self.outline.words[block.clauses[-1].start : index]
            start = "" if "USING" in words else f"USING {_MARK} "
            return f"{start}{'' if 'ON' in words else f'ON {_MARK} '}WHEN MATCHED THEN DELETE"
        if block.verb == "ALTER" and index - block.clauses[0].start == 3 and index == self.count:
            return f"ADD COLUMN {_MARK} INT"
        return ""

    def _with_list(self, inner: Level | None, index: int) -> str:
        """What a WITH list lacks to be a query."""
        before = self.word(index - 1)
        if inner is None and before == ")":
            ended = self.outline.closed.get(index - 1)
            inner = ended[-1] if ended else None
        if inner is not None:
            return f"AS (SELECT {_MARK}) SELECT {_MARK}" if inner.role == "declared" else _QUERY
        if before in ("WITH", "RECURSIVE", ","):
            return ""  # the missing CTE brings a query with it
        return _QUERY if before == "AS" else f"AS (SELECT {_MARK}) SELECT {_MARK}"

    def _operand(self, index: int, level: Level) -> str:
        """What is missing behind the token before."""
        if index == 0:
            return ""
        before = self.word(index - 1)
        begins = self._begins(index)
        if before == "(":
            return self._inside(index, level, begins=begins)
        joint = self._joint(before, index, level)
        if joint is not None:
            return joint
        return "" if begins else self._value(before, index, level)

    def _joint(self, before: str, index: int, level: Level) -> str | None:
        """What a word lacks that more words than one make a keyword or another query follows; None: it is no such word."""
        clause = self.outline.clauses[index - 1]
        word = self.word(index)
        if before in SET_OPERATORS or (
            before in ("ALL", "DISTINCT") and self.word(index - 2) in SET_OPERATORS
        ):
            return "" if word in _AFTER_SET_OPERATOR or not clause.level.blocks else _QUERY
        if before in JOINS and clause.name in ("From", "Join"):
            return "" if word in _AFTER_JOIN_WORD else f"JOIN {_MARK}"
        if before == "PARTITION" or (before in ("GROUP", "ORDER") and clause.start == index - 1):
            return "" if word == "BY" or level.role == "call" else f"BY {_MARK}"
        return None

    def _value(self, before: str, index: int, level: Level) -> str:
        """What is missing behind a word or a sign, where no value begins."""
        clause = self.outline.clauses[index - 1]
        if clause.verb == "ALTER" and index == self.count:
            return self._alteration(before, index)
        if (fill := _AFTER.get(before)) is not None:
            return self._keyword(before, fill, index)
        if clause.name == "With" and before == ",":
            return _FIRST_CTE
        if clause.name == "Set" and before in ("SET", ",") and level is clause.level:
            return _MARK if self.word(index) == "=" else f"{_MARK} = {_MARK}"
        return _MARK if before in WANTING or self._is_operator(index - 1) else ""

    def _alteration(self, before: str, index: int) -> str:
        """What the last word of an ALTER lacks."""
        if before == "COLUMN":
            earlier = self.word(index - 2)
            return (
                f"{_MARK} INT"
                if earlier == "ADD"
                else f"{_MARK} TO {_MARK}"
                if earlier == "RENAME"
                else _MARK
            )
        return _ALTERED.get(before, "")

    def _keyword(self, before: str, fill: str, index: int) -> str:  # noqa: C901  (as _operand)
        """What a keyword lacks that something else than a name follows."""
        outline = self.outline
        clause = outline.clauses[index - 1]
        earlier, word = self.word(index - 2), self.word(index)
        if before == "AS":
            if clause.name == "With":
                return f"(SELECT {_MARK})"
            if clause.verb == "CREATE":
                return _QUERY
            return "INT" if outline.word(clause.level.opener - 1) in _CASTS else _MARK
        if before == "NOT":
            if earlier == "IS":
                return "NULL"
            if word in _AFTER_NOT:
                return ""
            return f"IN ({_MARK})" if outline.is_operand(index - 2) else _MARK
        if before == "EXISTS":
            return _MARK if earlier in ("IF", "NOT") and clause.verb in ("CREATE", "DROP", "ALTER") else fill
        if before == "USING":
            return fill if clause.name == "Join" else _MARK
        if before in ("WITH", "RECURSIVE"):
            return fill if clause.name == "With" else ""
        if before in ("INSERT", "DELETE", "REPLACE"):
            return fill if clause.start == index - 1 and clause.verb and not word else ""
        if before == "ON":
            inserted = outline.verb == "INSERT" and clause.name != "Join" and not word
            return fill if inserted else _MARK
        return fill

    def _inside(self, index: int, level: Level, *, begins: bool) -> str:
        """What is missing behind an opening bracket."""
        word = self.word(index)
        if begins or word in ("SELECT", "WITH", "VALUES") or level.role == "over":
            return ""
        if word == ")" and level.role == "call":
            return ""
        if level.role == "query":
            return _QUERY
        if level.role == "definitions":
            return f"{_MARK} INT"
        return _MARK

    def _begins(self, index: int) -> bool:
        """Whether a value, a name or what else may stand there begins with the token."""
        if index >= self.count:
            return False
        outline = self.outline
        word = self.word(index)
        kind = outline.tokens[index].kind
        if kind is TokenKind.WORD:
            if self.word(index - 1) == "." and outline.adjacent(index):
                return True
            if word in ("LEFT", "RIGHT"):
                return self.word(index + 1) == "("
            if word == "SELECT":
                return (
                    self.word(index - 1) in ("AS", "ALL", "DISTINCT", "(")
                    or self.word(index - 1) in SET_OPERATORS
                )
            return word not in STOPS
        if kind is not TokenKind.PUNCTUATION:
            return True
        return word in _UNARY or (word == "*" and outline.is_operand(index))

    def _is_operator(self, index: int) -> bool:
        word = self.word(index)
        if word == "*":
            return not self.outline.is_operand(index)
        token = self.outline.tokens[index]
        return token.kind is TokenKind.PUNCTUATION and word[-1:] in _OPERATORS


_COUNTED = frozenset({"CASE", "BETWEEN", "AND", "OR", "WHEN", "THEN", "ELSE", "END"})
_AFTER = {
    "AS": _MARK,
    "NOT": _MARK,
    "IN": f"({_MARK})",
    "IS": "NULL",
    "EXISTS": f"(SELECT {_MARK})",
    "OVER": "()",
    "VALUES": f"({_MARK})",
    "USING": f"({_MARK})",
    "WITH": _FIRST_CTE,
    "RECURSIVE": _FIRST_CTE,
    "INSERT": f"INTO {_MARK}",
    "REPLACE": f"INTO {_MARK}",
    "DELETE": f"FROM {_MARK}",
    "ON": "CONFLICT DO NOTHING",
    "CONFLICT": "DO NOTHING",
    "DO": "NOTHING",
}


_CASTS = frozenset({"CAST", "TRY_CAST"})
_ALTERED = {
    "TABLE": f"{_MARK} ADD COLUMN {_MARK} INT",
    "ADD": f"COLUMN {_MARK} INT",
    "DROP": f"COLUMN {_MARK}",
    "RENAME": f"TO {_MARK}",
    "TO": _MARK,
}


def _is_extra(outline: Outline, index: int) -> bool:
    """Whether a word stands where no word can, behind a name that can't have an alias or has one."""
    if index == 0 or outline.tokens[index].kind is not TokenKind.WORD or outline.words[index] in INFIX:
        return False
    if not outline.is_name(index) or outline.word(index - 1) == "." or outline.word(index + 1) in (".", "("):
        return False
    if not outline.is_operand(index - 1) or outline.word(index - 2) == "INTERVAL":
        return False
    clause = outline.clauses[index]
    if clause.verb in ("ALTER", "CREATE", "DROP"):
        return False
    if clause.level.role not in ("query", "relations"):
        return clause.level.role in ("call", "group", "row", "names")
    if clause.name in ("Select", "Returning", "From", "Into", "With") or clause.verb:
        start = outline.path_start(index - 1)
        return outline.word(start - 1) == "AS" or (
            start > 0 and outline.is_name(start) and outline.is_operand(start - 1)
        )
    if clause.name == "Join":
        return "ON" in outline.words[clause.start : index]
    return bool(clause.name)
