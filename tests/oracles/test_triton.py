"""Triton judges kernels; where it is not installed there is nothing to judge by.

`GPROJ_TRITON` names a Python that has it; no GPU is needed.
"""

from __future__ import annotations

import os
import sys

import pytest

from gproj_lsp.oracles.base import OracleUnavailableError
from gproj_lsp.oracles.elaborator import TRITON, elaborator

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside)
    tl.store(out_ptr + at, x + y, mask=inside)
"""
TYPES = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
CALLS = [f"ttir(add, {TYPES!r}, {{'BLOCK': 64}})"]


@pytest.fixture(scope="module")
def judge():
    try:
        with elaborator(os.environ.get("GPROJ_TRITON", sys.executable), TRITON) as found:
            yield found
    except OracleUnavailableError as error:
        pytest.skip(f"{error}; GPROJ_TRITON names a Python that has it")


def test_a_kernel_is_elaborated(judge):
    assert judge.judge(KERNEL, CALLS).accepted


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [("x + y", "x + z", "NameError"), ("tl.arange", "tl.arrange", "AttributeError")],
)
def test_a_name_that_is_not_there_is_told_apart(judge, old, new, code):
    found = judge.judge(KERNEL.replace(old, new), CALLS)
    assert (found.accepted, found.absent, found.code) == (False, True, code)


def test_what_is_wrong_otherwise_is_refused_too(judge):
    found = judge.judge(KERNEL.replace("tl.arange(0, BLOCK)", "tl.arange(0, 63)"), CALLS)
    assert (found.accepted, found.absent) == (False, False)


def test_a_python_without_it_says_so(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    with (
        pytest.raises(OracleUnavailableError, match="Triton can't be imported"),
        elaborator(str(python), TRITON),
    ):
        pass
