"""The candidate trie: closed slots and fixed texts, in a row, by choice or repeated.

A grammar of nothing but names and literals is an automaton whose steps are sorted lists of words (Glushkov's, with a list in
each letter's place). Where a text stands in it is a few ranges of such lists. So a changed Γ costs a sort, and a mask costs a
look at the tokens that begin what is left of each word, and go on with what follows it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from gproj_lsp.decode.base import mask_words
from gproj_lsp.decode.engines.admission import admit
from gproj_lsp.decode.engines.rows import Row, rows
from gproj_lsp.decode.engines.spelling import spelling
from gproj_lsp.decode.engines.stepped import SteppedMatcher, bits
from gproj_lsp.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gproj_lsp.decode.base import Mask, MaskEngine, Matcher, Vocabulary
    from gproj_lsp.gbnf import Grammar

__all__ = ["TrieEngine", "TrieFirst"]

_KEPT = 64
"""So many lists of words are kept sorted, with what was found of their masks."""
_AFTER = b"\xff"
"""No word of UTF-8 holds this byte, so what ends in it sorts after all that goes on like the bytes before it."""

K = TypeVar("K")
V = TypeVar("V")


class TrieEngine:
    """Matches names and fixed texts, word by word."""

    name = "trie"

    def __init__(self) -> None:
        """An engine that knows no words yet."""
        self._known: WeakKeyDictionary[Vocabulary, _Shelf] = WeakKeyDictionary()

    def compile(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher:
        """A matcher at the grammar's start.

        Raises:
            EngineError: The grammar holds more than names and literals, or too many of them.
            GrammarError: The grammar is not valid.
        """
        matcher = self.served(admit(grammar), vocabulary)
        if matcher is None:
            raise EngineError(
                "the candidate trie takes names and fixed texts only", mend="use engine = llguidance"
            )
        return matcher

    def served(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher | None:
        """As `compile`, for a grammar without slots and regions; None where the trie does not take it."""
        found = rows(grammar)
        if found is None:
            return None
        shelf = self._known.get(vocabulary)
        if shelf is None:
            shelf = self._known[vocabulary] = _Shelf(vocabulary)
        return _Matcher(vocabulary, shelf.automaton(found))


class TrieFirst:
    """Serves what the candidate trie takes with it, and everything else with another engine."""

    def __init__(self, engine: MaskEngine) -> None:
        """An engine.

        Args:
            engine: For all that holds more than names and fixed texts.
        """
        self._engine = engine
        self._trie = TrieEngine()

    @property
    def name(self) -> str:
        """The other engine's: it is the one that was chosen."""
        return self._engine.name

    def compile(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher:
        """A matcher at the grammar's start.

        Raises:
            EngineError: The other engine refused the grammar.
            GrammarError: The grammar is not valid.
        """
        served = self._trie.served(admit(grammar), vocabulary)
        return self._engine.compile(grammar, vocabulary) if served is None else served

    def server(self, grammar: Grammar) -> str:
        """The name of the engine that a grammar is served by.

        Raises:
            EngineError: No engine may see the grammar.
            GrammarError: The grammar is not valid.
        """
        return self._engine.name if rows(admit(grammar)) is None else self._trie.name


class _Range(NamedTuple):
    """The words from `low` to `high` of a list; they begin with the same `depth` bytes, and none ends there."""

    low: int
    high: int
    depth: int


class _Walk(NamedTuple):
    """What tokens can do within a range of words.

    Attributes:
        ids: The tokens that begin what is left of a word.
        ends: What is left of the words that a longer token may begin with.
    """

    ids: list[int]
    ends: list[bytes]


class _Inside(NamedTuple):
    """The same at a list's own place, where no token has begun before: the tokens as a mask."""

    mask: Mask
    ends: list[bytes]


class _Words:
    """A sorted list of words, none of them empty. Compared by identity."""

    def __init__(self, texts: Iterable[str], shelf: _Shelf) -> None:
        self.words = sorted({text.encode() for text in texts} - {b""})
        self.shelf = shelf
        self.known: dict[_Range, _Inside] = {}
        self._begun: dict[bytes, _Walk] = {}

    def all(self) -> _Range:
        """Where the words begin."""
        return _Range(0, len(self.words), 0)

    def after(self, at: _Range, text: bytes) -> tuple[_Range, bool]:
        """Where the words go on after more text, and whether one of them ends there."""
        beginning = self.words[at.low][: at.depth] + text
        low = bisect_left(self.words, beginning, at.low, at.high)
        high = bisect_left(self.words, beginning + _AFTER, low, at.high)
        ends = low < high and len(self.words[low]) == len(beginning)
        return _Range(low + ends, high, len(beginning)), ends

    def ended(self, at: _Range, text: bytes) -> list[int]:
        """After how many bytes of the text a word ends, but not after all of them."""
        beginning = self.words[at.low][: at.depth]
        found = []
        for size in range(1, len(text)):
            place = bisect_left(self.words, beginning + text[:size], at.low, at.high)
            if place == at.high or not self.words[place].startswith(text[:size], at.depth):
                break
            if len(self.words[place]) == at.depth + size:
                found.append(size)
        return found

    def inside(self, at: _Range) -> _Inside:
        """What tokens can do in a range."""
        known = self.known.get(at)
        if known is None:
            ids, ends = self.walk(at, b"")
            known = self.known[at] = _Inside(bits(ids, self.shelf.size), ends)
        return known

    def begun(self, before: bytes) -> _Walk:
        """What tokens that begin with some bytes can do where the words begin; lists that follow one another ask alike."""
        known = self._begun.get(before)
        if known is None:
            known = self._begun[before] = self.walk(self.all(), before)
        return known

    def walk(self, at: _Range, before: bytes) -> _Walk:
        """What tokens that begin with some bytes can do next in a range."""
        ids: list[int] = []
        ends: list[bytes] = []
        beginnings, begin = self.shelf.beginnings, len(before)
        place = at.low
        while place < at.high:
            word = self.words[place]
            rest = before + word[at.depth :]
            place += 1
            for end in range(begin + 1, len(rest) + 1):
                found = beginnings.get(rest[:end])
                if found is None:  # and so for all words that go on like this one
                    beyond = word[: at.depth + end - begin] + _AFTER
                    place = bisect_left(self.words, beyond, place, at.high)
                    break
                ids.extend(found)
            else:
                ends.append(rest)
        return _Walk(ids, ends)

    def shared(self, at: _Range) -> bytes:
        """What all words of a range go on with."""
        return _common((self.words[at.low], self.words[at.high - 1]))[at.depth :]


class _Shelf:
    """What is known of one vocabulary; the lists of words and the automata used last."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.size = mask_words(vocabulary)
        self.beginnings = spelling(vocabulary).beginnings
        self._lists: OrderedDict[tuple[str, ...], _Words] = OrderedDict()
        self._automata: OrderedDict[tuple[_Step, ...], _Automaton] = OrderedDict()

    def automaton(self, found: Sequence[Row]) -> _Automaton:
        """The automaton of a grammar's rows."""
        words = {id(row.texts): self._words(row.texts) for row in found}
        steps = tuple(_Step(words[id(row.texts)], row.following, row.last) for row in found)
        return _kept(self._automata, steps, lambda: _Automaton(steps, self.size))

    def _words(self, texts: tuple[str, ...]) -> _Words:
        return _kept(self._lists, texts, lambda: _Words(texts, self))


def _kept(known: OrderedDict[K, V], key: K, make: Callable[[], V]) -> V:
    """What is known under a key, made where nothing is; what was not asked for longest is forgotten."""
    found = known.get(key)
    if found is None:
        found = known[key] = make()
        if len(known) > _KEPT:
            known.popitem(last=False)
    else:
        known.move_to_end(key)
    return found


class _Step(NamedTuple):
    """A row with its words sorted."""

    words: _Words
    following: tuple[int, ...]
    last: bool


class _Thread(NamedTuple):
    """One of the places where a text may stand: in a range of a row's words."""

    row: int
    at: _Range


class _State(NamedTuple):
    """Where a text stands: everywhere it may, and whether it may end here."""

    threads: tuple[_Thread, ...]
    complete: bool


class _Automaton:
    """The steps of a grammar, and what was found of their masks."""

    def __init__(self, steps: Sequence[_Step], size: int) -> None:
        self.steps = steps
        self.size = size
        self.masks: dict[_Thread, Mask] = {}

    def start(self) -> _State:
        """Before any text; the first row is the empty one that the others follow."""
        return self._state((), [0])

    def after(self, state: _State, text: bytes) -> _State | None:
        """After more text; None where nothing goes on like that."""
        going: list[_Thread] = []
        ended: list[int] = []
        waiting = [(thread, text) for thread in state.threads]
        while waiting:
            (row, at), rest = waiting.pop()
            words = self.steps[row].words
            further, ends = words.after(at, rest)
            if further.low < further.high:
                going.append(_Thread(row, further))
            if ends:
                ended.append(row)
            for size in words.ended(at, rest):
                waiting += [(thread, rest[size:]) for thread in self._following(row)]
        return self._state(going, ended) if going or ended else None

    def _state(self, going: Iterable[_Thread], ended: Sequence[int]) -> _State:
        following = chain.from_iterable(map(self._following, ended))
        threads = tuple(dict.fromkeys(chain(going, following)))
        return _State(threads, any(self.steps[row].last for row in ended))

    def _following(self, row: int) -> list[_Thread]:
        return [_Thread(each, self.steps[each].words.all()) for each in self.steps[row].following]

    def mask(self, thread: _Thread) -> Mask:
        """The tokens that begin what may come in a place, however far they go beyond the word."""
        known = self.masks.get(thread)
        if known is None:
            inside = self.steps[thread.row].words.inside(thread.at)
            beyond = self._beyond(thread.row, inside.ends)
            known = inside.mask | bits(beyond, self.size) if beyond else inside.mask
            self.masks[thread] = known
        return known

    def _beyond(self, row: int, ends: Iterable[bytes]) -> list[int]:
        """The tokens that begin with the end of a row's word and go on."""
        found: list[int] = []
        waiting = [(row, end) for end in ends]
        seen = set(waiting)
        while waiting:
            row, before = waiting.pop()
            for each in self.steps[row].following:
                walked = self.steps[each].words.begun(before)
                found += walked.ids
                fresh = {(each, end) for end in walked.ends} - seen
                seen |= fresh
                waiting.extend(fresh)
        return found

    def forced(self, state: _State) -> bytes:
        """What every continuation begins with."""
        found = b""
        while not state.complete:
            shared = _common([self.steps[row].words.shared(at) for row, at in state.threads])
            further = self.after(state, shared) if shared else None
            if further is None:
                break
            found += shared
            state = further
        return found


def _common(texts: Sequence[bytes]) -> bytes:
    """What all texts begin with."""
    low, high = min(texts, default=b""), max(texts, default=b"")
    ends = (at for at, (one, other) in enumerate(zip(low, high, strict=False)) if one != other)
    return low[: next(ends, min(len(low), len(high)))]


class _Matcher(SteppedMatcher):
    def __init__(self, vocabulary: Vocabulary, automaton: _Automaton) -> None:
        super().__init__(vocabulary)
        self._automaton = automaton
        self._path = [automaton.start()]

    def _mask_text(self, buffer: Mask) -> bool:
        state = self._path[-1]
        buffer[:] = 0
        for thread in state.threads:
            buffer |= self._automaton.mask(thread)
        return state.complete

    def _advance_token(self, token: int) -> int:
        return self._advance_bytes(self._vocabulary.tokens[token])

    def _advance_bytes(self, text: bytes) -> int:
        further = self._automaton.after(self._path[-1], text)
        if further is None:
            return 0
        self._path.append(further)
        return 1

    def _back(self, count: int) -> None:
        del self._path[-count:]

    def _copy(self) -> SteppedMatcher:
        copy = _Matcher(self._vocabulary, self._automaton)
        copy._path = self._path.copy()
        return copy

    def is_complete(self) -> bool:
        """Whether the text so far is in the language."""
        return self._path[-1].complete

    def forced(self) -> bytes:
        """What every continuation begins with."""
        return b"" if self._ended else self._automaton.forced(self._path[-1])
