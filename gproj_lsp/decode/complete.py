"""Writing on from a cursor: a statement, or the rest of the region that the cursor is in, under what Γ admits.

The text around the cursor is read by the same grammars as what is written there, so one may begin anywhere. Where they do not
admit it, a single name is written, as in a hole.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.decode import fitting
from gproj_lsp.decode.fill import Analysed, Filler
from gproj_lsp.decode.hole import Wishes
from gproj_lsp.decode.lines import Lines
from gproj_lsp.decode.passage import Desk, Passage, Statement, Wanted
from gproj_lsp.decode.patience import Patience
from gproj_lsp.decode.room import latest
from gproj_lsp.decode.schema import within
from gproj_lsp.decode.scoping import Kept
from gproj_lsp.decode.trace import Ledger, Listener, silent
from gproj_lsp.decode.trail import Fork, Trail
from gproj_lsp.environment import DERIVED
from gproj_lsp.errors import Cancelled, InputError
from gproj_lsp.fragment import Rung
from gproj_lsp.gbnf import Literal, walk
from gproj_lsp.ghosts import GHOST
from gproj_lsp.text import Span, decode, encode

if TYPE_CHECKING:
    from gproj_lsp.decode.base import MaskEngine, Stop
    from gproj_lsp.decode.context import Context
    from gproj_lsp.decode.sampling import Sampler
    from gproj_lsp.surface import Surface

__all__ = ["Completer", "Completion", "Reader", "Statement", "Wanted"]

_TEXT = 1_500
"""Tokens of the text before a cursor that a model is shown at most."""
_WORD_END = re.compile(r"\w*\Z")
_LAST_WORD = re.compile(r"(?:\w+|\W)\s*\Z")
_HOLE = "??"
_TRIES = 4
"""How many ways are tried for each candidate wanted; some come to the same text."""
_WITHHELD = "what was written would make the document worse, so it was withheld"


class Reader(fitting.Reader, Protocol):
    """Analyses documents, and cuts them into statements."""

    def statement(self, text: str, offset: int) -> Statement:
        """The statement at a byte offset of a text."""
        ...


@dataclass(frozen=True)
class Completion:
    """Text to insert at the cursor.

    Attributes:
        text: The text; empty where there is none.
        rung: The loosest rung that held while it was written.
        guaranteed: Whether no ghost can be in it.
        declared: The names it declares for the statements after it.
        ledger: What it cost.
        milliseconds: How long it took.
        reason: Why it stops before its end, or is empty.
        late: Whether that is because the time was up.
    """

    text: str
    rung: Rung
    guaranteed: bool
    declared: tuple[str, ...]
    ledger: Ledger
    milliseconds: float
    reason: str = ""
    late: bool = False


class Completer:
    """Writes on from cursors with one model and one engine. One completer belongs to one thread.

    Args:
        surface: The language; it must say what is written (`[completion]`).
        context: The model and what it was shown.
        engine: The mask engine.
        wanted: How.
        told: Gets the events; places in them are bytes of the text to insert.
        kept: Matchers of a completer before, to go on with.

    Attributes:
        desk: All of these.

    Raises:
        InputError: The surface does not say what is written.
    """

    def __init__(  # noqa: PLR0913  (what is written, with what, and how)
        self,
        surface: Surface,
        context: Context,
        engine: MaskEngine,
        wanted: Wanted | None = None,
        told: Listener = silent,
        *,
        kept: Kept | None = None,
    ) -> None:
        if surface.completion is None:
            mend = "fill holes instead"
            raise InputError(f"{surface.name} says nothing of what is written at a cursor", mend=mend)
        words = _words(surface)
        self.desk = Desk(
            surface, surface.completion, context, engine, wanted or Wanted(), told, words, kept or Kept()
        )

    def wishing(self, wanted: Wanted, told: Listener = silent) -> Completer:
        """The same with other wishes; what was compiled is shared.

        Args:
            wanted: How.
            told: Gets the events.
        """
        other = copy(self)
        other.desk = replace(self.desk, wanted=wanted, told=told)
        return other

    def complete(  # noqa: PLR0913  (what, where, and how far)
        self,
        text: str,
        offset: int,
        reader: Reader,
        *,
        sampler: Sampler | None = None,
        stop: Stop | None = None,
        began: float | None = None,
    ) -> Completion:
        """Write on from a byte offset of a document.

        Args:
            text: The document.
            offset: The cursor.
            reader: Analyses it.
            sampler: What chooses tokens, where the caller wants a say in it.
            stop: Asked before each step of the model.
            began: When what this is a part of began, by `time.perf_counter`; the time wanted counts from there.

        Raises:
            Cancelled: `stop` said so.
            EngineError: The engine refused a grammar.
            ModelError: The model failed.
        """
        began = time.perf_counter() if began is None else began
        seconds = self.desk.wanted.seconds
        patience = Patience(stop, None if seconds is None else began + seconds)
        statement = reader.statement(text, offset)
        lines = self.desk.spec.lines
        passage: Passage | Lines = (
            Lines(self.desk, lines, text, offset, reader, partial(self._shown_behind, reader), patience)
            if lines is not None
            else Passage(self.desk, statement, self.shown(text, offset, reader), sampler, patience)
        )
        found, rung, reason = passage.write(), passage.rung, passage.reason
        unreadable = isinstance(passage, Passage) and passage.unreadable
        if unreadable and (name := self._named(text, offset, reader, passage)) is not None:
            found, rung, reason = *name, ""
        added = statement.glue + found if found and lines is None else found
        joined = _Joined(text, offset, reader)
        declared: tuple[str, ...] = ()
        if added and reason and self.desk.wanted.partial:
            added = joined.begun(added)
        elif added:
            # What only a name was added to need not be readable: it was not before.
            known = joined.declared(added, readable=not unreadable)
            if known is not None:
                declared = known
            elif self.desk.wanted.rung is Rung.CTX:  # looser rungs are wanted to see what they let through
                added, reason = "", _WITHHELD
        spent = (time.perf_counter() - began) * 1000
        return Completion(added, rung, rung.guaranteed, declared, passage.ledger, spent, reason, passage.late)

    def candidates(
        self, text: str, offset: int, reader: Reader, number: int, stop: Stop | None = None
    ) -> tuple[Completion, ...]:
        """Several different completions, likeliest first: the best, and those that leave it, or each other, at the least loss.

        At least one, perhaps without text. Only the first tells how it grows.

        Args:
            text: The document.
            offset: The cursor.
            reader: Analyses it.
            number: How many at most.
            stop: As in `complete`.

        Raises:
            Cancelled: `stop` said so.
            EngineError: The engine refused a grammar.
            ModelError: The model failed.
        """
        found: dict[str, tuple[float, Completion]] = {}
        nothing: Completion | None = None
        ways = [Fork(0.0, ())]
        began = time.perf_counter()
        for _ in range(number * _TRIES):
            if not ways or len(found) == number:
                break
            best = max(ways)
            ways.remove(best)
            trail = Trail(best.trail)
            writer = self.wishing(self.desk.wanted) if nothing else self
            completion = writer.complete(text, offset, reader, sampler=trail, stop=stop, began=began)
            ways += trail.forks
            nothing = nothing or completion
            if completion.text:
                found.setdefault(completion.text, (trail.probability, completion))
        ranked = sorted(found.values(), key=lambda pair: -pair[0])
        return tuple(completion for _, completion in ranked) or ((nothing,) if nothing else ())

    def _named(
        self, text: str, offset: int, reader: Reader, passage: Passage | Lines
    ) -> tuple[str, Rung] | None:
        """A name instead of a passage, if there is time for one."""
        try:
            return self._name(text, offset, reader, passage.patience.over)
        except Cancelled:
            if passage.patience.gone():
                raise
            passage.late = True
            return None

    def _name(self, text: str, offset: int, reader: Reader, stop: Stop | None) -> tuple[str, Rung] | None:
        """The rest of a single name at a cursor whose statement is nothing that grammars admit, and its rung."""
        data = encode(text)
        word = _WORD_END.search(decode(data[:offset]))
        begun = word[0] if word else ""
        start = offset - len(encode(begun))
        marked = f"{decode(data[:start])}{_HOLE}{decode(data[offset:])}"
        holes = [hole.span.start for hole in reader.analyse(marked).holes]
        if start not in holes:
            return None
        desk = self.desk
        wishes = Wishes(desk.wanted.sampling, budget=desk.wanted.budget)
        filler = Filler(desk.surface, desk.context, desk.engine, wishes)
        filled = filler.fill(marked, reader.analyse, [holes.index(start)], stop).holes
        if not filled or not filled[0].text.casefold().startswith(begun.casefold()):
            return None
        return filled[0].text[len(begun) :], filled[0].rung

    def _shown_behind(self, reader: Reader, text: str) -> bytes:
        """What the model is shown before new text at the end of a text."""
        return self.shown(text, len(encode(text)), reader)

    def shown(self, text: str, offset: int, reader: Reader) -> bytes:
        """What the model is shown before new text: what is declared elsewhere, then the document before the cursor."""
        desk = self.desk
        vocabulary, capacity = desk.context.vocabulary, desk.context.model.capacity
        world = reader.analyse(text).environment_at(0)
        told = within(desk.surface, world, text, vocabulary, capacity // 2)
        spare = capacity - len(vocabulary.encode(told)) - desk.wanted.budget - 8
        shown = latest(vocabulary, encode(text)[:offset], min(max(spare, 2), _TEXT))
        return (told + shown).decode(errors="ignore").encode()


def _words(surface: Surface) -> dict[str, str]:
    """The words that the fragments write, by their lower case."""
    found: dict[str, str] = {}
    for fragment in surface.fragments.values():
        for rule in fragment.grammar.rules.values():
            for expr in walk(rule):
                if isinstance(expr, Literal) and expr.text.isalpha():
                    found[expr.text.lower()] = expr.text
    return found


@dataclass(frozen=True)
class _Joined:
    """A document with text added at a byte offset."""

    text: str
    offset: int
    reader: Reader

    def declared(self, added: str, *, readable: bool) -> tuple[str, ...] | None:
        """What the document declares more than before; None where the text makes it worse.

        Args:
            added: The text.
            readable: Whether the statements it is in must be.
        """
        # Before, somebody still wrote there: what the text might have mended and did not is its fault.
        before = self.reader.analyse(self.text, self.offset)
        after = self.reader.analyse(self._with(added))
        span = Span(self.offset, self.offset + len(encode(added)))
        if _findings(after) - _findings(before) or (readable and not after.readable(span)):
            return None
        data = encode(self.text)
        return _declared(before, len(data), after, len(data) + len(span))

    def begun(self, added: str) -> str:
        """As much of a text that goes on as does not make the document worse, and names nothing that is yet to be declared."""
        before = _findings(self.reader.analyse(self.text, self.offset))
        while added.strip():
            after = self.reader.analyse(self._with(added), self.offset + len(encode(added)))
            if _findings(after) - before:
                added = _LAST_WORD.sub("", added)
                continue
            known = self._known(added)
            if known == added:
                return added
            added = known
        return ""

    def _known(self, added: str) -> str:
        """A text up to the first name in it that nothing declares anywhere, though what follows it might."""
        whole = self.reader.analyse(self._with(added))
        span = Span(self.offset, self.offset + len(encode(added)))
        unsure = [found for found in whole.diagnostics if found.code == GHOST and span.contains(found.span)]
        if not unsure:
            return added
        declared = {binding.name.casefold() for binding in whole.environment_at(span.end)}
        for found in unsure:
            if not declared.issuperset(found.name.casefold().split(".")):
                return decode(encode(added)[: found.span.start - span.start])
        return added

    def _with(self, added: str) -> str:
        data = encode(self.text)
        return decode(data[: self.offset]) + added + decode(data[self.offset :])


def _findings(analysed: Analysed) -> Counter[tuple[str, str, str]]:
    return Counter((found.code, found.name, found.sort) for found in analysed.diagnostics)


def _declared(before: Analysed, end: int, after: Analysed, new_end: int) -> tuple[str, ...]:
    """The names that a document declares at its end more than it did."""
    old = {binding.key for binding in before.environment_at(end)}
    new = (each for each in after.environment_at(new_end) if each.key not in old)
    return tuple(each.name for each in new if each.origin != DERIVED)
