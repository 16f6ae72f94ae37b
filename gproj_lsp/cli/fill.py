"""`gproj-lsp fill` and `rank`."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from gproj_lsp import document
from gproj_lsp.cli.console import Progress, complain, note, out, progress, stdout
from gproj_lsp.cli.opened import Opened, hole_at, open_document
from gproj_lsp.cli.wiring import open_abreast, open_filler
from gproj_lsp.decode.fill import FilledHole, Filler, FillResult, HoleRanking, OpenHole
from gproj_lsp.decode.trace import Event, HoleEntered, Listener
from gproj_lsp.errors import EmptyQueryError, InputError
from gproj_lsp.ghosts import UNKNOWN_SORT
from gproj_lsp.report.diff import print_diff
from gproj_lsp.report.machine import dump, json_range
from gproj_lsp.report.terminal import counted, printable
from gproj_lsp.text import LineIndex

__all__ = ["fill", "rank"]


def fill(
    file: Path,
    *,
    write: bool,
    json: bool,
    hole: int | None,
    batch: int,
    stdin_filename: str | None,
    overrides: Iterable[str],
) -> int:
    """Fill holes; write a diff or JSON to stdout, or the file itself, and tell on stderr what was done.

    Returns:
        0, 1 where some hole is left, 2 where none could be filled.
    """
    opened = open_document(str(file), stdin_filename, overrides)
    label = opened.document.label
    if write and str(file) == "-":
        raise InputError(
            "standard input can't be changed", place="-", mend="leave --write out, or name the file"
        )
    holes = opened.analysis.holes
    if hole is not None and hole > len(holes):
        raise InputError(
            f"there is no hole {hole}", place=label, mend=f"the file has {counted(len(holes), 'hole')}"
        )
    if not holes:
        if json:
            out(dump(_result_json(opened, FillResult(opened.document.text, (), (), (), 0))))
        note(f"{label}: there are no holes")
        return 0
    began = time.perf_counter()
    with progress("loading the model") as shown:
        settings = opened.workspace.settings
        filler = (
            open_abreast(settings, opened.surface, batch, lambda done: shown.update(f"{done} statements"))
            if batch > 1
            else open_filler(settings, opened.surface, told=_listener(shown))
        )
        only = None if hole is None else {hole - 1}
        result = filler.fill(opened.document.text, opened.analyzer.analyse, only)
    return _deliver(opened, result, time.perf_counter() - began, write=write, json=json)


def rank(
    file: Path,
    at: str,
    *,
    top: int,
    json: bool,
    stdin_filename: str | None,
    overrides: Iterable[str],
) -> int:
    """Write the candidates at a hole, likeliest first."""
    opened = open_document(str(file), stdin_filename, overrides)
    hole = hole_at(opened, at)
    with progress("loading the model"):
        filler = open_filler(opened.workspace.settings, opened.surface)
        ranking = _ranked(filler, opened, hole.span.start, top)
    if json:
        out(dump(_ranking_json(ranking)))
        return 0
    width = max((len(each.text) for each in ranking.ranking.candidates), default=0)
    for each in ranking.ranking.candidates:
        out(f"{each.probability:7.2%}  {printable(each.text):{width}}".rstrip())
    out(f"{ranking.ranking.remaining:7.2%}  all others, at most")
    return 0


def _ranked(filler: Filler, opened: Opened, offset: int, top: int) -> HoleRanking:
    try:
        return filler.rank(opened.document.text, opened.analyzer.analyse, offset, limit=top)
    except (EmptyQueryError, InputError) as error:
        error.place = _place(opened, offset)
        raise


def _listener(shown: Progress) -> Listener:
    number = 0

    def told(event: Event) -> None:
        nonlocal number
        if isinstance(event, HoleEntered) and event.depth == 0:
            number += 1
            shown.update(f"filling hole {number}: {event.sort}")

    return told


def _deliver(opened: Opened, result: FillResult, seconds: float, *, write: bool, json: bool) -> int:
    """Hand over what was filled, and tell of what was not."""
    left = (*result.empty, *result.incomplete)
    if write and result.holes:
        document.replace(opened.document, result.text)
    if json:
        out(dump(_result_json(opened, result)))
    elif not write:
        mark = opened.document.mark  # a diff without it would not apply
        print_diff(opened.document.label, mark + opened.document.text, mark + result.text, stdout())
    for each in sorted(left, key=lambda hole: hole.span):
        complain(f"{_place(opened, each.span.start)}: {_why(opened, each)}")
    for filled in result.holes:
        if doubt := _doubt(opened, filled):
            note(f"{_place(opened, filled.span.start)}: {printable(filled.text)} {doubt}")
    if result.holes:
        where = " and written" if write else ""
        total = counted(len(result.holes) + len(left), "hole")
        note(f"{opened.document.label}: {len(result.holes)} of {total} filled{where} in {seconds:.1f} s")
    if not left:
        return 0
    return 1 if result.holes else 2


def _doubt(opened: Opened, hole: FilledHole) -> str:
    """What a user should know of a hole that was filled at a looser rung than its sort begins with; empty for the others."""
    if not hole.guaranteed:
        return "is not guaranteed: nothing declared fits"
    sort = opened.surface.sorts.get(hole.sort)
    if sort is not None and hole.rung < sort.policy.ladder()[0]:
        return "is declared, but nothing that is declared fits here"
    return ""


def _why(opened: Opened, hole: OpenHole) -> str:
    """Why a hole is left; what the analyser says of its sort tells more than that no fragment fits."""
    for found in opened.analysis.diagnostics:
        if found.code == UNKNOWN_SORT and found.span == hole.span:
            close = f" (did you mean {found.suggestions[0]}?)" if found.suggestions else ""
            return found.message + close
    return hole.reason


def _place(opened: Opened, offset: int) -> str:
    return f"{opened.document.label}:{opened.analysis.lines.place(offset)}"


def _result_json(opened: Opened, result: FillResult) -> dict[str, object]:
    lines = opened.analysis.lines
    return {
        "text": result.text,
        "holes": [_filled_json(lines, hole) for hole in result.holes],
        "incomplete": [_left_json(opened, lines, hole) for hole in result.incomplete],
        "empty": [_left_json(opened, lines, hole) for hole in result.empty],
    }


def _filled_json(lines: LineIndex, hole: FilledHole) -> dict[str, object]:
    return {
        "range": json_range(lines, hole.span),
        "mark": hole.mark,
        "sort": hole.sort,
        "rung": hole.rung.name.lower(),
        "candidates": list(hole.candidates),
        "text": hole.text,
        "guaranteed": hole.guaranteed,
        "free_bits": None if hole.free_bits is None else round(hole.free_bits, 3),
        "tokens": hole.tokens,
        "model_calls": hole.model_calls,
        "milliseconds": round(hole.milliseconds, 1),
    }


def _left_json(opened: Opened, lines: LineIndex, hole: OpenHole) -> dict[str, object]:
    return {
        "range": json_range(lines, hole.span),
        "mark": hole.mark,
        "sort": hole.sort,
        "reason": _why(opened, hole),
    }


def _ranking_json(found: HoleRanking) -> dict[str, object]:
    candidates = [
        {"text": each.text, "probability": round(each.probability, 6)} for each in found.ranking.candidates
    ]
    return {
        "sort": found.hole.sort,
        "rung": found.rung.name.lower(),
        "candidates": candidates,
        "remaining": round(found.ranking.remaining, 6),
    }
