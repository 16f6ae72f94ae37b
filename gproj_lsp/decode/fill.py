"""Filling the holes of a document, in the order in which they decide each other.

After each fill the document is analysed again: what was just written may declare names, and it must not make the
text worse.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gproj_lsp.decode.base import HoleFiller, MaskEngine, Stop
from gproj_lsp.decode.chooser import Chooser
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.decoder import Decoder
from gproj_lsp.decode.delegate import Delegate
from gproj_lsp.decode.draft import Draft
from gproj_lsp.decode.executor import Executor
from gproj_lsp.decode.hole import Decoded, Place, Stranded, Wishes
from gproj_lsp.decode.rank import Ranking
from gproj_lsp.decode.room import latest
from gproj_lsp.decode.schema import within
from gproj_lsp.decode.trace import EmptyQuery, Event, Filled, HoleBegun, Incomplete, Listener, silent
from gproj_lsp.environment import Environment
from gproj_lsp.errors import EmptyQueryError, InputError
from gproj_lsp.fragment import Rung
from gproj_lsp.ghosts import Diagnostic
from gproj_lsp.holes import Hole, pinned
from gproj_lsp.policy import Choice
from gproj_lsp.surface import Surface
from gproj_lsp.text import LineIndex, Span, encode

__all__ = [
    "Analyse",
    "Analysed",
    "FillResult",
    "FilledHole",
    "Filler",
    "HoleRanking",
    "OpenHole",
    "Wishes",
    "Writer",
]

Writer = Context | HoleFiller
"""A model and what it was shown, or who fills holes elsewhere."""

_AFTER = 2_000
"""Bytes of the text after a hole that can count at all."""


class Analysed(Protocol):
    """What filling needs to know of a text."""

    @property
    def holes(self) -> tuple[Hole, ...]:
        """The holes, in order."""
        ...

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings."""
        ...

    def environment_at(self, offset: int) -> Environment:
        """Γ at a byte offset."""
        ...

    def readable(self, span: Span) -> bool:
        """Whether every statement that the bytes touch was read as the language has it."""
        ...


Analyse = Callable[[str], Analysed]


@dataclass(frozen=True)
class FilledHole:
    """A hole and what stands there now.

    Attributes:
        span: Its bytes in the original document.
        mark: As it was written.
        sort: What it expected.
        rung: How strongly it was constrained.
        candidates: What was admitted; empty where the position was open.
        text: What was written.
        guaranteed: Whether no ghost can be in it.
        free_bits: How much the model had to choose from; see `Ledger`. None where that is not known.
        masks: How much was admitted at each step; see `Ledger`.
        forced: What was written without asking the model, in order.
        tokens: Tokens written.
        model_calls: How often the model was asked.
        milliseconds: How long it took, analysis included.
    """

    span: Span
    mark: str
    sort: str
    rung: Rung
    candidates: tuple[str, ...]
    text: str
    guaranteed: bool
    free_bits: float | None
    masks: tuple[int, ...]
    forced: tuple[str, ...]
    tokens: int
    model_calls: int
    milliseconds: float


@dataclass(frozen=True)
class OpenHole:
    """A hole that stays.

    Attributes:
        span: Its bytes in the original document.
        mark: As it is written.
        sort: What it expects, or empty.
        reason: Why, in one clause.
    """

    span: Span
    mark: str
    sort: str
    reason: str


@dataclass(frozen=True)
class FillResult:
    """A document after filling.

    Attributes:
        text: All of it; the original where nothing was filled.
        holes: What was filled, in order of place.
        incomplete: Holes that stay because decoding did not come to an end, or its result was withheld.
        empty: Holes that stay because nothing declared fits.
        withheld: How many results were withheld because the document would have gained a ghost or become unreadable.
    """

    text: str
    holes: tuple[FilledHole, ...]
    incomplete: tuple[OpenHole, ...]
    empty: tuple[OpenHole, ...]
    withheld: int


@dataclass(frozen=True)
class HoleRanking:
    """What may stand in a hole.

    Attributes:
        hole: The hole.
        rung: How strongly it is constrained.
        guaranteed: Whether no ghost can be among the candidates.
        ranking: The candidates.
    """

    hole: Hole
    rung: Rung
    guaranteed: bool
    ranking: Ranking


class Filler:
    """Fills and ranks holes with one model and one engine. One filler belongs to one thread.

    Args:
        surface: The language.
        writer: Who writes; keep a context, and what two documents have in common is read once.
        engine: The mask engine; what comes from elsewhere is checked by it.
        wishes: How to fill.
        told: Gets the events.
    """

    def __init__(
        self,
        surface: Surface,
        writer: Writer,
        engine: MaskEngine,
        wishes: Wishes | None = None,
        told: Listener = silent,
    ) -> None:
        self._surface = surface
        self._told = told
        self._chooser = Chooser(surface, allow_base=bool(wishes and wishes.allow_base))
        policies = self._chooser.policies
        self._decoder: Decoder = (
            Executor(writer, engine, surface.fragments, policies, wishes, told)
            if isinstance(writer, Context)
            else Delegate(writer, engine, surface.fragments, policies, wishes, told)
        )

    def fill(
        self, text: str, analyse: Analyse, only: Collection[int] | None = None, stop: Stop | None = None
    ) -> FillResult:
        """Fill a document's holes.

        Args:
            text: The document.
            analyse: Gives holes, Γ and ghosts of a text.
            only: Numbers of holes, counted from 0 in order of place; None: all.
            stop: Asked before each step of the model.

        Raises:
            Cancelled: `stop` said so; nothing is given.
            EngineError: The engine refused a grammar.
            InputError: There is no hole of such a number.
            ModelError: The model failed.
        """
        first = analyse(text)
        missing = sorted(number for number in only or () if not 0 <= number < len(first.holes))
        if missing:
            raise InputError(f"there is no hole {missing[0] + 1}; the document has {len(first.holes)}")
        wanted = [hole.span for at, hole in enumerate(first.holes) if only is None or at in only]
        work = _Work(self, analyse, Draft(text), self.schema(first, text), stop)
        return work.run(first, wanted)

    def rank(
        self, text: str, analyse: Analyse, offset: int, *, limit: int = 10, stop: Stop | None = None
    ) -> HoleRanking:
        """Rank what may stand in the hole at a byte offset.

        Raises:
            Cancelled: `stop` said so.
            EmptyQueryError: Nothing fits.
            InputError: There is no hole there, or not one of declared names.
            ModelError: The model failed.
        """
        analysed = analyse(text)
        hole = next((hole for hole in analysed.holes if hole.span.touches(offset)), None)
        lines = LineIndex(encode(text))
        if hole is None:
            raise InputError(
                "there is no hole here", place=lines.place(offset), mend="write ?? where a name is missing"
            )
        choice = self.choice(hole)
        if not choice.instance.only:
            raise InputError(
                f"{hole.mark.text} is open: any name fits, none is declared", place=lines.place(offset)
            )
        place = self.place(hole, encode(text), self.schema(analysed, text))
        ranking = self._decoder.ranking(choice.instance, place, limit=limit, stop=stop)
        return HoleRanking(hole, choice.instance.rung, choice.guaranteed, ranking)

    def fill_at(  # noqa: PLR0913  (where, and how strongly)
        self,
        text: str,
        analyse: Analyse,
        offset: int,
        rung: Rung,
        *,
        pin: str = "",
        stop: Stop | None = None,
    ) -> Decoded:
        """Decode the hole at a byte offset at one rung, whatever policy says; what it does to the document is not looked at.

        For measuring: this is how arms are told apart.

        Raises:
            Cancelled: `stop` said so.
            EmptyQueryError: Nothing is declared at that rung.
            EngineError: The engine refused a grammar.
            InputError: There is no hole there, or nothing produces its sort.
            ModelError: The model failed.
            Stranded: Decoding did not come to an end.
        """
        analysed = analyse(text)
        hole = next((hole for hole in analysed.holes if hole.span.start == offset), None)
        if hole is None or self.unfit(hole):
            raise InputError(self.unfit(hole) if hole else "there is no hole here")
        place = self.place(hole, _shown(text, analysed.holes, hole), self.schema(analysed, text))
        decoder = self._decoder.at((rung,))
        return decoder.decode(hole.sort, self._chooser.environment(hole), place, pin=pin, stop=stop)

    def choice(self, hole: Hole) -> Choice:
        """What π chooses at a hole; see `Chooser.choice`."""
        return self._chooser.choice(hole)

    def unfit(self, hole: Hole) -> str:
        """Why a hole can't be filled at all; empty where it can."""
        return self._chooser.unfit(hole)

    def schema(self, analysed: Analysed, text: str) -> bytes:
        """What is declared outside of a text, as the model is told it: in half of its context at most."""
        decoder = self._decoder
        world = analysed.environment_at(0)
        return within(self._surface, world, text, decoder.vocabulary, decoder.capacity // 2)

    def place(self, hole: Hole, data: bytes, schema: bytes) -> Place:
        """Where a hole stands, as the model is shown it: its instruction stands before its statement.

        Of a long text its latest part is shown.
        """
        start = hole.statement.start
        note = hole.mark.instruction or hole.mark.name.replace("_", " ")
        lines = f"{self._surface.comment} {note}\n" if note and not pinned(hole, self._surface) else ""
        text = data[:start] + encode(lines) + data[start : hole.span.start]
        spare = (
            self._decoder.wishes.budget + self._decoder.capacity // 8
        )  # for the hole and what is scored after it
        room = self._decoder.capacity - len(self._decoder.vocabulary.encode(schema)) - spare
        before = schema + latest(self._decoder.vocabulary, text, min(max(room, 2), self._decoder.reads))
        after = data[hole.span.end : hole.span.end + _AFTER]
        return Place(_readable(before), _readable(after), hole.region, hole.mark.text, len(schema))

    def order(self, hole: Hole) -> tuple[int, tuple[int, ...], int]:
        """Where a hole's turn is: by statement, then by what its regions depend on, outermost first, then by place."""
        known = {region: at for at, region in enumerate(self._surface.order)}
        return (
            hole.statement.start,
            tuple(known.get(region, len(known)) for region in hole.region),
            hole.span.start,
        )

    def decode(self, hole: Hole, place: Place, accepts: Callable[[str], bool], stop: Stop | None) -> Decoded:
        """Decode one hole; `accepts` may refuse texts, and where names are ranked the next one is then taken."""
        return self._decoder.decode(
            hole.sort,
            self._chooser.environment(hole),
            place,
            pin=pinned(hole, self._surface),
            accepts=accepts,
            stop=stop,
        )

    def is_reserved(self, text: str) -> bool:
        """Whether a text is a word of the language, which can't name anything without quotes."""
        return text.upper() in self._surface.lexer.reserved

    def tell(self, event: Event) -> None:
        """Tell whoever listens."""
        self._told(event)


@dataclass
class _Work:
    """One document being filled."""

    filler: Filler
    analyse: Analyse
    draft: Draft
    schema: bytes
    stop: Stop | None
    filled: list[FilledHole] = field(default_factory=list)
    incomplete: list[OpenHole] = field(default_factory=list)
    empty: list[OpenHole] = field(default_factory=list)
    withheld: int = 0

    def run(self, analysed: Analysed, wanted: Sequence[Span]) -> FillResult:
        pending = {span: _Mark(analysed, span) for span in wanted}
        while pending:
            here = {self.draft.now(span.start): span for span in pending}
            found = {here[hole.span.start]: hole for hole in analysed.holes if hole.span.start in here}
            for span in [span for span in pending if span not in found]:
                mark = pending.pop(span)
                self._open(
                    self.incomplete,
                    span,
                    mark.text,
                    mark.sort,
                    "it is no hole any more after others were filled",
                )
            if not found:
                break
            span, hole = min(found.items(), key=lambda item: self.filler.order(item[1]))
            del pending[span]
            analysed = self._fill(span, hole, analysed)
        return FillResult(
            self.draft.text,
            tuple(sorted(self.filled, key=lambda hole: hole.span)),
            tuple(sorted(self.incomplete, key=lambda hole: hole.span)),
            tuple(sorted(self.empty, key=lambda hole: hole.span)),
            self.withheld,
        )

    def _fill(self, span: Span, hole: Hole, analysed: Analysed) -> Analysed:
        """Fill one hole, or tell why not; gives what is known of the text afterwards."""
        began = time.perf_counter()
        self.filler.tell(HoleBegun(span, hole.sort))
        if reason := self.filler.unfit(hole):
            self.filler.tell(Incomplete(hole.sort, reason))
            self._open(self.incomplete, span, hole.mark.text, hole.sort, reason)
            return analysed
        joined: dict[str, Analysed] = {}

        def accepts(text: str) -> bool:
            joined[text] = self.analyse(self.draft.filled(span, text).text)
            there = Span(hole.span.start, hole.span.start + len(encode(text)))
            unreadable = analysed.readable(hole.span) and not joined[text].readable(there)
            refused = unreadable or self.filler.is_reserved(text) or _worse(analysed, joined[text])
            self.withheld += refused
            return not refused

        place = self.filler.place(hole, _shown(self.draft.text, analysed.holes, hole), self.schema)
        try:
            decoded = self.filler.decode(hole, place, accepts, self.stop)
        except EmptyQueryError as error:
            self.filler.tell(EmptyQuery(error))
            self._open(self.empty, span, hole.mark.text, hole.sort, error.message)
            return analysed
        except Stranded as error:
            self.filler.tell(Incomplete(hole.sort, error.message))
            self._open(self.incomplete, span, hole.mark.text, hole.sort, error.message)
            return analysed
        self.draft = self.draft.filled(span, decoded.text)
        self.filler.tell(Filled(hole.sort, decoded.text, decoded.guaranteed))
        self.filled.append(_filled(span, hole, decoded, (time.perf_counter() - began) * 1000))
        return joined[decoded.text]

    def _open(self, where: list[OpenHole], span: Span, mark: str, sort: str, reason: str) -> None:
        where.append(OpenHole(span, mark, sort, reason))


class _Mark:
    """How a hole read at the beginning."""

    def __init__(self, analysed: Analysed, span: Span) -> None:
        hole = next(hole for hole in analysed.holes if hole.span == span)
        self.text = hole.mark.text
        self.sort = hole.sort


def _filled(span: Span, hole: Hole, decoded: Decoded, milliseconds: float) -> FilledHole:
    ledger = decoded.ledger
    return FilledHole(
        span,
        hole.mark.text,
        hole.sort,
        decoded.rung,
        decoded.candidates,
        decoded.text,
        decoded.guaranteed,
        ledger.free_bits if ledger.told else None,
        tuple(ledger.masks),
        tuple(piece.decode(errors="replace") for piece in ledger.given),
        ledger.tokens,
        ledger.model_calls,
        milliseconds,
    )


def _worse(before: Analysed, after: Analysed) -> bool:
    """Whether a text gained a ghost."""
    return bool(_ghosts(after.diagnostics) - _ghosts(before.diagnostics))


def _ghosts(diagnostics: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter((found.name, found.sort) for found in diagnostics if found.code == "ghost-reference")


def _readable(text: bytes) -> bytes:
    """What a model can be shown: an editor's half surrogate, or a character that was cut, is no text."""
    return text.decode(errors="ignore").encode()


def _shown(text: str, holes: Sequence[Hole], here: Hole) -> bytes:
    """The text as a model is shown it: it ends before the next hole, and holes before read as gaps of the same length."""
    data = bytearray(encode(text))
    following = [hole.span.start for hole in holes if hole.span.start >= here.span.end]
    for hole in holes:
        if hole.span.end <= here.span.start:
            data[hole.span.start : hole.span.end] = b"...".ljust(len(hole.span))[: len(hole.span)]
    return bytes(data[: min(following, default=len(data))])
