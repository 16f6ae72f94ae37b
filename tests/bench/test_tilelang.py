"""What `bench tilelang` measures: operands of kernels, by arm; the judge is asked once a kernel."""

from __future__ import annotations

import pytest

from gproj_lsp.bench import bodies
from gproj_lsp.bench.kernels import PLANS, kernels
from gproj_lsp.bench.tilelang import ARMS, choosing, in_turn, run
from gproj_lsp.check_surface import BYTES
from gproj_lsp.cli.wiring import shipped_facts
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.lanes import Alone
from gproj_lsp.decode.models.fake import UniformModel
from gproj_lsp.errors import InputError
from gproj_lsp.fragment import Rung
from gproj_lsp.ide import Analyzer
from gproj_lsp.oracles.base import Judgement
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SURFACE = shipped()["tilelang"]


@pytest.fixture(scope="module")
def analyzer():
    return Analyzer(SURFACE, resolver_of(SURFACE), shipped_facts(SURFACE))


SHIPPED = [*kernels(), *kernels(PLANS)]


def test_the_shipped_kernels_are_whole_without_their_holes(analyzer):
    for each in SHIPPED:
        analysis = analyzer.analyse(each.text(each.names))
        assert [found.message for found in analysis.diagnostics] == []
        assert analysis.unknown == 0


def test_every_operand_is_a_hole_that_its_own_name_fits(analyzer):
    for each in SHIPPED:
        for number in range(len(each.names)):
            document, offset = each.text(each.names[:number]), each.hole(each.names[:number])
            hole = next(hole for hole in analyzer.analyse(document).holes if hole.span.start == offset)
            fitting = {
                binding.name
                for binding in hole.environment.names(
                    SURFACE.fragments["Buffer"].slots["buffer"].query(Rung.CTX)
                )
            }
            assert each.names[number] in fitting, (each.name, number)


@pytest.mark.slow
def test_each_arm_is_counted(analyzer):
    """About 10 s: every operand of a kernel in five arms."""
    asked = []

    def judge(text, calls):
        asked.append(calls)
        return Judgement(1, accepted="ghost" not in text)

    crew = Alone(UniformModel(BYTES))
    tasks = [each for each in kernels() if each.name == "copy"]
    sheet = run(in_turn(tasks), analyzer, crew, make_engine(), judge, sample=2)
    rows = {row[0]: dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows}
    assert tuple(rows) == ARMS
    assert len(asked) == sum(2 - row["failed"] for row in rows.values())
    assert all(rows[arm]["ghosts"] == 0 for arm in ARMS if arm != "free")
    assert rows["free"]["ghosts"] > 0
    assert rows["ctx"]["wrong memory"] == rows["ctx-shape"]["wrong shape"] == 0
    assert rows["free"]["free bits"] > rows["gamma"]["free bits"] > rows["ctx-shape"]["free bits"]


@pytest.mark.slow
def test_in_two_stages_the_first_chooses_among_plans(analyzer):
    """About 5 s. By chance, each of three plans is chosen sooner or later, and never another."""
    engine, plans = make_engine(), kernels(PLANS)
    which = choosing(plans, engine)
    chosen = [which(UniformModel(BYTES), number).name for number in range(30)]
    assert set(chosen) == {"online", "two_pass", "whole_row"}
    sheet = run(
        which,
        analyzer,
        Alone(UniformModel(BYTES)),
        engine,
        lambda text, calls: Judgement(1, accepted="def attention(" in text and calls == plans[0].calls),
        arms=["gamma"],
        sample=2,
    )
    (row,) = (dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows)
    assert (row["elaborate"], row["ghosts"]) == (1.0, 0)


def test_a_body_is_what_stands_under_the_grid():
    (gemm,) = (each for each in kernels() if each.name == "gemm")
    before, after = gemm.shell
    assert before.endswith("C: T.Tensor((M, N), dtype)):\n")
    assert after == "\n    return gemm\n"


@pytest.mark.slow
def test_bodies_are_written_and_judged(analyzer):
    """About 20 s: what a model writes that prefers nothing need not be whole, but has no ghost."""
    (gemm,) = (each for each in kernels() if each.name == "gemm")
    asked = []

    def judge(text, calls):
        asked.append(text)
        return Judgement(1, accepted=True)

    crew = Alone(UniformModel(BYTES))
    sheet = bodies.run([gemm], analyzer, crew, make_engine(), judge, arms=["uniform"], sample=1)
    (row,) = (dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows)
    assert (row["ghosts"], row["elaborate"]) == (0, 1)
    assert asked[0].startswith(gemm.shell[0])


def test_kernels_may_be_a_users_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[kernels.one]\ncalls = ['f()']\ntext = 'a(<b>, <c>)'\n")
    (only,) = kernels(path)
    assert (only.name, only.names, only.calls) == ("one", ("b", "c"), ("f()",))
    assert only.text(["x"]) == "a(x, {:Buffer})"
    assert only.hole(["x"]) == len("a(x, ")


def test_a_file_that_is_none_is_an_error(tmp_path):
    with pytest.raises(InputError):
        kernels(tmp_path / "absent.toml")


@pytest.mark.parametrize(
    "said", ["kernels = 3", "[kernels.one]\ncalls = 'f()'\ntext = 'a'", "[kernels.one]\ntext = 3"]
)
def test_a_file_of_something_else_is_an_error_that_names_it(tmp_path, said):
    path = tmp_path / "mine.toml"
    path.write_text(said)
    with pytest.raises(InputError, match="no kernels") as told:
        kernels(path)
    assert told.value.place == str(path)
