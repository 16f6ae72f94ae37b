"""Models of Hugging Face's Transformers, in this process.

Nothing is downloaded and nothing of a model's folder is run: files are local, weights are safetensors or GGUF (never pickles),
and code that a folder brings is not trusted, whatever its configuration says.
"""

from __future__ import annotations

import warnings
from contextlib import redirect_stderr
from dataclasses import dataclass
from inspect import signature
from io import StringIO
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gproj_lsp.decode.models.gguf import MOST_LAYERS, check_gguf
from gproj_lsp.decode.models.hf_tokens import vocabulary_of
from gproj_lsp.errors import Cancelled, GprojError, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import ModuleType

    from numpy.typing import NDArray

    from gproj_lsp.decode.base import LanguageModel, Logits, Stop, Vocabulary

__all__ = ["HfModel", "HfTreeModel", "open_hf"]

_BATCH = 512
_WATCHED = 32
"""Tokens between two looks at `stop`."""
_BRANCHES = 64
_SHOWN = 200
_DENSEST = 8
"""Weights in a byte, more than any quantization holds."""
_CHOOSE = "choose a folder with config.json, tokenizer.json and weights as safetensors, or a GGUF file"


class _Network(Protocol):
    """What is used of `transformers.PreTrainedModel`."""

    device: object
    dtype: object
    forward: Callable[..., _Output]

    def __call__(self, **said: object) -> _Output: ...


class _Output(Protocol):
    """What is used of what a network gives: `logits` of shape `(1, n, V)`."""

    @property
    def logits(self) -> Sequence[_Tensor]: ...


class _Tensor(Protocol):
    def float(self) -> _Tensor: ...
    def cpu(self) -> _Tensor: ...
    def numpy(self) -> NDArray[np.float32]: ...


class _Config(Protocol):
    """What is used of `transformers.PreTrainedConfig`."""

    vocab_size: int

    def get_text_config(self) -> _Config: ...


@dataclass(frozen=True)
class _Loaded:
    """A model's parts.

    Attributes:
        torch: The library.
        transformers: The library.
        network: The weights.
        vocabulary: Its tokens.
        made_for: How many tokens its context may hold; 0 where that is not told.
        window: How many tokens it looks back at most; 0: at all.
    """

    torch: ModuleType
    transformers: ModuleType
    network: _Network
    vocabulary: Vocabulary
    made_for: int
    window: int


def open_hf(path: Path, *, capacity: int = 4096) -> LanguageModel:
    """A model of Transformers.

    Args:
        path: The folder, or a GGUF file.
        capacity: Tokens the context holds; cut to what the model was made for.

    Raises:
        ModelError: Transformers is not installed, or the model can't be loaded; tells where and what mends it.
    """
    loaded = _load(path)
    tree = HfTreeModel(loaded, capacity)
    if not 0 < loaded.window < tree.capacity and tree.branches_exactly():
        return tree
    return HfModel(loaded, capacity)


class HfModel:
    """One context over a Transformers model; see `LanguageModel` for the contract."""

    def __init__(self, loaded: _Loaded, capacity: int) -> None:
        self._torch = loaded.torch
        self._empty = loaded.transformers.DynamicCache
        self._network: _Network | None = loaded.network
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
            raise ModelError(f"the model failed: {_first_line(error)}", place=self.name) from error
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


def _load(path: Path) -> _Loaded:
    torch, transformers = _libraries()
    if path.is_file():
        check_gguf(path)
        where = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    elif (path / "config.json").is_file():
        where = {"pretrained_model_name_or_path": str(path)}
    else:
        raise ModelError("there is no model of Transformers", place=str(path), mend=_CHOOSE)
    try:
        with (
            warnings.catch_warnings(),
            redirect_stderr(StringIO()),
        ):  # not all bars of progress can be turned off
            warnings.simplefilter("ignore")
            return _read(torch, transformers, where, path)
    except GprojError as error:
        error.place = error.place or str(path)
        raise
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a native library may even panic, and a folder can hold anything
        raise ModelError(
            f"Transformers can't load this model: {_first_line(error)}", place=str(path), mend=_CHOOSE
        ) from error


def _read(torch: ModuleType, transformers: ModuleType, where: dict[str, str], path: Path) -> _Loaded:
    safe = {"local_files_only": True, "trust_remote_code": False}
    config = transformers.AutoConfig.from_pretrained(**where, **safe)
    config._attn_implementation = None  # noqa: SLF001  (else a configuration may have kernels fetched and run)
    text: _Config = config.get_text_config()
    _check(torch, transformers, config, text, path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(**where, **safe)
    weights = {} if "gguf_file" in where else {"use_safetensors": True}
    found = torch.cuda.is_available()
    network, said = transformers.AutoModelForCausalLM.from_pretrained(
        **where,
        **safe,
        **weights,
        config=config,
        dtype="auto" if found else torch.float32,
        output_loading_info=True,
    )
    if said.get("missing_keys"):
        raise ModelError("some of its weights are missing", mend=_CHOOSE)
    network.eval().to("cuda" if found else "cpu")
    begin = tokenizer.bos_token_id
    vocabulary = vocabulary_of(
        tokenizer.backend_tokenizer,
        name=path.stem if path.is_file() else path.name,
        size=text.vocab_size,
        end=_ids(getattr(network.generation_config, "eos_token_id", None), text, tokenizer),
        begin=begin if begin in tokenizer("")["input_ids"] else None,
    )
    made_for, window = (
        _count(getattr(text, name, 0)) for name in ("max_position_embeddings", "sliding_window")
    )
    return _Loaded(torch, transformers, network, vocabulary, made_for, window)


def _check(torch: ModuleType, transformers: ModuleType, config: object, text: _Config, path: Path) -> None:
    """Refuse what would take all of the memory before it is found out to be no model: the weights are too few for its shape."""
    if not 1 <= _count(getattr(text, "num_hidden_layers", 1)) <= MOST_LAYERS:
        raise ModelError("its configuration says that it has no layer, or more than any model", mend=_CHOOSE)
    files = [path] if path.is_file() else path.rglob("*.safetensors")
    size = sum(file.stat().st_size for file in files)
    with torch.device("meta"):
        shape = transformers.AutoModelForCausalLM.from_config(config, trust_remote_code=False)
    if shape.num_parameters() > size * _DENSEST:
        raise ModelError(
            "it has no weights as safetensors, or far fewer than its configuration tells of", mend=_CHOOSE
        )


def _count(found: object) -> int:
    """A number that a configuration tells; 0 where it tells none."""
    return found if isinstance(found, int) and found > 0 else 0


def _ids(first: object, *owners: object) -> Iterator[int]:
    """The ids that end a text, as each owner says it: one, several or none."""
    for found in (first, *(getattr(owner, "eos_token_id", None) for owner in owners)):
        for each in found if isinstance(found, (list, tuple)) else (found,):
            if isinstance(each, int):
                yield each


def _libraries() -> tuple[ModuleType, ModuleType]:
    try:
        import torch  # noqa: PLC0415  (seconds and hundreds of megabytes, for who chose such a model)
        import transformers  # noqa: PLC0415  (as above)
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError("Transformers is not installed", mend='pip install "gproj-lsp[hf]"') from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:_SHOWN]
