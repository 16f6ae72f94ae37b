"""The default engine: llguidance, which is at its best where Γ, and so the grammar, changes on every keystroke."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from gproj_lsp.decode.base import mask_words
from gproj_lsp.decode.engines.admission import admit
from gproj_lsp.decode.engines.lark import lark_text
from gproj_lsp.decode.engines.stepped import SteppedMatcher
from gproj_lsp.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llguidance import LLMatcher, LLParserLimits, LLTokenizer

    from gproj_lsp.decode.base import Mask, Matcher, Vocabulary
    from gproj_lsp.gbnf import Grammar

__all__ = ["SLICES", "LlguidanceEngine"]

SLICES = (
    r"[A-Za-z_][A-Za-z0-9_]*",
    r" ?[A-Za-z_][A-Za-z0-9_]*",
    r"[A-Za-z0-9_]+",
    r"[^\x00-\x1F\x7F'\"\\]{1,16}",
    r"[^\x00-\x1F\x7F'\"\\]+",
    r"[^'\"]+",
)
"""What free regions are made of: identifiers, and the inside of strings and quoted names.

The bounded one serves strings that may hold so much and no more. Where all of a slice is admitted its tokens are taken from a
ready-made mask instead of being walked one by one: a free identifier costs 8 µs then and 145 without, the inside of a string 8
and 504.
"""

_KEPT = 64


class LlguidanceEngine:
    """Compiles grammars with llguidance; keeps the last few by text."""

    name = "llguidance"

    def __init__(self, slices: Sequence[str] = SLICES) -> None:
        """An engine.

        Args:
            slices: Regular expressions of which free regions of the grammars are made.
        """
        self._slices = tuple(slices)
        self._known: WeakKeyDictionary[Vocabulary, _Tokens] = WeakKeyDictionary()

    def compile(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher:
        """A matcher at the grammar's start.

        Raises:
            EngineError: llguidance is not installed, or refused the grammar.
            GrammarError: The grammar is not valid.
        """
        text = lark_text(admit(grammar))
        tokens = self._known.get(vocabulary)
        if tokens is None:
            tokens = self._known[vocabulary] = _Tokens(vocabulary, self._slices)
        return _Matcher(vocabulary, tokens, tokens.compiled(text))


class _Tokens:
    """A vocabulary as llguidance sees it, and what was compiled for it.

    Single bytes that the vocabulary lacks are added behind its last id, so that any text can be matched; so is one end id,
    which stands for all the vocabulary has.
    """

    def __init__(self, vocabulary: Vocabulary, slices: tuple[str, ...]) -> None:
        self.size = len(vocabulary)
        tokens = list(vocabulary.tokens)
        for end in vocabulary.end:
            tokens[end] = b""
        self.bytes = {token[0]: i for i, token in enumerate(tokens) if len(token) == 1}
        for byte in range(256):
            if byte not in self.bytes:
                self.bytes[byte] = len(tokens)
                tokens.append(bytes([byte]))
        self.end = len(tokens)
        tokens.append(b"")
        self.tokenizer = _tokenizer(tokens, self.end, self.bytes, slices)
        self.room = (len(tokens) + 31) // 32
        self.words = mask_words(vocabulary)
        last = self.size % 32
        self.last = np.int32((1 << last) - 1 if 0 < last < 31 else 0x7FFFFFFF if last == 31 else -1)
        self._compiled: OrderedDict[str, LLMatcher] = OrderedDict()

    def compiled(self, text: str) -> LLMatcher:
        """A matcher at the start of an llguidance grammar."""
        fresh = self._compiled.get(text)
        if fresh is None:
            fresh = self._compiled[text] = _compile(self.tokenizer, text)
            if len(self._compiled) > _KEPT:
                self._compiled.popitem(last=False)
        else:
            self._compiled.move_to_end(text)
        return fresh.deep_copy()


class _Duck:
    """What llguidance asks of a tokenizer."""

    bos_token_id = None

    def __init__(self, tokens: list[bytes], end: int, single: dict[int, int]) -> None:
        self.tokens = tokens
        self.eos_token_id = end
        self.special_token_ids = [i for i, token in enumerate(tokens) if not token]
        self._single = single

    def __call__(self, text: str | bytes) -> list[int]:
        """Never the model's own tokens, and never asked for them: masks admit every spelling of a text."""
        return [self._single[byte] for byte in (text.encode() if isinstance(text, str) else text)]


def _tokenizer(tokens: list[bytes], end: int, single: dict[int, int], slices: tuple[str, ...]) -> LLTokenizer:
    try:
        import llguidance  # noqa: PLC0415  (reading names needs no engine)
    except (ImportError, OSError) as error:
        raise EngineError("llguidance is not installed", mend="pip install llguidance") from error
    try:
        wrapper = llguidance.TokenizerWrapper(_Duck(tokens, end, single))
        return llguidance.LLTokenizer(wrapper, n_vocab=len(tokens), eos_token=end, slices=list(slices))
    except (ValueError, RuntimeError) as error:
        raise EngineError(f"llguidance can't read this vocabulary: {error}") from error


def _limits() -> LLParserLimits:
    from llguidance._lib import LLParserLimits  # noqa: PLC0415  (as above)

    return LLParserLimits(
        max_items_in_row=50_000,
        initial_lexer_fuel=200_000_000,
        step_lexer_fuel=20_000_000,
        step_max_items=2_000_000,
        max_lexer_states=2_000_000,
        max_grammar_size=5_000_000,
        verbose_errors=False,
    )


def _compile(tokenizer: LLTokenizer, text: str) -> LLMatcher:
    from llguidance import LLMatcher  # noqa: PLC0415  (as above)

    matcher = LLMatcher(tokenizer, text, log_level=0, limits=_limits())
    _refuse(matcher)
    return matcher


def _refuse(matcher: LLMatcher) -> None:
    if matcher.is_error():
        first = matcher.get_error().strip().splitlines()[0]
        raise EngineError(f"llguidance refused the grammar: {first}", mend="use engine = xgrammar")


class _Matcher(SteppedMatcher):
    def __init__(self, vocabulary: Vocabulary, tokens: _Tokens, state: LLMatcher) -> None:
        super().__init__(vocabulary)
        self._tokens = tokens
        self._state = state
        self._found = np.zeros(tokens.room, np.int32)
        self._address = self._found.ctypes.data

    def _mask_text(self, buffer: Mask) -> bool:
        tokens, found = self._tokens, self._found
        self._state.unsafe_compute_mask_ptr(self._address, found.nbytes)
        _refuse(self._state)
        buffer[:] = found[: tokens.words]
        buffer[-1] &= tokens.last
        return bool(found[tokens.end >> 5] >> (tokens.end & 31) & 1)

    def _advance_token(self, token: int) -> int:
        return self._consume([token])

    def _advance_bytes(self, text: bytes) -> int:
        single = self._tokens.bytes
        return self._consume([single[byte] for byte in text])

    def _consume(self, ids: list[int]) -> int:
        taken = self._state.try_consume_tokens(ids)
        if taken == len(ids):
            return taken
        if taken:
            self._state.rollback(taken)
        _refuse(self._state)
        return 0

    def _back(self, count: int) -> None:
        self._state.rollback(count)
        _refuse(self._state)

    def _copy(self) -> SteppedMatcher:
        return _Matcher(self._vocabulary, self._tokens, self._state.deep_copy())

    def is_complete(self) -> bool:
        """Whether the text so far is in the language."""
        return self._state.is_accepting()

    def forced(self) -> bytes:
        """The text every continuation begins with."""
        return b"" if self._ended or self.is_complete() else bytes(self._state.compute_ff_bytes())
