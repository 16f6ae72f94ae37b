"""What a changed Γ costs.

Time to the first mask of a hole, beside the engine alone; and model steps to the first text of a file's next hole.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from gproj_lsp.bench.alone import Alone, llguidance_alone
from gproj_lsp.bench.names import bindings
from gproj_lsp.bench.sheet import Sheet
from gproj_lsp.decode.base import MaskEngine, Vocabulary, mask_words
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines.trie import TrieFirst
from gproj_lsp.decode.fill import Analyse, Filler
from gproj_lsp.decode.trace import Event, HoleEntered, Text
from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.fragment import Fragment, Rung, SlotLadder, instantiate
from gproj_lsp.gbnf import parse
from gproj_lsp.surface import Surface

__all__ = ["ALONE", "SIZES", "run", "second_hole"]

SIZES = (10, 300, 1000, 3000)
ALONE: Mapping[str, Alone] = {"llguidance": llguidance_alone}
"""How to run an engine by itself, by its name."""
_FRAGMENT = Fragment(
    anchor="Column",
    grammar=parse('root ::= " " %name%\nopen ::= [a-z] [a-z_]*', "bench"),
    slots={"name": SlotLadder("open", {Rung.GAMMA: Query.of("Column")})},
    regions={},
)


def run(
    vocabulary: Vocabulary,
    engine: MaskEngine,
    *,
    alone: Alone | None = None,
    sizes: Sequence[int] = SIZES,
    rounds: int = 15,
) -> Sheet:
    """Declare a name, and measure until the first mask of a hole is there.

    Args:
        vocabulary: The model's.
        engine: The mask engine.
        alone: The engine by itself, for comparison; by default as `ALONE` knows it.
        sizes: How many names Γ holds.
        rounds: Declarations measured for each size.

    Raises:
        EngineError: The engine refused a grammar.
    """
    alone = alone or ALONE.get(engine.name)
    rows = [_row(vocabulary, engine, alone, size, rounds) for size in sizes]
    return Sheet(
        f"Γ change to first mask, vocabulary {vocabulary.name}, engine {engine.name}",
        ("names", "served by", "ms", "alone ms", "ratio"),
        tuple(rows),
        (
            "ms: declare a name, instantiate, compile, compute the first mask; nothing cached.",
            "served by: what computed the mask; a closed slot is the candidate trie's, whatever engine was chosen.",
            f"alone: the engine's own compilation and mask, its grammar ready. Medians of {rounds} in turns.",
        ),
    )


def _row(
    vocabulary: Vocabulary, engine: MaskEngine, alone: Alone | None, size: int, rounds: int
) -> tuple[str | int | float | None, ...]:
    buffer = np.zeros(mask_words(vocabulary), dtype=np.int32)
    environment = Environment.of(bindings(size))
    grown = [environment.declare(Binding(f"fresh_{turn}", "Column")) for turn in range(rounds + 1)]
    bare = [instantiate(_FRAGMENT, each, Rung.GAMMA).grammar for each in grown]
    parts = alone(bare, vocabulary) if alone else []
    ours: list[float] = []
    its: list[float] = []
    for turn in range(rounds + 1):
        began = time.perf_counter()
        changed = environment.declare(Binding(f"fresh_{turn}", "Column"))
        engine.compile(instantiate(_FRAGMENT, changed, Rung.GAMMA).grammar, vocabulary).mask(buffer)
        ours.append((time.perf_counter() - began) * 1000)
        if parts:
            began = time.perf_counter()
            parts[turn](buffer)
            its.append((time.perf_counter() - began) * 1000)
    mine = median(ours[1:])  # the first one loads the engine
    alone_ms = median(its[1:]) if its else None
    served = engine.server(bare[0]) if isinstance(engine, TrieFirst) else engine.name
    return size, served, mine, alone_ms, mine / alone_ms if alone_ms else None


def second_hole(surface: Surface, context: Context, engine: MaskEngine, text: str, analyse: Analyse) -> Sheet:
    """Fill a file's holes and count how often the model was asked between entering each and its first text.

    Raises:
        EngineError: The engine refused a grammar.
        ModelError: The model failed.
    """
    rows: list[tuple[str | int | float | None, ...]] = []
    start = [0, 0, 0.0]

    def told(event: Event) -> None:
        if isinstance(event, HoleEntered) and not event.depth:
            start[:] = [context.calls, context.tokens, time.perf_counter()]
        elif isinstance(event, Text) and start[2]:
            spent = (time.perf_counter() - start[2]) * 1000
            rows.append((len(rows) + 1, context.calls - int(start[0]), context.tokens - int(start[1]), spent))
            start[2] = 0.0

    Filler(surface, context, engine, told=told).fill(text, analyse)
    return Sheet(
        f"Model steps to a hole's first text, model {context.model.name}",
        ("hole", "steps", "tokens", "ms"),
        tuple(rows),
        ("A step is one call of the model. tokens: all that it was fed in these steps.",),
    )
