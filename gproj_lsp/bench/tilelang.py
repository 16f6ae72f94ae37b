"""Operands of tile kernels: what each rung leaves to choose, and what becomes of the kernels (paper, section 6.1).

Everything but the operands stays as it is written. They are filled from left to right, each as strongly as its arm says; then
TileLang elaborates the kernel, which needs no GPU.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from gproj_lsp import tomlfile
from gproj_lsp.bench.opened import Opened
from gproj_lsp.bench.sheet import Sheet, Value, model_of
from gproj_lsp.decode.base import LanguageModel, MaskEngine
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.fill import Filler
from gproj_lsp.decode.hole import Decoded, Wishes
from gproj_lsp.decode.lanes import Crew, Job
from gproj_lsp.decode.models.fake import UniformModel
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.environment import Binding, Query
from gproj_lsp.errors import EmptyQueryError, GprojError, InputError
from gproj_lsp.fragment import Rung, SlotLadder
from gproj_lsp.holes import Hole
from gproj_lsp.ide import Analyzer
from gproj_lsp.oracles.base import Judgement
from gproj_lsp.surface import Surface

__all__ = ["ARMS", "PUBLISHED", "Kernel", "kernels", "run"]

ARMS = ("free", "gamma", "ctx", "ctx-shape", "uniform")
"""Any identifier; any declared buffer; one that lies where the operation takes it; one with the extents it needs, too; and that
chosen by a model that prefers nothing."""
PUBLISHED: Mapping[str, tuple[float | None, float | None, float | None]] = MappingProxyType(
    {
        "free": (0.0, 998.0, None),
        "gamma": (0.75, 538.0, None),
        "ctx": (None, 287.0, 0.025),
        "ctx-shape": (None, 92.0, 0.0),
        "uniform": (None, None, None),
    }
)
"""The paper's share of kernels that compile, free bits, and share of operands of a wrong shape, Qwen3-0.6B."""
_RUNGS = {"free": Rung.BASE, "gamma": Rung.GAMMA}
_SORT = "Buffer"
_OPEN = re.compile(r"<(\w+)>")
_TEMPERATURE = 1.0
_BUDGET = 32

Judge = Callable[[str, Sequence[str]], Judgement]
"""What becomes of a module and of calls of what it defines."""


@dataclass(frozen=True)
class Kernel(Opened):
    """A kernel with its operands taken out.

    Attributes:
        name: What it is called.
        calls: What makes the kernel, for the judge.
    """

    name: str
    calls: tuple[str, ...]


class _Text(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    calls: tuple[str, ...]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    kernels: dict[str, _Text]


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

    names: tuple[str, ...]
    picks: tuple[_Pick, ...]
    failed: bool
    seconds: float
    accepted: bool = False


def kernels(path: Path | None = None) -> tuple[Kernel, ...]:
    """Kernels with open operands: those that are shipped, or a file's of the same form.

    Args:
        path: The file.

    Raises:
        InputError: It can't be read, or is something else.
    """
    path = path or Path(__file__).with_suffix(".toml")
    try:
        file = msgspec.convert(tomlfile.read(path).table, _File)
    except msgspec.ValidationError as error:
        raise InputError(f"no kernels: {error}", place=str(path)) from error
    return tuple(_kernel(name, said) for name, said in file.kernels.items())


def _kernel(name: str, said: _Text) -> Kernel:
    parts = _OPEN.split(said.text.lstrip("\n"))
    return Kernel(_SORT, tuple(parts[::2]), tuple(parts[1::2]), name, said.calls)


def run(  # noqa: PLR0913  (data, adapters, and how much of it)
    tasks: Sequence[Kernel],
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
        tasks: Kernels, taken in turn.
        analyzer: Analyses them.
        crew: The model, and how many kernels it fills at once.
        engine: The engine of open operands.
        judge: Says what becomes of a kernel.
        arms: Which of `ARMS`.
        sample: How many kernels an arm fills.
        seed: Of the first kernel; each next one has the next.
        progress: Told how many kernels of how many are filled.

    Raises:
        ModelError: The model failed.
    """
    wanted = tuple(arms)

    def job(arm: str, number: int) -> Job[_Taken]:
        def run(model: LanguageModel) -> _Taken:
            who = UniformModel(model.vocabulary) if arm == "uniform" else model
            wishes = Wishes(Sampling(_TEMPERATURE, 1.0, seed + number), allow_base=True, budget=_BUDGET)
            filler = Filler(_surface(analyzer.surface, arm), Context(who), engine, wishes)
            return _take(arm, tasks[number % len(tasks)], analyzer, filler)

        return run

    jobs = [job(arm, number) for number in range(sample) for arm in wanted]
    filled = [outcome.get() for outcome in crew.run(jobs, lambda done: progress(done, len(jobs)))]
    found = [_judged(taken, tasks[at // len(wanted) % len(tasks)], judge) for at, taken in enumerate(filled)]
    return _sheet(crew, len(tasks), {arm: found[at :: len(wanted)] for at, arm in enumerate(wanted)})


def _take(arm: str, kernel: Kernel, analyzer: Analyzer, filler: Filler) -> _Taken:
    began = time.perf_counter()
    names: list[str] = []
    picks: list[_Pick] = []
    for original in kernel.names:
        document, offset = kernel.text(names), kernel.hole(names)
        hole = next(each for each in analyzer.analyse(document).holes if each.span.start == offset)
        try:
            decoded = _fill(arm, document, analyzer, offset, filler)
        except GprojError:
            return _Taken(tuple(names), tuple(picks), failed=True, seconds=time.perf_counter() - began)
        names.append(decoded.text)
        picks.append(_pick(decoded, hole, original))
    return _Taken(tuple(names), tuple(picks), failed=False, seconds=time.perf_counter() - began)


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
    declared = hole.environment.names(Query.of(_SORT))
    found: Binding | None = next((each for each in declared if each.spelling == decoded.text), None)
    attrs = found.attrs if found is not None else {}
    return _Pick(
        ghost=found is None,
        shaped=attrs.get("shaped") != "no",
        spaced=attrs.get("spaced") != "no",
        original=decoded.text == original,
        bits=decoded.ledger.free_bits,
    )


def _judged(taken: _Taken, kernel: Kernel, judge: Judge) -> _Taken:
    if taken.failed:
        return taken
    return replace(taken, accepted=judge(kernel.text(taken.names), kernel.calls).accepted)


def _surface(surface: Surface, arm: str) -> Surface:
    """The surface, which for `ctx` asks nothing of extents."""
    if arm != "ctx":
        return surface
    fragment = surface.fragments[_SORT]
    slots = {name: _without_shape(ladder) for name, ladder in fragment.slots.items()}
    return replace(surface, fragments={**surface.fragments, _SORT: replace(fragment, slots=slots)})


def _without_shape(ladder: SlotLadder) -> SlotLadder:
    queries = {
        rung: replace(query, where=tuple(each for each in query.where if each[0] != "shaped"))
        for rung, query in ladder.queries.items()
    }
    return replace(ladder, queries=queries)


def _sheet(crew: Crew, count: int, arms: Mapping[str, Sequence[_Taken]]) -> Sheet:
    return Sheet(
        f"Operands of {count} tile kernels, temperature {_TEMPERATURE:g}, {model_of(crew)}",
        (
            "arm",
            "samples",
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
            "free bits: a kernel's mean. failed: kernels of which an operand stayed open. uniform: ctx-shape by chance.",
            "published: section 6.1 of the paper, Qwen3-0.6B, a GEMM of its own, whose rungs are not quite these.",
        ),
    )


def _row(arm: str, taken: Sequence[_Taken]) -> tuple[Value, ...]:
    picks = [pick for each in taken for pick in each.picks]
    whole = [each for each in taken if not each.failed]

    def share(counted: int, of: int) -> float | None:
        return counted / of if of else None

    compiled, bits, shape = PUBLISHED[arm]
    return (
        arm,
        len(taken),
        share(sum(each.accepted for each in taken), len(taken)),
        sum(pick.ghost for pick in picks),
        sum(any(pick.ghost for pick in each.picks) for each in taken),
        share(sum(not pick.shaped for pick in picks), len(picks)),
        share(sum(not pick.spaced for pick in picks), len(picks)),
        share(sum(pick.original for pick in picks), len(picks)),
        _mean([sum(pick.bits for pick in each.picks) for each in whole]),
        len(taken) - len(whole),
        _mean([each.seconds for each in taken]),
        compiled,
        bits,
        shape,
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
