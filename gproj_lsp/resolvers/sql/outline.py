"""A statement's outline, read from its tokens alone: brackets, query blocks and their clauses.

No grammar is needed for it, so it can be had of any text, finished or not, in one pass without recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from gproj_lsp.resolvers.sql.words import CLAUSES, KEYWORDS, QUERY_STARTS, SET_OPERATORS, VERBS
from gproj_lsp.syntax import TokenKind
from gproj_lsp.text import decode, encode

if TYPE_CHECKING:
    from gproj_lsp.syntax import Statement, Token

__all__ = ["Block", "Clause", "Level", "Outline", "outline_of", "readable"]

_NAMES = frozenset({TokenKind.QUOTED, TokenKind.HOLE, TokenKind.OPAQUE})
_OPERANDS = _NAMES | {TokenKind.STRING, TokenKind.NUMBER}
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_BRACKETS.values())
_ENDS = frozenset({")", "]", "}", "END", "NULL", "TRUE", "FALSE", "DEFAULT", "ISNULL", "NOTNULL"})
_BEFORE_STAR = frozenset({"", "(", ",", ".", "SELECT", "DISTINCT", "ALL", "RETURNING"})
_DEEPEST = 32
"""Regions further out than this are not told."""

_NO_UPDATE = frozenset({"FOR", "DO", "ON", "KEY", "AFTER", "BEFORE", "OF", "OR", "NO"})
_NO_VERB = _NO_UPDATE | {"INSTEAD", ",", "GRANT", "REVOKE"}
_SOURCES = frozenset({"From", "Join"})
_QUERY = _SOURCES | {"Select", "Where", "Group", "Having", "Window", "Qualify", "Order", "Limit"}
_ENDS_FROM = frozenset(
    {"Where", "Group", "Having", "Window", "Qualify", "Order", "Limit", "Returning", "When"}
)
_FINAL = frozenset({"Where", "Order", "Limit", "Returning", "When"})
_QUERY_BEFORE = frozenset({"EXISTS", "ANY", "ALL", "SOME", "LATERAL", "MATERIALIZED"})


@dataclass(eq=False)
class Block:
    """One SELECT, or one statement that changes data.

    Attributes:
        verb: What it starts with (`SELECT`).
        level: The brackets it stands in.
        outer: The clause those stand in, if any.
        clauses: Its clauses in order.
    """

    verb: str
    level: Level
    outer: Clause | None
    clauses: list[Clause] = field(default_factory=list)

    @property
    def closed(self) -> bool:
        """Whether a clause that follows FROM has begun for certain (a lone word at the end may still be an alias)."""
        if self.verb == "INSERT":
            return True
        names = [clause.name for clause in self.clauses if len(clause) > clause.head]
        if self.verb in ("UPDATE", "DELETE", "MERGE"):
            return any(name in _FINAL for name in names)
        if names[:1] == ["From"] and "Select" in names:
            return True
        return any(name in _ENDS_FROM for name in names)


@dataclass(eq=False)
class Clause:
    """A run of tokens under one keyword; brackets inside are levels of their own.

    Attributes:
        name: The region it is (`Where`); empty for what is no region.
        level: The brackets it stands in.
        block: The nearest block it belongs to, if any.
        start: Index of its first token, its keyword.
        end: Index behind its last token.
        head: How many words its keyword has (`GROUP BY`: 2).
    """

    name: str
    level: Level
    block: Block | None
    start: int
    end: int
    head: int = 1

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def verb(self) -> str:
        """Its block's verb if it is what that begins with, else empty."""
        return self.block.verb if self.block is not None and self.block.clauses[0] is self else ""


@dataclass(eq=False)
class Level:
    """What stands between two brackets; the root is the whole statement.

    Attributes:
        role: `query`, `call`, `names`, `declared`, `definitions`, `row`, `relations`, `over` or `group`.
        opener: Index of its opening bracket; -1 for the root.
        closer: Index of its closing bracket; -1 while there is none.
        outer: The clause that the brackets stand in.
        blocks: The blocks directly inside.
        clause: The clause being read.
    """

    role: str
    opener: int
    outer: Clause | None
    closer: int = -1
    blocks: list[Block] = field(default_factory=list)
    clause: Clause | None = None
    bracket: str = ""


@dataclass(eq=False)
class Outline:
    """A statement's tokens, and what each stands in.

    Attributes:
        tokens: Its tokens without comments and blank templates.
        words: Their texts, upper case for words; empty for everything but words and punctuation.
        clauses: The clause each token belongs to; a bracket belongs to what it stands in, not to what it encloses.
        levels: All levels, outer ones first.
        opened: The level that an opening bracket opens, by its index.
        closed: The levels that end at an index, inner ones first: by a bracket, or by a clause that can't stand in them
            (`SELECT count( FROM t`); an index behind the last token holds those that are still open.
    """

    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    clauses: list[Clause] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)
    opened: dict[int, Level] = field(default_factory=dict)
    closed: dict[int, list[Level]] = field(default_factory=dict)

    @cached_property
    def verb(self) -> str:
        """What the statement does: its first verb but WITH; empty where there is none."""
        found = [block.verb for block in self.root.blocks]
        return next((verb for verb in found if verb != "WITH"), found[0] if found else "")

    @cached_property
    def starts(self) -> list[int]:
        """The byte at which each token begins."""
        return [token.span.start for token in self.tokens]

    @property
    def root(self) -> Level:
        """The whole statement."""
        return self.levels[0]

    def word(self, index: int) -> str:
        """The word or punctuation at an index; empty outside."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def is_name(self, index: int) -> bool:
        """Whether the token can be a name: an identifier, a hole or a template, and no keyword."""
        if not 0 <= index < len(self.tokens):
            return False
        kind = self.tokens[index].kind
        if kind is TokenKind.WORD:
            return self.words[index] not in KEYWORDS or (self.word(index - 1) == "." and self.adjacent(index))
        return kind in _NAMES

    def is_operand(self, index: int) -> bool:
        """Whether a value or a name ends with the token."""
        if not 0 <= index < len(self.tokens):
            return False
        if self.is_name(index) or self.tokens[index].kind in _OPERANDS:
            return True
        word = self.words[index]
        return word in _ENDS or (word == "*" and self.word(index - 1) in _BEFORE_STAR)

    def adjacent(self, index: int) -> bool:
        """Whether nothing stands between the token and the one before."""
        return index > 0 and self.tokens[index - 1].span.end == self.tokens[index].span.start

    def region(self, clause: Clause | None) -> tuple[str, ...]:
        """The path of regions around a clause, outermost first."""
        path: list[str] = []
        while clause is not None and len(path) < _DEEPEST:
            if clause.level.role == "definitions":
                path.append("Columns")
            if clause.name:
                path.append(clause.name)
            if (
                clause.level is self.root
                and self.verb == "INSERT"
                and clause.verb != "INSERT"
                and clause.name in _QUERY
            ):
                path.append("Select")
            clause = clause.level.outer
        path.append("Select" if self.verb in ("", "WITH", "VALUES", "FROM") else self.verb.title())
        return tuple(reversed(path))

    def path_start(self, index: int) -> int:
        """The index of the first token of the dotted name that the token ends."""
        while self.word(index - 1) == "." and index >= 2:
            index -= 2
        return index

    def chain(self, clause: Clause | None) -> Iterator[Block]:
        """The blocks around a clause, innermost first."""
        while clause is not None:
            block = clause.block
            if block is None:
                return
            yield block
            clause = block.outer


def readable(statement: Statement) -> bytes:
    """The statement as parsers see it, byte for byte as long as its source, and valid UTF-8."""
    filled = encode(statement.filled)
    data = statement.data
    if len(filled) != len(data):  # bytes that were no UTF-8 became longer
        filled = data
    try:
        filled.decode()
    except UnicodeDecodeError:
        return "".join("?" if "\udc80" <= char <= "\udcff" else char for char in decode(filled)).encode()
    return filled


def outline_of(statement: Statement) -> Outline:
    """Read a statement's outline."""
    data = readable(statement)
    tokens = tuple(token for token in statement.code if not _is_blank(token, data))
    words = tuple(_word(token) for token in tokens)
    reader = _Reader(Outline(tokens, words))
    return reader.read()


def _is_blank(token: Token, data: bytes) -> bool:
    """Whether parsers see nothing in the token's place."""
    return token.kind is TokenKind.OPAQUE and not data[token.span.start : token.span.end].strip()


def _word(token: Token) -> str:
    if token.kind is TokenKind.WORD:
        return token.text.upper()
    return token.text if token.kind is TokenKind.PUNCTUATION else ""


class _Reader:
    """One pass over the tokens."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.words: Sequence[str] = outline.words
        root = Level("query", -1, None)
        root.clause = Clause("", root, None, 0, 0)
        outline.levels.append(root)
        self.stack = [root]
        self.blocks: list[Block] = []

    def read(self) -> Outline:
        outline = self.outline
        for index, (word, token) in enumerate(zip(outline.words, outline.tokens, strict=True)):
            level = self.stack[-1]
            if word in _CLOSING:
                self._close(index, word)
                level = self.stack[-1]
            elif token.kind is TokenKind.WORD and self._may_be_keyword(index):
                self._imply(index, word)
                level = self.stack[-1]
                self._keyword(index, word, level)
            elif word == ";":
                level.clause = Clause("", level, None, index, index)
            clause = level.clause
            assert clause is not None  # noqa: S101  (every level begins with one)
            clause.end = index + 1
            outline.clauses.append(clause)
            if word in _BRACKETS:
                self._open(index, word, clause)
        outline.closed[len(outline.tokens)] = list(reversed(self.stack[1:]))
        return outline

    def _may_be_keyword(self, index: int) -> bool:
        """A word behind a dot is a name, unless a space shows that the name is still missing (`u. FROM`)."""
        return self.outline.word(index - 1) != "." or (
            self.words[index] in KEYWORDS and not self.outline.adjacent(index)
        )

    def _imply(self, index: int, word: str) -> None:
        """Close brackets that can't go on with the word: a clause of the query around them."""
        if word not in _NEVER_INSIDE or self.stack[-1].blocks or self.stack[-1].role not in _IMPLIED:
            return
        if word == "GROUP" and self.outline.word(index + 1) != "BY":
            return
        depth = len(self.stack) - 1
        while depth > 0 and not self.stack[depth].blocks and self.stack[depth].role in _IMPLIED:
            if self._takes(word, self.stack[depth]):
                return
            depth -= 1
        if self.stack[depth].blocks:
            self._end(depth + 1, index)

    def _takes(self, word: str, level: Level) -> bool:
        """Whether the word is part of a call there: `EXTRACT(year FROM born)`, `FILTER (WHERE …)`."""
        called = self.outline.word(level.opener - 1)
        return (word == "FROM" and called in _WITH_FROM) or (word == "WHERE" and called == "FILTER")

    def _end(self, depth: int, index: int) -> None:
        """Close the levels from a depth on."""
        for level in self.stack[depth:]:
            level.closer = index
        self.outline.closed.setdefault(index, []).extend(reversed(self.stack[depth:]))
        del self.stack[depth:]

    def _open(self, index: int, bracket: str, clause: Clause) -> None:
        role = self._role(index, clause) if bracket == "(" else "group"
        level = Level(role, index, clause, bracket=_BRACKETS[bracket])
        level.clause = Clause("", level, clause.block, index + 1, index + 1, 0)
        self.outline.levels.append(level)
        self.outline.opened[index] = level
        self.stack.append(level)

    def _close(self, index: int, bracket: str) -> None:
        depth = next(
            (
                at
                for at in range(len(self.stack) - 1, max(len(self.stack) - 4, 0), -1)
                if self.stack[at].bracket == bracket
            ),
            0,
        )
        if depth:
            self._end(depth, index)

    def _role(self, index: int, clause: Clause) -> str:  # noqa: C901, PLR0912  (one case a kind of bracket)
        outline = self.outline
        before, after = outline.word(index - 1), outline.word(index + 1)
        if after in QUERY_STARTS or before in _QUERY_BEFORE:
            return "query"
        if before == "VALUES" or (clause.name == "Values" and before == ","):
            return "row"
        if before == "AS" and clause.name == "With":
            return "query"
        if before == "USING" and clause.name in _SOURCES:
            return "names"
        if before in ("OVER", "FILTER") or (before == "GROUP" and outline.word(index - 2) == "WITHIN"):
            return "over"
        if before in ("KEY", "CONFLICT", "UNIQUE", "OF"):
            return "names"
        named = (
            outline.is_name(index - 1) or outline.tokens[index - 1].kind is TokenKind.WORD if index else False
        )
        if before in KEYWORDS and before not in _CALLED:
            named = outline.word(index - 2) == "."
        if clause.name in _SOURCES and before in ("FROM", "JOIN", ",", "LATERAL", "ONLY"):
            return "relations"
        if not named:
            return "group"
        start = outline.path_start(index - 1)
        if clause.verb in ("INSERT", "MERGE"):
            return "names"
        if clause.name == "With":
            return "declared"
        if clause.verb == "CREATE":
            return self._created(index, start)
        if outline.word(start - 1) == "REFERENCES":
            return "names"
        if clause.name in _SOURCES and self._is_alias(index - 1):
            return "declared"
        return "call"

    def _created(self, index: int, start: int) -> str:
        words = self.words[max(index - 12, 0) : index]
        if self.outline.word(start - 1) in ("REFERENCES", "ON") or "INDEX" in words:
            return "names"
        if "TABLE" in words or "TYPE" in words:
            return "definitions"
        return "declared" if "VIEW" in words else "call"

    def _is_alias(self, index: int) -> bool:
        """Whether a name in FROM is an alias: AS or another name stands before it."""
        before = index - 1
        return self.outline.word(before) in ("AS", ")") or (
            self.outline.word(index - 1) != "." and self.outline.is_name(before)
        )

    def _keyword(self, index: int, word: str, level: Level) -> None:
        if word in VERBS and self._begins(index, word, level):
            self._begin(index, word, level)
        elif word in SET_OPERATORS and level.blocks and self._joins(index, word):
            level.clause = Clause("", level, None, index, index)
        elif level.blocks:
            found = CLAUSES.get(word)
            if found is not None and self._is_clause(index, word, level):
                self._clause(found, index, level)
        elif word == "FROM" and level.role in ("query", "relations") and self._starts(index):
            self._begin(index, word, level)

    def _starts(self, index: int) -> bool:
        return index == 0 or self.outline.word(index - 1) in ("(", ";", "AS")

    def _begins(self, index: int, word: str, level: Level) -> bool:
        """Whether a word that can start a statement or a query starts one here."""
        before, after = self.outline.word(index - 1), self.outline.word(index + 1)
        if after == "(" and word in ("REPLACE", "INSERT", "UPDATE", "VALUES") and word != "VALUES":
            return False
        if word == "SELECT":
            return True
        if word == "VALUES":
            return level.role == "query" or not level.blocks
        if word == "WITH":
            named = self.outline.is_name(index + 1) and after != "ORDINALITY"
            listed = after == "RECURSIVE" or (named and self.outline.word(index + 2) in ("AS", "("))
            return (
                listed or not level.blocks or before in ("AS", ")", ";") or level.blocks[-1].verb == "INSERT"
            )
        if word in ("CREATE", "ALTER", "DROP"):
            return index == 0 or before == ";"
        if word == "UPDATE":
            return before not in _NO_UPDATE
        return before not in _NO_VERB

    def _begin(self, index: int, word: str, level: Level) -> None:
        blocks = level.blocks
        if word == "SELECT" and blocks and self._continues(blocks[-1]):
            self._clause(("Select", 1), index, level)
            return
        if word == "VALUES" and blocks and blocks[-1].verb in ("INSERT", "REPLACE", "MERGE"):
            self._clause(("Values", 1), index, level)
            return
        block = Block("INSERT" if word == "REPLACE" else word, level, level.outer)
        blocks.append(block)
        self.blocks.append(block)
        level.clause = Clause(VERBS.get(word, "From"), level, block, index, index)
        block.clauses.append(level.clause)

    @staticmethod
    def _continues(block: Block) -> bool:
        """Whether a SELECT belongs to a block that began with FROM."""
        return block.verb == "FROM" and all(clause.name in _SOURCES for clause in block.clauses)

    def _joins(self, index: int, word: str) -> bool:
        after = self.outline.word(index + 1)
        if word in ("EXCEPT", "MINUS"):
            return self.outline.word(index - 1) != "*" or after in QUERY_STARTS
        return True

    def _is_clause(self, index: int, word: str, level: Level) -> bool:
        """Whether a clause's keyword is one here."""
        before, after = self.outline.word(index - 1), self.outline.word(index + 1)
        block = level.blocks[-1]
        if word == "FROM":
            return before != "DISTINCT" or self.outline.word(index - 2) not in ("IS", "NOT")
        if word in ("GROUP", "ORDER"):
            return after in ("BY", "") and before != "WITHIN"
        if word == "SET":
            return block.verb in ("UPDATE", "INSERT", "MERGE") or before == "UPDATE"
        if word == "ON":
            return after in ("CONFLICT", "DUPLICATE")
        if word == "USING":
            return block.verb in ("DELETE", "MERGE") and block.clauses[-1].name in ("From", "Into")
        if word == "WHEN":
            return block.verb == "MERGE" and before != "CASE"
        if word == "INTO":
            return block.verb == "SELECT"
        if word == "WINDOW":
            return self.outline.is_name(index + 1) and self.outline.word(index + 2) in ("AS", "")
        if word in ("OFFSET", "LIMIT", "FETCH", "FOR"):
            return after != "("
        return word != "JOIN" or block.clauses[-1].name in _SOURCES or block.verb == "UPDATE"

    def _clause(self, found: tuple[str, int], index: int, level: Level) -> None:
        name, head = found
        block = level.blocks[-1]
        level.clause = Clause(name, level, block, index, index, head)
        block.clauses.append(level.clause)


_IMPLIED = frozenset({"call", "group", "over"})
_NEVER_INSIDE = frozenset({"FROM", "WHERE", "GROUP", "UNION", "INTERSECT"})
_WITH_FROM = frozenset(
    {"EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY", "POSITION", "LTRIM", "RTRIM", "COLLATION"}
)
_CALLED = frozenset({"LEFT", "RIGHT", "REPLACE", "IF", "CAST", "VALUES", "INTERVAL", "CASE"})
