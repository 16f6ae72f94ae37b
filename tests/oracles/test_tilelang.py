"""TileLang judges kernels; where it is not installed there is nothing to judge by.

It needs torch and 300 MB more, so it is no dependency of the tests: `GPROJ_TILELANG` names a Python that has it.
"""

from __future__ import annotations

import os
import sys

import pytest

from gproj_lsp.oracles.base import OracleUnavailableError
from gproj_lsp.oracles.elaborator import elaborator

KERNEL = """\
import tilelang.language as T


def make(M, block):
    @T.prim_func
    def scale(A: T.Tensor((M, M), T.float16)):
        with T.Kernel(T.ceildiv(M, block), threads=128) as bx:
            tile = T.alloc_shared((block, block), T.float16)
            row = T.alloc_fragment((block,), T.float16)
            T.copy(A[bx * block, 0], tile)
            T.reduce_max(tile, row, dim=1)

    return scale
"""
CALLS = ["make(256, 64)"]


@pytest.fixture(scope="module")
def judge():
    try:
        with elaborator(os.environ.get("GPROJ_TILELANG", sys.executable), seconds=20) as found:
            yield found
    except OracleUnavailableError as error:
        pytest.skip(f"{error}; GPROJ_TILELANG names a Python that has it")


def test_a_kernel_is_elaborated(judge):
    assert judge.judge(KERNEL, CALLS).accepted


def test_a_name_that_is_not_there_is_told_apart(judge):
    found = judge.judge(KERNEL.replace("tile, row", "tile, rwo"), CALLS)
    assert (found.accepted, found.absent, found.code) == (False, True, "NameError")
    assert "rwo" in found.message


def test_a_buffer_that_does_not_fit_is_told(judge):
    found = judge.judge(KERNEL.replace("(tile, row", "(A, row"), CALLS)
    assert (found.accepted, found.absent) == (False, False)


def test_a_kernel_is_lowered_without_a_gpu(judge):
    assert judge.judge(KERNEL, [f"lowered({CALLS[0]})"]).accepted
    assert judge.judge(KERNEL, ["lowered(3)"]).accepted is False


@pytest.mark.slow
def test_a_text_has_its_time(judge):
    found = judge.judge("while True: pass\n")
    assert found.code == "TimeoutError"
    assert judge.judge(KERNEL, CALLS).accepted


def test_a_python_without_it_says_so(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(OracleUnavailableError, match="can't be imported"), elaborator(str(python)):
        pass
