"""Any GGUF model through llama.cpp's low-level loop: one `llama_decode` a step, logits viewed where llama.cpp put them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gproj_lsp.decode.base import Part
from gproj_lsp.decode.models.cores import free_threads
from gproj_lsp.decode.models.llama_batch import LlamaBatch
from gproj_lsp.decode.models.native import load_model
from gproj_lsp.errors import Cancelled, GprojError, ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gproj_lsp.decode.base import Logits, Stop, Vocabulary

__all__ = ["LlamaModel"]


class LlamaModel:
    """One text in a context of its own; see `LanguageModel` and `BranchingModel` for the contract."""

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
        native = load_model(Path(path), gpu_layers=gpu_layers)
        self._batch = LlamaBatch(native, capacity=capacity, threads=threads or free_threads())
        self._fed: list[int] = []

    @property
    def name(self) -> str:
        """The file's stem."""
        return self._batch.name

    @property
    def vocabulary(self) -> Vocabulary:
        """Its tokens."""
        return self._batch.vocabulary

    @property
    def capacity(self) -> int:
        """How many tokens the context holds."""
        return self._batch.capacity

    @property
    def branches(self) -> int:
        """How many leaves a tree given to `spread` may have."""
        return self._batch.branches

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
        room = self._batch.room
        parts = [ids[first : first + room] for first in range(0, len(ids), room)]
        rows: list[Logits] = []
        try:
            for part in parts:
                wanted = len(part) if every else int(part is parts[-1])
                (found,) = self._batch.decode([Part(0, part, wanted)], stop=stop)
                if every:
                    rows.append(found if len(parts) == 1 else found.copy())
        except GprojError:
            self._batch.rewind(0, len(self._fed))
            raise
        self._fed.extend(ids)
        if not every:
            row: Logits = found[-1]
            return row
        return rows[0] if len(rows) == 1 else np.concatenate(rows)

    def spread(self, ids: Sequence[int], parents: Sequence[int], *, stop: Stop | None = None) -> Logits:
        """Logits after each node of a tree of tokens; the context stays as it is.

        Raises:
            Cancelled: `stop` said so.
            ModelError: The tree has too many nodes or leaves, there is no room, or llama.cpp failed.
        """
        self._check(ids, stop)
        (rows,) = self._batch.decode([Part(0, (), 0, ids, parents)], stop=stop)
        return rows

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` tokens.

        Raises:
            ModelError: The model can't forget a part (a recurrent one) and failed to read the rest again.
        """
        if length >= len(self._fed):
            return
        wanted = self._fed[:length]
        kept = self._batch.rewind(0, length)
        self._fed = wanted[:kept]
        if kept < length:
            self.feed(wanted[kept:])

    def close(self) -> None:
        """Free the context; the weights go when no vocabulary refers to them any more."""
        self._batch.close()

    def _check(self, ids: Sequence[int], stop: Stop | None) -> None:
        if not self._batch.alive:
            raise ModelError("the model was closed")
        if not ids:
            raise ModelError("a model can't be fed an empty text")
        if len(self._fed) + len(ids) > self.capacity:
            mend = "choose a model with a longer context"
            raise ModelError(
                f"the text does not fit the model's context of {self.capacity} tokens", mend=mend
            )
        if stop and stop():
            raise Cancelled("decoding was cancelled")
