"""GGUF files, checked before native code sees them.

llama.cpp aborts or loads garbage on some damaged files, so the header and the place of every tensor are read here first
(format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md).
"""

from __future__ import annotations

import os
import struct
from math import prod
from typing import TYPE_CHECKING, BinaryIO

from gproj_lsp.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MOST_LAYERS", "check_gguf"]

_MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_MOST_ITEMS = 10_000_000
"""More entries than any real header has; a damaged count would have us read for minutes."""

MOST_LAYERS = 512
"""LLAMA_MAX_LAYERS of llama.cpp."""

# Elements and bytes of one block, by ggml tensor type; of a type that is not here only the start is checked.
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136),
    24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 30: (1, 2),
}  # fmt: skip


def check_gguf(path: Path) -> None:
    """Make sure that a file is a whole GGUF file.

    Raises:
        ModelError: It is absent, unreadable, something else, or ends too early.
    """
    try:
        with path.open("rb") as file:
            _check(file, path)
    except OSError as error:
        reason = error.strerror or "can't be read"
        mend = "give the path of a GGUF file, or leave `model` unset for the embedded one"
        raise ModelError(f"the model file can't be opened: {reason}", place=str(path), mend=mend) from error
    except (struct.error, EOFError) as error:
        raise _truncated(path) from error


def _check(file: BinaryIO, path: Path) -> None:
    size = os.fstat(file.fileno()).st_size
    if file.read(4) != _MAGIC:
        raise ModelError(
            "not a GGUF file", place=str(path), mend="convert the model to GGUF, or choose another file"
        )
    version, tensors, entries = struct.unpack("<IQQ", _take(file, 20))
    if version not in (2, 3) or tensors > _MOST_ITEMS or entries > _MOST_ITEMS:
        raise ModelError(
            f"a GGUF header of version {version} that can't be read",
            place=str(path),
            mend="download the file again",
        )
    alignment = 32
    for _ in range(entries):
        key = _string(file)
        (kind,) = struct.unpack("<I", _take(file, 4))
        if key == b"general.alignment" and kind == 4:
            (alignment,) = struct.unpack("<I", _take(file, 4))
        elif key.endswith(b".block_count") and kind == 4:
            _check_layers(struct.unpack("<I", _take(file, 4))[0], path)
        else:
            _skip(file, kind, path)
    ends = [_tensor_end(file) for _ in range(tensors)]
    data = -(-file.tell() // max(alignment, 1)) * max(alignment, 1)
    if data + max(ends, default=0) > size:
        raise _truncated(path)


def _check_layers(count: int, path: Path) -> None:
    """llama.cpp ends the process where a model has no layer, or more than it has room for."""
    if not 1 <= count <= MOST_LAYERS:
        raise ModelError(
            f"a GGUF header that says the model has {count:,} layers",
            place=str(path),
            mend="download the file again",
        )


def _tensor_end(file: BinaryIO) -> int:
    _string(file)
    (axes,) = struct.unpack("<I", _take(file, 4))
    shape = struct.unpack(f"<{axes}Q", _take(file, 8 * axes)) if axes <= 8 else _fail()
    kind, offset = struct.unpack("<IQ", _take(file, 12))
    elements, width = _BLOCKS.get(kind, (1, 0))
    return int(offset) + prod(shape) // elements * width


def _skip(file: BinaryIO, kind: int, path: Path) -> None:
    if kind == _STRING:
        _string(file)
    elif kind == _ARRAY:
        inner, count = struct.unpack("<IQ", _take(file, 12))
        if inner == _STRING and count <= _MOST_ITEMS:
            for _ in range(count):
                _string(file)
        elif inner in _SIZES and count <= _MOST_ITEMS:
            _take(file, count * _SIZES[inner])
        else:
            raise ModelError(
                "a GGUF header that can't be read", place=str(path), mend="download the file again"
            )
    elif kind in _SIZES:
        _take(file, _SIZES[kind])
    else:
        raise ModelError("a GGUF header that can't be read", place=str(path), mend="download the file again")


def _string(file: BinaryIO) -> bytes:
    (length,) = struct.unpack("<Q", _take(file, 8))
    return _take(file, length)


def _take(file: BinaryIO, count: int) -> bytes:
    if count > 1 << 30:
        raise EOFError
    data = file.read(count)
    if len(data) != count:
        raise EOFError
    return data


def _fail() -> tuple[int, ...]:
    raise EOFError


def _truncated(path: Path) -> ModelError:
    return ModelError(
        "the GGUF file ends too early: it is truncated", place=str(path), mend="download the file again"
    )
