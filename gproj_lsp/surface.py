"""Surfaces: `grammars/<surface>/` as validated values. A surface is data; no surface's name appears in the core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gproj_lsp.fragment import Fragment, Rung

__all__ = ["LexerSpec", "Limits", "SortSpec", "Surface"]


@dataclass(frozen=True)
class SortSpec:
    """One sort.

    Attributes:
        name: `Column`.
        aliases: Other names a hole may give it (`ColRef`).
        plural: The key that lists such names under their owner in facts (`columns`); empty for top-level sorts.
        namespace: Sorts that share one name space name the same one.
        placeholder: A text that parses where such a name stands; cut or padded to the hole's length.
        declares: For declaration sorts (`ColDecl`): the sort the written name is declared as.
        rungs: π: the rungs to try, tightest first; climbing above GAMMA needs the user's leave.
    """

    name: str
    aliases: tuple[str, ...] = ()
    plural: str = ""
    namespace: str = ""
    placeholder: str = "x"
    declares: str = ""
    rungs: tuple[Rung, ...] = (Rung.GAMMA,)


@dataclass(frozen=True)
class LexerSpec:
    """How a buffer splits into tokens and statements; tables over `[dialects.<name>.lexer]` override it per dialect."""

    line_comments: tuple[str, ...]
    block_comment: tuple[str, str] | None
    nested_comments: bool
    strings: tuple[tuple[str, str, str], ...]  # (open, close, escape): escape "" = none, = close: doubled
    quoted: tuple[tuple[str, str, str], ...]
    words: str  # regular expressions
    numbers: str
    opaque: tuple[str, ...]
    terminator: str


@dataclass(frozen=True)
class Limits:
    """Bounds past which analysis degrades to *unknown* instead of taking long."""

    file_bytes: int
    statement_bytes: int
    nesting: int


@dataclass(frozen=True)
class Surface:
    """A validated surface folder."""

    name: str
    root: Path
    patterns: tuple[str, ...]
    languages: tuple[str, ...]
    tree_sitter: str
    resolver: str
    comment: str
    lexer: LexerSpec
    sorts: Mapping[str, SortSpec]
    providers: tuple[str, ...]
    settings: Mapping[str, str]  # the keys under `surfaces.<name>` and their kinds: "text", "texts", "url", a "a|b" choice
    order: tuple[str, ...]  # the dependency order of regions
    limits: Limits
    fragments: Mapping[str, Fragment]  # by anchor sort
