"""What calls of a judge can use where Triton judges; run by the interpreter that has it."""

from __future__ import annotations

from collections.abc import Mapping

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

_TARGET = GPUTarget("cuda", 80, 32)
"""An architecture; the first form does not depend on it, and no such device is needed."""


def ttir(function: object, signature: Mapping[str, str], constants: Mapping[str, object]) -> str:
    """A kernel in Triton's first intermediate form.

    Args:
        function: The kernel.
        signature: The type of each parameter.
        constants: What those are that are `constexpr`.
    """
    backend, context = make_backend(_TARGET), ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    options = backend.parse_options({})
    source = ASTSource(function, dict(signature), dict(constants))
    module = source.make_ir(
        _TARGET, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
    )
    return str(module)
