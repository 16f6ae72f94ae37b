"""Bodies of tile kernels written from their signatures, line by line under the mask, beside what a model makes of itself."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gproj_lsp.bench.kernels import Judge, Kernel, by_arm, ghosts
from gproj_lsp.bench.sheet import Sheet, Value, model_of
from gproj_lsp.bench.tilelang import unconstrained
from gproj_lsp.decode.base import LanguageModel, MaskEngine
from gproj_lsp.decode.complete import Completer, Wanted
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.lanes import Crew, Job
from gproj_lsp.decode.models.fake import UniformModel
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.ide import Analyzer
from gproj_lsp.text import encode

__all__ = ["ARMS", "run"]

ARMS = ("ctx", "uniform", "unconstrained")
"""`complete`; the same by a model that prefers nothing; and the model without a mask."""
_TEMPERATURE = 1.0
_BUDGET = 1024


@dataclass(frozen=True)
class _Body:
    """What was written for one kernel.

    Attributes:
        kernel: The kernel.
        text: All of it.
        ghosts: How many names in it are not there.
        ended: Whether writing came to its end.
        tokens: How many were written.
        seconds: How long it took.
        accepted: Whether it elaborates.
        whole: Whether it also uses what it must.
    """

    kernel: Kernel
    text: str
    ghosts: int
    ended: bool
    tokens: int | None
    seconds: float
    accepted: bool = False
    whole: bool = False


def run(  # noqa: PLR0913  (data, adapters, and how much of it)
    kernels: Sequence[Kernel],
    analyzer: Analyzer,
    crew: Crew,
    engine: MaskEngine,
    judge: Judge,
    *,
    arms: Iterable[str] = ARMS,
    sample: int = 10,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Sheet:
    """Write bodies in each arm, and have them judged.

    Args:
        kernels: What is written, in turn.
        analyzer: Analyses it.
        crew: The model, and how many bodies it writes at once.
        engine: The mask engine.
        judge: Says what becomes of a kernel.
        arms: Which of `ARMS`.
        sample: How many bodies an arm writes.
        seed: Of the first; each next one has the next.
        progress: Told how many of how many are written.

    Raises:
        ModelError: The model failed.
    """

    def job(arm: str, number: int) -> Job[_Body]:
        kernel, sampling = kernels[number % len(kernels)], Sampling(_TEMPERATURE, 1.0, seed + number)
        return lambda model: _written(arm, kernel, analyzer, engine, model, sampling)

    written = by_arm(crew, tuple(arms), sample, job, progress)
    return _sheet(crew, {arm: [_judged(body, judge) for body in bodies] for arm, bodies in written.items()})


def _written(  # noqa: PLR0913  (what, by whom, and how)
    arm: str, kernel: Kernel, analyzer: Analyzer, engine: MaskEngine, model: LanguageModel, sampling: Sampling
) -> _Body:
    began = time.perf_counter()
    tokens, ended = None, True
    if arm == "unconstrained":
        text = unconstrained(kernel, analyzer, Context(model), sampling)
    else:
        who = UniformModel(model.vocabulary) if arm == "uniform" else model
        completer = Completer(analyzer.surface, Context(who), engine, Wanted(sampling, budget=_BUDGET))
        before, after = kernel.shell
        found = completer.complete(before + after, len(encode(before)), analyzer)
        text, tokens, ended = before + found.text + after, found.ledger.tokens, not found.reason
    return _Body(kernel, text, ghosts(analyzer, text), ended, tokens, time.perf_counter() - began)


def _judged(body: _Body, judge: Judge) -> _Body:
    accepted = judge(body.text, body.kernel.calls).accepted
    uses = all(re.search(pattern, body.text) for pattern in body.kernel.uses)
    return replace(body, accepted=accepted, whole=accepted and uses)


def _sheet(crew: Crew, arms: Mapping[str, Sequence[_Body]]) -> Sheet:
    names = sorted({body.kernel.name for bodies in arms.values() for body in bodies})
    return Sheet(
        f"Bodies of {', '.join(names)} from the signature, temperature {_TEMPERATURE:g}, {model_of(crew)}",
        ("arm", "samples", "whole", "elaborate", "ghosts", "ended", "tokens", "s"),
        tuple(_row(arm, bodies) for arm, bodies in arms.items()),
        (
            "whole: bodies that elaborate and use what the kernel is for (`uses` in the file of kernels).",
            "elaborate: those that TileLang elaborates, whatever they do. ghosts: names that are not there.",
            "ended: those that were not cut. tokens, s: means. uniform: `complete` by a model that prefers nothing.",
        ),
    )


def _row(arm: str, bodies: Sequence[_Body]) -> tuple[Value, ...]:
    tokens = [body.tokens for body in bodies if body.tokens is not None]
    return (
        arm,
        len(bodies),
        sum(body.whole for body in bodies),
        sum(body.accepted for body in bodies),
        sum(body.ghosts for body in bodies),
        sum(body.ended for body in bodies),
        sum(tokens) / len(tokens) if tokens else None,
        sum(body.seconds for body in bodies) / len(bodies) if bodies else None,
    )
