"""Statements of a buffer, kept across edits, and their tree-sitter parses.

The surface's lexer splits the buffer into statements; each is parsed once and cached by its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gproj_lsp.lexer import HoleMark, Lexer, Piece, Statement, Token, TokenKind, lexer_of
from gproj_lsp.text import Span

__all__ = [
    "HoleMark",
    "Lexer",
    "Piece",
    "Region",
    "Source",
    "Statement",
    "Token",
    "TokenKind",
    "lexer_of",
    "split",
]
