"""What forced text saves: time to write statements with slots against free decoding of the very same texts.

What a grammar forces is written without asking the model and read by it in one step; free decoding asks it at each token.
The statements and their schema lie in `forced.toml`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import msgspec

from gproj_lsp import tomlfile
from gproj_lsp.bench.sheet import Sheet, Value
from gproj_lsp.decode.base import MaskEngine
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.leaf import LeafDecoder, Task
from gproj_lsp.decode.sampling import Sampler
from gproj_lsp.decode.trace import Ledger
from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.errors import InputError
from gproj_lsp.fragment import Fragment, Rung, SlotLadder, instantiate
from gproj_lsp.gbnf import Grammar, Literal, Slot, parse, sequence

__all__ = ["BARS", "PINNED", "Pinned", "Statement", "read_pinned", "run"]

PINNED = Path(__file__).with_name("forced.toml")
BARS = {"slots": 0.80, "fixed": 0.55}
"""The most that writing may take of what free decoding takes, by kind of statement."""
_MARK = re.compile(r"(%column%)")
_OPEN = parse("root ::= open\nopen ::= [a-z] [a-z_]*", "bench").rules["open"]


@dataclass(frozen=True)
class Statement:
    """A statement with slots.

    Attributes:
        kind: `slots` where names prevail, `fixed` where fixed text does.
        text: Its text; each mark is a slot for a column.
    """

    kind: str
    text: str

    @property
    def fragment(self) -> Fragment:
        """The same as a fragment."""
        parts = _MARK.split(self.text)
        items = [Slot("column") if at % 2 else Literal(part) for at, part in enumerate(parts) if part]
        return Fragment(
            anchor="Statement",
            grammar=Grammar({"root": sequence(tuple(items)), "open": _OPEN}),
            slots={"column": SlotLadder("open", {Rung.GAMMA: Query.of("Column")})},
            regions={},
        )


class _File(msgspec.Struct, forbid_unknown_fields=True):
    schema: dict[str, list[str]]
    statements: list[Statement]


@dataclass(frozen=True)
class Pinned:
    """What is measured.

    Attributes:
        environment: Γ.
        head: The schema as the model is shown it.
        statements: The statements.
    """

    environment: Environment
    head: str
    statements: tuple[Statement, ...]


@dataclass
class _Kind:
    """What the statements of one kind took, a value a statement and round."""

    tokens: list[int] = field(default_factory=list)
    forced: int = 0
    size: int = 0
    masked: list[float] = field(default_factory=list)
    free: list[float] = field(default_factory=list)


def read_pinned(path: Path = PINNED) -> Pinned:
    """A schema and statements.

    Raises:
        InputError: The file can't be read, or is something else.
    """
    try:
        file = msgspec.convert(tomlfile.read(path).table, _File)
    except msgspec.ValidationError as error:
        raise InputError(f"no schema with statements: {error}", place=str(path)) from error
    tables = file.schema.items()
    environment = Environment.of(
        Binding(column, "Column", owner=name) for name, columns in tables for column in columns
    )
    head = "".join(f"CREATE TABLE {name} ({', '.join(columns)});\n" for name, columns in tables)
    return Pinned(environment, head, tuple(file.statements))


def run(  # noqa: PLR0913  (adapters, data, and how much of it)
    context: Context,
    engine: MaskEngine,
    pinned: Pinned,
    *,
    rounds: int = 5,
    processor: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Sheet:
    """Measure.

    Args:
        context: The model.
        engine: The mask engine.
        pinned: What to write.
        rounds: How often each statement is written, under its grammar and free, in turns.
        processor: Measure processor time rather than time; with one thread, a busy machine does not change it.
        progress: Told how many rounds of how many are done.

    Raises:
        EngineError: The engine refused a grammar.
        ModelError: The model failed.
    """
    clock = time.process_time if processor else time.perf_counter
    shown = tuple(context.vocabulary.encode(f"{pinned.head}--".encode()))
    kinds: dict[str, _Kind] = {}
    for turn in range(rounds + 1):  # the first one warms
        for statement in pinned.statements:
            found = _Kind() if not turn else kinds.setdefault(statement.kind, _Kind())
            _measure(found, statement, pinned.environment, context, engine, shown, clock)
        progress(turn, rounds)
    return Sheet(
        f"Forced text, model {context.model.name}, engine {engine.name}",
        ("statements", "tokens", "forced", "ms", "free ms", "ratio", "at most"),
        tuple(_row(name, kind, rounds) for name, kind in kinds.items()),
        (
            "ms: to instantiate, compile and write one statement. free ms: the model's argmax at each token of the same text.",
            "forced: the share of the text that was written without asking; what it ends with the model need not even read.",
            "ratio: the median over statements and rounds.",
            f"{'Processor time' if processor else 'Time'}; {rounds} rounds in turns; statements and schema: {PINNED.name}.",
        ),
    )


def _row(name: str, kind: _Kind, rounds: int) -> tuple[Value, ...]:
    ratio = median(one / other for one, other in zip(kind.masked, kind.free, strict=True))
    return (
        name,
        sum(kind.tokens) // rounds,
        kind.forced / kind.size,
        median(kind.masked) * 1000,
        median(kind.free) * 1000,
        ratio,
        BARS.get(name),
    )


def _measure(  # noqa: PLR0913  (what, where, with what, and the clock)
    found: _Kind,
    statement: Statement,
    environment: Environment,
    context: Context,
    engine: MaskEngine,
    shown: tuple[int, ...],
    clock: Callable[[], float],
) -> None:
    ledger = Ledger()
    fragment = statement.fragment
    _restart(context, shown)
    began = clock()
    instance = instantiate(fragment, environment, Rung.GAMMA)
    decoder = LeafDecoder(context, engine, Sampler())
    written = decoder.decode(Task(instance.grammar, shown, 4096, closed=True), ledger, _ignore)
    found.masked.append(clock() - began)
    ids = context.vocabulary.encode(written.text)
    _restart(context, shown)
    began = clock()
    logits = context.show(shown)
    for token in ids[:-1]:
        logits.argmax()
        logits = context.feed((token,))
    logits.argmax()
    found.free.append(clock() - began)
    found.tokens.append(len(ids))
    found.forced += ledger.forced
    found.size += len(written.text)


def _restart(context: Context, shown: Sequence[int]) -> None:
    """Both arms begin with the text before read, and its last token yet to read."""
    context.show((*shown, shown[0]))
    context.rewind(len(shown) - 1)


def _ignore(at: int, data: bytes) -> None:
    del at, data
