"""What an engine takes by itself: its own compilation and its own first mask, from a grammar in its own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gproj_lsp.decode.base import Mask, Vocabulary
from gproj_lsp.decode.engines.admission import admit
from gproj_lsp.decode.engines.lark import lark_text
from gproj_lsp.gbnf import Grammar

__all__ = ["Alone", "llguidance_alone"]

Alone = Callable[[Sequence[Grammar], Vocabulary], list[Callable[[Mask], None]]]
"""Prepares what the engine needs of each grammar, and gives what is left to do: compile and compute the first mask."""


def llguidance_alone(grammars: Sequence[Grammar], vocabulary: Vocabulary) -> list[Callable[[Mask], None]]:
    """Llguidance without anything of ours: its tokenizer is made and its grammars are written beforehand."""
    from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper  # noqa: PLC0415  (only where it is measured)

    tokens = [b"" if token in vocabulary.end else text for token, text in enumerate(vocabulary.tokens)]
    end = min(vocabulary.end)
    tokenizer = LLTokenizer(TokenizerWrapper(_Duck(tokens, end)), n_vocab=len(tokens), eos_token=end)
    buffer = np.zeros((len(tokens) + 31) // 32, np.int32)

    def first_mask(text: str) -> Callable[[Mask], None]:
        def run(_: Mask) -> None:
            LLMatcher(tokenizer, text, log_level=0).unsafe_compute_mask_ptr(buffer.ctypes.data, buffer.nbytes)

        return run

    return [first_mask(lark_text(admit(grammar))) for grammar in grammars]


class _Duck:
    """What llguidance asks of a tokenizer."""

    bos_token_id = None

    def __init__(self, tokens: list[bytes], end: int) -> None:
        self.tokens = tokens
        self.eos_token_id = end
        self.special_token_ids = [token for token, text in enumerate(tokens) if not text]
        self._single = {text[0]: token for token, text in enumerate(tokens) if len(text) == 1}

    def __call__(self, text: str | bytes) -> list[int]:
        return [self._single[byte] for byte in (text.encode() if isinstance(text, str) else text)]
