"""Writing on line by line, where indentation tells what belongs together: each line enters Γ before the next is written.

What a line may be is one grammar, with the indentations that it may have. Names that it declares are then in scope for the next
one. Where operands of a finished line do not fit together, they are chosen once more (`fitting`). A text that could not be
brought to its end is begun anew, where choices are drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gproj_lsp.decode.executor import Executor
from gproj_lsp.decode.fitting import Fitting, Here, Reader
from gproj_lsp.decode.hole import Decoded, Place, Stranded, Wishes
from gproj_lsp.decode.patience import Patience
from gproj_lsp.decode.trace import Ledger, Text
from gproj_lsp.environment import EMPTY
from gproj_lsp.errors import Cancelled, EmptyQueryError
from gproj_lsp.expansion import Keywords, Letters, expand
from gproj_lsp.fragment import Fragment, Rung
from gproj_lsp.gbnf import Alt, Expr, Grammar, Literal, Ref, alternation, rebuild, sequence
from gproj_lsp.policy import Policy
from gproj_lsp.text import decode, encode

if TYPE_CHECKING:
    from gproj_lsp.decode.passage import Desk
    from gproj_lsp.environment import Environment
    from gproj_lsp.holes import Hole
    from gproj_lsp.surface import LinesSpec

__all__ = ["Lines"]

_MOST = 48
"""Lines of one completion."""
_LONGEST = 64
"""Tokens of one line."""
_KINDS = 5
"""Kinds of line that are tried before it is given up."""
_BEGINNINGS = 4
"""How often text is begun anew that could not be brought to its end, where choices are drawn."""
_SEEDS = 10_000
"""Numbers that one completion may draw from."""
_UNIT = 4
_INDENT = re.compile(r"[ \t]*")


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
        form: What the surface says of lines.
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
    form: LinesSpec
    text: str
    offset: int
    reader: Reader
    shown: Callable[[str], bytes]
    patience: Patience
    ledger: Ledger = field(default_factory=Ledger)
    reason: str = ""
    late: bool = False

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
        for beginning in range(_BEGINNINGS if self.desk.wanted.sampling.temperature else 1):
            self.reason, written = "", ""
            for line in self._lines(base, indent, after, beginning * _MOST):
                written = f"{written}{line}\n"
                self.desk.told(Text(0, encode((head + written).removeprefix(typed))))
            if not self.reason or self.late or self._enough:
                break
        if not self.desk.wanted.one_line and (closed := _closed(written)) != written:
            self.reason = self.reason or "a block was left empty"
            written = closed
        return (head + written).rstrip("\n").removeprefix(typed) if written else ""

    @property
    def _enough(self) -> bool:
        """Whether no more than what there is was wanted."""
        return self.desk.wanted.one_line or self.ledger.tokens >= self.desk.wanted.budget

    def _lines(self, base: str, indent: str, after: str, first: int) -> Iterator[str]:
        """Line after line, until there is none or there may be no more.

        Args:
            base: The document up to the first.
            indent: The indentation of that.
            after: The document behind the cursor.
            first: The number of the first; what is drawn depends on it.
        """
        levels: list[_Level] = []
        opened = indent
        for number in range(first, first + _MOST):
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
        self.reason = f"there are {_MOST} lines"

    def _line(self, base: str, after: str, levels: list[_Level], opened: str, number: int) -> str:
        """The next line, without its break; empty where there is none.

        Args:
            base: The document up to the line.
            after: The document behind the cursor.
            levels: The blocks that are open, the innermost last; a block that is left is taken away.
            opened: The indentation that the line must have; empty: any of those of open blocks.
            number: The line's; what is drawn depends on it.
        """
        indent = opened or levels[-1].indent
        hole = self._hole(base, indent, after)
        if hole is None:
            self.reason = "what may stand here can't be told"
            return ""
        if opened:
            levels.append(_Level(indent, self._sort(hole.region)))
        end = None if opened or self._unfinished(hole.environment) else _first_line(after)
        blocks = levels[-1:] if opened else [each for each in levels if each.sort not in self.form.once]
        ways = [(each.indent, self._grammar(each.sort, hole.environment)) for each in blocks]
        try:
            line = self._fits(ways, end, Here(base, after, hole.environment), number)
        except (EmptyQueryError, Stranded) as error:
            self.reason = str(error)
            return ""
        while levels and line.strip() and levels[-1].indent != _indent(line):
            levels.pop()
        return line

    def _unfinished(self, environment: Environment) -> bool:
        """Whether there is still something to be done before text may end."""
        return any(environment.names(query) for query in self.form.unfinished)

    def _fits(self, ways: Sequence[_Way], end: str | None, here: Here, number: int) -> str:
        """A line for whose operands there are names that fit; empty where none is to be."""
        for attempt in range(_KINDS):
            grammar = _together(ways, end)
            drawn = number + attempt * _MOST * _BEGINNINGS
            found = self._decoded(grammar, here.base, drawn).text
            line = "" if found == end else self._fitting(here, found, grammar, drawn)
            if line is not None:
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
        rung = min(max(self.desk.wanted.rung, Rung.GAMMA), Rung.CTX)
        letters = Letters(Keywords.WRITTEN)
        try:
            return expand(sort, self.desk.surface.fragments, environment, lambda _: rung, letters)
        except EmptyQueryError:
            return None

    def _without(self, grammar: Grammar, line: str) -> Grammar | None:
        """A grammar of lines without the kinds of line, first choices of its start, that one is of."""
        start = grammar.start
        while isinstance(rule := grammar.rules[start], Ref):
            start = rule.rule
        choices = rule.choices if isinstance(rule, Alt) else (rule,)
        kept = []
        for each in choices:
            alone = Grammar({**grammar.rules, start: each}, grammar.start, grammar.closed)
            if not self._admits(alone, line):
                kept.append(each)
        if not kept:
            return None
        return Grammar({**grammar.rules, start: alternation(tuple(kept))}, grammar.start, grammar.closed)

    def _decoded(self, grammar: Grammar, base: str, number: int) -> Decoded:
        wanted = self.desk.wanted
        seed = wanted.sampling.seed
        sampling = replace(wanted.sampling, seed=None if seed is None else seed * _SEEDS + number)
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
        self.ledger.add(decoded.ledger)
        return decoded

    def _fitting(self, here: Here, line: str, grammar: Grammar, number: int) -> str | None:
        """A line with its operands chosen once more where they do not fit together; None where none do."""
        if self.desk.wanted.rung is not Rung.CTX:
            return line
        fitting = Fitting(
            self.desk.surface,
            self.reader,
            lambda text: self._admits(grammar, text),
            lambda choices: self._decoded(choices, here.base, number).text,
        )
        return fitting.line(here, line)

    def _admits(self, grammar: Grammar, text: str) -> bool:
        """Whether a line may begin so."""
        return self.desk.engine.compile(grammar, self.desk.context.vocabulary).accept_bytes(encode(text))


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
