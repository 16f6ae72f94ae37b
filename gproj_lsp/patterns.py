"""The regular expressions of a lexer, compiled from a surface's data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gproj_lsp.surface import BlockSpec, LexerSpec

__all__ = ["Block", "Patterns"]

_FLAGS = re.IGNORECASE | re.DOTALL
_DOLLAR_QUOTES = r"\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?(?:\$(?P=tag)\$|\Z)"


@dataclass(frozen=True)
class Block:
    """A compiled `BlockSpec`; `step` has the groups `open`, `close` and `neutral`."""

    opener: re.Pattern[str]
    step: re.Pattern[str]


class Patterns:
    """A lexer's expressions.

    Args:
        spec: The data.

    Raises:
        re.error: A pattern is not valid.
    """

    def __init__(self, spec: LexerSpec) -> None:
        self._spec = spec
        self._masters: dict[str, re.Pattern[str]] = {}
        self._opaque = tuple((_compiled(each.pattern), each.fill) for each in spec.opaque)
        self._edges = _comment_edges(spec)
        self.holes = tuple(re.compile(pattern, re.DOTALL) for pattern in spec.holes)
        self.infix_holes = tuple(map(_compiled, spec.infix_holes))
        self.command = _optional(spec.command)
        self.command_ends = _optional(spec.command_ends)
        self.data_after = _optional(spec.data_after)
        self.data_not = (
            re.compile(rf"[^\n]*\n\s*(?:{spec.data_not})", re.IGNORECASE) if spec.data_not else None
        )
        self.data_end = re.compile(rf"^{spec.data_end}[ \t]*\r?$", re.MULTILINE) if spec.data_end else None
        self.listing = _optional(spec.listing)
        self.delimiter = _optional(rf"{spec.delimiter}[ \t]+(?P<mark>\S+)[^\n]*" if spec.delimiter else "")
        self.blocks = tuple(map(_block, spec.blocks))
        self.master()

    def master(self, terminator: str = "") -> re.Pattern[str]:
        """The expression whose named groups are the token kinds; `end` is the text's end.

        Args:
            terminator: What ends a statement, to be found as a token of its own before all others; empty: nothing does.
        """
        if terminator not in self._masters:
            self._masters[terminator] = _master(self._spec, terminator)
        return self._masters[terminator]

    def comment_end(self, text: str, start: int, end: int) -> int:
        """Where the comment found at `start..end` really ends: further on, where comments nest."""
        if self._edges is None or self._spec.block_comment is None:
            return end
        opener = self._spec.block_comment[0]
        if not text.startswith(opener, start):
            return end
        depth = 0
        for edge in self._edges.finditer(text, start):
            depth += 1 if edge[0] == opener else -1
            if depth == 0:
                return edge.end()
        return len(text)

    def fill(self, text: str) -> str:
        """What parsers see in place of an opaque token, as `OpaqueSpec.fill`."""
        if self.command is not None and self.command.match(text):
            return "blank"
        return next((fill for pattern, fill in self._opaque if pattern.fullmatch(text)), "keep")


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, _FLAGS)


def _optional(pattern: str) -> re.Pattern[str] | None:
    return _compiled(pattern) if pattern else None


def _block(spec: BlockSpec) -> Block:
    neutral = f"(?P<neutral>{spec.neutral})|" if spec.neutral else ""
    step = _compiled(f"{neutral}(?P<close>{spec.close})|(?P<open>{spec.open})")
    return Block(_compiled(spec.opener), step)


def _comment_edges(spec: LexerSpec) -> re.Pattern[str] | None:
    if not spec.nested_comments or spec.block_comment is None:
        return None
    return re.compile("|".join(map(re.escape, spec.block_comment)))


def _master(spec: LexerSpec, terminator: str) -> re.Pattern[str]:
    # The order decides: a comment is no operator, a string with a prefix no word, `::` no parameter.
    kinds = (
        ("terminator", [re.escape(terminator)] if terminator else []),
        ("comment", _comments(spec)),
        ("string", _strings(spec)),
        ("quoted", [_quotes(each) for each in spec.quoted]),
        ("hole", [f"(?-i:{_nameless(each)})" for each in spec.holes]),
        ("command", [spec.command] if spec.command else []),
        ("operator", [spec.operators] if spec.operators else []),
        ("opaque", [_nameless(each.pattern) for each in spec.opaque]),
        ("number", [spec.numbers]),
        ("word", [spec.words]),
        ("punctuation", ["."]),
    )
    groups = [f"(?P<{kind}>{'|'.join(patterns)})" for kind, patterns in kinds if patterns]
    return _compiled(rf"\s*(?:{'|'.join(groups)}|(?P<end>\Z))")


def _comments(spec: LexerSpec) -> list[str]:
    patterns = [rf"{re.escape(each)}[^\n]*" for each in spec.line_comments]
    if spec.block_comment is not None:
        opener, closer = map(re.escape, spec.block_comment)
        patterns.append(rf"{opener}.*?(?:{closer}|\Z)")
    return patterns


def _strings(spec: LexerSpec) -> list[str]:
    dollars = [_DOLLAR_QUOTES] if spec.dollar_quotes else []
    return [*map(_nameless, spec.literals), *map(_quotes, spec.strings), *dollars]


def _quotes(quotes: tuple[str, str, str]) -> str:
    """Text between quotes, or up to the end where nothing closes them; never backtracks."""
    opener, closer, escape = quotes
    start, end = re.escape(opener), re.escape(closer)
    if len(closer) != 1:
        return rf"{start}.*?(?:{end}|\Z)"
    if not escape:
        return rf"{start}[^{end}]*{end}?"
    if escape == closer:
        return rf"{start}[^{end}]*(?:{end}{end}[^{end}]*)*{end}?"
    mark = re.escape(escape)
    return rf"{start}[^{end}{mark}]*(?:(?:{mark}.|{end}{end})[^{end}{mark}]*)*{end}?"


def _nameless(pattern: str) -> str:
    """The pattern without group names, which may occur once in an expression."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)
