"""Writing on line by line, where indentation tells what belongs together: each line enters Γ before the next is written.

What a line may be is one grammar at GAMMA, with the indentations that it may have. Names that it declares are then in scope for
the next one. Where operands of a finished line do not fit together, they are written once more, as holes are, at CTX.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.decode.executor import Executor
from gproj_lsp.decode.fill import Analysed, Filler
from gproj_lsp.decode.hole import Decoded, Place, Stranded, Wishes
from gproj_lsp.decode.patience import Patience
from gproj_lsp.decode.trace import Ledger, Text
from gproj_lsp.environment import EMPTY, Query
from gproj_lsp.errors import Cancelled, EmptyQueryError, InputError
from gproj_lsp.expansion import Keywords, Letters, expand
from gproj_lsp.fragment import Fragment, Rung, candidates
from gproj_lsp.gbnf import Alt, Expr, Grammar, Literal, Ref, alternation, rebuild, sequence
from gproj_lsp.policy import Policy
from gproj_lsp.text import decode, encode

if TYPE_CHECKING:
    from gproj_lsp.decode.passage import Desk
    from gproj_lsp.environment import Environment
    from gproj_lsp.holes import Hole

__all__ = ["Lines"]

_MOST = 48
"""Lines of one completion."""
_LONGEST = 64
"""Tokens of one line."""
_TRIES = 3
"""How often a line is written that says nothing new, before another kind of line is asked for."""
_KINDS = 5
"""Kinds of line that are tried before it is given up."""
_IDLE = 2
"""A name that occurs so often, its declaration included, is hardly made use of: it was cleared, perhaps."""
_UNIT = 4
_ASSIGNED = re.compile(r"[ \t]*(?P<name>[^\W\d]\w*) = (?P<value>.+)\Z")
_WORD = re.compile(r"[^\W\d]\w*")
_INDENT = re.compile(r"[ \t]*")
_HOLE = "??"


class Reader(Protocol):
    """Analyses documents."""

    def analyse(self, text: str, cursor: int | None = None) -> Analysed:
        """What is known of a text."""
        ...


_Way = tuple[str, Grammar | None]
"""An indentation, and what a line behind it may be."""


@dataclass(frozen=True)
class _Level:
    """A block that is open.

    Attributes:
        indent: The indentation of its lines.
        sort: What a line of it is.
    """

    indent: str
    sort: str


@dataclass
class Lines:
    """One completion being written, line by line.

    Attributes:
        desk: With what.
        text: The document.
        offset: The cursor, in bytes.
        reader: Analyses the document.
        shown: What the model is shown before a text that is written at the end of another.
        patience: Asked before each step of the model.
        ledger: What it cost so far.
        reason: Why it stops before its end.
        late: Whether the time was up before anything else ended it.
    """

    desk: Desk
    text: str
    offset: int
    reader: Reader
    shown: Callable[[str], bytes]
    patience: Patience
    ledger: Ledger = field(default_factory=Ledger)
    reason: str = ""
    late: bool = False
    unreadable: bool = False

    @property
    def rung(self) -> Rung:
        """How strongly names that have to fit were held to that: a line whose operands can't fit is not taken."""
        return self.desk.wanted.rung

    def write(self) -> str:
        """Write lines until the model ends them, or what stands behind the cursor goes on.

        Raises:
            Cancelled: `stop` said so.
            EngineError: The engine refused a grammar.
            ModelError: The model failed.
        """
        data = encode(self.text)
        before, after = decode(data[: self.offset]), decode(data[self.offset :])
        head, typed, indent = _start(before)
        base = before.removesuffix(typed) + head
        written = ""
        for line in self._lines(base, indent, after):
            written = f"{written}{line}\n"
            self.desk.told(Text(0, encode((head + written).removeprefix(typed))))
        if not self.desk.wanted.one_line and (closed := _closed(written)) != written:
            self.reason = self.reason or "a block was left empty"
            written = closed
        return (head + written).rstrip("\n").removeprefix(typed) if written else ""

    def _lines(self, base: str, indent: str, after: str) -> Iterator[str]:
        """Line after line, until there is none or there may be no more.

        Args:
            base: The document up to the first.
            indent: The indentation of that.
            after: The document behind the cursor.
        """
        levels: list[_Level] = []
        opened = indent
        for number in range(_MOST):
            try:
                line = self._line(base, after, levels, opened, number)
            except Cancelled:
                if self.patience.gone():
                    raise
                self.late, self.reason = True, "the time was up"
                return
            if not line.strip():
                return
            yield line
            base, opened = f"{base}{line}\n", _opened(line)
            if self.desk.wanted.one_line:
                self.reason = "one line was wanted"
            elif self.ledger.tokens >= self.desk.wanted.budget:
                self.reason = f"the budget of {self.desk.wanted.budget} tokens is used up"
            if self.reason:
                return

    def _line(self, base: str, after: str, levels: list[_Level], opened: str, number: int) -> str:
        """The next line, without its break; empty where there is none.

        Args:
            base: The document up to the line.
            after: The document behind the cursor.
            levels: The blocks that are open, the innermost last; a block that is left is taken away.
            opened: The indentation that the line must have; empty: any of those of open blocks.
            number: How many lines there are already.
        """
        indent = opened or levels[-1].indent
        hole = self._hole(base, indent, after)
        if hole is None:
            self.reason = "what may stand here can't be told"
            return ""
        if opened:
            levels.append(_Level(indent, self._sort(hole.region)))
        unfinished = opened or self._unused(hole.environment, base)
        end = None if unfinished else _first_line(after)
        blocks = levels[-1:] if opened else levels
        ways = [(each.indent, self._grammar(each.sort, hole.environment)) for each in blocks]
        try:
            line = self._fits(ways, end, base, after, number)
        except (EmptyQueryError, Stranded) as error:
            self.reason = str(error)
            return ""
        while levels and line.strip() and levels[-1].indent != _indent(line):
            levels.pop()
        return line

    def _unused(self, environment: Environment, base: str) -> bool:
        """Whether something is declared around the place that operations take, and none has taken yet."""
        names = (each.name for each in environment.names(Query(frozenset(self._asked))))
        code = "\n".join(line.partition(self.desk.surface.comment)[0] for line in base.splitlines())
        return any(len(re.findall(rf"\b{re.escape(name)}\b", code)) == 1 for name in names)

    @property
    def _asked(self) -> set[str]:
        """The sorts of names that have to fit where they stand, which share a name space with others."""
        sorts = self.desk.surface.sorts
        return {name for name, sort in sorts.items() if sort.namespace != name and Rung.CTX in sort.rungs}

    def _fits(self, ways: Sequence[_Way], end: str | None, base: str, after: str, number: int) -> str:
        """A line for whose operands there are names that fit; empty where none is to be."""
        last = base.removesuffix("\n").rpartition("\n")[2]
        for attempt in range(_KINDS):
            found = self._chosen(ways, end, base, number + attempt * _MOST)
            line = "" if found == end else self._fitting(base, found, after)
            if line is not None and line != last:
                return line
            ways = self._barred(ways, found)
        raise Stranded("nothing that could be written here has operands that fit")

    def _barred(self, ways: Sequence[_Way], line: str) -> list[_Way]:
        """What lines may be, without the kinds that one is of."""
        text = line.strip()
        return [
            (indent, self._without(grammar, text) if grammar is not None else None)
            for indent, grammar in ways
        ]

    def _hole(self, base: str, indent: str, after: str) -> Hole | None:
        """Where a line of an indentation would stand."""
        start = len(encode(base + indent))
        document = f"{base}{indent}{{:{self.desk.spec.sort}}}{after}"
        return next((hole for hole in self.reader.analyse(document).holes if hole.span.start == start), None)

    def _sort(self, region: Sequence[str]) -> str:
        """What a line is, by the innermost region that says so."""
        scopes = self.desk.spec.scopes
        return next((scopes[each] for each in reversed(region) if each in scopes), self.desk.spec.sort)

    def _grammar(self, sort: str, environment: Environment) -> Grammar | None:
        """What a line of a block may be; None where nothing may."""
        rung = min(self.desk.wanted.rung, Rung.GAMMA)
        letters = Letters(Keywords.WRITTEN)
        try:
            return expand(sort, self.desk.surface.fragments, environment, lambda _: rung, letters)
        except EmptyQueryError:
            return None

    def _chosen(self, ways: Sequence[_Way], end: str | None, base: str, number: int) -> str:
        """A line that does not repeat what hardly anything has made use of; where the model insists, one of another kind."""
        idle = set(_idle(base))
        for attempt in range(_TRIES):
            text = self._decoded(_together(ways, end), base, number + attempt * _MOST).text
            if text == end or _form(text) not in idle:
                return text
        return self._decoded(_together(self._barred(ways, text), end), base, number).text

    def _without(self, grammar: Grammar, line: str) -> Grammar | None:
        """A grammar of lines without the kinds of line, first choices of its start, that one is of."""
        start = grammar.start
        while isinstance(rule := grammar.rules[start], Ref):
            start = rule.rule
        choices = rule.choices if isinstance(rule, Alt) else (rule,)
        vocabulary = self.desk.context.vocabulary
        kept = []
        for each in choices:
            alone = Grammar({**grammar.rules, start: each}, grammar.start, grammar.closed)
            if not self.desk.engine.compile(alone, vocabulary).accept_bytes(encode(line)):
                kept.append(each)
        if not kept:
            return None
        return Grammar({**grammar.rules, start: alternation(tuple(kept))}, grammar.start, grammar.closed)

    def _decoded(self, grammar: Grammar, base: str, number: int) -> Decoded:
        wanted = self.desk.wanted
        seed = wanted.sampling.seed
        sampling = replace(wanted.sampling, seed=None if seed is None else seed * _MOST + number)
        sort = self.desk.spec.sort
        fragments = {**self.desk.surface.fragments, sort: Fragment(sort, grammar, {}, {})}
        executor = Executor(
            self.desk.context,
            self.desk.engine,
            fragments,
            {sort: Policy((Rung.GAMMA,))},
            Wishes(sampling, budget=_LONGEST),
        )
        # What stands behind the cursor is one of the ways to go on, so it is not shown as what is to follow.
        decoded = executor.decode(sort, EMPTY, Place(self.shown(base)), stop=self.patience.over)
        self._spend(decoded.ledger)
        return decoded

    def _fitting(self, base: str, line: str, after: str) -> str | None:
        """A line with its operands written once more where they do not fit together; None where none do."""
        if self.desk.wanted.rung is not Rung.CTX:
            return line
        spots = list(self._operands(base, line, after))
        if all(line[start:end] in names for start, end, names in spots):
            return line
        wishes = Wishes(self.desk.wanted.sampling, budget=_LONGEST)
        filler = Filler(self.desk.surface, self.desk.context, self.desk.engine, wishes)
        for at in range(len(spots)):
            start = spots[at][0]
            holed = _with_holes(line, [(each[0], each[1]) for each in spots[at:]])
            offset = len(encode(base + holed[:start]))
            try:
                document = f"{base}{holed}\n{after}"
                decoded = filler.fill_at(
                    document, self.reader.analyse, offset, Rung.CTX, stop=self.patience.over
                )
            except (EmptyQueryError, InputError, Stranded):
                return None
            self._spend(decoded.ledger)
            end = spots[at][1]
            line = line[:start] + decoded.text + line[end:]
            shift = len(decoded.text) - (end - start)
            spots = [
                (one + shift, other + shift, names) if one > start else (one, other, names)
                for one, other, names in spots
            ]
        return line

    def _operands(self, base: str, line: str, after: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Where in a line names stand that have to fit, and those that would."""
        asked = self._asked
        for word in _WORD.finditer(line):
            start, end = word.span()
            offset = len(encode(base + line[:start]))
            document = f"{base}{line[:start]}{_HOLE}{line[end:]}\n{after}"
            holes = self.reader.analyse(document).holes
            hole = next((each for each in holes if each.span.start == offset), None)
            if hole is not None and hole.sort in asked:
                ladders = self.desk.surface.fragments[hole.sort].slots.values()
                found = (candidates(ladder, hole.environment, Rung.CTX) or () for ladder in ladders)
                yield start, end, tuple(name for names in found for name in names)

    def _spend(self, ledger: Ledger) -> None:
        self.ledger.free_bits += ledger.free_bits
        self.ledger.masks += ledger.masks
        self.ledger.given += ledger.given
        self.ledger.tokens += ledger.tokens
        self.ledger.model_calls += ledger.model_calls


def _start(before: str) -> tuple[str, str, str]:
    """How new lines begin: what must be added first, the indentation that is typed already, and the one that is wanted."""
    last = before.rpartition("\n")[2]
    lines = [line for line in before.splitlines() if line.strip()]
    wanted = (_opened(lines[-1]) or _indent(lines[-1])) if lines else ""
    if last.strip():
        return "\n", "", wanted
    return "", last, last or wanted


def _closed(lines: str) -> str:
    """Lines without those at their end that open blocks in which nothing stands."""
    kept = lines.splitlines()
    while kept and _opened(kept[-1]):
        kept.pop()
    return "".join(f"{line}\n" for line in kept)


def _form(line: str) -> str:
    """What a line gives a name to; empty: it gives none."""
    found = _ASSIGNED.match(line)
    return found["value"] if found else ""


def _idle(text: str) -> Iterator[str]:
    """What lines give names to that hardly occur elsewhere in a text."""
    for line in text.splitlines():
        found = _ASSIGNED.match(line)
        if found and len(re.findall(rf"\b{found['name']}\b", text)) <= _IDLE:
            yield found["value"]


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found[0] if found else ""


def _opened(line: str) -> str:
    """The indentation of the block that a line opens; empty: it opens none."""
    return _indent(line) + " " * _UNIT if line.rstrip().endswith(":") else ""


def _first_line(text: str) -> str:
    """The first line of a text that says something; empty: there is none."""
    return next((line.rstrip() for line in text.splitlines() if line.strip()), "")


def _together(ways: Sequence[_Way], end: str | None) -> Grammar:
    """A line of one of several blocks, each behind its indentation, or the text that stands behind all of them.

    Raises:
        EmptyQueryError: There is neither.
    """
    rules: dict[str, Expr] = {}
    closed: set[str] = set()
    choices: list[Expr] = []
    for number, (indent, grammar) in enumerate(ways):
        if grammar is None:
            continue
        mark = f"block-{number}-"

        def renamed(leaf: Expr, mark: str = mark) -> Expr:
            return Ref(mark + leaf.rule) if isinstance(leaf, Ref) else leaf

        rules |= {mark + name: rebuild(rule, renamed) for name, rule in grammar.rules.items()}
        closed |= {mark + name for name in grammar.closed}
        choices.append(
            sequence((Literal(indent), Ref(mark + grammar.start))) if indent else Ref(mark + grammar.start)
        )
    if end is not None:
        choices.append(Literal(end))
    if not choices:
        raise EmptyQueryError("line", hole="the next line", declared=())
    return Grammar({**rules, "line": alternation(tuple(choices))}, "line", frozenset(closed))


def _with_holes(line: str, spots: Sequence[tuple[int, int]]) -> str:
    """A line with holes in the place of names, of the same length where that can be."""
    for start, end in reversed(spots):
        line = line[:start] + _HOLE + line[end:]
    return line
