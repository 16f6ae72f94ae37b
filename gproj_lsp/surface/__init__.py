"""Surfaces: `grammars/<surface>/` as validated values. A surface is data; no surface's name appears in the core."""

from gproj_lsp.surface.reader import load
from gproj_lsp.surface.shelf import shipped, surface_for
from gproj_lsp.surface.spec import (
    BlockSpec,
    CompletionSpec,
    LexerSpec,
    Limits,
    LinesSpec,
    OpaqueSpec,
    PromptSpec,
    SortSpec,
    Surface,
    TypedHole,
    WideningSpec,
)

__all__ = [
    "BlockSpec",
    "CompletionSpec",
    "LexerSpec",
    "Limits",
    "LinesSpec",
    "OpaqueSpec",
    "PromptSpec",
    "SortSpec",
    "Surface",
    "TypedHole",
    "WideningSpec",
    "load",
    "shipped",
    "surface_for",
]
