"""XGrammar: exact on any grammar, needs torch, and best where one grammar serves many texts.

Its masks may leave out, in recursive grammars, a token of several bytes that its matcher would accept (seen in 0.2.9). That
costs the model a spelling, and no text.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from gproj_lsp.decode.base import mask_words
from gproj_lsp.decode.engines.admission import admit, renamed
from gproj_lsp.decode.engines.stepped import SteppedMatcher, texts
from gproj_lsp.errors import EngineError
from gproj_lsp.gbnf import portable, render

if TYPE_CHECKING:
    from types import ModuleType

    from gproj_lsp.decode.base import Mask, Matcher, Vocabulary
    from gproj_lsp.gbnf import Grammar

__all__ = ["XgrammarEngine"]

_KEPT = 64


class XgrammarEngine:
    """Compiles grammars with XGrammar; keeps the last few by text."""

    name = "xgrammar"

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Vocabulary, _Compiler] = WeakKeyDictionary()

    def compile(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher:
        """A matcher at the grammar's start.

        Raises:
            EngineError: XGrammar or torch is not installed, or refused the grammar.
            GrammarError: The grammar is not valid.
        """
        text = render(portable(renamed(admit(grammar))))
        compiler = self._known.get(vocabulary)
        if compiler is None:
            compiler = self._known[vocabulary] = _Compiler(vocabulary)
        return _Matcher(vocabulary, compiler, compiler.matcher(text))


class _Compiler:
    """A vocabulary as XGrammar sees it, and what was compiled for it; one end id more stands for all the vocabulary has."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.library, self.torch = _libraries()
        self.end = len(vocabulary)
        self.words = mask_words(vocabulary)
        tokens = [b"" if i in vocabulary.end else token for i, token in enumerate(vocabulary.tokens)]
        info = self.library.TokenizerInfo(
            [*tokens, b""], self.library.VocabType.RAW, vocab_size=len(tokens) + 1, stop_token_ids=[self.end]
        )
        self.compiler = self.library.GrammarCompiler(info, cache_enabled=False)
        self._compiled: OrderedDict[str, object] = OrderedDict()

    def matcher(self, text: str) -> Native:
        """A matcher at the start of a GBNF text."""
        compiled = self._compiled.get(text)
        if compiled is None:
            try:
                compiled = self.compiler.compile_grammar(self.library.Grammar.from_ebnf(text))
            except (RuntimeError, ValueError) as error:
                first = str(error).strip().splitlines()[0]
                raise EngineError(f"xgrammar refused the grammar: {first}") from error
            self._compiled[text] = compiled
            if len(self._compiled) > _KEPT:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(text)
        matcher: Native = self.library.GrammarMatcher(compiled)
        return matcher


class Native(Protocol):
    """What is used of `xgrammar.GrammarMatcher`."""

    def fill_next_token_bitmask(self, bitmask: object) -> bool: ...
    def accept_token(self, token_id: int) -> bool: ...
    def accept_string(self, input_str: bytes) -> bool: ...
    def rollback(self, num_tokens: int) -> None: ...
    def fork(self) -> Native: ...
    def is_completed(self) -> bool: ...
    def find_jump_forward_string(self) -> str: ...


def _libraries() -> tuple[ModuleType, ModuleType]:
    try:
        import torch  # noqa: PLC0415  (a second and 260 MB, for who chose this engine)
        import xgrammar  # noqa: PLC0415  (as above)
    except (ImportError, OSError, RuntimeError) as error:
        raise EngineError("xgrammar is not installed", mend='pip install "gproj-lsp[xgrammar]"') from error
    return xgrammar, torch


class _Matcher(SteppedMatcher):
    def __init__(self, vocabulary: Vocabulary, compiler: _Compiler, state: Native) -> None:
        super().__init__(vocabulary)
        self._compiler = compiler
        self._state = state
        self._found = np.zeros(compiler.end // 32 + 1, np.int32)
        self._tensor = compiler.torch.from_numpy(self._found).unsqueeze(0)

    def _mask_text(self, buffer: Mask) -> bool:
        end, found = self._compiler.end, self._found
        found[:] = -1  # left as it is where everything is admitted
        self._state.fill_next_token_bitmask(self._tensor)
        buffer[:] = found[: self._compiler.words] & texts(self._vocabulary)
        return bool(found[end >> 5] >> (end & 31) & 1)

    def _advance_token(self, token: int) -> int:
        return int(self._state.accept_token(token))

    def _advance_bytes(self, text: bytes) -> int:
        return int(self._state.accept_string(text))

    def _back(self, count: int) -> None:
        self._state.rollback(count)

    def _copy(self) -> SteppedMatcher:
        return _Matcher(self._vocabulary, self._compiler, self._state.fork())

    def is_complete(self) -> bool:
        """Whether the text so far is in the language."""
        return self._state.is_completed()

    def forced(self) -> bytes:
        """The text every continuation begins with."""
        return b"" if self._ended or self.is_complete() else self._state.find_jump_forward_string().encode()
