"""llama.cpp's own GBNF sampler, made safe to call.

Its native code aborts the process on a NULL sampler and on a token that the grammar does not admit; both are checked here. The
grammar text must already be valid GBNF: callers parse and print it with `gproj_lsp.gbnf` first.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING
from weakref import finalize

import numpy as np

from gproj_lsp.decode.models.native import library, native_model
from gproj_lsp.errors import EngineError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gproj_lsp.decode.base import Mask, Vocabulary

__all__ = ["NativeGrammar"]

_TOKEN_DATA = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class NativeGrammar:
    """A grammar sampler and the text it has accepted so far."""

    def __init__(self, text: str, vocabulary: Vocabulary, start: str = "root") -> None:
        """Compile valid GBNF text.

        Raises:
            EngineError: llama.cpp refused the grammar, or the text holds a NUL.
            ModelError: The vocabulary was not read from a GGUF file.
        """
        lib = library()
        source = text.encode()
        if b"\0" in source:
            raise EngineError("a grammar text with a NUL character never reaches llama.cpp")
        native = native_model(vocabulary)
        handle = lib.llama_sampler_init_grammar(native.vocab, source, start.encode())
        if not handle:
            raise EngineError("llama.cpp refused the grammar", mend="use engine = llguidance")
        self._hold(handle, vocabulary)

    def _hold(self, handle: object, vocabulary: Vocabulary) -> None:
        self._handle = handle
        self._vocabulary = vocabulary
        self._native = native_model(vocabulary)  # outlives the sampler, which points into it
        self.close = finalize(self, library().llama_sampler_free, handle)

    def clone(self) -> NativeGrammar:
        """An independent copy of the state.

        Raises:
            EngineError: llama.cpp gave no copy.
        """
        handle = library().llama_sampler_clone(self._handle)
        if not handle:
            raise EngineError("llama.cpp could not copy a grammar's state")
        copy = NativeGrammar.__new__(NativeGrammar)
        copy._hold(handle, self._vocabulary)  # noqa: SLF001  (its own class)
        return copy

    def mask(self, buffer: Mask) -> None:
        """Write the admitted tokens, end-of-generation ids included, into a bit set of 32-bit words."""
        size = len(self._vocabulary)
        data = np.zeros(size, dtype=_TOKEN_DATA)
        data["id"] = np.arange(size, dtype=np.int32)
        self._apply(data)
        admitted = np.zeros(len(buffer) * 32, dtype=bool)
        admitted[data["id"][np.isfinite(data["logit"])]] = True
        buffer.view(np.uint8)[:] = np.packbits(admitted, bitorder="little")

    def admits(self, token: int) -> bool:
        """Whether one token can come next."""
        data = np.zeros(1, dtype=_TOKEN_DATA)
        data["id"] = token
        self._apply(data)
        return bool(np.isfinite(data["logit"][0]))

    def accept(self, token: int) -> bool:
        """Advance by a token; False, and no change, where it is not admitted or is an end-of-generation id."""
        if token in self._vocabulary.end or not self.admits(token):
            return False
        library().llama_sampler_accept(self._handle, token)
        return True

    def _apply(self, data: NDArray[np.void]) -> None:
        lib = library()
        array = lib.llama_token_data_array(
            data=data.ctypes.data_as(lib.llama_token_data_p), size=len(data), selected=-1, sorted=False
        )
        lib.llama_sampler_apply(self._handle, ctypes.byref(array))
