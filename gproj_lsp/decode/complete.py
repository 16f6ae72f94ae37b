"""Writing on from a cursor: a statement, or the rest of the region that the cursor is in, under what Γ admits.

The text around the cursor is read by the same grammars as what is written there, so one may begin anywhere. Where they do not
admit it, a single name is written, as in a hole.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.decode.fill import Analysed, Filler
from gproj_lsp.decode.hole import Wishes
from gproj_lsp.decode.passage import Desk, Passage, Statement, Wanted
from gproj_lsp.decode.room import latest
from gproj_lsp.decode.schema import within
from gproj_lsp.decode.scoping import Kept
from gproj_lsp.decode.trace import Ledger, Listener, silent
from gproj_lsp.decode.trail import Fork, Trail
from gproj_lsp.errors import InputError
from gproj_lsp.fragment import Rung
from gproj_lsp.gbnf import Literal, walk
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
_HOLE = "??"
_TRIES = 4
"""How many ways are tried for each candidate wanted; some come to the same text."""
_WITHHELD = "what was written would make the document worse, so it was withheld"


class Reader(Protocol):
    """Analyses documents."""

    def analyse(self, text: str) -> Analysed:
        """What is known of a text."""
        ...

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
        passage = Passage(self.desk, statement, self.shown(text, offset, reader), sampler, stop, began)
        found, rung, reason = passage.write(), passage.rung, passage.reason
        if passage.unreadable and (name := self._name(text, offset, reader, stop)) is not None:
            found, rung, reason = *name, ""
        added = statement.glue + found if found else ""
        data = encode(text)
        after = decode(data[:offset]) + added + decode(data[offset:])
        # What only a name was added to need not be readable: it was not before.
        span = None if passage.unreadable else Span(offset, offset + len(encode(added)))
        declared: tuple[str, ...] = ()
        if added:
            old, new = reader.analyse(text), reader.analyse(after)
            if _spoilt(old, new, span):
                added, reason = "", _WITHHELD
            else:
                declared = _declared(old, len(data), new, len(encode(after)))
        spent = (time.perf_counter() - began) * 1000
        return Completion(added, rung, rung.guaranteed, declared, passage.ledger, spent, reason)

    def candidates(
        self, text: str, offset: int, reader: Reader, number: int, stop: Stop | None = None
    ) -> tuple[Completion, ...]:
        """Several different completions, likeliest first: the best, and those that leave it, or each other, at the least loss.

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
        ways = [Fork(0.0, ())]
        for _ in range(number * _TRIES):
            if not ways or len(found) == number:
                break
            best = max(ways)
            ways.remove(best)
            trail = Trail(best.trail)
            completion = self.complete(text, offset, reader, sampler=trail, stop=stop)
            ways += trail.forks
            if completion.text:
                found.setdefault(completion.text, (trail.probability, completion))
        ranked = sorted(found.values(), key=lambda pair: -pair[0])
        return tuple(completion for _, completion in ranked)

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


def _spoilt(before: Analysed, after: Analysed, span: Span | None) -> bool:
    """Whether a document gained a finding, or can't be read where it should."""
    gained = _findings(after) - _findings(before)
    return bool(gained) or (span is not None and not after.readable(span))


def _findings(analysed: Analysed) -> Counter[tuple[str, str, str]]:
    return Counter((found.code, found.name, found.sort) for found in analysed.diagnostics)


def _declared(before: Analysed, end: int, after: Analysed, new_end: int) -> tuple[str, ...]:
    """The names that a document declares at its end more than it did."""
    old = {binding.key for binding in before.environment_at(end)}
    return tuple(binding.name for binding in after.environment_at(new_end) if binding.key not in old)
