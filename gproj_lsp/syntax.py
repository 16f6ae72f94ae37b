"""Syntax of a buffer: its statements (from `statements.py` and `lexer.py`) and their tree-sitter parses.

Everything is cached by a statement's text, since a parser reuses next to nothing inside a long file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import cast

from tree_sitter import Language, Node, Parser, Query, QueryCursor, QueryError, Tree

from gproj_lsp.errors import SurfaceError
from gproj_lsp.lexer import HoleMark, Lexer, Statement, Token, TokenKind, lexer_of
from gproj_lsp.statements import Piece, Source, split
from gproj_lsp.surface import Surface
from gproj_lsp.text import Span, encode

__all__ = [
    "Capture",
    "Grammar",
    "HoleMark",
    "Lexer",
    "Match",
    "Piece",
    "Region",
    "Source",
    "Statement",
    "Token",
    "TokenKind",
    "grammar_of",
    "lexer_of",
    "regions",
    "split",
]


@dataclass(frozen=True)
class Region:
    """A stretch of a buffer in one language, for buffers that embed others.

    Attributes:
        language: The surface that reads it.
        span: Its bytes.
    """

    language: str
    span: Span


def regions(text: str, surface: Surface) -> tuple[Region, ...]:
    """The regions of a buffer; a plain file is one."""
    return (Region(surface.name, Span(0, len(encode(text)))),)


@dataclass(frozen=True)
class Capture:
    """A node that a query named, `span` in bytes of the statement."""

    name: str
    span: Span
    text: str


@dataclass(frozen=True)
class Match:
    """One match of a pattern.

    Attributes:
        captures: Its captures in order of the source.
        settings: What `#set!` says in the pattern.
    """

    captures: tuple[Capture, ...]
    settings: Mapping[str, str] = field(default_factory=dict)


class Grammar:
    """A surface's tree-sitter language and queries.

    Args:
        module: The Python module of the language.
        root: The folder of its `.scm` files.

    Raises:
        SurfaceError: The module is not installed, or is no tree-sitter language.
    """

    def __init__(self, module: str, root: Path) -> None:
        self._language = _language(module)
        self._root = root
        self._parser = Parser(self._language)
        self._parse: Callable[[bytes], Tree] = lru_cache(maxsize=1024)(self._parsed)
        self._query: Callable[[str], Query] = lru_cache(maxsize=None)(self._compiled)

    def tree(self, statement: Statement) -> Tree:
        """The parse of a statement, placeholders standing for its holes; always a tree, perhaps with ERROR nodes."""
        return self._parse(encode(statement.filled))

    def matches(self, statement: Statement, query: str) -> tuple[Match, ...]:
        """The matches of `<query>.scm` in a statement.

        Raises:
            SurfaceError: The query does not compile; `place` is `file:line`.
        """
        data = encode(statement.filled)
        compiled = self._query(query)
        found = QueryCursor(compiled).matches(self._parse(data).root_node)
        return tuple(Match(_captures(names, data), _settings(compiled, pattern)) for pattern, names in found)

    def queries(self) -> tuple[str, ...]:
        """The names of its queries."""
        return tuple(sorted(path.stem for path in self._root.glob("*.scm")))

    def check(self, query: str) -> None:
        """Compile a query.

        Raises:
            SurfaceError: It does not compile; `place` is `file:line`.
        """
        self._query(query)

    def _parsed(self, data: bytes) -> Tree:
        return self._parser.parse(data)

    def _compiled(self, query: str) -> Query:
        path = self._root / f"{query}.scm"
        try:
            text = path.read_text("utf-8")
            compiled: Query = Query(self._language, text)
        except OSError as error:
            raise SurfaceError(f"can't be read: {error.strerror or error}", place=str(path)) from error
        except UnicodeDecodeError as error:
            raise SurfaceError("is not UTF-8", place=str(path)) from error
        except QueryError as error:
            raise SurfaceError(f"no valid query: {error}", place=f"{path}:{_line(str(error))}") from error
        return compiled


def grammar_of(surface: Surface) -> Grammar | None:
    """The tree-sitter side of a surface; None where it has none.

    Raises:
        SurfaceError: Its language is not installed.
    """
    return _grammar(surface.tree_sitter, surface.root) if surface.tree_sitter else None


@lru_cache(maxsize=16)
def _grammar(module: str, root: Path) -> Grammar:
    return Grammar(module, root)


def _language(module: str) -> Language:
    try:
        pointer = cast("Callable[[], object]", import_module(module).language)
        return Language(pointer())
    except (ImportError, AttributeError, ValueError) as error:
        mend = f"pip install {module.replace('_', '-')}"
        raise SurfaceError(
            f"the tree-sitter language {module} can't be loaded", place=module, mend=mend
        ) from error


def _captures(names: Mapping[str, list[Node]], data: bytes) -> tuple[Capture, ...]:
    found = [
        Capture(name, span, data[span.start : span.end].decode("utf-8", "surrogateescape"))
        for name, nodes in names.items()
        for node in nodes
        for span in (Span(node.start_byte, node.end_byte),)
    ]
    return tuple(sorted(found, key=lambda capture: (capture.span.start, -capture.span.end, capture.name)))


def _settings(query: Query, pattern: int) -> dict[str, str]:
    return {key: value or "" for key, value in query.pattern_settings(pattern).items()}


def _line(message: str) -> int:
    """The 1-based line that a QueryError names ("Invalid node type at row 3, column 1: x")."""
    words = message.replace(",", " ").split()
    return int(words[words.index("row") + 1]) + 1 if "row" in words[:-1] else 1
