"""Operands of tile kernels: what each rung leaves to choose, and what becomes of the kernels (paper, section 6.1).

Everything but the operands stays as it is written. They are filled from left to right, each as strongly as its arm says; then
TileLang elaborates the kernel, which needs no GPU. In two stages (section 6.5), the model first chooses which of several
kernels that is, under an enumeration of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from gproj_lsp.bench.kernels import SORT, Judge, Kernel, by_arm, ghosts
from gproj_lsp.bench.sheet import Sheet, Value, model_of
from gproj_lsp.decode.base import LanguageModel, MaskEngine
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.executor import Executor
from gproj_lsp.decode.fill import Filler
from gproj_lsp.decode.free import freely
from gproj_lsp.decode.hole import Decoded, Place, Wishes
from gproj_lsp.decode.lanes import Crew, Job
from gproj_lsp.decode.models.fake import UniformModel
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.environment import EMPTY, Binding, Query
from gproj_lsp.errors import EmptyQueryError, GprojError
from gproj_lsp.fragment import Fragment, Rung, SlotLadder
from gproj_lsp.gbnf import Grammar, Names
from gproj_lsp.holes import Hole
from gproj_lsp.ide import Analyzer
from gproj_lsp.policy import Policy
from gproj_lsp.surface import Surface
from gproj_lsp.text import encode

__all__ = ["ARMS", "PUBLISHED", "STAGES", "choosing", "in_turn", "run", "unconstrained"]

ARMS = ("free", "gamma", "ctx", "ctx-shape", "uniform", "uniform-shape")
"""Any identifier; any declared buffer; one that lies where the operation takes it; one with the extents it needs, too; and the
last two chosen by a model that prefers nothing."""
STAGES = ("unconstrained", "free", "gamma", "ctx-shape")
"""The arms of two stages: what the model makes of the signature by itself, and then as above."""
PUBLISHED: Mapping[str, tuple[float | None, float | None, float | None]] = MappingProxyType(
    {
        "free": (0.0, 998.0, None),
        "gamma": (0.75, 538.0, None),
        "ctx": (None, 287.0, 0.025),
        "ctx-shape": (None, 92.0, 0.0),
    }
)
"""The paper's share of kernels that compile, free bits, and share of operands of a wrong shape, Qwen3-0.6B."""
_RUNGS = {"free": Rung.BASE, "gamma": Rung.GAMMA}
_BY_CHANCE = {"uniform": "ctx", "uniform-shape": "ctx-shape"}
_TEMPERATURE = 1.0
_BUDGET = 32
_PLAN = "Plan"
_LONG = 512
"""Tokens of a body that is written without a mask."""
_ENDS = ("\n    return", "\nreturn", "\n\n\n", "```")
"""Where such a body is taken to end."""

Which = Callable[[LanguageModel, int], Kernel]
"""The kernel that a model is to fill, by its number."""


@dataclass(frozen=True)
class _Pick:
    """What one operand got."""

    ghost: bool
    shaped: bool
    spaced: bool
    original: bool
    bits: float


@dataclass(frozen=True)
class _Taken:
    """What one kernel got in one arm."""

    kernel: Kernel
    text: str
    picks: tuple[_Pick, ...] = ()
    ghosts: int = 0
    failed: bool = False
    seconds: float = 0.0
    accepted: bool = False


def in_turn(kernels: Sequence[Kernel]) -> Which:
    """Each of several kernels in its turn."""
    return lambda _, number: kernels[number % len(kernels)]


def choosing(kernels: Sequence[Kernel], engine: MaskEngine, seed: int = 0) -> Which:
    """The one of several kernels that the model chooses under an enumeration of their names, told the first line of each.

    Args:
        kernels: Among which.
        engine: The mask engine.
        seed: Of the first choice; each next one has the next.
    """
    told = "".join(
        f"# {each.name}: {each.between[0].partition(chr(10))[0].lstrip('# ')}\n" for each in kernels
    )
    grammar = Grammar({"root": Names(tuple(each.name for each in kernels))}, "root")
    fragments = {_PLAN: Fragment(_PLAN, grammar, {}, {})}

    def which(model: LanguageModel, number: int) -> Kernel:
        wishes = Wishes(Sampling(_TEMPERATURE, 1.0, seed + number), budget=_BUDGET)
        executor = Executor(Context(model), engine, fragments, {_PLAN: Policy((Rung.GAMMA,))}, wishes)
        name = executor.decode(_PLAN, EMPTY, Place(encode(f"{told}# The best of these: "))).text
        return next(each for each in kernels if each.name == name)

    return which


def run(  # noqa: PLR0913  (data, adapters, and how much of it)
    which: Which,
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
    """Fill kernels' operands in each arm, and have them judged.

    Args:
        which: The kernels.
        analyzer: Analyses them.
        crew: The model, and how many kernels it fills at once.
        engine: The engine of open operands.
        judge: Says what becomes of a kernel.
        arms: Which of `ARMS` and `STAGES`.
        sample: How many kernels an arm fills.
        seed: Of the first kernel; each next one has the next.
        progress: Told how many kernels of how many are filled.

    Raises:
        ModelError: The model failed.
    """

    def job(arm: str, number: int) -> Job[_Taken]:
        def run(model: LanguageModel) -> _Taken:
            kernel, sampling = which(model, number), Sampling(_TEMPERATURE, 1.0, seed + number)
            if arm == "unconstrained":
                return _written(kernel, analyzer, Context(model), sampling)
            who = UniformModel(model.vocabulary) if arm in _BY_CHANCE else model
            wishes = Wishes(sampling, allow_base=True, budget=_BUDGET)
            filler = Filler(_surface(analyzer.surface, arm), Context(who), engine, wishes)
            return _take(arm, kernel, analyzer, filler)

        return run

    filled = by_arm(crew, tuple(arms), sample, job, progress)
    return _sheet(crew, {arm: [_judged(each, judge) for each in taken] for arm, taken in filled.items()})


def unconstrained(kernel: Kernel, analyzer: Analyzer, context: Context, sampling: Sampling) -> str:
    """A kernel with the body that a model writes under its signature by itself, shown what it is shown under masks."""
    before, after = kernel.shell
    shown = analyzer.surface.prompt.example + before
    return before + freely(context, encode(shown), _ENDS, _LONG, sampling=sampling).text + after


def _written(kernel: Kernel, analyzer: Analyzer, context: Context, sampling: Sampling) -> _Taken:
    began = time.perf_counter()
    text = unconstrained(kernel, analyzer, context, sampling)
    return _Taken(kernel, text, ghosts=ghosts(analyzer, text), seconds=time.perf_counter() - began)


def _take(arm: str, kernel: Kernel, analyzer: Analyzer, filler: Filler) -> _Taken:
    began = time.perf_counter()
    names: list[str] = []
    picks: list[_Pick] = []
    failed = False
    for original in kernel.names:
        document, offset = kernel.text(names), kernel.hole(names)
        hole = next(each for each in analyzer.analyse(document).holes if each.span.start == offset)
        try:
            decoded = _fill(arm, document, analyzer, offset, filler)
        except GprojError:
            failed = True
            break
        names.append(decoded.text)
        picks.append(_pick(decoded, hole, original))
    absent = sum(pick.ghost for pick in picks)
    return _Taken(kernel, kernel.text(names), tuple(picks), absent, failed, time.perf_counter() - began)


def _fill(arm: str, document: str, analyzer: Analyzer, offset: int, filler: Filler) -> Decoded:
    """One operand; where nothing fits, any that is declared."""
    rung = _RUNGS.get(arm, Rung.CTX)
    try:
        return filler.fill_at(document, analyzer.analyse, offset, rung)
    except EmptyQueryError:
        if rung is not Rung.CTX:
            raise
        return filler.fill_at(
            document, analyzer.analyse, offset, Rung.GAMMA
        )  # an earlier pick may leave none


def _pick(decoded: Decoded, hole: Hole, original: str) -> _Pick:
    declared = hole.environment.names(Query.of(SORT))
    found: Binding | None = next((each for each in declared if each.spelling == decoded.text), None)
    attrs = found.attrs if found is not None else {}
    return _Pick(
        ghost=found is None,
        shaped=attrs.get("shaped") != "no",
        spaced=attrs.get("spaced") != "no",
        original=decoded.text == original,
        bits=decoded.ledger.free_bits,
    )


def _judged(taken: _Taken, judge: Judge) -> _Taken:
    if taken.failed:
        return taken
    return replace(taken, accepted=judge(taken.text, taken.kernel.calls).accepted)


def _surface(surface: Surface, arm: str) -> Surface:
    """The surface, which for `ctx` asks nothing of extents."""
    if _BY_CHANCE.get(arm, arm) != "ctx":
        return surface
    fragment = surface.fragments[SORT]
    slots = {name: _without_shape(ladder) for name, ladder in fragment.slots.items()}
    return replace(surface, fragments={**surface.fragments, SORT: replace(fragment, slots=slots)})


def _without_shape(ladder: SlotLadder) -> SlotLadder:
    queries = {
        rung: replace(query, where=tuple(each for each in query.where if each[0] != "shaped"))
        for rung, query in ladder.queries.items()
    }
    return replace(ladder, queries=queries)


def _sheet(crew: Crew, arms: Mapping[str, Sequence[_Taken]]) -> Sheet:
    return Sheet(
        f"Operands of tile kernels, temperature {_TEMPERATURE:g}, {model_of(crew)}",
        (
            "arm",
            "samples",
            "kernels",
            "elaborate",
            "ghosts",
            "with ghosts",
            "wrong shape",
            "wrong memory",
            "original",
            "free bits",
            "failed",
            "s",
            "published compile",
            "published bits",
            "published wrong shape",
        ),
        tuple(_row(arm, taken) for arm, taken in arms.items()),
        (
            "elaborate: the share of kernels that TileLang elaborates. with ghosts: kernels with at least one ghost.",
            "wrong shape, wrong memory: shares of operands that are declared and certainly do not fit; copies of another shape",
            "elaborate. original: the share of operands that are those of the kernel as it was written.",
            "free bits: a kernel's mean. failed: kernels of which an operand stayed open. uniform: ctx by chance.",
            "published: section 6.1 of the paper, Qwen3-0.6B, a GEMM of its own, whose rungs are not quite these.",
        ),
    )


def _row(arm: str, taken: Sequence[_Taken]) -> tuple[Value, ...]:
    picks = [pick for each in taken for pick in each.picks]
    whole = [each for each in taken if not each.failed]

    def share(counted: int, of: int) -> float | None:
        return counted / of if of else None

    compiled, bits, shape = PUBLISHED.get(arm, (None, None, None))
    chosen = Counter(each.kernel.name for each in taken)
    return (
        arm,
        len(taken),
        " ".join(f"{name}:{count}" for name, count in sorted(chosen.items())),
        share(sum(each.accepted for each in taken), len(taken)),
        sum(each.ghosts for each in taken),
        sum(bool(each.ghosts) for each in taken),
        share(sum(not pick.shaped for pick in picks), len(picks)),
        share(sum(not pick.spaced for pick in picks), len(picks)),
        share(sum(pick.original for pick in picks), len(picks)),
        _mean([sum(pick.bits for pick in each.picks) for each in whole if each.picks]),
        len(taken) - len(whole),
        _mean([each.seconds for each in taken]),
        compiled,
        bits,
        shape,
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
