"""llama.cpp's built-in GBNF sampler: nothing to install, and what llama-servers run.

The sampler only goes forward and only by whole tokens. Steps back replay the tokens from the start; text is matched as tokens
that spell it, whichever they are, since the sampler looks at characters. It can't match NUL, and can't tell forced text.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.decode.engines.admission import admit, renamed
from gproj_lsp.decode.engines.spelling import Spelling, spelling
from gproj_lsp.decode.engines.stepped import SteppedMatcher, texts
from gproj_lsp.errors import EngineError
from gproj_lsp.gbnf import Literal, Names, Repeat, is_nullable, nullable, portable, render, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from gproj_lsp.decode.base import Mask, Matcher, Vocabulary
    from gproj_lsp.gbnf import Grammar

__all__ = ["GrammarState", "LlamaEngine", "gbnf_text"]

_KEPT = 16


class GrammarState(Protocol):
    """llama.cpp's grammar sampler, made safe to call."""

    def mask(self, buffer: Mask) -> None:
        """Write the admitted tokens, end-of-generation ids included."""

    def admits(self, token: int) -> bool:
        """Whether one token can come next."""
        ...

    def accept(self, token: int) -> bool:
        """Advance; False, and no change, where the token is not admitted."""
        ...

    def clone(self) -> GrammarState:
        """An independent copy."""
        ...


class LlamaEngine:
    """Compiles grammars with llama.cpp; keeps the last few."""

    name = "llama"

    def __init__(self, start: Callable[[str, Vocabulary], GrammarState]) -> None:
        """An engine.

        Args:
            start: Compiles GBNF text for a vocabulary that llama.cpp has loaded; the start rule is `root`.
        """
        self._start = start
        self._compiled: OrderedDict[tuple[Vocabulary, str], GrammarState] = OrderedDict()

    def compile(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher:
        """A matcher at the grammar's start.

        Raises:
            EngineError: llama.cpp refused the grammar, or can't match it.
            GrammarError: The grammar is not valid.
            ModelError: llama.cpp is not installed, or the vocabulary is not one of its own.
        """
        if not vocabulary.end:
            raise EngineError("llama.cpp needs an end-of-generation token to tell where a text is complete")
        key = vocabulary, gbnf_text(grammar)
        state = self._compiled.get(key)
        if state is None:
            state = self._compiled[key] = self._start(key[1], vocabulary)
            if len(self._compiled) > _KEPT:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(key)
        return _Matcher(vocabulary, state)


def gbnf_text(grammar: Grammar) -> str:
    """The grammar as text that llama.cpp can be trusted with, here or in a server; its start rule is `root`.

    Raises:
        EngineError: llama.cpp would get it wrong, or never come back from it.
        GrammarError: It is not valid.
    """
    admitted = admit(grammar)
    _refuse(admitted)
    return render(portable(renamed(admitted)))


def _refuse(grammar: Grammar) -> None:
    """Refuse what llama.cpp would get wrong, or never come back from."""
    empty = nullable(grammar.rules)
    for expr in (expr for rule in grammar.rules.values() for expr in walk(rule)):
        texts = (expr.text,) if isinstance(expr, Literal) else expr.texts if isinstance(expr, Names) else ()
        if any("\0" in text for text in texts):
            raise EngineError("llama.cpp can't match a NUL character", mend="use engine = llguidance")
        if isinstance(expr, Repeat) and expr.most is None and is_nullable(expr.item, empty):
            problem = "llama.cpp may not come back from a repetition of what may be empty"
            raise EngineError(problem, mend="use engine = llguidance")


class _Matcher(SteppedMatcher):
    def __init__(self, vocabulary: Vocabulary, origin: GrammarState) -> None:
        super().__init__(vocabulary)
        self._origin = origin
        self._state = origin.clone()
        self._taken: list[int] = []
        self._end = min(vocabulary.end)
        self._spelling: Spelling = spelling(vocabulary)

    def _mask_text(self, buffer: Mask) -> bool:
        self._state.mask(buffer)
        buffer &= texts(self._vocabulary)  # it admits control tokens by their names
        return self.is_complete()

    def _advance_token(self, token: int) -> int:
        if not self._state.accept(token):
            return 0
        self._taken.append(token)
        return 1

    def _advance_bytes(self, text: bytes) -> int:
        ids = self._spelling.ids(text)
        for count, token in enumerate(ids):
            if not self._advance_token(token):
                self._back(count)
                return 0
        return len(ids)

    def _back(self, count: int) -> None:
        if count:
            del self._taken[-count:]
            self._state = self._origin.clone()
            for token in self._taken:
                self._state.accept(token)

    def _copy(self) -> SteppedMatcher:
        copy = _Matcher(self._vocabulary, self._origin)
        copy._state = self._state.clone()
        copy._taken = self._taken.copy()
        return copy

    def is_complete(self) -> bool:
        """Whether the text so far is in the language."""
        return self._ended or self._state.admits(self._end)

    def forced(self) -> bytes:
        """Nothing: llama.cpp can't tell."""
        return b""
