"""The candidate trie: a hole that is one closed slot, with whatever fixed text stands around it.

Its language is a list of words, sorted; the words that begin with the text so far are a range of them. So a changed Γ costs a
sort, and a mask costs a look at the tokens that begin what is left of each word.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from gproj_lsp.decode.base import mask_words
from gproj_lsp.decode.engines.admission import admit
from gproj_lsp.decode.engines.spelling import spelling
from gproj_lsp.decode.engines.stepped import SteppedMatcher, bits
from gproj_lsp.errors import EngineError
from gproj_lsp.gbnf import strings

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Mask, Matcher, Vocabulary
    from gproj_lsp.gbnf import Grammar

__all__ = ["TrieEngine"]

_WORDS = 200_000


class TrieEngine:
    """Matches finite languages, word by word."""

    name = "trie"

    def compile(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher:
        """A matcher at the grammar's start.

        Raises:
            EngineError: The language is infinite, or has more than 200,000 words.
            GrammarError: The grammar is not valid.
        """
        words = strings(admit(grammar), _WORDS)
        if not words:
            raise EngineError("a candidate trie needs a finite language", mend="use engine = llguidance")
        return _Matcher(vocabulary, _Words(sorted(word.encode() for word in words), vocabulary))


class _Range(NamedTuple):
    """The words from `low` to `high`; they begin with the same `depth` bytes, the text so far."""

    low: int
    high: int
    depth: int


class _Words:
    def __init__(self, words: list[bytes], vocabulary: Vocabulary) -> None:
        self.words = words
        self.beginnings = spelling(vocabulary).beginnings
        self.size = mask_words(vocabulary)
        self.masks: dict[_Range, Mask] = {}

    def narrowed(self, at: _Range, text: bytes) -> _Range | None:
        """The words that go on with the text."""
        beginning = self.words[at.low][: at.depth] + text
        low = bisect_left(self.words, beginning, at.low, at.high)
        high = bisect_left(self.words, beginning + b"\xff", low, at.high)  # no word of UTF-8 holds this byte
        return _Range(low, high, len(beginning)) if low < high else None

    def mask(self, at: _Range) -> Mask:
        """The tokens that begin what is left of a word."""
        known = self.masks.get(at)
        if known is None:
            known = self.masks[at] = bits(self._tokens(at), self.size)
        return known

    def _tokens(self, at: _Range) -> list[int]:
        found: list[int] = []
        for word in self.words[at.low : at.high]:
            for end in range(at.depth + 1, len(word) + 1):
                ids = self.beginnings.get(word[at.depth : end])
                if ids is None:
                    break
                found.extend(ids)
        return found


class _Matcher(SteppedMatcher):
    def __init__(self, vocabulary: Vocabulary, words: _Words) -> None:
        super().__init__(vocabulary)
        self._words = words
        self._path = [_Range(0, len(words.words), 0)]

    def _mask_text(self, buffer: Mask) -> bool:
        buffer[:] = self._words.mask(self._path[-1])
        return self.is_complete()

    def _advance_token(self, token: int) -> int:
        return self._advance_bytes(self._vocabulary.tokens[token])

    def _advance_bytes(self, text: bytes) -> int:
        narrowed = self._words.narrowed(self._path[-1], text)
        if narrowed is None:
            return 0
        self._path.append(narrowed)
        return 1

    def _back(self, count: int) -> None:
        del self._path[-count:]

    def _copy(self) -> SteppedMatcher:
        copy = _Matcher(self._vocabulary, self._words)
        copy._path = self._path.copy()
        return copy

    def is_complete(self) -> bool:
        """Whether the text so far is a word."""
        at = self._path[-1]
        return len(self._words.words[at.low]) == at.depth

    def forced(self) -> bytes:
        """What all words left go on with."""
        at = self._path[-1]
        first, last = self._words.words[at.low], self._words.words[at.high - 1]
        end = at.depth
        while end < min(len(first), len(last)) and first[end] == last[end]:
            end += 1
        return b"" if self._ended else first[at.depth : end]
