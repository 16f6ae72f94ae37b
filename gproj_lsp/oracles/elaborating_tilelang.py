"""What calls of a judge can use where TileLang judges; run by the interpreter that has it."""

from __future__ import annotations

from tilelang import tvm
from tilelang.engine import lower

_TARGET = {"kind": "cuda", "arch": "sm_80"}


def lowered(kernel: object) -> str:
    """A kernel as CUDA C++, which no compiler for that is needed for.

    Args:
        kernel: What elaborating gave.
    """
    target = tvm.target.Target(_TARGET)
    with target:
        return str(lower(kernel, target=target).kernel_source)
