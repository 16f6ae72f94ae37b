"""Several texts in one llama.cpp context: one `llama_decode` a step over all of them, common beginnings kept once.

All sequences share one cache (`kv_unified`): a cell belongs to every sequence that was copied from the one it was
computed for, so copying costs nothing and takes no room.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING
from weakref import finalize

import numpy as np

from gproj_lsp.decode.models.cores import free_threads
from gproj_lsp.decode.models.native import NativeModel, library, load_model, read_vocabulary
from gproj_lsp.errors import CacheFullError, Cancelled, ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gproj_lsp.decode.base import Logits, Part, Stop, Vocabulary

__all__ = ["LlamaBatch", "load_batch"]

_ROOM = 512
_BRANCHES = 64
_SMALLEST = 512
"""Tokens of the smallest context; llama.cpp aborts where the sequences outnumber the tokens."""
_WATCHED = 8
"""Steps of more tokens ask `stop` from inside; shorter ones are over sooner than that would pay."""


class LlamaBatch:
    """The sequences of one context; see `BatchModel` for the contract."""

    def __init__(
        self,
        native: NativeModel,
        *,
        capacity: int,
        threads: int,
        sequences: int = 1,
        cells: int | None = None,
    ) -> None:
        """Open a context.

        Args:
            native: The loaded model.
            capacity: Tokens that one sequence may have; cut to what the model was trained for.
            threads: CPU threads.
            sequences: How many sequences there are.
            cells: Tokens that all sequences may have together, common ones counted once; by default one capacity.

        Raises:
            ModelError: There is no memory for it.
        """
        self._native = native
        lib = self._lib = library()
        trained = int(lib.llama_model_n_ctx_train(native.handle)) or capacity
        capacity = min(capacity, trained)
        self._context = _open(native, max(cells or capacity, capacity), threads, sequences + _BRANCHES)
        self._memory = lib.llama_get_memory(self._context)
        self._free = finalize(self, _close, self._context, native)
        self._vocabulary = read_vocabulary(native)
        self._capacity = max(capacity, min(_SMALLEST, int(lib.llama_n_ctx(self._context))))
        self._lengths = [0] * sequences
        self._row = ctypes.c_float * len(self._vocabulary)
        self._batch = _Arrays(sequences + _BRANCHES)
        self._watch = _Watch()

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
        """How many tokens one sequence may have."""
        return self._capacity

    @property
    def sequences(self) -> int:
        """How many sequences there are."""
        return len(self._lengths)

    @property
    def room(self) -> int:
        """How many tokens one step takes."""
        return _ROOM

    @property
    def branches(self) -> int:
        """How many leaves the trees of one step may have."""
        return _BRANCHES

    @property
    def alive(self) -> bool:
        """Whether it was not closed."""
        return self._free.alive

    def decode(self, parts: Sequence[Part], *, stop: Stop | None = None) -> list[Logits]:
        """Feed parts of different sequences in one step.

        Raises:
            Cancelled: `stop` said so; every sequence is as before.
            CacheFullError: The cache has no room; every sequence is as before.
            ModelError: The model was closed, the parts do not fit one step, or llama.cpp failed.
        """
        if not self.alive:
            raise ModelError("the model was closed")
        free = self.sequences  # the first number that no sequence and no branch has
        self._batch.clear()
        try:
            for part in parts:
                free = self._add(part, free)
            self._run(parts, stop)
        finally:
            for branch in range(self.sequences, free):
                self._lib.llama_memory_seq_rm(self._memory, branch, -1, -1)
        for part in parts:
            self._lengths[part.sequence] += len(part.line)
        return self._rows([part.rows + len(part.tree) for part in parts])

    def copy(self, source: int, target: int, length: int) -> None:
        """Let a sequence be the first tokens of another one, and nothing else."""
        self._lib.llama_memory_seq_rm(self._memory, target, -1, -1)
        self._lib.llama_memory_seq_cp(self._memory, source, target, 0, length)
        self._lengths[target] = length

    def rewind(self, sequence: int, length: int) -> int:
        """Forget all but a sequence's first tokens; a model that can't forget a part (a recurrent one) forgets all."""
        if length < self._lengths[sequence]:
            if not self._lib.llama_memory_seq_rm(self._memory, sequence, length, -1):
                self._lib.llama_memory_seq_rm(self._memory, sequence, -1, -1)
                length = 0
            self._lengths[sequence] = length
        return self._lengths[sequence]

    def close(self) -> None:
        """Free the context; the weights go when no vocabulary refers to them any more."""
        self._free()

    def _add(self, part: Part, free: int) -> int:
        """Put a part into the step; each leaf of its tree becomes a sequence from the first free number on."""
        leaves = [[free + leaf for leaf in members] for members in _leaves(part.parents)]
        self._batch.add(part, self._lengths[part.sequence], leaves)
        after = 1 + max((max(members) for members in leaves), default=free - 1)
        for branch in range(free, after):
            self._lib.llama_memory_seq_cp(self._memory, part.sequence, branch, -1, -1)
        return after

    def _run(self, parts: Sequence[Part], stop: Stop | None) -> None:
        lib = self._lib
        watched = stop is not None and self._batch.count > _WATCHED
        if stop and watched:
            lib.llama_set_abort_callback(self._context, self._watch.begin(stop), None)
        try:
            code = lib.llama_decode(self._context, self._batch.raw)
        finally:
            if watched:
                lib.llama_set_abort_callback(self._context, self._watch.nobody, None)
        if not code and not self._watch.raised:
            return
        for part in parts:
            lib.llama_memory_seq_rm(self._memory, part.sequence, self._lengths[part.sequence], -1)
        self._watch.end()
        if code == 2:
            raise Cancelled("decoding was cancelled")
        if code == 1:
            raise CacheFullError("the model's context is full")
        raise ModelError(f"llama.cpp failed with code {code}")

    def _rows(self, counts: Sequence[int]) -> list[Logits]:
        total = sum(counts)
        if not total:
            return [np.empty((0, len(self._vocabulary)), np.float32) for _ in counts]
        pointer = self._lib.llama_get_logits(self._context)
        if not pointer:
            raise ModelError("llama.cpp gave no logits")
        address = ctypes.addressof(pointer.contents)
        memory = memoryview((self._row * total).from_address(address)).cast("B")
        rows = np.frombuffer(memory, dtype=np.float32).reshape(total, len(self._vocabulary))
        ends = np.cumsum(counts)
        return [rows[end - count : end] for end, count in zip(ends, counts, strict=True)]


def load_batch(path: Path, *, sequences: int, capacity: int = 4096, threads: int | None = None) -> LlamaBatch:
    """Load a model for several texts at once.

    Args:
        path: The GGUF file.
        sequences: How many texts.
        capacity: Tokens that one of them may have; together they may have twice as many, common ones counted once.
        threads: CPU threads; by default as `free_threads` says.

    Raises:
        ModelError: llama.cpp is absent, or the file can't be loaded; tells the file and what mends it.
    """
    cells = capacity if sequences == 1 else 2 * capacity
    threads = threads or free_threads()
    return LlamaBatch(load_model(path), capacity=capacity, threads=threads, sequences=sequences, cells=cells)


class _Watch:
    """The callback that llama.cpp asks whether to go on; what a caller's stop raises is kept until it can be raised."""

    def __init__(self) -> None:
        kind = library().ggml_abort_callback
        self._stop: Stop = bool
        self._raised: BaseException | None = None
        self._ask = kind(self._asked)
        self.nobody = kind()

    @property
    def raised(self) -> bool:
        """Whether asking raised anything; llama.cpp may have come to its end all the same."""
        return self._raised is not None

    def begin(self, stop: Stop) -> object:
        """The callback that asks `stop`."""
        self._stop = stop
        self._raised = None
        return self._ask

    def end(self) -> None:
        """Raise what asking raised."""
        raised, self._raised = self._raised, None
        self._stop = bool
        if raised is not None:
            raise raised

    def _asked(self, _data: object) -> bool:
        try:
            return self._stop()
        except BaseException as error:  # noqa: BLE001  (C would swallow it; `end` raises it)
            self._raised = error
            return True


class _Arrays:
    """The arrays that llama.cpp reads a step from; made once."""

    def __init__(self, sequences: int) -> None:
        lib = library()
        self._sequences = sequences
        self.raw = lib.llama_batch_init(_ROOM, 0, sequences)
        self._free = finalize(self, lib.llama_batch_free, self.raw)

    @property
    def count(self) -> int:
        """How many tokens there are."""
        return int(self.raw.n_tokens)

    def clear(self) -> None:
        """Take all tokens out."""
        self.raw.n_tokens = 0

    def add(self, part: Part, start: int, leaves: Sequence[Sequence[int]]) -> None:
        """Put a part behind the others.

        Args:
            part: The part.
            start: How many tokens its sequence has already.
            leaves: For each node of its tree, the sequences of the leaves under it.

        Raises:
            ModelError: There is no room for it.
        """
        if self.count + len(part.line) + len(part.tree) > _ROOM or any(
            max(each) >= self._sequences for each in leaves
        ):
            raise ModelError(f"more than {_ROOM} tokens or {_BRANCHES} branches do not fit one step")
        every = (part.sequence, *sorted({leaf for members in leaves for leaf in members}))
        silent = len(part.line) - part.rows
        for at, token in enumerate(part.line):
            self._put(token, start + at, every, wanted=at >= silent)
        depth: list[int] = []
        for token, parent, members in zip(part.tree, part.parents, leaves, strict=True):
            depth.append(0 if parent < 0 else depth[parent] + 1)
            self._put(token, start + len(part.line) + depth[-1], members, wanted=True)

    def _put(self, token: int, position: int, members: Sequence[int], *, wanted: bool) -> None:
        raw = self.raw
        at = raw.n_tokens
        raw.token[at] = token
        raw.pos[at] = position
        raw.n_seq_id[at] = len(members)
        mine = raw.seq_id[at]
        for place, member in enumerate(members):
            mine[place] = member
        raw.logits[at] = wanted
        raw.n_tokens = at + 1


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


def _open(native: NativeModel, cells: int, threads: int, sequences: int) -> object:
    lib = library()
    params = lib.llama_context_default_params()
    params.n_ctx = max(cells, _SMALLEST)
    params.n_batch = params.n_ubatch = _ROOM
    params.n_seq_max = sequences
    params.kv_unified = True
    params.n_threads = params.n_threads_batch = threads
    params.no_perf = True
    context = lib.llama_init_from_model(native.handle, params)
    if not context:
        mend = "choose a smaller model"
        raise ModelError(
            f"there is no memory for a context of {cells} tokens", place=str(native.path), mend=mend
        )
    return context


def _close(context: object, native: NativeModel) -> None:
    library().llama_free(context)
    del native  # kept until here: the context points into it
