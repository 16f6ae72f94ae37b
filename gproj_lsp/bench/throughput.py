"""What masks cost: tokens a second under the mask over tokens a second of the same model loop without one.

Both arms write the same number of tokens after the same text, in turns, in one process; a figure is the median
over the pairs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from gproj_lsp.bench.names import bindings
from gproj_lsp.bench.sheet import Sheet
from gproj_lsp.decode.base import MaskEngine
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.leaf import LeafDecoder, Task
from gproj_lsp.decode.sampling import Sampler
from gproj_lsp.decode.trace import Ledger
from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.fragment import Fragment, Rung, SlotLadder, instantiate
from gproj_lsp.gbnf import parse

__all__ = ["SIZES", "run"]

SIZES = (10, 300, 3000)
_NAMES = 12
_FRAGMENT = Fragment(
    anchor="Column",
    grammar=parse(
        'root ::= " " %name% ("," " " %name%){' + str(_NAMES - 1) + '} ";"\nopen ::= [a-z] [a-z_]*', "bench"
    ),
    slots={"name": SlotLadder("open", {Rung.GAMMA: Query.of("Column")})},
    regions={},
)
_SHOWN = b"SELECT"


@dataclass(frozen=True)
class _Pair:
    """Seconds and tokens of one pair of runs."""

    masked: float
    free: float
    tokens: int
    free_tokens: int

    @property
    def ratio(self) -> float:
        return (self.tokens / self.masked) / (self.free_tokens / self.free)


def run(
    context: Context,
    engine: MaskEngine,
    *,
    sizes: Sequence[int] = SIZES,
    rounds: int = 7,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Sheet:
    """Measure.

    Args:
        context: The model.
        engine: The mask engine.
        sizes: How many names Γ holds.
        rounds: Pairs for each size and arm.
        progress: Told how many pairs of how many are done.

    Raises:
        EngineError: The engine refused a grammar.
        ModelError: The model failed.
    """
    decoder = LeafDecoder(context, engine, Sampler())
    rows: list[tuple[str | int | float | None, ...]] = []
    done = 0
    for size in sizes:
        for changes in (False, True):
            pairs = []
            _pair(decoder, size, 0, changes=False)  # warm
            for turn in range(rounds):
                pairs.append(_pair(decoder, size, turn + 1, changes=changes))
                done += 1
                progress(done, 2 * rounds * len(sizes))
            rows.append(
                (
                    "changed" if changes else "fixed",
                    size,
                    median(pair.tokens / pair.masked for pair in pairs),
                    median(pair.free_tokens / pair.free for pair in pairs),
                    median(pair.ratio for pair in pairs),
                    median(pair.tokens for pair in pairs),
                )
            )
    return Sheet(
        f"Throughput, model {context.model.name}, engine {engine.name}",
        ("Γ", "names", "masked tok/s", "free tok/s", "ratio", "tokens"),
        tuple(rows),
        (
            f"A hole is a list of {_NAMES} names; greedy. fixed: the same Γ in every hole.",
            "changed: a name is declared before each hole; its instantiation and compilation are part of the time.",
            f"free: as many tokens by the model's plain argmax. Medians of {rounds} pairs run in turns.",
        ),
    )


def _pair(decoder: LeafDecoder, size: int, turn: int, *, changes: bool) -> _Pair:
    environment = Environment.of(bindings(size))
    if changes:
        environment = environment.declare(Binding(f"fresh_{turn}_{size}", "Column"))
    shown = tuple(decoder.context.vocabulary.encode(_SHOWN))
    _restart(decoder.context, shown)
    began = time.perf_counter()
    instance = instantiate(_FRAGMENT, environment, Rung.GAMMA)
    ledger = Ledger()
    decoder.decode(Task(instance.grammar, shown, 4096, closed=True), ledger, _ignore)
    masked = time.perf_counter() - began
    tokens = ledger.tokens
    _restart(decoder.context, shown)
    began = time.perf_counter()
    _free(decoder.context, shown, tokens)
    return _Pair(masked, time.perf_counter() - began, tokens, tokens)


def _restart(context: Context, shown: tuple[int, ...]) -> None:
    """Both arms begin with the text before read, and its last token yet to read."""
    context.show((*shown, shown[0]))
    context.rewind(len(shown) - 1)


def _free(context: Context, shown: tuple[int, ...], tokens: int) -> None:
    logits = context.show(shown)
    for _ in range(tokens - 1):
        logits = context.feed((int(logits.argmax()),))
    logits.argmax()


def _ignore(at: int, data: bytes) -> None:
    del at, data
