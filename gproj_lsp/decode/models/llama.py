"""Any GGUF model through llama.cpp's low-level loop: one `llama_decode` a step, logits viewed where llama.cpp put them."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import finalize

import numpy as np

from gproj_lsp.decode.models.native import NativeModel, library, load_model, read_vocabulary
from gproj_lsp.errors import Cancelled, ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gproj_lsp.decode.base import Logits, Stop, Vocabulary

__all__ = ["LlamaModel", "free_threads", "physical_cores"]

_BATCH = 512
_BRANCHES = 64
_SMALLEST = 512
"""Tokens of the smallest context; llama.cpp aborts where the branches outnumber the tokens."""
_WATCHED = 8
"""Batches of more tokens ask `stop` from inside; shorter ones are over sooner than that would pay."""


class LlamaModel:
    """One context over a GGUF model; see `LanguageModel` and `BranchingModel` for the contract."""

    def __init__(
        self, path: Path | str, *, capacity: int = 4096, threads: int | None = None, gpu_layers: int = 0
    ) -> None:
        """Load a model.

        Args:
            path: The GGUF file.
            capacity: Tokens the context holds; cut to what the model was trained for.
            threads: CPU threads; by default as `free_threads` says.
            gpu_layers: Layers to put on a GPU, where llama.cpp was built for one.

        Raises:
            ModelError: llama.cpp is absent, or the file can't be loaded; tells the file and what mends it.
        """
        self._native = load_model(Path(path), gpu_layers=gpu_layers)
        lib = self._lib = library()
        trained = int(lib.llama_model_n_ctx_train(self._native.handle)) or capacity
        self._context = _open(self._native, min(capacity, trained), threads or free_threads())
        self._memory = lib.llama_get_memory(self._context)
        self._free = finalize(self, _close, self._context, self._native)
        self._vocabulary = read_vocabulary(self._native)
        self._capacity = int(lib.llama_n_ctx(self._context))
        self._row = ctypes.c_float * len(self._vocabulary)
        self._batch = _Batch()
        self._fed: list[int] = []
        self._stop: Stop = bool
        self._watch = lib.ggml_abort_callback(lambda _data: self._stop())
        self._unwatched = lib.ggml_abort_callback()

    @property
    def name(self) -> str:
        """The file's stem."""
        return self._vocabulary.name

    @property
    def vocabulary(self) -> Vocabulary:
        """Its tokens."""
        return self._vocabulary

    @property
    def capacity(self) -> int:
        """How many tokens the context holds."""
        return self._capacity

    @property
    def branches(self) -> int:
        """How many leaves a tree given to `spread` may have."""
        return _BRANCHES

    @property
    def fed(self) -> Sequence[int]:
        """The tokens in the context now."""
        return self._fed

    def feed(self, ids: Sequence[int], *, every: bool = False, stop: Stop | None = None) -> Logits:
        """Append ids and give logits after the last, or after each with `every`.

        Raises:
            Cancelled: `stop` said so; the context is as before.
            ModelError: The context is full, or llama.cpp failed.
        """
        self._check(ids, stop)
        start = len(self._fed)
        rows: list[Logits] = []
        for first in range(0, len(ids), _BATCH):
            part = ids[first : first + _BATCH]
            last = first + len(part) == len(ids)
            self._batch.line(part, start + first, every=every, last=last)
            self._decode(stop, start)
            if every:
                rows.append(self._rows(len(part)) if last and not rows else self._rows(len(part)).copy())
        self._fed.extend(ids)
        if not every:
            return self._last()
        return rows[0] if len(rows) == 1 else np.concatenate(rows)

    def spread(self, ids: Sequence[int], parents: Sequence[int], *, stop: Stop | None = None) -> Logits:
        """Logits after each node of a tree of tokens; the context stays as it is.

        Raises:
            Cancelled: `stop` said so.
            ModelError: The tree has too many nodes or leaves, there is no room, or llama.cpp failed.
        """
        self._check(ids, stop)
        leaves = _leaves(parents)
        count = 1 + max(max(members) for members in leaves)
        if len(ids) > _BATCH or count > _BRANCHES:
            raise ModelError(f"a tree of {len(ids)} tokens and {count} branches does not fit one batch")
        depth: list[int] = []
        for parent in parents:
            depth.append(0 if parent < 0 else depth[parent] + 1)
        base = len(self._fed)
        for leaf in range(count):
            self._lib.llama_memory_seq_cp(self._memory, 0, leaf + 1, -1, -1)
        self._batch.tree(
            ids, [base + d for d in depth], [[leaf + 1 for leaf in members] for members in leaves]
        )
        try:
            self._decode(stop, base)
        finally:
            for leaf in range(count):
                self._lib.llama_memory_seq_rm(self._memory, leaf + 1, -1, -1)
        return self._rows(len(ids))

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` tokens.

        Raises:
            ModelError: The model can't forget a part (a recurrent one) and failed to read the rest again.
        """
        if length >= len(self._fed):
            return
        kept = self._fed[:length]
        if self._lib.llama_memory_seq_rm(self._memory, 0, length, -1):
            self._fed = kept
            return
        self._lib.llama_memory_clear(self._memory, True)  # noqa: FBT003  (a C function)
        self._fed = []
        if kept:
            self.feed(kept)

    def close(self) -> None:
        """Free the context; the weights go when no vocabulary refers to them any more."""
        self._free()

    def _check(self, ids: Sequence[int], stop: Stop | None) -> None:
        if not self._free.alive:
            raise ModelError("the model was closed")
        if not ids:
            raise ModelError("a model can't be fed an empty text")
        if len(self._fed) + len(ids) > self._capacity:
            mend = "choose a model with a longer context"
            raise ModelError(
                f"the text does not fit the model's context of {self._capacity} tokens", mend=mend
            )
        if stop and stop():
            raise Cancelled("decoding was cancelled")

    def _decode(self, stop: Stop | None, start: int) -> None:
        lib = self._lib
        watched = stop is not None and self._batch.raw.n_tokens > _WATCHED
        if stop and watched:
            self._stop = stop
            lib.llama_set_abort_callback(self._context, self._watch, None)
        try:
            code = lib.llama_decode(self._context, self._batch.raw)
        finally:
            if watched:
                lib.llama_set_abort_callback(self._context, self._unwatched, None)
                self._stop = bool
        if code:
            lib.llama_memory_seq_rm(self._memory, 0, start, -1)
            if code == 2:
                raise Cancelled("decoding was cancelled")
            raise ModelError(
                f"llama.cpp failed with code {code}" if code != 1 else "the model's context is full"
            )

    def _last(self) -> Logits:
        row: Logits = self._view(self._lib.llama_get_logits_ith(self._context, -1), 1)[0]
        return row

    def _rows(self, count: int) -> Logits:
        return self._view(self._lib.llama_get_logits(self._context), count)

    def _view(self, pointer: ctypes._Pointer[ctypes.c_float], count: int) -> Logits:
        if not pointer:
            raise ModelError("llama.cpp gave no logits")
        address = ctypes.addressof(pointer.contents)
        memory = memoryview((self._row * count).from_address(address)).cast("B")
        return np.frombuffer(memory, dtype=np.float32).reshape(count, len(self._vocabulary))


class _Batch:
    """The arrays that llama.cpp reads a batch from; made once."""

    def __init__(self) -> None:
        lib = library()
        self.raw = lib.llama_batch_init(_BATCH, 0, _BRANCHES + 1)
        self._free = finalize(self, lib.llama_batch_free, self.raw)

    def line(self, ids: Sequence[int], position: int, *, every: bool, last: bool) -> None:
        """One sequence; logits for all, or for the last where this is the last part."""
        raw = self.raw
        raw.n_tokens = len(ids)
        for at, token in enumerate(ids):
            raw.token[at] = token
            raw.pos[at] = position + at
            raw.n_seq_id[at] = 1
            raw.seq_id[at][0] = 0
            raw.logits[at] = every
        if last:
            raw.logits[len(ids) - 1] = True

    def tree(self, ids: Sequence[int], positions: Sequence[int], sequences: Sequence[Sequence[int]]) -> None:
        """Nodes that belong to the sequences of the leaves under them; logits for all."""
        raw = self.raw
        raw.n_tokens = len(ids)
        for at, (token, position, members) in enumerate(zip(ids, positions, sequences, strict=True)):
            raw.token[at] = token
            raw.pos[at] = position
            raw.n_seq_id[at] = len(members)
            for place, member in enumerate(members):
                raw.seq_id[at][place] = member
            raw.logits[at] = True


def _leaves(parents: Sequence[int]) -> list[list[int]]:
    """For each node, the numbers of the leaves under it (its own, where it is one)."""
    members: list[list[int]] = [[] for _ in parents]
    count = 0
    for node in range(len(parents) - 1, -1, -1):
        if not members[node]:
            members[node].append(count)
            count += 1
        if parents[node] >= 0:
            members[parents[node]].extend(members[node])
    return members


def _open(native: NativeModel, capacity: int, threads: int) -> object:
    lib = library()
    params = lib.llama_context_default_params()
    params.n_ctx = max(capacity, _SMALLEST)
    params.n_batch = params.n_ubatch = _BATCH
    params.n_seq_max = _BRANCHES + 1
    params.kv_unified = True
    params.n_threads = params.n_threads_batch = threads
    params.no_perf = True
    context = lib.llama_init_from_model(native.handle, params)
    if not context:
        mend = "choose a smaller model"
        raise ModelError(
            f"there is no memory for a context of {capacity} tokens", place=str(native.path), mend=mend
        )
    return context


def _close(context: object, native: NativeModel) -> None:
    library().llama_free(context)
    del native  # kept until here: the context points into it


def free_threads() -> int:
    """One thread a physical core; a single one where the machine has more than twice as much to do as it has cores.

    llama.cpp's threads wait for each other hundreds of times a token, and for a whole time slice where one of them has no
    core: on two cores with a load of ten, two threads took far longer than one.
    """
    cores = physical_cores()
    try:
        busy = os.getloadavg()[0]
    except (AttributeError, OSError):  # not on Windows
        return cores
    return cores if busy <= 2 * cores else 1


def physical_cores() -> int:
    """Cores this process may use, counting siblings of one core once; llama.cpp is slower with more threads."""
    usable = (
        sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )
    return max(1, len(set(_siblings(usable))))


def _siblings(cpus: Sequence[int]) -> Iterator[str]:
    for cpu in cpus:
        place = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            yield place.read_text().strip()
        except OSError:
            yield str(cpu)
