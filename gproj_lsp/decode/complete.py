"""Writing on from a cursor: a statement, or the rest of the region that the cursor is in, under what Γ admits.

The text around the cursor is read by the same grammars as what is written there, so one may begin anywhere. Where they do not
admit it, a single name is written, as in a hole.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.decode.budget import open_bytes
from gproj_lsp.decode.calls import concatenated
from gproj_lsp.decode.executor import shown_before
from gproj_lsp.decode.leaf import LeafDecoder, Stretch, Task, Written
from gproj_lsp.decode.prompt import between, window
from gproj_lsp.decode.room import latest
from gproj_lsp.decode.sampling import GREEDY, Sampler, Sampling
from gproj_lsp.decode.schema import ROOM, head
from gproj_lsp.decode.scoping import Draft, Ground, Kept, Misfit, Refused, Scoping
from gproj_lsp.decode.trace import Ledger, Listener, Text, silent
from gproj_lsp.errors import Cancelled, InputError
from gproj_lsp.fragment import Rung
from gproj_lsp.gbnf import Literal, walk
from gproj_lsp.text import decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gproj_lsp.decode.base import MaskEngine, Stop
    from gproj_lsp.decode.context import Context
    from gproj_lsp.environment import Environment
    from gproj_lsp.ghosts import Diagnostic
    from gproj_lsp.surface import CompletionSpec, Surface

__all__ = ["Completer", "Completion", "Reader", "Statement", "Wanted"]

_TEXT = 1_500
"""Tokens of the text before a cursor that a model is shown at most."""
_ROUNDS = 64
"""How often the ground of one statement is laid anew; no statement needs as many."""


class Statement(Draft, Protocol):
    """The statement at a cursor."""

    @property
    def prefix(self) -> str:
        """Its text before the cursor."""
        ...

    @property
    def suffix(self) -> str:
        """Its text behind the cursor."""
        ...

    @property
    def glue(self) -> str:
        """What must stand between the cursor and new text: a line break behind a comment."""
        ...

    def canonical(self, text: str, words: Mapping[str, str]) -> str:
        """A text for the statement as grammars write it; `words` are the words they write, by their lower case."""
        ...


class Judged(Protocol):
    """What is known of a whole document."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings."""
        ...

    def environment_at(self, offset: int) -> Environment:
        """Γ at a byte offset."""
        ...


class Reader(Protocol):
    """Analyses documents."""

    def analyse(self, text: str) -> Judged:
        """What is known of a text."""
        ...

    def statement(self, text: str, offset: int) -> Statement:
        """The statement at a byte offset of a text."""
        ...


@dataclass(frozen=True)
class Wanted:
    """How the user wants text.

    Attributes:
        sampling: Greedy, or how to sample.
        rung: The tightest rung to use; BASE, for measuring, gives no guarantee.
        budget: The most tokens to write.
        seconds: The time after which to stop; None: no bound.
    """

    sampling: Sampling = GREEDY
    rung: Rung = Rung.CTX
    budget: int = 192
    seconds: float | None = None


@dataclass(frozen=True)
class Completion:
    """Text to insert at the cursor.

    Attributes:
        text: The text; empty where there is none.
        rung: The loosest rung that held while it was written.
        guaranteed: Whether no ghost can be in it.
        declared: The names it declares.
        ledger: What it cost.
        milliseconds: How long it took.
        reason: Why it stops before its end, or is empty.
    """

    text: str
    rung: Rung
    guaranteed: bool
    declared: tuple[str, ...]
    ledger: Ledger
    milliseconds: float
    reason: str = ""


class Completer:
    """Writes on from cursors with one model and one engine. One completer belongs to one thread.

    Args:
        surface: The language; it must say what is written (`[completion]`).
        context: The model and what it was shown.
        engine: The mask engine.
        wanted: How.
        told: Gets the events; places in them are bytes of the text to insert.

    Raises:
        InputError: The surface does not say what is written.
    """

    def __init__(
        self,
        surface: Surface,
        context: Context,
        engine: MaskEngine,
        wanted: Wanted | None = None,
        told: Listener = silent,
    ) -> None:
        if surface.completion is None:
            raise InputError(
                f"{surface.name} says nothing of what is written at a cursor", mend="fill holes instead"
            )
        self.surface = surface
        self.spec: CompletionSpec = surface.completion
        self.context = context
        self.engine = engine
        self.wanted = wanted or Wanted()
        self.told = told
        self.words = _words(surface)
        self.kept = Kept()

    def complete(
        self,
        text: str,
        offset: int,
        reader: Reader,
        *,
        sampler: Sampler | None = None,
        stop: Stop | None = None,
    ) -> Completion:
        """Write on from a byte offset of a document.

        Args:
            text: The document.
            offset: The cursor.
            reader: Analyses it.
            sampler: What chooses tokens, where the caller wants a say in it.
            stop: Asked before each step of the model.

        Raises:
            Cancelled: `stop` said so.
            EngineError: The engine refused a grammar.
            ModelError: The model failed.
        """
        began = time.perf_counter()
        statement = reader.statement(text, offset)
        work = _Work(
            self, statement, self._before(text, offset, reader) + statement.glue.encode(), sampler, stop
        )
        try:
            found = work.run()
        except _OutOfTimeError:
            found = work.cut("the time was up")
        added = statement.glue + found if found else ""
        if added and _spoilt(reader, text, offset, added):
            work.reason, added = "what was written would make the document worse, so it was withheld", ""
        rung = work.rung if self.wanted.rung is not Rung.BASE else Rung.BASE
        spent = (time.perf_counter() - began) * 1000
        return Completion(added, rung, rung.guaranteed, (), work.ledger, spent, work.reason)

    def _before(self, text: str, offset: int, reader: Reader) -> bytes:
        """What the model is shown before new text: what is declared elsewhere, then the document before the cursor."""
        vocabulary, capacity = self.context.vocabulary, self.context.model.capacity
        room = ROOM
        while True:
            told = encode(head(self.surface, reader.analyse(text).environment_at(0), text, room))
            size = len(vocabulary.encode(told))
            if size <= capacity // 2:
                break
            room //= 2
        spare = capacity - size - self.wanted.budget - 8
        shown = latest(vocabulary, encode(text)[:offset], min(max(spare, 2), _TEXT))
        return (told + shown).decode(errors="ignore").encode()


class _OutOfTimeError(Exception):
    """The time is up."""


@dataclass
class _Work:
    """One completion being written; `text` is the statement as grammars write it."""

    owner: Completer
    statement: Statement
    before: bytes
    sampler: Sampler | None
    stop: Stop | None
    ledger: Ledger = field(default_factory=Ledger)
    rung: Rung = Rung.CTX
    reason: str = ""
    whole: str = ""
    """The longest text so far that could be left as it is."""

    def __post_init__(self) -> None:
        owner = self.owner
        self.sampler = self.sampler or Sampler(owner.wanted.sampling)
        self.leaf = LeafDecoder(owner.context, owner.engine, self.sampler)
        self.scoping = Scoping(
            owner.surface,
            owner.spec,
            self.statement,
            owner.engine,
            owner.context.vocabulary,
            owner.wanted.rung,
            owner.kept,
        )
        self.prefix = self.statement.canonical(self.statement.prefix, owner.words)
        self.deadline = None if owner.wanted.seconds is None else time.perf_counter() + owner.wanted.seconds
        self.rung = owner.wanted.rung

    def run(self) -> str:
        """Write to the end of the statement, or of the region where text follows; gives the new text."""
        if self.statement.suffix.strip():
            return self._within()
        text = self.prefix
        for _ in range(_ROUNDS):
            text, ended = self._settled(text, ended=False), False
            ground = self.scoping.ground(text, self._read(text))
            if isinstance(ground, Refused):
                kept = _cut(text, ground.at)
                if len(kept) < len(self.prefix):
                    return self.cut("the text before the cursor is not what can be written on from")
                text = kept
                continue
            self.rung = min(self.rung, ground.rung)
            text, ended = self._go_on(text, ground)
            if ended:
                return self._settled(text, ended=True)[len(self.prefix) :]
            if self.reason:
                return self.cut(self.reason)
        return self.cut("it came to no end")

    def cut(self, reason: str) -> str:
        """The longest text so far that could be left as it is; why it is no more is told."""
        self.reason = reason
        if not self.whole:
            return ""
        text = self._settled(self.whole, ended=True)
        return text[len(self.prefix) :]

    def _settled(self, text: str, *, ended: bool) -> str:
        """The text with each region written anew that turned out not to fit what its scope decided later."""
        for _ in range(_ROUNDS):
            misfit = self.scoping.misfit(text, ended=ended)
            if misfit is None:
                break
            again = (
                self._again(text, misfit)
                if misfit.clause.span.start >= len(encode(self.prefix)) - 1
                else None
            )
            if again is None or again == text:
                self.scoping.tolerate(misfit)
            else:
                text = again
        return text

    def _go_on(self, text: str, ground: Ground) -> tuple[str, bool]:
        """Write on until the ground changes; tells whether the model ended the text."""
        data = encode(text)
        state = self.scoping.state(text)
        start = len(encode(self.prefix))

        def pauses(written: bytes, tokens: int) -> bool:
            if open_bytes(written):
                return False
            now = written.decode()
            if ground.matcher.is_complete():
                self.whole = now
            if self.ledger.tokens + tokens >= self.owner.wanted.budget:
                self.reason = f"the budget of {self.owner.wanted.budget} tokens is used up"
            return bool(self.reason) or self.scoping.state(now) != state

        def told(at: int, piece: bytes) -> None:
            self.owner.told(Text(max(0, at - start), piece[max(0, start - at) :]))

        whole = self.before + data[start:]
        tail = data[ground.read :]
        stretch = Stretch(ground.matcher, data[: ground.read], tail, self._ids(whole, len(tail)))
        written = self._bounded(lambda stop: self.leaf.go_on(stretch, pauses, self.ledger, told, stop))
        if written.reason:
            self.reason = written.reason
        return decode(written.text), not written.paused and not written.reason

    def _read(self, text: str) -> int:
        """How many bytes of the text are in tokens that need not be reconsidered."""
        data = encode(text)
        tail = shown_before(self.owner.context, self.before + data[len(encode(self.prefix)) :]).tail
        return len(data) - (len(tail) if data.endswith(tail) else 0)

    def _ids(self, whole: bytes, tail: int) -> tuple[int, ...]:
        vocabulary = self.owner.context.vocabulary
        begin = () if vocabulary.begin is None else (vocabulary.begin,)
        return (*begin, *vocabulary.encode(whole[: len(whole) - tail])) or tuple(vocabulary.encode(b"\n"))

    def _again(self, text: str, misfit: Misfit) -> str | None:
        """The text with a region written anew between what stands on both sides of it."""
        grammar = self.scoping.region(misfit.clause.name, misfit.environment)
        if grammar is None:
            return None
        data, span = encode(text), misfit.clause.span
        left, right = data[: span.start] + b" ", data[span.end :]
        start = len(encode(self.prefix))
        follow = window(right, 1)
        shown = self._around(self.before + left[start:], right)
        task = Task(concatenated(grammar, follow), shown, self.owner.wanted.budget, closed=True)
        self.owner.told(Text(max(0, len(left) - start), b""))
        written = self._bounded(
            lambda stop: self.leaf.decode(task, self.ledger, lambda _at, _piece: None, stop)
        )
        if written.reason:
            return None
        region = written.text[: len(written.text) - len(follow)]
        self.owner.told(Text(max(0, len(left) - start), region + right))
        return decode(left + region + right)

    def _within(self) -> str:
        """Write what stands between two parts of a statement: the rest of the region that the cursor is in."""
        text = self.prefix + self.statement.canonical(self.statement.suffix, self.owner.words)
        self.reason = "text follows the cursor in its statement"
        del text
        return ""

    def _around(self, left: bytes, right: bytes) -> tuple[int, ...]:
        """What the model is shown of both sides: in its own way where it has one, else what follows as a comment before."""
        vocabulary = self.owner.context.vocabulary
        if vocabulary.fim is not None:
            return between(vocabulary, left, right, 0)
        cut = left.rfind(b"\n") + 1
        note = f"{self.owner.surface.comment} ...{' '.join(decode(right).split())}\n".encode()
        return self._ids(left[:cut] + note + left[cut:], 0)

    def _bounded(self, write: Callable[[Stop], Written]) -> Written:
        """Do something of the model's within the time there is."""

        def stop() -> bool:
            return (self.stop is not None and self.stop()) or self._late()

        try:
            return write(stop)
        except Cancelled:
            if self.stop is not None and self.stop():
                raise
            raise _OutOfTimeError from None

    def _late(self) -> bool:
        return self.deadline is not None and time.perf_counter() >= self.deadline


def _words(surface: Surface) -> dict[str, str]:
    """The words that the fragments write, by their lower case."""
    found: dict[str, str] = {}
    for fragment in surface.fragments.values():
        for rule in fragment.grammar.rules.values():
            for expr in walk(rule):
                if isinstance(expr, Literal) and expr.text.isalpha():
                    found[expr.text.lower()] = expr.text
    return found


def _cut(text: str, at: int) -> str:
    """The text's first bytes, as far as they are whole characters."""
    return encode(text)[:at].decode(errors="ignore")


def _spoilt(reader: Reader, text: str, offset: int, added: str) -> bool:
    """Whether a document gains a finding by what was added to it."""
    data = encode(text)
    after = decode(data[:offset]) + added + decode(data[offset:])
    return len(_findings(reader.analyse(after))) > len(_findings(reader.analyse(text)))


def _findings(judged: Judged) -> Sequence[Diagnostic]:
    return [found for found in judged.diagnostics if found.severity != "hint"]
