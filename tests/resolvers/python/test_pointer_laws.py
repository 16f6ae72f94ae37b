"""At operands of generated Triton kernels, without a model: gamma is the declared names of the sort, ctx the fitting ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gproj_lsp.cli.wiring import shipped_facts
from gproj_lsp.fragment import Rung, candidates
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SURFACE = shipped()["triton"]
few = settings(max_examples=25)
"""Each example analyses a whole kernel."""
DIMS = st.sampled_from(["BM", "BN", "BK"])
SHAPES = st.lists(st.tuples(DIMS, DIMS), min_size=2, max_size=6)


@pytest.fixture(scope="module")
def analyzer():
    return Analyzer(SURFACE, resolver_of(SURFACE), shipped_facts(SURFACE))


def kernel(shapes, operation):
    """A kernel with a tile of each shape and a tile of pointers for each of these."""
    lines = [
        "import triton",
        "import triton.language as tl",
        "@triton.jit",
        "def kernel(x_ptr, stride, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):",
        "    first = tl.load(x_ptr)",
    ]
    for at, (rows, columns) in enumerate(shapes):
        lines += [
            f"    tile_{at} = tl.zeros(({rows}, {columns}), dtype=tl.float32)",
            f"    ptrs_{at} = x_ptr + tl.arange(0, {rows})[:, None] * stride + tl.arange(0, {columns})[None, :]",
        ]
    return "\n".join([*lines, f"    {operation}", ""])


def support(analyzer, text, sort, rung):
    (hole,) = analyzer.analyse(text).holes
    assert hole.sort == sort
    (ladder,) = SURFACE.fragments[sort].slots.values()
    return set(candidates(ladder, hole.environment, rung) or ())


@few
@given(SHAPES, st.data())
def test_a_load_takes_pointers_as_far_as_its_mask_reaches(analyzer, shapes, data):
    at = data.draw(st.integers(0, len(shapes) - 1))
    text = kernel(shapes, f"y = tl.load(??, mask=tile_{at} > 0)")
    pointers = {f"ptrs_{at}" for at in range(len(shapes))}
    assert support(analyzer, text, "Pointer", Rung.GAMMA) == {"x_ptr", *pointers}
    fitting = {f"ptrs_{other}" for other, shape in enumerate(shapes) if shape == shapes[at]}
    assert support(analyzer, text, "Pointer", Rung.CTX) == fitting


@few
@given(SHAPES, st.data())
def test_a_store_takes_what_reaches_as_far_as_its_pointers(analyzer, shapes, data):
    at = data.draw(st.integers(0, len(shapes) - 1))
    text = kernel(shapes, f"tl.store(ptrs_{at}, ??)")
    tiles = {f"tile_{at}" for at in range(len(shapes))}
    assert tiles <= support(analyzer, text, "Tensor", Rung.GAMMA)
    fitting = {f"tile_{other}" for other, shape in enumerate(shapes) if shape == shapes[at]}
    assert support(analyzer, text, "Tensor", Rung.CTX) & tiles == fitting


@few
@given(SHAPES, st.data())
def test_a_product_takes_what_goes_with_the_others(analyzer, shapes, data):
    at, acc = (data.draw(st.integers(0, len(shapes) - 1)) for _ in range(2))
    text = kernel(shapes, f"y = tl.dot(??, tile_{at}, tile_{acc})")
    wanted = (shapes[acc][0], shapes[at][0])
    fitting = {f"tile_{other}" for other, shape in enumerate(shapes) if shape == wanted}
    tiles = {f"tile_{at}" for at in range(len(shapes))}
    assert support(analyzer, text, "Tensor", Rung.CTX) & tiles == fitting
