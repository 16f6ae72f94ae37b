"""What a name at a place would have to be, told from the tokens around it."""

from __future__ import annotations

from gproj_lsp.resolve import Expectation
from gproj_lsp.resolvers.sql.outline import Clause, Level, Outline
from gproj_lsp.resolvers.sql.words import WANTING
from gproj_lsp.syntax import TokenKind

__all__ = ["clause_behind", "expected"]

_SOURCES = frozenset({"From", "Join"})
_BEFORE_SOURCE = frozenset({"FROM", "JOIN", "LATERAL", "ONLY", "USING"})
_WANTING = WANTING | {"CASE"}
_CLOSERS = frozenset({")", "]", "}", ";", "*"})


def clause_behind(outline: Outline, before: int) -> Clause:
    """The clause that a token behind another one would stand in.

    Args:
        outline: The statement's outline.
        before: The index of the token before; -1 at the beginning.
    """
    if before < 0 or not outline.tokens:
        root = outline.root
        return Clause("", root, None, 0, 0)
    opened = outline.opened.get(before)
    if opened is None:
        return outline.clauses[before]
    block = opened.outer.block if opened.outer is not None else None
    return Clause("", opened, block, before + 1, before + 1, 0)


def expected(outline: Outline, before: int, after: int) -> Expectation:
    """What a name between two tokens would have to be.

    Args:
        outline: The statement's outline.
        before: The index of the token before it; -1 at the beginning.
        after: The index of the token behind it; past the last one at the end.
    """
    clause = clause_behind(outline, before)
    return Expectation(_sort(outline, clause, before, after), outline.region(clause))


def _sort(outline: Outline, clause: Clause, before: int, after: int) -> str:
    word, follows = outline.word(before), outline.word(after)
    if before < 0:
        return ""
    head = outline.path_start(before + 1) - 1 if word == "." else before
    source = _source(outline, clause, head)
    if word == ".":
        return source or ("Function" if follows == "(" else "Column")
    if source:
        return "" if follows == "." else source
    if clause.verb == "ALTER" and word == "COLUMN":
        return "ColDecl" if outline.word(before - 1) == "ADD" else "Column"
    listed = _listed(clause.level, word)
    if listed is not None:
        return listed
    if clause.name == "Limit" or word == "AS" or not _wants(outline, before):
        return ""
    if clause.name == "With" and clause.level.role == "query":
        return "TableDecl" if word in ("WITH", "RECURSIVE", ",") else ""
    if clause.block is None or clause.verb in ("CREATE", "ALTER", "DROP"):
        return ""
    return "Alias" if follows == "." else "Function" if follows == "(" else "Column"


def _source(outline: Outline, clause: Clause, before: int) -> str:
    """The sort of a name of a relation, if one stands behind the token."""
    word = outline.word(before)
    level = clause.level
    if level.role == "relations":
        return "Table" if word in ("(", ",", "JOIN") else ""
    if word == "REFERENCES":
        return "Table"
    if clause.name in _SOURCES and level.role == "query":
        listed = word == "," and "ON" not in outline.words[clause.start : before]
        return "Table" if word in _BEFORE_SOURCE or listed else ""
    verb = clause.verb
    if verb in ("INSERT", "MERGE", "UPDATE", "DELETE"):
        return "Table" if word in ("INTO", "UPDATE", "DELETE", "OVERWRITE") else ""
    if verb == "CREATE":
        words = outline.words[clause.start : before + 1]
        if word == "ON":
            return "Table"
        declares = ("TABLE" in words or "VIEW" in words) and word in ("TABLE", "VIEW", "EXISTS")
        return "TableDecl" if declares else ""
    if verb in ("ALTER", "DROP") and clause.level is outline.root:
        words = outline.words[clause.start : before + 1]
        return (
            "Table" if word in ("TABLE", "VIEW", "EXISTS") and ("TABLE" in words or "VIEW" in words) else ""
        )
    if clause.name == "Into":
        return "TableDecl" if word == "INTO" else ""
    return "Table" if word == "TABLE" and clause.block is None else ""


def _listed(level: Level, word: str) -> str | None:
    """The sort of what a list in brackets has at a place; None where that is an expression."""
    if level.role == "names":
        return "Column" if word in ("(", ",") else ""
    if level.role in ("declared", "definitions"):
        return "ColDecl" if word in ("(", ",") else ""
    return "" if level.role == "row" else None


def _wants(outline: Outline, before: int) -> bool:
    word = outline.word(before)
    if word in _WANTING:
        return not outline.is_name(before)
    kind = outline.tokens[before].kind
    return kind is TokenKind.PUNCTUATION and (
        word not in _CLOSERS or (word == "*" and not outline.is_operand(before))
    )
