"""A module's tree: tree-sitter's, with what every part of it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Tree

from gproj_lsp.text import Span, encode

__all__ = ["Node", "parse", "span_of", "statement_around", "text_of", "words_in"]

_KEPT = 8
"""How many trees are kept: of the text in hand and of what it was a moment ago. They are ten times a text's size."""


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_python.language()))


@lru_cache(maxsize=_KEPT)
def parse(text: str) -> Tree:
    """The tree of a text; always one, perhaps with ERROR nodes."""
    return _parser().parse(encode(text))


def span_of(node: Node) -> Span:
    """A node's bytes."""
    return Span(node.start_byte, node.end_byte)


def text_of(node: Node) -> str:
    """A node's text."""
    return (node.text or b"").decode("utf-8", "surrogateescape")


def words_in(node: Node) -> Iterator[Node]:
    """Every identifier in a node, the node itself included."""
    left = [node]
    while left:
        here = left.pop()
        if here.type == "identifier":
            yield here
        left += here.named_children


def statement_around(node: Node) -> Node:
    """The smallest statement that a node is in; the whole tree, where it is in none."""
    here = node
    while (above := here.parent) is not None:
        if above.type in ("block", "module") and not here.is_error:
            return here
        here = above
    return here
