"""One statement being written on from a cursor, region by region."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.decode.barred import Barred
from gproj_lsp.decode.budget import ended, open_bytes
from gproj_lsp.decode.calls import concatenated
from gproj_lsp.decode.circles import circle
from gproj_lsp.decode.executor import shown_before
from gproj_lsp.decode.leaf import LeafDecoder, Stretch, Written
from gproj_lsp.decode.patience import Patience
from gproj_lsp.decode.prompt import between, window
from gproj_lsp.decode.sampling import GREEDY, Sampler, Sampling
from gproj_lsp.decode.scoping import Draft, Ground, Kept, Misfit, Refused, Scoping
from gproj_lsp.decode.trace import Ledger, Listener, Text
from gproj_lsp.decode.until import Until
from gproj_lsp.decode.widening import widening
from gproj_lsp.errors import Cancelled
from gproj_lsp.fragment import Rung
from gproj_lsp.text import decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gproj_lsp.decode.base import MaskEngine, Matcher, Stop
    from gproj_lsp.decode.context import Context
    from gproj_lsp.environment import Environment
    from gproj_lsp.resolve import Reference, Scope
    from gproj_lsp.surface import CompletionSpec, Surface
    from gproj_lsp.text import Span

__all__ = ["Desk", "Passage", "Statement", "Wanted"]

_REGION = 96
"""Tokens that a region written again may take before the shortest way to its end is taken."""
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

    def is_open(self, text: str) -> bool:
        """Whether a text for the statement ends inside a string, a quoted name or a comment."""
        ...

    def canonical(self, text: str, words: Mapping[str, str]) -> str:
        """A text for the statement as grammars write it; `words` are the words they write, by their lower case."""
        ...


@dataclass(frozen=True)
class Wanted:
    """How the user wants text.

    Attributes:
        sampling: Greedy, or how to sample.
        rung: The tightest rung to use; BASE, for measuring, gives no guarantee.
        budget: The most tokens to write.
        seconds: The time after which to stop; None: no bound.
        partial: Whether text that is cut short may end at any word, and not only where it could be left as it is.
        one_line: Whether such text is cut at the end of its first line.
    """

    sampling: Sampling = GREEDY
    rung: Rung = Rung.CTX
    budget: int = 192
    seconds: float | None = None
    partial: bool = False
    one_line: bool = False


@dataclass(frozen=True)
class Desk:
    """What passages of one language are written with.

    Attributes:
        surface: The language.
        spec: What of it is written.
        context: The model and what it was shown.
        engine: The mask engine.
        wanted: How to write.
        told: Gets the events; places in them are bytes of the new text.
        words: The words that grammars write, by their lower case.
        kept: Matchers made before.
    """

    surface: Surface
    spec: CompletionSpec
    context: Context
    engine: MaskEngine
    wanted: Wanted
    told: Listener
    words: Mapping[str, str]
    kept: Kept = field(default_factory=Kept)


@dataclass(frozen=True)
class _Framed:
    """A statement of which the end is written already: what that decides is decided."""

    statement: Statement
    suffix: str
    terminator: str

    @property
    def before(self) -> Environment:
        return self.statement.before

    def scopes(self, text: str) -> tuple[Scope, ...]:
        whole = {
            scope.span.start: scope for scope in self.statement.scopes(text + self.suffix + self.terminator)
        }
        return tuple(
            replace(scope, decided=scope.decided | whole[scope.span.start].decided)
            if scope.span.start in whole
            else scope
            for scope in self.statement.scopes(text)
        )

    def environment(self, text: str, span: Span) -> Environment:
        return self.statement.environment(text + self.suffix, span)

    def unmet(self, text: str, span: Span) -> tuple[Reference, ...]:
        return self.statement.unmet(text, span)


class _OutOfTimeError(Exception):
    """The time is up."""


@dataclass
class Passage:
    """One completion being written; `text` is the statement as grammars write it."""

    owner: Desk
    statement: Statement
    before: bytes
    sampler: Sampler | None
    patience: Patience
    ledger: Ledger = field(default_factory=Ledger)
    rung: Rung = Rung.CTX
    reason: str = ""
    unreadable: bool = False
    """Whether the text before the cursor is nothing that the grammars admit."""
    late: bool = False
    """Whether the time was up before anything else ended it."""
    barred: dict[str, bytes] = field(default_factory=dict)
    """How texts must not go on, because they did before and led in circles."""
    whole: str = ""
    """The longest text so far that could be left as it is."""
    reached: str = ""
    """The text so far up to its last word that is over, where that will do."""

    def __post_init__(self) -> None:
        owner = self.owner
        self.before += encode(self.statement.glue)
        self.sampler = self.sampler or Sampler(owner.wanted.sampling)
        self.leaf = LeafDecoder(owner.context, owner.engine, self.sampler)
        self.suffix = self.statement.canonical(self.statement.suffix, owner.words).strip()
        if self.suffix and self.statement.suffix[:1].isspace():
            self.suffix = f" {self.suffix}"
        self.scoping = Scoping(
            owner.surface,
            owner.spec,
            _Framed(self.statement, self.suffix, owner.surface.lexer.terminator)
            if self.suffix
            else self.statement,
            owner.engine,
            owner.context.vocabulary,
            owner.wanted.rung,
            owner.kept,
        )
        self.prefix = self.statement.canonical(self.statement.prefix, owner.words)
        self.start = len(encode(self.prefix))
        self.rung = owner.wanted.rung

    def write(self) -> str:
        """Write to the end of the statement, or to where the text behind the cursor may follow; gives the new text.

        Raises:
            Cancelled: `stop` said so.
            EngineError: The engine refused a grammar.
            ModelError: The model failed.
        """
        try:
            return self._write()
        except _OutOfTimeError:
            self.late = True
            return self._cut("the time was up")

    def _write(self) -> str:
        text = self.prefix
        for _ in range(_ROUNDS):
            text = self._settled(text, ended=False)
            ground = self.scoping.ground(text, self._read(text))
            if isinstance(ground, Refused):
                kept = _beginning(text, ground.at)
                if len(kept) < len(self.prefix):
                    self.unreadable = True
                    return self._cut("the text before the cursor is not what can be written on from")
                text = kept
                continue
            self.rung = min(self.rung, ground.rung)
            text, over = self._go_on(text, self._unbarred(text, self._until(ground)))
            if over:
                return self._settled(text, ended=True)[len(self.prefix) :]
            if (met := self._meets_suffix(text)) is not None:
                return met[len(self.prefix) :]
            if (again := circle(encode(text), self.start)) is not None:
                end, way = again
                text = _beginning(text, end)
                self.barred[text] = way
                self.reached = self.reached[: len(text)]
                self.reason = ""
            if self.reason:
                return self._cut(self.reason)
        return self._cut("it came to no end")

    def _cut(self, reason: str) -> str:
        """The longest text so far that could be left as it is; why it is no more is told."""
        self.reason = reason
        if self.owner.wanted.partial:
            return self.reached[len(self.prefix) :]
        if not self.whole:
            return ""
        try:
            return self._settled(self.whole, ended=True)[len(self.prefix) :]
        except _OutOfTimeError:
            return ""

    def _settled(self, text: str, *, ended: bool) -> str:
        """The text with each region written anew that turned out not to fit what its scope decided later."""
        for _ in range(_ROUNDS):
            misfit = self.scoping.misfit(text, ended=ended)
            if misfit is None:
                break
            again = self._widened(text, misfit, ended=ended)
            if again is None and misfit.clause.span.start >= self.start - 1:
                again = self._again(text, misfit)
            if again is None or again == text:
                self.scoping.tolerate(misfit)
                self.rung = min(self.rung, Rung.GAMMA)
            else:
                text = again
        return text

    def _widened(self, text: str, misfit: Misfit, *, ended: bool) -> str | None:
        """The text with its scope having what a region named too early, if there is one way to that."""
        spec = self.owner.spec.widening
        found = None if spec is None else widening(spec, self.scoping.draft, text, misfit)
        if found is None or found[0] < self.start:
            return None
        at, more = found
        data = encode(text)
        wider = decode(data[:at]) + more + decode(data[at:])
        left = self.scoping.misfit(wider, ended=ended)
        if left is not None and left.scope.span.start == misfit.scope.span.start:
            return None
        self.ledger.gave(encode(more))
        self.ledger.tokens += len(self.owner.context.vocabulary.encode(encode(more)))
        self.owner.told(Text(at - self.start, encode(more) + data[at:]))
        return wider

    def _go_on(self, text: str, ground: Ground) -> tuple[str, bool]:
        """Write on until the ground changes; tells whether the model ended the text."""
        data = encode(text)
        state = self.scoping.state(text)

        def pauses(written: bytes, tokens: int) -> bool:
            if open_bytes(written):
                return False
            now = written.decode()
            if ground.matcher.is_complete():
                self.whole = now
            if self.owner.wanted.partial and self._is_over(now, ground.matcher):
                self.reached = now
            if self.owner.wanted.one_line and (line := _first_line(now, len(self.prefix))) is not None:
                self.reached = line
                self.reason = "one line was wanted"
                return True
            if self._meets_suffix(now) is not None or circle(written, self.start) is not None:
                return True
            if self.ledger.tokens + tokens >= self.owner.wanted.budget:
                self.reason = f"the budget of {self.owner.wanted.budget} tokens is used up"
            return bool(self.reason) or self.scoping.state(now) != state

        def told(at: int, piece: bytes) -> None:
            self.owner.told(Text(max(0, at - self.start), piece[max(0, self.start - at) :]))

        tail = data[ground.read :]
        shown = self._shown(data[self.start :], len(tail))
        stretch = Stretch(ground.matcher, data[: ground.read], tail, shown)
        written = self._bounded(
            lambda stop: self.leaf.go_on(stretch, pauses, self.ledger, told, stop, parting=self._parting)
        )
        if written.reason:
            self.reason = written.reason
        return decode(written.text), not written.paused and not written.reason

    def _is_over(self, text: str, matcher: Matcher) -> bool:
        """Whether a text ends where a word does, and in no string."""
        if text[-1:].isalnum():
            if not matcher.accept_bytes(b" "):
                return matcher.is_complete()
            matcher.rollback(1)
        return not self.statement.is_open(text)

    @property
    def _parting(self) -> tuple[bytes, ...]:
        """A comment behind a statement is about it, or about the next one."""
        spec = self.owner.surface.lexer
        return tuple(
            map(encode, (*(mark.strip() for mark in spec.line_comments), *(spec.block_comment or ())[:1]))
        )

    def _meets_suffix(self, text: str) -> str | None:
        """New text as far as the rest of the statement could follow it, where it goes on as that does; None elsewhere."""
        first = self.suffix.split(maxsplit=1)[:1]
        new = text[len(self.prefix) :]
        at = new.rfind(first[0]) if first else -1
        if at < 0 or new[at + len(first[0]) :].strip():
            return None
        kept = self.prefix + new[:at].removesuffix(" " if self.suffix.startswith(" ") else "")
        ground = self.scoping.ground(kept, len(encode(kept)))
        if isinstance(ground, Refused) or not self._until(ground).matcher.is_complete():
            return None
        return kept

    def _until(self, ground: Ground) -> Ground:
        """The ground of a text that is over where the rest of the statement may follow."""
        if not self.suffix:
            return ground
        until = Until(ground.matcher, encode(self.suffix), self.owner.context.vocabulary)
        return replace(ground, matcher=until)

    def _unbarred(self, text: str, ground: Ground) -> Ground:
        """The ground of a text, without the way on that only led in circles."""
        way = self.barred.get(text)
        if way is None:
            return ground
        left = len(encode(text)) - ground.read
        barred = Barred(ground.matcher, way, left, self.owner.context.vocabulary)
        return replace(ground, matcher=barred)

    def _read(self, text: str) -> int:
        """How many bytes of the text are in tokens that need not be reconsidered."""
        data = encode(text)
        tail = shown_before(self.owner.context, self.before + data[self.start :]).tail
        return len(data) - (len(tail) if data.endswith(tail) else 0)

    def _ids(self, whole: bytes, tail: int) -> tuple[int, ...]:
        vocabulary = self.owner.context.vocabulary
        ids = (*vocabulary.opening, *vocabulary.encode(whole[: len(whole) - tail]))
        return ids or tuple(vocabulary.encode(b"\n"))

    def _shown(self, new: bytes, tail: int) -> tuple[int, ...]:
        """What the model is shown before it goes on, without the text's last bytes; what follows too, if it can be shown."""
        vocabulary = self.owner.context.vocabulary
        if not self.suffix or vocabulary.fim is None or tail > len(new):
            return self._ids(self.before + new, tail)
        framed = between(vocabulary, self.before, encode(self.suffix), 0)
        return (*framed, *vocabulary.encode(new[: len(new) - tail]))

    def _again(self, text: str, misfit: Misfit) -> str | None:
        """The text with a region written anew between what stands on both sides of it."""
        grammar = self.scoping.region(misfit.clause.name, misfit.environment)
        if grammar is None:
            return None
        data, span = encode(text), misfit.clause.span
        left, right = data[: span.start] + b" ", data[span.end :]
        follow = window(right, 1)
        whole = concatenated(grammar, follow)
        matcher = self.owner.engine.compile(whole, self.owner.context.vocabulary)
        self.owner.told(Text(max(0, len(left) - self.start), b""))
        written = self._bounded(
            lambda stop: self.leaf.go_on(
                Stretch(matcher, b"", b"", self._around(self.before + left[self.start :], right)),
                lambda now, tokens: matcher.is_complete() or tokens >= _REGION or circle(now) is not None,
                self.ledger,
                lambda _at, _piece: None,
                stop,
            )
        )
        again = circle(written.text)
        begun = written.text if again is None else written.text[: again[0]]
        found = begun if again is None and matcher.is_complete() else ended(whole, begun)
        if found is None:
            return None
        region = found[: len(found) - len(follow)]
        self.owner.told(Text(max(0, len(left) - self.start), region + right))
        return decode(left + region + right)

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
        try:
            return write(self.patience.over)
        except Cancelled:
            if self.patience.gone():
                raise
            raise _OutOfTimeError from None


def _first_line(text: str, start: int) -> str | None:
    """A text up to the end of the first line behind `start` that says something; None where that goes on."""
    new = text[start:]
    head, line_break, _ = new.lstrip().partition("\n")
    if not line_break:
        return None
    return text[:start] + new[: len(new) - len(new.lstrip())] + head.rstrip()


def _beginning(text: str, at: int) -> str:
    """The text's first bytes, as far as they are whole characters."""
    return encode(text)[:at].decode(errors="ignore")
