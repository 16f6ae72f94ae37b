"""Mask engines, by the name that the setting `engine` gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gproj_lsp.decode.engines.llama import LlamaEngine
from gproj_lsp.decode.engines.llguidance import LlguidanceEngine
from gproj_lsp.decode.engines.trie import TrieEngine, TrieFirst
from gproj_lsp.decode.engines.xgrammar import XgrammarEngine
from gproj_lsp.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gproj_lsp.decode.base import MaskEngine, Vocabulary
    from gproj_lsp.decode.engines.llama import GrammarState

__all__ = ["ENGINES", "make_engine"]


def _native_grammar(text: str, vocabulary: Vocabulary) -> GrammarState:
    from gproj_lsp.decode.models.llama_grammar import NativeGrammar  # noqa: PLC0415  (loads llama.cpp)

    return NativeGrammar(text, vocabulary)


ENGINES: dict[str, Callable[[], MaskEngine]] = {
    "llguidance": LlguidanceEngine,
    "xgrammar": XgrammarEngine,
    "llama": lambda: LlamaEngine(_native_grammar),
    "trie": TrieEngine,
}
"""How to make each engine; making one loads nothing, the first `compile` does."""


def make_engine(name: str = "llguidance") -> MaskEngine:
    """The engine of that name, with the candidate trie in front of it.

    Raises:
        EngineError: There is none.
    """
    if name not in ENGINES:
        raise EngineError(f"there is no engine {name!r}", mend=f"choose {', '.join(ENGINES)}")
    engine = ENGINES[name]()
    return engine if isinstance(engine, TrieEngine) else TrieFirst(engine)
