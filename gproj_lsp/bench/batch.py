"""What masks cost when many holes are decoded at once: tokens a second, free, under a plain grammar, and under Γ.

All arms decode the same holes after the same text, with the same model, in turns. Free decoding writes as many tokens a hole
as Γ's arm wrote there, forced ones included; ratios are medians over the rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from gproj_lsp.bench.names import bindings
from gproj_lsp.bench.sheet import Sheet, Value
from gproj_lsp.decode.base import BatchModel, LanguageModel, MaskEngine
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.lanes import Job, Lanes
from gproj_lsp.decode.leaf import LeafDecoder, Task
from gproj_lsp.decode.sampling import Sampler
from gproj_lsp.decode.trace import Ledger
from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.fragment import Fragment, Rung, SlotLadder, instantiate
from gproj_lsp.gbnf import parse

__all__ = ["PUBLISHED", "run"]

PUBLISHED = {1: (71.936 / 87.963, 71.936 / 86.048), 32: (1663.163 / 2374.071, 1663.163 / 2008.651)}
"""The paper's Table 4, Qwen3-0.6B on SQL: its system over unconstrained decoding, and over a plain grammar, by batch."""
_NAMES = 12
_FRAGMENT = Fragment(
    anchor="Column",
    grammar=parse(
        f'root ::= " " %name% ("," " " %name%){{{_NAMES - 1}}} ";"\nopen ::= [a-z] [a-z_]{{0,23}}', "bench"
    ),
    slots={"name": SlotLadder("open", {Rung.GAMMA: Query.of("Column")})},
    regions={},
)
_BUDGET = 256


@dataclass(frozen=True)
class _Arm:
    """What one arm took for all holes of a round."""

    seconds: float
    tokens: Sequence[int]

    @property
    def speed(self) -> float:
        return sum(self.tokens) / self.seconds


def run(  # noqa: PLR0913  (adapters, and how much of what)
    model: BatchModel,
    engine: MaskEngine,
    *,
    batches: Sequence[int] = (1, 32),
    size: int = 300,
    rounds: int = 3,
    processor: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Sheet:
    """Measure.

    Args:
        model: The model.
        engine: The mask engine.
        batches: How many holes are decoded at once.
        size: How many names Γ holds.
        rounds: How often each arm decodes all holes.
        processor: Measure processor time rather than time; with one thread, a busy machine does not change it.
        progress: Told how many runs of how many are done.

    Raises:
        EngineError: The engine refused a grammar.
        ModelError: The model failed.
    """
    clock = time.process_time if processor else time.perf_counter
    bench = _Bench(model, engine, Environment.of(bindings(size)), clock)
    rows: list[tuple[Value, ...]] = []
    for at, batch in enumerate(batches):
        bench.masked(batch, min(batch, 2), Rung.GAMMA, 0)  # warm
        found: list[tuple[_Arm, _Arm, _Arm]] = []
        for turn in range(rounds):
            full = bench.masked(batch, 2 * batch, Rung.GAMMA, turn + 1)
            free = bench.free(batch, full.tokens)
            plain = bench.masked(batch, 2 * batch, Rung.BASE, turn + 1)
            found.append((free, plain, full))
            progress(at * rounds + turn + 1, rounds * len(batches))
        rows.append(_row(batch, found))
    return Sheet(
        f"Throughput of several holes at once, model {model.name}, engine {engine.name}, {size} names",
        (
            "batch",
            "free tok/s",
            "grammar tok/s",
            "Γ tok/s",
            "Γ ÷ free",
            "Γ ÷ grammar",
            "published ÷ free",
            "published ÷ grammar",
        ),
        tuple(rows),
        (
            f"A hole is a list of {_NAMES} names; greedy; twice as many holes as are decoded at once.",
            "Γ: a name is declared before each hole; instantiation and compilation are part of the time, forced text counts.",
            "grammar: the same fragment with open identifiers. free: as many tokens a hole by the model's plain argmax.",
            f"{'Processor time' if processor else 'Time'}; medians of {rounds} rounds, all arms in turns.",
            "published: Table 4 of the paper, Qwen3-0.6B on SQL, vLLM with XGrammar on a GPU.",
        ),
    )


def _row(batch: int, found: Sequence[tuple[_Arm, _Arm, _Arm]]) -> tuple[Value, ...]:
    return (
        batch,
        *(median(arms[at].speed for arms in found) for at in range(3)),
        median(full.speed / free.speed for free, _, full in found),
        median(full.speed / plain.speed for _, plain, full in found),
        *PUBLISHED.get(batch, (None, None)),
    )


@dataclass(frozen=True)
class _Bench:
    """What all arms share."""

    model: BatchModel
    engine: MaskEngine
    environment: Environment
    clock: Callable[[], float]

    def masked(self, batch: int, holes: int, rung: Rung, turn: int) -> _Arm:
        return self._measured(batch, [self._hole(number, rung, turn) for number in range(holes)])

    def free(self, batch: int, tokens: Sequence[int]) -> _Arm:
        return self._measured(batch, [self._text(number, count) for number, count in enumerate(tokens)])

    def _measured(self, batch: int, jobs: Sequence[Job[int]]) -> _Arm:
        lanes = Lanes(self.model, batch)
        began = self.clock()
        outcomes = lanes.run(jobs)
        return _Arm(self.clock() - began, [outcome.get() for outcome in outcomes])

    def _hole(self, number: int, rung: Rung, turn: int) -> Job[int]:
        def job(model: LanguageModel) -> int:
            fresh = Binding(f"fresh_{turn}_{number}", "Column")
            instance = instantiate(_FRAGMENT, self.environment.declare(fresh), rung)
            context = Context(model)
            ledger = Ledger()
            task = Task(instance.grammar, self._shown(number), _BUDGET, closed=True)
            LeafDecoder(context, self.engine, Sampler()).decode(task, ledger, _ignore)
            return ledger.tokens

        return job

    def _text(self, number: int, tokens: int) -> Job[int]:
        def job(model: LanguageModel) -> int:
            context = Context(model)
            logits = context.show(self._shown(number))
            for _ in range(tokens - 1):
                logits = context.feed((int(logits.argmax()),))
            logits.argmax()
            return tokens

        return job

    def _shown(self, number: int) -> tuple[int, ...]:
        return tuple(
            self.model.vocabulary.encode(f"-- what page {number + 1} of the report shows\nSELECT".encode())
        )


def _ignore(at: int, data: bytes) -> None:
    del at, data
