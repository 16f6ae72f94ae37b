"""Models of Hugging Face's Transformers, in this process: a cache that is cut back where a text is."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING

import numpy as np

from gproj_lsp.decode.models.hf_folder import first_line, load
from gproj_lsp.errors import Cancelled, ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gproj_lsp.decode.base import LanguageModel, Logits, Stop, Vocabulary
    from gproj_lsp.decode.models.hf_folder import Loaded, Network

__all__ = ["HfModel", "HfTreeModel", "open_hf"]

_BATCH = 512
_WATCHED = 32
"""Tokens between two looks at `stop`."""
_BRANCHES = 64


def open_hf(path: Path, *, capacity: int = 4096) -> LanguageModel:
    """A model of Transformers.

    Args:
        path: The folder, or a GGUF file.
        capacity: Tokens the context holds; cut to what the model was made for.

    Raises:
        ModelError: Transformers is not installed, or the model can't be loaded; tells where and what mends it.
    """
    loaded = load(path)
    tree = HfTreeModel(loaded, capacity)
    if not 0 < loaded.window < tree.capacity and tree.branches_exactly():
        return tree
    return HfModel(loaded, capacity)


class HfModel:
    """One context over a Transformers model; see `LanguageModel` for the contract."""

    def __init__(self, loaded: Loaded, capacity: int) -> None:
        self._torch = loaded.torch
        self._empty = loaded.transformers.DynamicCache
        self._network: Network | None = loaded.network
        self._vocabulary = loaded.vocabulary
        self._capacity = min(capacity, loaded.made_for or capacity)
        self._cache = self._empty()
        known = signature(loaded.network.forward).parameters
        self._kept = "cache" if "cache" in known else "past_key_values"  # the older name
        self._fed: list[int] = []

    @property
    def name(self) -> str:
        """The folder's name, or the file's stem."""
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
    def fed(self) -> Sequence[int]:
        """The tokens in the context now."""
        return self._fed

    def feed(self, ids: Sequence[int], *, every: bool = False, stop: Stop | None = None) -> Logits:
        """Append ids and give logits after the last, or after each with `every`.

        Raises:
            Cancelled: `stop` said so; the context is as before.
            ModelError: The context is full, or the model failed.
        """
        self._check(ids)
        step = _WATCHED if stop else _BATCH
        rows: list[Logits] = []
        try:
            for first in range(0, len(ids), step):
                _heed(stop)
                rows.append(self._logits(ids[first : first + step], every=every))
        except BaseException:
            self._shrink(len(self._fed))
            raise
        self._fed.extend(ids)
        if not every:
            last: Logits = rows[-1][-1]
            return last
        return rows[0] if len(rows) == 1 else np.concatenate(rows)

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` tokens.

        Raises:
            ModelError: The model can't forget a part and failed to read the rest again.
        """
        if length >= len(self._fed):
            return
        kept, self._fed = self._fed[:length], []
        if self._shrink(length):
            self._fed = kept
        elif kept:
            self.feed(kept)

    def close(self) -> None:
        """Let go of the weights and the cache."""
        self._network = None
        self._cache = self._empty()
        self._fed = []

    def _check(self, ids: Sequence[int]) -> None:
        if self._network is None:
            raise ModelError("the model was closed")
        if not ids:
            raise ModelError("a model can't be fed an empty text")
        if len(self._fed) + len(ids) > self._capacity:
            mend = "choose a model with a longer context"
            raise ModelError(
                f"the text does not fit the model's context of {self._capacity} tokens", mend=mend
            )

    def _logits(self, ids: Sequence[int], *, every: bool, **said: object) -> Logits:
        """Logits after each of some more tokens, or after the last of them; the cache holds them afterwards."""
        network = self._network
        if network is None:
            raise ModelError("the model was closed")
        text = self._torch.tensor([list(ids)], device=network.device)
        try:
            with self._torch.inference_mode():
                said = {**said, self._kept: self._cache, "use_cache": True}
                found = network(input_ids=text, logits_to_keep=0 if every else 1, **said)
        except (RuntimeError, ValueError, TypeError, IndexError, MemoryError) as error:
            raise ModelError(f"the model failed: {first_line(error)}", place=self.name) from error
        rows = found.logits[0].float().cpu().numpy()
        return rows if every else rows[-1:]

    def _shrink(self, length: int) -> bool:
        """Cut the cache to the first tokens; where it can't be cut it is emptied, and the answer is False."""
        more = self._cache.get_seq_length() - length
        try:
            if more > 0:
                self._cache.crop(-more)
        except (RuntimeError, ValueError, NotImplementedError, AttributeError):
            self._cache = self._empty()
        return bool(self._cache.get_seq_length() == length)


class HfTreeModel(HfModel):
    """One that looks at several continuations at once; see `BranchingModel` for the contract."""

    @property
    def branches(self) -> int:
        """How many leaves a tree given to `spread` may have."""
        return _BRANCHES

    def spread(self, ids: Sequence[int], parents: Sequence[int], *, stop: Stop | None = None) -> Logits:
        """Logits after each node of a tree of tokens; the context stays as it is.

        Raises:
            Cancelled: `stop` said so.
            ModelError: There is no room, or the model failed.
        """
        self._check(ids)
        _heed(stop)
        base = len(self._fed)
        sees, depth = _tree(parents, base)
        network = self._network
        mask = self._torch.where(
            self._torch.from_numpy(sees), 0.0, self._torch.finfo(self._torch.float32).min
        )
        try:
            return self._logits(
                ids,
                every=True,
                attention_mask=mask[None, None].to(
                    device=network and network.device, dtype=network and network.dtype
                ),
                position_ids=self._torch.tensor(
                    [[base + each for each in depth]], device=network and network.device
                ),
            )
        finally:
            self._shrink(base)

    def branches_exactly(self) -> bool:
        """Whether this kind of network heeds a tree's mask and positions: not all do."""
        some = [token for token, text in enumerate(self.vocabulary.tokens) if text][:4]
        if len(some) < 4 or self.capacity < 4:
            return False
        shown, one, other, last = some
        try:
            self.feed([shown])
            rows = self.spread([one, other, last], [-1, -1, 1])
            alone = self.feed([other, last], every=True)
            return bool(np.allclose(rows[1:], alone, atol=0.05 * float(np.abs(alone).max())))
        except ModelError:
            return False
        finally:
            self.rewind(0)


def _heed(stop: Stop | None) -> None:
    if stop and stop():
        raise Cancelled("decoding was cancelled")


def _tree(parents: Sequence[int], base: int) -> tuple[NDArray[np.bool_], list[int]]:
    """Which tokens each node sees (all of the context, those above it and itself), and how deep it is."""
    sees = np.zeros((len(parents), base + len(parents)), dtype=bool)
    sees[:, :base] = True
    depth: list[int] = []
    for node, parent in enumerate(parents):
        if parent >= 0:
            sees[node] = sees[parent]
        sees[node, base + node] = True
        depth.append(0 if parent < 0 else depth[parent] + 1)
    return sees, depth
