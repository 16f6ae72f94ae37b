"""What is told of buffers and tiles at a place, for the line that is written next."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.cli.wiring import shipped_facts
from gproj_lsp.environment import Binding, Query
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.resolvers.python.tiles import Tiles
from gproj_lsp.surface import shipped

SURFACE = shipped()["tilelang"]
HEAD = """\
import tilelang.language as T

def make(M, N, K, block_M, block_N, block_K, dtype=T.float16):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
"""
HERE = "            here"


@pytest.fixture(scope="module")
def analyzer():
    return Analyzer(SURFACE, resolver_of(SURFACE), shipped_facts(SURFACE))


def told(analyzer, sort, *lines, place=HERE):
    """The names of a sort behind some lines of the kernel, with what is told of each."""
    text = HEAD + "".join(f"            {line}\n" for line in lines) + place + "\n    return kernel\n"
    offset = len(text.partition("here")[0].encode())
    found = analyzer.analyse(text).environment_at(offset).names(Query.of(sort))
    return {each.name: each.attrs for each in found}


def states(analyzer, *lines):
    return {name: attrs["state"] for name, attrs in told(analyzer, "Buffer", *lines).items()}


LEFT, TOTAL = (
    "left = T.alloc_shared((block_M, block_K), dtype)",
    "total = T.alloc_fragment((block_M, block_N), dtype)",
)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], {}),
        (["T.clear(total)"], {"total": "set"}),
        (["T.copy(A[by * block_M, 0], left)"], {"A": "spent", "left": "full"}),
        (
            ["T.copy(A[by * block_M, 0], left)", "T.gemm(left, left, total)"],
            {"A": "spent", "left": "spent", "total": "full"},
        ),
        (["total[0, 0] = left[0, 0]"], {"left": "spent", "total": "full"}),
        (["total[0, 0] = total[0, 0] + 1"], {"total": "full"}),
        (["total[0, 0] += left[0, 0]"], {"left": "spent", "total": "full"}),
        (["T.copy(total, C[by * block_M, 0])"], {"total": "spent", "C": "full"}),
        (["for i in T.serial(4):", "    T.clear(total)"], {"total": "set"}),
    ],
)
def test_states_follow_the_order_of_the_text(analyzer, lines, expected):
    untouched = {"A": "given", "B": "given", "C": "given", "left": "empty", "total": "empty"}
    assert states(analyzer, LEFT, TOTAL, *lines) == {**untouched, **expected}


def test_what_comes_later_does_not_count(analyzer):
    text = HEAD + f"            {LEFT}\n{HERE}\n            T.clear(left)\n"
    offset = len(text.partition("here")[0].encode())
    (left,) = (
        b for b in analyzer.analyse(text).environment_at(offset).names(Query.of("Buffer")) if b.name == "left"
    )
    assert left.attrs["state"] == "empty"


def test_a_buffer_of_another_function_of_the_same_name_does_not_count(analyzer):
    other = "def other():\n    left = T.alloc_shared((1, 1), 'float16')\n    T.clear(left)\n\n"
    text = HEAD.replace("def make", f"{other}def make") + f"            {LEFT}\n{HERE}\n"
    offset = len(text.partition("here")[0].encode())
    (left,) = (
        b for b in analyzer.analyse(text).environment_at(offset).names(Query.of("Buffer")) if b.name == "left"
    )
    assert left.attrs["state"] == "empty"


def test_an_extent_is_cut_by_what_the_loops_cut_it_by_or_by_name(analyzer):
    assert set(told(analyzer, "Tiling")) == {"M, block_M", "N, block_N", "K, block_K"}
    by_loop = told(analyzer, "Tiling", "for k in T.Pipelined(T.ceildiv(K, block_N)):", place="    " + HERE)
    assert {name for name in by_loop if name.startswith("K")} == {"K, block_N"}
    assert by_loop["K, block_N"]["counted"] == "yes"


def test_the_shape_of_a_tile_is_wanted_until_there_is_one_for_each_tensor(analyzer):
    before, after = told(analyzer, "Shape"), told(analyzer, "Shape", LEFT)
    assert {name: attrs["wanted"] for name, attrs in before.items()} == {
        "block_M, block_K": "yes",
        "block_K, block_N": "yes",
        "block_M, block_N": "yes",
    }
    assert after["block_M, block_K"]["wanted"] == "no"
    assert [name for name, attrs in before.items() if attrs["written"] == "yes"] == ["block_M, block_N"]


def test_a_part_of_a_tensor_is_where_the_loops_around_are(analyzer):
    loop = "for k in T.Pipelined(T.ceildiv(K, block_K)):"
    assert set(told(analyzer, "Region")) == {"C[by * block_M, bx * block_N]"}
    assert set(told(analyzer, "Region", loop, place="    " + HERE)) == {
        "A[by * block_M, k * block_K]",
        "B[k * block_K, bx * block_N]",
        "C[by * block_M, bx * block_N]",
    }
    behind = told(analyzer, "Region", loop, "    T.clear(A)")
    assert set(behind) == {"C[by * block_M, bx * block_N]"}


def test_what_a_loop_goes_over_does_not_count(analyzer):
    loop = "for k in T.Pipelined(T.ceildiv(K, block_K)):"
    over = told(analyzer, "Region", loop, "    T.clear(A)", "for q in k:", place="    " + HERE)
    assert set(over) == {"C[by * block_M, bx * block_N]"}


WORDS = st.sampled_from(["M", "N", "K", "block_M", "block_N", "size", "p"])


@given(
    st.lists(st.tuples(st.sampled_from("ABCD"), st.lists(WORDS, max_size=4)), max_size=4),
    st.lists(WORDS, unique=True),
    st.lists(WORDS, unique=True),
    st.lists(st.tuples(st.sampled_from("ijk"), WORDS, WORDS), max_size=3),
)
def test_nothing_is_told_in_words_that_are_not_declared(tensors, wholes, parts, loops):
    """Texts that follow from Γ name nothing outside of dom(Γ)."""
    dims = [Binding(name, "Dim", attrs={"reach": "whole"}) for name in wholes]
    dims += [Binding(name, "Dim", attrs={"reach": "part"}) for name in parts if name not in wholes]
    known = {each.name for each in dims}
    buffers = [
        Binding(name, "Buffer", attrs={"mem": "global", "shape": ", ".join(shape)})
        for name, shape in dict(tensors).items()
        if known.issuperset(shape)
    ]
    counting = [
        Binding(name, "Loop", attrs={"around": "yes", "extent": f"T.ceildiv({whole},{part})"})
        for name, (whole, part) in {name: pair for name, *pair in loops}.items()
        if known.issuperset((whole, part))
    ]
    names = [*buffers, *dims, *counting]
    declared = {each.name for each in names}
    for each in Tiles.among(names).names():
        assert set(re.findall(r"\w+", each.name)) <= declared
