"""`gproj-lsp bench tilelang`: tile kernels, judged by TileLang."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from gproj_lsp.bench import bodies, kernels, tilelang
from gproj_lsp.cli.bench import chosen_arms, counting, write
from gproj_lsp.cli.console import progress
from gproj_lsp.cli.wiring import Workspaces, open_crew
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.errors import InputError
from gproj_lsp.oracles.base import Judgement
from gproj_lsp.oracles.elaborator import elaborator

__all__ = ["run"]


_USUAL = {"operands": tilelang.ARMS, "stages": tilelang.STAGES, "bodies": bodies.ARMS}
_ARMS = {**_USUAL, "stages": tuple(dict.fromkeys((*tilelang.STAGES, *tilelang.ARMS)))}


def run(
    *,
    part: str,
    arms: str | None,
    sample: int,
    seed: int,
    batch: int,
    python: str,
    lower: bool,
    file: Path | None,
    json: bool,
    overrides: Iterable[str],
) -> int:
    """Write what becomes of kernels whose operands, or whose bodies, a model writes in several arms.

    Raises:
        InputError: There is no such arm, or no kernel whose body is to be written.
    """
    wanted = chosen_arms(arms, _ARMS[part]) if arms else _USUAL[part]
    found = kernels.kernels(file or (kernels.PLANS if part == "stages" else kernels.SHIPPED))
    workspace = Workspaces(overrides).at(Path.cwd())
    analyzer = workspace.analyzer(workspace.surface("tilelang"))
    engine = make_engine(workspace.settings.text("engine"))
    with elaborator(python) as judge, progress("loading the model") as shown:
        verdict = partial(_lowering, judge.judge) if lower else judge.judge
        crew, told = open_crew(workspace.settings, batch), counting(shown, "kernel")
        if part == "bodies":
            useful = [each for each in found if each.uses]
            if not useful:
                raise InputError(
                    "no kernel says what its body uses", place=str(file), mend="add `uses` to one"
                )
            sheet = bodies.run(
                useful,
                analyzer,
                crew,
                engine,
                verdict,
                arms=wanted,
                sample=sample,
                seed=seed,
                progress=told,
            )
        else:
            which = tilelang.choosing(found, engine, seed) if part == "stages" else tilelang.in_turn(found)
            sheet = tilelang.run(
                which, analyzer, crew, engine, verdict, arms=wanted, sample=sample, seed=seed, progress=told
            )
    return write([sheet], json=json)


def _lowering(judge: kernels.Judge, text: str, calls: Sequence[str]) -> Judgement:
    """What becomes of a module, and of the kernels that calls make as CUDA C++."""
    return judge(text, [f"lowered({each})" for each in calls])
