"""At every operand hole of a generated kernel, without a model: gamma is the declared buffers, ctx the fitting ones.

What fits is said here once more, by a rule of its own for each operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gproj_lsp.cli.wiring import shipped_facts
from gproj_lsp.fragment import Rung, candidates
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SURFACE = shipped()["tilelang"]
ALLOCATED = {"shared": "alloc_shared", "fragment": "alloc_fragment", "local": "alloc_local"}
TILES = {"shared", "fragment", "local"}


@dataclass(frozen=True)
class Buffer:
    """A declared buffer."""

    name: str
    mem: str
    shape: tuple[str, ...]

    @property
    def extents(self) -> str:
        return f"({', '.join(self.shape)},)"


@dataclass(frozen=True)
class Kernel:
    """Buffers, of which the last ones are declared behind the operation."""

    before: tuple[Buffer, ...]
    after: tuple[Buffer, ...]

    def text(self, operation: Sequence[str]) -> str:
        given = [each for each in self.before if each.mem == "global"]
        lines = [
            "import tilelang.language as T",
            "def make(m, n, k):",
            "    @T.prim_func",
            f"    def kernel({', '.join(f'{each.name}: T.Tensor({each.extents}, T.float16)' for each in given)}):",
            "        with T.Kernel(8, threads=128) as bx:",
            "            size = m",
            *(self._allocated(each) for each in self.before if each.mem != "global"),
            *(f"            {line}" for line in operation),
            *(self._allocated(each) for each in self.after),
        ]
        return "\n".join(lines) + "\n"

    def _allocated(self, buffer: Buffer) -> str:
        return f"            {buffer.name} = T.{ALLOCATED[buffer.mem]}({buffer.extents}, T.float16)"


DIMS = st.sampled_from(["m", "n", "k", "64"])
SHAPES = st.one_of(st.tuples(DIMS), st.tuples(DIMS, DIMS))


@st.composite
def kernels(draw) -> Kernel:
    drawn = draw(st.lists(st.tuples(st.sampled_from(["global", *TILES]), SHAPES), min_size=3, max_size=7))
    buffers = [Buffer(f"buf_{at}", mem, shape) for at, (mem, shape) in enumerate(drawn)]
    later = [Buffer(f"late_{at}", "shared", draw(SHAPES)) for at in range(draw(st.integers(0, 2)))]
    return Kernel(tuple(buffers), tuple(later))


@pytest.fixture(scope="module")
def analyzer():
    return Analyzer(SURFACE, resolver_of(SURFACE), shipped_facts(SURFACE))


def support(analyzer: Analyzer, text: str, rung: Rung) -> set[str]:
    (hole,) = analyzer.analyse(text).holes
    assert hole.sort == "Buffer"
    (ladder,) = SURFACE.fragments["Buffer"].slots.values()
    return set(candidates(ladder, hole.environment, rung) or ())


def check(
    analyzer: Analyzer, kernel: Kernel, operation: Sequence[str], fits: Callable[[Buffer], bool]
) -> None:
    text = kernel.text(operation)
    assert support(analyzer, text, Rung.GAMMA) == {each.name for each in kernel.before}
    assert support(analyzer, text, Rung.CTX) == {each.name for each in kernel.before if fits(each)}


def alike(shape: Sequence[str], wanted: Sequence[str | None]) -> bool:
    return len(shape) == len(wanted) and all(
        other in (None, own) for own, other in zip(shape, wanted, strict=True)
    )


few = settings(max_examples=25)
"""Each example analyses a whole kernel twice."""
GEMM = {"A": ("shared", "fragment"), "B": ("shared", "fragment"), "C": ("fragment",)}
LETTERS = {"A": "MK", "B": "KN", "C": "MN"}


@few
@given(kernels(), st.sampled_from("ABC"), st.data())
def test_a_product_takes_what_goes_with_the_others(analyzer, kernel, hole, data):
    others = {name: data.draw(st.sampled_from(kernel.before)) for name in "ABC" if name != hole}
    said = {
        letter: dim
        for name, each in others.items()
        if len(each.shape) == 2
        for letter, dim in zip(LETTERS[name], each.shape, strict=True)
    }
    wanted = [said.get(letter) for letter in LETTERS[hole]]
    written = ", ".join("??" if name == hole else others[name].name for name in "ABC")
    check(
        analyzer,
        kernel,
        [f"T.gemm({written})"],
        lambda each: each.mem in GEMM[hole] and alike(each.shape, wanted),
    )


@few
@given(kernels(), st.booleans(), st.data())
def test_a_copy_takes_what_reaches_as_far(analyzer, kernel, first, data):
    other = data.draw(st.sampled_from(kernel.before))
    written = f"T.copy(??, {other.name})" if first else f"T.copy({other.name}, ??)"
    check(analyzer, kernel, [written], lambda each: each.shape == other.shape)


@few
@given(kernels(), st.sampled_from(["T.clear(??)", "T.fill(??, 0)"]))
def test_what_is_set_is_a_tile(analyzer, kernel, written):
    check(analyzer, kernel, [written], lambda each: each.mem in TILES)


@few
@given(kernels(), st.integers(-1, 1), st.data())
def test_a_reduction_lacks_one_extent(analyzer, kernel, dim, data):
    source = data.draw(st.sampled_from(kernel.before))
    rank = len(source.shape)
    at = dim % rank if -rank <= dim < rank else None
    wanted = None if at is None else (*source.shape[:at], *source.shape[at + 1 :])

    def fits(each: Buffer) -> bool:
        return each.mem in ("shared", "fragment") and wanted in (None, each.shape)

    check(analyzer, kernel, [f"T.reduce_max({source.name}, ??, dim={dim})"], fits)


@few
@given(kernels(), st.integers(-1, 1), st.data())
def test_what_is_reduced_has_one_extent_more(analyzer, kernel, dim, data):
    out = data.draw(st.sampled_from(kernel.before))

    def fits(each: Buffer) -> bool:
        rank = len(each.shape)
        if not -rank <= dim < rank:
            return False
        kept = (*each.shape[: dim % rank], *each.shape[dim % rank + 1 :])
        return each.mem in ("shared", "fragment") and kept == out.shape

    check(analyzer, kernel, [f"T.reduce_max(??, {out.name}, dim={dim})"], fits)


@few
@given(kernels())
def test_an_operand_leaves_names_for_the_others(analyzer, kernel):
    """Of a product of which nothing is written, the first operand is one that a product can begin with."""
    flat = [each for each in kernel.before if len(each.shape) == 2]
    text = kernel.text(["T.gemm(??, ??, ??)"])
    first = analyzer.analyse(text).holes[0]
    (ladder,) = SURFACE.fragments["Buffer"].slots.values()
    found = set(candidates(ladder, first.environment, Rung.CTX) or ())
    whole = {
        a.name
        for a in flat
        for b in flat
        for c in flat
        if a.mem in GEMM["A"] and b.mem in GEMM["B"] and c.mem in GEMM["C"]
        if (a.shape[0], b.shape[1]) == c.shape and a.shape[1] == b.shape[0]
    }
    assert whole <= found
    assert {name for name in found if name in {each.name for each in flat}} <= (whole | rankless(kernel))


def rankless(kernel: Kernel) -> set[str]:
    """With a buffer of one extent among those that may stand there, nothing is certain of the others."""
    return (
        {each.name for each in kernel.before}
        if any(len(each.shape) == 1 for each in kernel.before)
        else set()
    )


@few
@given(kernels(), st.data())
def test_an_atomic_operation_writes_where_others_see_it(analyzer, kernel, data):
    value = data.draw(st.sampled_from(kernel.before))
    check(
        analyzer,
        kernel,
        [f"T.atomic_add(??, {value.name})"],
        lambda each: each.mem in ("global", "shared") and each.shape == value.shape,
    )


@few
@given(kernels(), st.lists(st.sampled_from(["m", "n", "k"]), min_size=1, max_size=2), st.booleans())
def test_an_indexed_buffer_reaches_as_far_as_the_loop(analyzer, kernel, extents, read):
    indices = ["i", "j"][: len(extents)]
    name = f"??[{', '.join(indices)}]"
    written = f"size = {name} + 1" if read else f"{name} = 1"
    loop = f"for {', '.join(indices)} in T.Parallel({', '.join(extents)}):"
    check(analyzer, kernel, [loop, f"    {written}"], lambda each: each.shape == tuple(extents))


@few
@given(kernels(), st.data())
def test_a_block_of_a_tensor_is_copied_to_a_tile_of_its_size(analyzer, kernel, data):
    source = data.draw(st.sampled_from(kernel.before))
    first, second = data.draw(st.tuples(st.sampled_from("mnk"), st.sampled_from("mnk")))
    loop = "for ko in T.Pipelined(T.ceildiv(n, k)):"
    check(
        analyzer,
        kernel,
        [loop, f"    T.copy({source.name}[bx * {first}, ko * {second}], ??)"],
        lambda each: each.shape == (first, second),
    )
