"""The least text that brings into scope what a statement beyond repair has in scope at a place.

Only the FROM items of the query blocks around the place are kept, and the common table expressions they may name:

    WITH recent AS (…) SELECT 1 FROM users u WHERE EXISTS (SELECT gproj_x FROM recent)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gproj_lsp.resolvers.sql.repair import DUMMY
from gproj_lsp.resolvers.sql.words import INFIX, JOINS
from gproj_lsp.syntax import TokenKind

if TYPE_CHECKING:
    from gproj_lsp.resolvers.sql.outline import Block, Clause, Level, Outline

__all__ = ["Item", "Pieces", "items", "skeleton"]

_SOURCE = "SELECT 1 FROM "
_OPEN = f"(SELECT * FROM {DUMMY})"  # noqa: S608  (no database ever sees it)

_BLOCKS = 8
"""Blocks further out than this are left out."""

_BEFORE_ITEM = frozenset(
    {"TABLE", "EXISTS", "FROM", "JOIN", ",", "INTO", "UPDATE", "USING", "DELETE", "ONLY", "LATERAL"}
)
_ITEM_CLAUSES = frozenset({"From", "Join"})
_CHANGED = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE", "ALTER"})
_LISTS = {"Group": "GROUP BY", "Order": "ORDER BY"}


@dataclass(frozen=True)
class Item:
    """A FROM item by its tokens.

    Attributes:
        start: Index of its first token.
        end: Index behind its last token, its alias.
        name: Index of the last token of its table's name; -1 if it is no table.
        alias: Index of its alias; -1 if it has none.
    """

    start: int
    end: int
    name: int
    alias: int


def items(outline: Outline, block: Block) -> Iterator[Item]:
    """The relations that a block names, in order."""
    for clause in block.clauses:
        if clause.name in _ITEM_CLAUSES or (clause.verb in _CHANGED):
            yield from _items_of(outline, clause)


def _items_of(outline: Outline, clause: Clause) -> Iterator[Item]:
    index = clause.start
    on = False
    while index < clause.end:
        word = outline.word(index)
        on = on or word == "ON"
        index += 1
        if word in _BEFORE_ITEM and (word != "," or not on) and outline.clauses[index - 1] is clause:
            item = _item(outline, index)
            if item is not None:
                yield item
                index = item.end


def _item(outline: Outline, start: int) -> Item | None:
    index = start
    name = -1
    if outline.word(index) == "(":
        index = _behind(outline, index)
    elif outline.is_name(index):
        while outline.word(index + 1) == "." and outline.is_name(index + 2):
            index += 2
        name = index
        index += 1
        if outline.word(index) == "(" and outline.opened[index].role == "call":
            index, name = _behind(outline, index), -1
    else:
        return None
    alias = index + (outline.word(index) == "AS")
    if not _is_alias(outline, alias):
        return Item(start, index, name, -1)
    end = alias + 1
    if outline.word(end) == "(" and outline.opened[end].role == "declared":
        end = _behind(outline, end)
    return Item(start, end, name, alias)


def _is_alias(outline: Outline, index: int) -> bool:
    word = outline.word(index)
    return outline.is_name(index) and word not in INFIX and word not in JOINS


def _behind(outline: Outline, opener: int) -> int:
    """The index behind the bracket that closes what one opens, or where that ends without one."""
    level = outline.opened[opener]
    closer = level.closer if level.closer >= 0 else len(outline.tokens)
    return closer + (outline.word(closer) == level.bracket)


@dataclass(frozen=True)
class Pieces:
    """Cuts pieces out of a statement that parse by themselves.

    Attributes:
        outline: The statement's outline.
        data: The statement as parsers see it.
        mended: Makes a text readable; None where it can't.
    """

    outline: Outline
    data: bytes
    mended: Callable[[str], str | None]

    def text(self, start: int, end: int) -> str:
        """The source of some tokens."""
        tokens = self.outline.tokens
        last = min(end, len(tokens)) - 1
        return self.data[tokens[start].span.start : tokens[last].span.end].decode("utf-8", "replace")

    def item(self, item: Item) -> str:
        """An item as it can stand in FROM; open where it can't be read."""
        text = self.text(item.start, item.end)
        if self.outline.word(item.start) != "(" and item.name >= 0:
            return text
        found = self.mended(_SOURCE + text)
        if found is not None:
            return found.removeprefix(_SOURCE)
        return f"{DUMMY} AS {self.text(item.alias, item.alias + 1)}" if item.alias >= 0 else DUMMY

    def ctes(self, levels: list[Level]) -> str:
        """The WITH clause that declares what the levels' WITH clauses do."""
        found = [
            cte
            for level in levels
            for block in level.blocks
            if block.verb == "WITH"
            for cte in self._ctes_of(block)
        ]
        return f"WITH RECURSIVE {', '.join(found)} " if found else ""

    def _ctes_of(self, block: Block) -> Iterator[str]:
        outline = self.outline
        clause = block.clauses[0]
        start = clause.start + 1 + (outline.word(clause.start + 1) == "RECURSIVE")
        index = start
        while index < clause.end:
            opened = outline.opened.get(index)
            if outline.word(index) == "," and outline.clauses[index] is clause:
                start = index + 1
            if opened is None:
                index += 1
                continue
            index = _behind(outline, index)
            if opened.role == "query" and outline.is_name(start):
                yield self._cte(start, opened, index)

    def _cte(self, start: int, body: Level, end: int) -> str:
        found = self.mended(f"WITH {self.text(start, end)} SELECT 1")
        if found is not None:
            return found.removeprefix("WITH ").removesuffix(" SELECT 1")
        return f"{self.text(start, body.opener)} {_OPEN}"


def skeleton(pieces: Pieces, clause: Clause, name: str, *, source: bool = False) -> tuple[str, int]:
    """The least text around a name, and the character of it at which the name begins.

    Args:
        pieces: What to make it of.
        clause: The clause that the name stands in.
        name: The name with what qualifies it.
        source: Whether the name is a FROM item's.
    """
    blocks: list[Block] = []
    levels: list[Level] = []
    level: Level | None = clause.level
    for block in pieces.outline.chain(clause):
        if len(blocks) < _BLOCKS:
            blocks.append(block)
    for _ in range(4 * _BLOCKS):
        if level is None:
            break
        levels.insert(0, level)
        level = level.outer.level if level.outer is not None else None
    head = pieces.ctes(levels)
    body, at = _innermost(pieces, clause, blocks[0] if blocks else None, name, source=source)
    for block in blocks[1:]:
        sources = [pieces.item(item) for item in items(pieces.outline, block)]
        start = f"SELECT 1{_from(sources)} WHERE EXISTS ("
        body, at = f"{start}{body})", at + len(start)
    return head + body, at + len(head)


def _from(sources: list[str]) -> str:
    return f" FROM {', '.join(sources)}" if sources else ""


def _innermost(
    pieces: Pieces, clause: Clause, block: Block | None, name: str, *, source: bool
) -> tuple[str, int]:
    outline = pieces.outline
    if source:
        return _SOURCE + name, len(_SOURCE)
    sources = list(items(outline, block)) if block is not None else []
    target = next((item for item in sources if item.name >= 0), None)
    if clause.level.role == "names" and target is not None and block is not None and block.verb == "INSERT":
        listed = _listed(pieces, clause.level)
        start = f"INSERT INTO {pieces.text(target.start, target.name + 1)} ({''.join(f'{each}, ' for each in listed)}"
        return f"{start}{name})", len(start)
    if block is not None and block.verb == "UPDATE" and clause.name == "Set" and target is not None:
        start = f"UPDATE {pieces.text(target.start, target.end)} SET "  # noqa: S608  (as _OPEN)
        return f"{start}{name} = 1{_from([pieces.item(item) for item in sources[1:]])}", len(start)
    written = [pieces.item(item) for item in sources]
    if clause.name in _LISTS:
        start = f"SELECT 1{_from(written)} {_LISTS[clause.name]} "
        return f"{start}{name}", len(start)
    if clause.name in ("Select", "Returning", "Into"):
        return f"SELECT {name}{_from(written)}", len("SELECT ")
    start = f"SELECT 1{_from(written)} WHERE "
    return f"{start}{name}", len(start)


def _listed(pieces: Pieces, level: Level) -> list[str]:
    """The names of a column list."""
    outline = pieces.outline
    end = level.closer if level.closer >= 0 else len(outline.tokens)
    return [
        pieces.text(index, index + 1)
        for index in range(level.opener + 1, end)
        if outline.is_name(index)
        and outline.tokens[index].kind in (TokenKind.WORD, TokenKind.QUOTED)
        and outline.word(index + 1) in (",", ")")
        and outline.word(index - 1) in (",", "(")
    ]
