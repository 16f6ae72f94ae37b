"""Folders of Hugging Face's Transformers: loaded from this disk, and nothing of them trusted.

Nothing is downloaded and nothing that a folder holds is run: weights are safetensors or GGUF (never pickles: those are
programs), and code, kernels and other models that a configuration names are left alone.
"""

from __future__ import annotations

import warnings
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.decode.models.gguf import MOST_LAYERS, check_gguf
from gproj_lsp.decode.models.hf_tokens import vocabulary_of
from gproj_lsp.errors import GprojError, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

    from gproj_lsp.decode.base import Vocabulary

__all__ = ["Loaded", "Network", "first_line", "load"]

_SHOWN = 200
_DENSEST = 8
"""Weights in a byte, more than any quantization holds."""
_CHOOSE = "choose a folder with config.json, tokenizer.json and weights as safetensors, or a GGUF file"


class Network(Protocol):
    """What is used of `transformers.PreTrainedModel`."""

    device: object
    dtype: object
    forward: Callable[..., Output]

    def __call__(self, **said: object) -> Output:
        """Logits for more tokens; the cache that is given grows by them."""
        ...


class Output(Protocol):
    """What is used of what a network gives: `logits` of shape `(1, n, V)`."""

    @property
    def logits(self) -> Sequence[Tensor]: ...


class Tensor(Protocol):
    def float(self) -> Tensor: ...
    def cpu(self) -> Tensor: ...
    def numpy(self) -> NDArray[np.float32]: ...


class _Config(Protocol):
    """What is used of `transformers.PreTrainedConfig`."""

    vocab_size: int

    def get_text_config(self) -> _Config: ...


@dataclass(frozen=True)
class Loaded:
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
    network: Network
    vocabulary: Vocabulary
    made_for: int
    window: int


def load(path: Path) -> Loaded:
    """Load a folder, or a GGUF file.

    Raises:
        ModelError: Transformers is not installed, or the model can't be loaded; tells where and what mends it.
    """
    torch, transformers = _libraries()
    if path.is_file():
        check_gguf(path)
        where = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    elif (path / "config.json").is_file():
        where = {"pretrained_model_name_or_path": str(path)}
    else:
        raise ModelError("there is no model of Transformers", place=str(path), mend=_CHOOSE)
    try:
        with warnings.catch_warnings(), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")  # and not all bars of progress can be turned off
            return _read(torch, transformers, where, path)
    except GprojError as error:
        error.place = error.place or str(path)
        raise
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a native library may even panic, and a folder can hold anything
        raise ModelError(
            f"Transformers can't load this model: {first_line(error)}", place=str(path), mend=_CHOOSE
        ) from error


def _read(torch: ModuleType, transformers: ModuleType, where: dict[str, str], path: Path) -> Loaded:
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
        end=_ids(network.generation_config, text, tokenizer),
        begin=begin if begin in tokenizer("")["input_ids"] else None,
    )
    made_for = _count(getattr(text, "max_position_embeddings", 0))
    window = _count(getattr(text, "sliding_window", 0))
    return Loaded(torch, transformers, network, vocabulary, made_for, window)


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


def _ids(*owners: object) -> Iterator[int]:
    """The ids that end a text, as each owner says it: one, several or none."""
    for owner in owners:
        found = getattr(owner, "eos_token_id", None)
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


def first_line(error: BaseException) -> str:
    """What an error says, in one line that is not long."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:_SHOWN]
