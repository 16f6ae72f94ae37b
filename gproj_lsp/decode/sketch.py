"""Two stages: a sketch that anyone may write as they like, then its realisation under the mask.

What the sketch names and Γ does not hold becomes a typed hole with the sketch's own word as its instruction; filling it is
the second stage. Where nothing declared can stand in such a hole, the sketch is asked for once more, with the diagnosis (the
paper's two-stage pipeline, 6.5).
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gproj_lsp.decode.base import HoleFiller, HoleTask
from gproj_lsp.decode.complete import Completer, Completion, Reader
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.fill import Filler, FillResult
from gproj_lsp.decode.free import Free, freely
from gproj_lsp.decode.hole import Wishes
from gproj_lsp.decode.trace import Ledger
from gproj_lsp.environment import Query
from gproj_lsp.fragment import Rung
from gproj_lsp.text import Span, decode, encode

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Stop

__all__ = ["Sketcher"]

_BLANK = "\n\n"
_LABEL = re.compile(r"[A-Za-z_]\w*")
_NAMED = 8
"""How many declared names a diagnosis tells."""


@dataclass(frozen=True)
class _Sketch:
    """A document with a sketch in it.

    Attributes:
        text: All of it.
        span: The sketch's bytes.
    """

    text: str
    span: Span


class Sketcher:
    """Completes by sketch and realisation.

    Args:
        completer: Realises, with its model.
        writer: Who writes the sketch: a model on this machine, or a server.
    """

    def __init__(self, completer: Completer, writer: Context | HoleFiller) -> None:
        self._completer = completer
        self._writer = writer

    def complete(self, text: str, offset: int, reader: Reader, *, stop: Stop | None = None) -> Completion:
        """Write on from a byte offset of a document.

        Args:
            text: The document.
            offset: The cursor.
            reader: Analyses it.
            stop: Asked before each step of a model.

        Raises:
            Cancelled: `stop` said so.
            EngineError: The engine refused a grammar.
            ModelError: A model failed.
        """
        began = time.perf_counter()
        ledger = Ledger()
        diagnosis = ""
        for _ in range(2):
            sketch = self._sketch(text, offset, reader, diagnosis, ledger, stop)
            result = self._realised(sketch, reader, stop)
            for hole in result.holes:
                ledger.tokens += hole.tokens
                ledger.model_calls += hole.model_calls
            if not result.empty:
                break
            diagnosis = self._diagnosis(result, reader, sketch)
        data, new = encode(text), encode(result.text)
        end = len(new) - (len(data) - offset)
        if result.empty or result.incomplete or _unsure(reader, text, result.text, Span(offset, end)):
            found = self._completer.complete(text, offset, reader, stop=stop)
            return _with(found, ledger, (time.perf_counter() - began) * 1000)
        rung = min((hole.rung for hole in result.holes), default=Rung.CTX)
        spent = (time.perf_counter() - began) * 1000
        return Completion(decode(new[offset:end]), rung, rung.guaranteed, (), ledger, spent)

    def _sketch(  # noqa: PLR0913  (where, of what, and what is known by now)
        self, text: str, offset: int, reader: Reader, diagnosis: str, ledger: Ledger, stop: Stop | None
    ) -> _Sketch:
        data = encode(text)
        statement = reader.statement(text, offset)
        prompt = self._completer.shown(text, offset, reader)
        if diagnosis:
            cut = prompt.rfind(b"\n") + 1
            prompt = prompt[:cut] + encode(diagnosis) + prompt[cut:]
        prompt += encode(statement.glue)
        written = self._freely(prompt, stop)
        ledger.tokens += written.tokens
        ledger.model_calls += written.tokens
        new = statement.glue + written.text.rstrip()
        whole = decode(data[:offset]) + new + decode(data[offset:])
        return _Sketch(whole, Span(offset, offset + len(encode(new))))

    def _freely(self, prompt: bytes, stop: Stop | None) -> Free:
        end = self._completer.desk.surface.lexer.terminator
        budget = self._completer.desk.wanted.budget
        if isinstance(self._writer, Context):
            return freely(self._writer, prompt, (end, _BLANK), budget, stop)
        gbnf = f'root ::= [^{end}]+ "{end}"\n'
        found = self._writer.write(HoleTask(decode(prompt), gbnf, budget), stop)
        return Free(found.text.partition(end)[0], found.tokens, not found.cut)

    def _realised(self, sketch: _Sketch, reader: Reader, stop: Stop | None) -> FillResult:
        """The sketch with holes for what it names and Γ does not hold, filled."""
        found = [each for each in reader.analyse(sketch.text).diagnostics if sketch.span.contains(each.span)]
        fragments = self._completer.desk.surface.fragments
        marks = [(each.span, _mark(each.name, each.sort)) for each in found if each.sort in fragments]
        marked, starts = _replaced(sketch.text, marks)
        holes = [at for at, hole in enumerate(reader.analyse(marked).holes) if hole.span.start in starts]
        if not holes:
            return FillResult(marked, (), (), (), 0)
        return self._filler().fill(marked, reader.analyse, holes, stop)

    def _filler(self) -> Filler:
        desk = self._completer.desk
        wishes = Wishes(desk.wanted.sampling, budget=desk.wanted.budget)
        return Filler(desk.surface, desk.context, desk.engine, wishes)

    def _diagnosis(self, result: FillResult, reader: Reader, sketch: _Sketch) -> str:
        """What was not to be had, as comments that the next sketch is shown."""
        comment = self._completer.desk.surface.comment
        environment = reader.analyse(sketch.text).environment_at(0)
        lines: list[str] = []
        for hole in result.empty:
            query = Query.of(hole.sort)
            known = dict.fromkeys(
                b.spelling for b in environment.names(query) if b.origin.provider != "builtin"
            )
            names = ", ".join(list(known)[:_NAMED])
            lines.append(f"{comment} There is no {hole.sort} for {hole.mark}; there are {names}.\n")
        return "".join(lines)


def _with(found: Completion, ledger: Ledger, milliseconds: float) -> Completion:
    """A completion under the mask, with what the sketch that could not be realised cost before it."""
    found.ledger.add(ledger)
    return replace(found, milliseconds=milliseconds)


def _unsure(reader: Reader, before: str, after: str, span: Span) -> bool:
    """Whether a document has more findings than it had, or was not read where it changed."""
    new = reader.analyse(after)
    return len(new.diagnostics) > len(reader.analyse(before).diagnostics) or not new.readable(span)


def _mark(name: str, sort: str) -> str:
    """A hole that remembers what stood there."""
    return f"{{{name if _LABEL.fullmatch(name) else ''}:{sort}}}"


def _replaced(text: str, marks: Sequence[tuple[Span, str]]) -> tuple[str, frozenset[int]]:
    """A text with some of its bytes replaced, and where the new ones begin in it."""
    data, parts, end, size = encode(text), [], 0, 0
    starts: set[int] = set()
    for span, mark in sorted(marks):
        if span.start < end:
            continue
        parts += [decode(data[end : span.start]), mark]
        size += span.start - end
        starts.add(size)
        size += len(encode(mark))
        end = span.end
    return "".join((*parts, decode(data[end:]))), frozenset(starts)
