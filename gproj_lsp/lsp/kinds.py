"""What editors show names as: the kinds of `gproj_lsp.surface`, in LSP's three vocabularies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lsprotocol import types

from gproj_lsp.surface import Surface

__all__ = ["LEGEND", "Kind", "kind_of"]


@dataclass(frozen=True)
class Kind:
    """How one kind of name is shown.

    Attributes:
        item: In completion lists.
        symbol: In outlines.
        token: In text.
    """

    item: types.CompletionItemKind
    symbol: types.SymbolKind
    token: types.SemanticTokenTypes


_VARIABLE = Kind(
    types.CompletionItemKind.Variable, types.SymbolKind.Variable, types.SemanticTokenTypes.Variable
)
_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "constant": Kind(
            types.CompletionItemKind.Constant,
            types.SymbolKind.Constant,
            types.SemanticTokenTypes.EnumMember,
        ),
        "field": Kind(
            types.CompletionItemKind.Field, types.SymbolKind.Field, types.SemanticTokenTypes.Property
        ),
        "function": Kind(
            types.CompletionItemKind.Function, types.SymbolKind.Function, types.SemanticTokenTypes.Function
        ),
        "module": Kind(
            types.CompletionItemKind.Module, types.SymbolKind.Module, types.SemanticTokenTypes.Namespace
        ),
        "struct": Kind(
            types.CompletionItemKind.Struct, types.SymbolKind.Struct, types.SemanticTokenTypes.Struct
        ),
        "variable": _VARIABLE,
    }
)

LEGEND = types.SemanticTokensLegend(
    [kind.token.value for kind in _KINDS.values()],
    [types.SemanticTokenModifiers.Declaration.value, types.SemanticTokenModifiers.DefaultLibrary.value],
)
"""What the numbers of semantic tokens mean."""


def kind_of(sort: str, surface: Surface) -> Kind:
    """How names of a sort are shown."""
    spec = surface.sorts.get(sort)
    return _KINDS.get(spec.kind, _VARIABLE) if spec is not None else _VARIABLE
