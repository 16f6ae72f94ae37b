"""llama.cpp's vocabularies, and the one place that starts its backend."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, finalize

from gproj_lsp.decode.base import FimTokens, Vocabulary
from gproj_lsp.decode.models.gguf import check_gguf
from gproj_lsp.decode.models.memo import SHORT, remembered
from gproj_lsp.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

__all__ = ["NativeModel", "library", "load_model", "load_vocabulary", "native_model"]

_KEPT: list[object] = []  # C keeps a pointer to the log callback, so Python must keep the callback


@cache
def library() -> ModuleType:
    """The low-level bindings, with the backend started and its log silenced.

    Raises:
        ModelError: llama-cpp-python is not installed or can't be loaded.
    """
    try:
        from llama_cpp import llama_cpp  # noqa: PLC0415  (half a second; only decoding needs it)
    except (ImportError, OSError, RuntimeError) as error:
        mend = 'pip install "gproj-lsp[demo]"'
        raise ModelError("llama.cpp is not installed, so no GGUF model can run", mend=mend) from error
    # A native function that does nothing with what it gets: an interrupt that met one in Python would be lost there.
    quiet = ctypes.cast(llama_cpp.llama_supports_mmap, llama_cpp.llama_log_callback)
    _KEPT.append(quiet)
    llama_cpp.llama_log_set(quiet, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    module: ModuleType = llama_cpp
    return module


class NativeModel:
    """A loaded GGUF: weights (or the vocabulary alone), freed when nothing refers to it any more."""

    def __init__(self, handle: object, path: Path) -> None:
        lib = library()
        self.handle = handle
        self.path = path
        self.vocab = lib.llama_model_get_vocab(handle)
        self.free: Callable[[], object] = finalize(self, lib.llama_model_free, handle)


_NATIVE: WeakKeyDictionary[Vocabulary, NativeModel] = WeakKeyDictionary()


def load_model(path: Path, *, vocabulary_only: bool = False, gpu_layers: int = 0) -> NativeModel:
    """Load a GGUF file.

    Raises:
        ModelError: The file is damaged, or llama.cpp can't load it.
    """
    check_gguf(path)
    lib = library()
    params = lib.llama_model_default_params()
    params.n_gpu_layers = gpu_layers
    params.vocab_only = vocabulary_only
    handle = lib.llama_model_load_from_file(str(path).encode(), params)
    if not handle:
        mend = "choose a model that the installed llama.cpp supports"
        raise ModelError("llama.cpp can't load this model", place=str(path), mend=mend)
    native = NativeModel(handle, path)
    if not native.vocab or not lib.llama_vocab_n_tokens(native.vocab):
        raise ModelError("the model has no vocabulary", place=str(path), mend="choose a language model")
    return native


def load_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary of a GGUF file without its weights; takes a fraction of a second.

    Raises:
        ModelError: As `load_model`.
    """
    return read_vocabulary(load_model(path, vocabulary_only=True))


def native_model(vocabulary: Vocabulary) -> NativeModel:
    """The loaded model that a vocabulary was read from, for llama.cpp's own samplers.

    Raises:
        ModelError: It was not read from a GGUF file.
    """
    try:
        return _NATIVE[vocabulary]
    except KeyError:
        mend = "use engine = llguidance with this model"
        raise ModelError(f"{vocabulary.name} is not a llama.cpp vocabulary", mend=mend) from None


def read_vocabulary(native: NativeModel) -> Vocabulary:
    """Every token's bytes and role. An end-of-generation id has no bytes, even where it is spelled as ordinary text."""
    lib = library()
    vocab = native.vocab
    size = lib.llama_vocab_n_tokens(vocab)
    fim = tuple(f(vocab) for f in (lib.llama_vocab_fim_pre, lib.llama_vocab_fim_suf, lib.llama_vocab_fim_mid))
    begin = lib.llama_vocab_bos(vocab) if lib.llama_vocab_get_add_bos(vocab) else -1
    end = frozenset(token for token in range(size) if lib.llama_vocab_is_eog(vocab, token))
    pieces = _pieces(native, size)
    vocabulary = Vocabulary(
        name=native.path.stem,
        tokens=tuple(b"" if token in end else piece for token, piece in enumerate(pieces)),
        end=end,
        begin=begin if begin >= 0 else None,
        fim=FimTokens(*fim) if min(fim) >= 0 else None,
        encode=_encoder(native),
    )
    _NATIVE[vocabulary] = native
    return vocabulary


def _pieces(native: NativeModel, size: int) -> tuple[bytes, ...]:
    piece = library().llama_token_to_piece
    buffer = ctypes.create_string_buffer(4096)
    pieces = []
    for token in range(size):
        length = piece(native.vocab, token, buffer, len(buffer), 0, False)  # noqa: FBT003  (a C function)
        pieces.append(buffer.raw[:length] if length > 0 else b"")
    return tuple(pieces)


def _encoder(native: NativeModel) -> Callable[[bytes], list[int]]:
    """A tokenizer that gives back exactly the bytes it got.

    SentencePiece vocabularies put a space before a text's beginning; they are shown a newline first, which is then cut off.
    """
    tokenize = library().llama_tokenize

    def raw(text: bytes) -> list[int]:
        room = max(len(text), SHORT) + 8
        buffer = (ctypes.c_int32 * room)()
        count = tokenize(native.vocab, text, len(text), buffer, room, False, False)  # noqa: FBT003  (a C function)
        return list(buffer[:count]) if count > 0 else []

    skip = len(raw(b"\n"))
    prefixed = (
        len(raw(b"\n\n")) != skip and raw(b"\na")[:skip] == raw(b"\n") and _adds_space(native, raw(b"a"))
    )

    def after_newline(text: bytes) -> list[int]:
        return raw(b"\n" + text)[skip:] if text else []

    return remembered(after_newline if prefixed else raw)


def _adds_space(native: NativeModel, ids: list[int]) -> bool:
    buffer = ctypes.create_string_buffer(64)
    lib = library()
    length = lib.llama_token_to_piece(native.vocab, ids[0], buffer, len(buffer), 0, False) if ids else 0  # noqa: FBT003
    return buffer.raw[: max(length, 0)].startswith(b" ")
