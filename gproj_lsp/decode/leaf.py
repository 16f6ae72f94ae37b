"""Decoding one region-free grammar: the model's logits meet the mask, one token at a time.

What the grammar forces is written without asking the model. It is fed in one batch before the model's next choice,
in the tokens that the whole text would have, and that choice may finish its last word: both seams are healed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gproj_lsp.decode.base import mask_words
from gproj_lsp.decode.budget import Budget, Unlimited, open_bytes
from gproj_lsp.decode.engines.spelling import spelling
from gproj_lsp.decode.lookup import starting_with
from gproj_lsp.decode.sampling import admits, admitted, count
from gproj_lsp.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gproj_lsp.decode.base import Logits, Mask, MaskEngine, Matcher, Stop
    from gproj_lsp.decode.context import Context
    from gproj_lsp.decode.sampling import Sampler
    from gproj_lsp.decode.trace import Ledger
    from gproj_lsp.gbnf import Grammar

__all__ = ["LeafDecoder", "Stretch", "Task", "Written"]

_LAST_WORD = re.compile(rb"\s*\S*\Z")
_WORD = 64
"""The longest word, in bytes, whose tokens are reconsidered when forced text goes on with it."""


@dataclass(frozen=True)
class Task:
    """One decode.

    Attributes:
        grammar: Without regions and slots.
        shown: The tokens before its text; at least one.
        budget: The most tokens to write.
        closed: Whether the grammar ends with text that is known to follow, so that its first string is the end; otherwise the
            model ends it, with an end-of-generation token or by wanting to write what the grammar does not hold.
    """

    grammar: Grammar
    shown: tuple[int, ...]
    budget: int
    closed: bool


@dataclass(frozen=True)
class Stretch:
    """Part of a longer text, decoded under a matcher that has already read what came before.

    Attributes:
        matcher: It admits `tail` and has not read it.
        given: What the matcher read.
        tail: The rest of the text so far, to be spelled anew in tokens, together with what follows (token healing).
        shown: The tokens before the tail; at least one.
    """

    matcher: Matcher
    given: bytes
    tail: bytes
    shown: tuple[int, ...]


@dataclass(frozen=True)
class Written:
    """The outcome of one decode.

    Attributes:
        text: All that was written, from the grammar's start.
        reason: Why it stops short of a string of the grammar; empty where it is one.
        paused: Whether it was made to stop, so that more may follow.
    """

    text: bytes
    reason: str = ""
    paused: bool = False


class LeafDecoder:
    """Decodes region-free grammars with one model, engine and sampler."""

    def __init__(self, context: Context, engine: MaskEngine, sampler: Sampler) -> None:
        self.context = context
        self.engine = engine
        self.sampler = sampler
        self.buffer: Mask = np.zeros(mask_words(context.vocabulary), dtype=np.int32)

    def decode(
        self, task: Task, ledger: Ledger, told: Callable[[int, bytes], None], stop: Stop | None = None
    ) -> Written:
        """Write one string of a grammar.

        Args:
            task: What to decode.
            ledger: Grows by what was done.
            told: Called with where and what, as text is decided; a place before the end of what was told takes the rest back.
            stop: Asked before each step.

        Raises:
            Cancelled: `stop` said so.
            EngineError: The engine refused the grammar, or contradicts itself.
            ModelError: The model failed.
        """
        place = _Place(self.engine.compile(task.grammar, self.context.vocabulary))
        budget = Budget(task.grammar, task.budget, self.context.vocabulary)
        return self._run(_Decode(self, task.shown, place, budget, ledger, told, closed=task.closed), stop)

    def go_on(  # noqa: PLR0913  (where, until when, what is told, and how it ends)
        self,
        stretch: Stretch,
        pauses: Callable[[bytes, int], bool],
        ledger: Ledger,
        told: Callable[[int, bytes], None],
        stop: Stop | None = None,
        *,
        parting: tuple[bytes, ...] = (),
    ) -> Written:
        """Write on until the model ends the text or is made to pause.

        Args:
            stretch: Where.
            pauses: Asked with all of the text, and how many tokens of it are new, after each token; True: stop here.
            ledger: As in `decode`.
            told: As in `decode`.
            stop: As in `decode`.
            parting: What a model that wants to say it is done with the text.

        Returns:
            All of the text, `given` and `tail` included; `paused` where the model did not end it.

        Raises:
            Cancelled: `stop` said so.
            EngineError: The matcher contradicts itself.
            ModelError: The model failed.
        """
        place = _Place(stretch.matcher, len(stretch.given))
        state = _Decode(self, stretch.shown, place, Unlimited(), ledger, told, pauses=pauses)
        state.parting = parting
        state.text = stretch.given + stretch.tail
        state.covered = len(stretch.given)
        return self._run(state, stop)

    def _run(self, state: _Decode, stop: Stop | None) -> Written:
        calls = self.context.calls
        try:
            return state.run(stop)
        finally:
            state.ledger.model_calls += self.context.calls - calls
            state.ledger.tokens += state.written()


class _Decode:
    """The state of one decode: `text` is decided, `tokens` cover the first `covered` bytes of it, the rest waits to be fed."""

    def __init__(  # noqa: PLR0913  (what a decode is made of)
        self,
        owner: LeafDecoder,
        shown: tuple[int, ...],
        place: _Place,
        budget: Budget | Unlimited,
        ledger: Ledger,
        told: Callable[[int, bytes], None],
        *,
        closed: bool = False,
        pauses: Callable[[bytes, int], bool] | None = None,
    ) -> None:
        self.vocabulary = owner.context.vocabulary
        self.context = owner.context
        self.sampler = owner.sampler
        self.buffer = owner.buffer
        self.shown = shown
        self.place = place
        self.budget = budget
        self.closed = closed
        self.single = pauses is None
        self.parting: tuple[bytes, ...] = ()
        self.complete_at = -1
        self.pauses = pauses or (lambda _text, _tokens: False)
        self.ledger = ledger
        self.told = told
        self.text = b""
        self.tokens: list[int] = []
        self.covered = 0
        self.spelled = 0  # up to here the model chose by which tokens the text is covered
        self.fed = 0  # of `tokens`; as long as they and the tokens shown are what the context holds
        self.primed = False

    def run(self, stop: Stop | None) -> Written:
        if self.budget.careful and (reason := self.budget.reason()):
            return Written(b"", reason)
        while True:
            self._force()
            if self._ended():
                return Written(self.text)
            among = self._choices()
            if not among:
                return Written(self.text, "no token goes on from here")
            if self.budget.due(self._most()) and not self.budget.holds(self.text, self.written()):
                self._go_back()
                if reason := self.budget.reason():
                    return Written(b"", reason)
                continue
            if self._choose(among, stop):
                return Written(self.text)
            if self.pauses(self.text, self.written()):
                return Written(self.text, paused=True)

    def written(self) -> int:
        """Tokens so far, those that wait to be fed included."""
        waiting = self.text[self.covered :]
        return len(self.tokens) + (len(self.vocabulary.encode(waiting)) if waiting else 0)

    def _most(self) -> int:
        """At least as many as `written`, and cheaper to tell."""
        return len(self.tokens) + len(self.text) - self.covered

    def _force(self) -> None:
        """Write what every continuation begins with."""
        self.place.seek(self.text, len(self.text))
        if self._breaks():
            return
        while forced := _whole_characters(self.text, self.place.matcher.forced()):
            self._write(forced)
            self.place.seek(self.text, len(self.text))
            self.ledger.gave(forced)

    def _ended(self) -> bool:
        return self.closed and self.place.matcher.is_complete()

    def _choices(self) -> int:
        """Put the mask at the text's end into the buffer; gives how many tokens it admits."""
        self.place.matcher.mask(self.buffer)
        return count(self.buffer)

    def _choose(self, among: int, stop: Stop | None) -> bool:
        """Let the model take one of the admitted tokens; True where it ended the text."""
        if among == 1 and not self._breaks():
            return self._take(int(admitted(self.buffer)[0]))
        complete = self.place.matcher.is_complete()
        if complete and self._only_ends(among):
            return True
        self._cover(keep_last=complete)
        if self.covered < len(self.text):
            among = self._mask_from(self.covered)
        logits = self._feed(stop)
        if complete:
            self.complete_at = len(self.text)
        if not self.closed and (complete or not self.single) and self._over() and self._leaves(logits):
            self.told(self.complete_at, b"")
            self.text = self.text[: self.complete_at]
            self.ledger.chose(among)
            return True
        while True:
            token = self.sampler.choose(logits, self.buffer)
            if not self.budget.careful or self._reaches(token):
                if self.place.end + len(self.vocabulary.tokens[token]) >= len(self.text):
                    self.ledger.chose(among)
                return self._take(token)
            _forbid(self.buffer, token)
            if not count(self.buffer):
                return self._finish()

    def _leaves(self, logits: Logits) -> bool:
        """Whether the model wants to be done: it wants what is not admitted.

        In a longer text that must be blank or an end, or begin a new line: elsewhere it may want to go on by another way.
        """
        if not self.sampler.leaves(logits, self.buffer):
            return False
        if self._breaks():
            return True
        wish = self.vocabulary.tokens[int(logits.argmax())].strip()
        return self.single or not wish or wish.startswith(self.parting)

    def _over(self) -> bool:
        """Whether the text may be over here, or could have been before the blanks at its end."""
        return self.complete_at >= 0 and not self.text[self.complete_at :].strip()

    def _breaks(self) -> bool:
        """Whether the text could have been over before the line break at its end: the model is asked then, come what may."""
        return not (self.single or self.closed) and self._over() and b"\n" in self.text[self.complete_at :]

    def _only_ends(self, among: int) -> bool:
        return among == sum(admits(self.buffer, token) for token in self.vocabulary.end)

    def _cover(self, *, keep_last: bool) -> None:
        """Cover the text by the tokens it would have, but not by the last one where that may yet grow."""
        if self.covered == len(self.text):
            return
        found = _LAST_WORD.search(self.text, max(0, self.covered - _WORD), self.covered)
        begin = max(found.start() if found else self.covered, self.spelled)
        while self.tokens and self.covered > begin:
            self._drop()
        waiting = self.text[self.covered :]
        ids = self.vocabulary.encode(waiting)
        if self.vocabulary.decode(ids) != waiting:
            ids = spelling(self.vocabulary).ids(waiting)
        self._append(ids if keep_last else ids[:-1])

    def _mask_from(self, place: int) -> int:
        """Put into the buffer the tokens that finish the text from a place on, or go beyond; gives how many."""
        waiting = self.text[place:]
        self.place.seek(self.text, place)
        self.place.matcher.mask(self.buffer)
        self.buffer &= starting_with(self.vocabulary, waiting)
        if among := count(self.buffer):
            return among
        self._append(spelling(self.vocabulary).ids(waiting))
        self.place.seek(self.text, len(self.text))
        return self._choices()

    def _append(self, ids: Sequence[int]) -> None:
        self.tokens.extend(ids)
        self.covered += sum(len(self.vocabulary.tokens[token]) for token in ids)

    def _drop(self) -> None:
        token = self.tokens.pop()
        self.covered -= len(self.vocabulary.tokens[token])
        if self.fed > len(self.tokens):
            self.fed = len(self.tokens)
            self.primed = False

    def _feed(self, stop: Stop | None) -> Logits:
        waiting = self.tokens[self.fed :]
        if self.primed and waiting:
            logits = self.context.feed(waiting, stop)
        else:
            logits = self.context.show((*self.shown, *self.tokens), stop)
        self.fed = len(self.tokens)
        self.primed = True
        return logits

    def _take(self, token: int) -> bool:
        if token in self.vocabulary.end:
            return True
        piece = self.vocabulary.tokens[token]
        start = self.place.end
        if not self.place.take(token, len(piece)):
            raise EngineError(f"the engine refuses the token {piece!r} that its own mask admits")
        new = self.text[:start] + piece
        if len(new) < len(
            self.text
        ):  # a part of the blanks at its end: what follows decides about the others
            self.tokens.append(token)
            self.covered = self.spelled = len(new)
            return False
        self.told(len(self.text), new[len(self.text) :])
        self.text = new
        if start == self.covered:
            self.tokens.append(token)
            self.covered = len(new)
        return False

    def _write(self, piece: bytes) -> None:
        self.told(len(self.text), piece)
        self.text += piece

    def _reaches(self, token: int) -> bool:
        if token in self.vocabulary.end:
            return True
        text = self.text[: self.place.end] + self.vocabulary.tokens[token]
        return self.budget.reaches(text, self.written() + 1)

    def _finish(self) -> bool:
        """Nothing the model could choose leaves room for the grammar's end: write the shortest one."""
        end = self.budget.ending(self.text)
        if end is None:
            raise EngineError("the engine admits a text that is no beginning of the grammar")
        self._write(end)
        return True

    def _go_back(self) -> None:
        """Return to the last place from which the end was within reach."""
        text, written = self.budget.safe
        self.spelled = min(self.spelled, len(text))
        while len(self.tokens) > written or self.covered > len(text):
            self._drop()
        self.text = text
        self.told(len(text), b"")


class _Place:
    """A matcher that knows how many bytes of the text it has read, and can go to any other place in it."""

    def __init__(self, matcher: Matcher, read: int = 0) -> None:
        self.matcher = matcher
        self._ends = [read]

    @property
    def end(self) -> int:
        """How many bytes it has read."""
        return self._ends[-1]

    def seek(self, text: bytes, place: int) -> None:
        """Read the text up to a place, or go back to it.

        Raises:
            EngineError: The engine does not read what it gave itself.
        """
        back = 0
        while self._ends[-1] > place:
            self._ends.pop()
            back += 1
        if back:
            self.matcher.rollback(back)
        if self.end < place:
            if not self.matcher.accept_bytes(text[self.end : place]):
                raise EngineError(
                    f"the engine refuses {text[self.end : place]!r}, which it forced or admitted before"
                )
            self._ends.append(place)

    def take(self, token: int, size: int) -> bool:
        """Read a token; False where it is not admitted."""
        if not self.matcher.accept_token(token):
            return False
        self._ends.append(self.end + size)
        return True


def _forbid(mask: Mask, token: int) -> None:
    mask.view(np.uint32)[token >> 5] &= np.uint32(0xFFFFFFFF ^ (1 << (token & 31)))


def _whole_characters(text: bytes, forced: bytes) -> bytes:
    """As much of the forced text as ends at a character's end: tokenizers spoil parts of characters."""
    return forced[: max(0, len(forced) - open_bytes(text + forced))]
