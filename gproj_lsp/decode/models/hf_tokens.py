"""The vocabulary of a Hugging Face tokenizer, byte for byte.

Two families say exactly which bytes a token stands for: byte-level tokenizers, whose every character is one byte, and
SentencePiece's, whose `▁` is a blank and whose `<0xNN>` is a byte. Of any other it can't be known, so it is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

import msgspec

from gproj_lsp.decode.base import FimTokens, Vocabulary
from gproj_lsp.decode.engines.spelling import Spelling
from gproj_lsp.decode.models.memo import remembered
from gproj_lsp.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tokenizers import Tokenizer

__all__ = ["vocabulary_of"]

_Json = dict[str, object]
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_BLANK = "▁"
_ENDS = frozenset(
    {
        "<|endoftext|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>", "<|call|>",
        "<|end_of_text|>", "<end_of_turn>", "<end_of_utterance>", "<|EOT|>", "<EOT>", "<eos>", "</s>",
        "<|fim_pad|>", "<fim_pad>", "<fim-pad>", "<|file_sep|>", "<|repo_name|>", "<reponame>", "<|cursor|>",
    }
)  # fmt: skip
"""Special tokens after which no model goes on with the same text."""

_FIM = (
    ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    ("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    ("<fim-prefix>", "<fim-suffix>", "<fim-middle>"),
    ("<PRE>", "<SUF>", "<MID>"),
    ("▁<PRE>", "▁<SUF>", "▁<MID>"),
    ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
)
"""What frames fill-in-the-middle prompts, by families of models."""


def vocabulary_of(
    tokenizer: Tokenizer, *, name: str, size: int, end: Iterable[int], begin: int | None
) -> Vocabulary:
    """A tokenizer's vocabulary.

    Args:
        tokenizer: Of the `tokenizers` library.
        name: Of the vocabulary.
        size: How many logits the model gives; ids behind the tokenizer's own stand for no text.
        end: Ids that the model's files say end a text; those that are known by name are added.
        begin: The id that starts a text.

    Raises:
        ModelError: It can't be known which bytes its tokens stand for, or it has ids for which the model has no logits.
    """
    said = cast("_Json", msgspec.json.decode(tokenizer.to_str()))
    added = {
        _whole(each["id"]): (str(each["content"]), each.get("special") is True)
        for each in _all(said["added_tokens"])
    }
    words = {identity: word for word, identity in tokenizer.get_vocab(with_added_tokens=True).items()}
    if words and max(words) >= size:
        raise ModelError(f"the tokenizer has {max(words) + 1} tokens, and the model {size}")
    specials = {word: identity for identity, (word, special) in added.items() if special}
    ends = {identity for identity in end if 0 <= identity < size}
    ends |= {identity for word, identity in specials.items() if word in _ENDS}
    spelled = _speller(said)
    tokens = [b""] * size
    for identity, word in words.items():
        content, special = added.get(identity, ("", False))
        tokens[identity] = b"" if special or identity in ends else content.encode() or spelled(word)
    plain = Vocabulary(name, tuple(tokens), frozenset(ends), begin, None, list)
    encode = _encoder(_exact(said), plain)
    return Vocabulary(name, plain.tokens, plain.end, begin, _fim(specials), encode)


def _fim(specials: Mapping[str, int]) -> FimTokens | None:
    known = (each for each in _FIM if specials.keys() >= set(each))
    return next((FimTokens(*(specials[word] for word in each)) for each in known), None)


def _speller(said: _Json) -> Callable[[str], bytes]:
    """Which bytes a word of the vocabulary stands for."""
    kinds = set(_kinds(said.get("decoder"))) | set(_kinds(said.get("pre_tokenizer")))
    if "ByteLevel" in kinds:
        letters = _letters()
        return lambda word: bytes(letters[char] for char in word) if set(word) <= letters.keys() else b""
    if "ByteFallback" in kinds:
        return _piece
    if "Metaspace" in kinds:
        return _blanks
    raise ModelError("it can't be known which bytes this tokenizer's tokens stand for")


def _piece(word: str) -> bytes:
    byte = _BYTE.fullmatch(word)
    return bytes([int(byte[1], 16)]) if byte else _blanks(word)


def _blanks(word: str) -> bytes:
    return word.replace(_BLANK, " ").encode()


def _letters() -> dict[str, int]:
    """The character that stands for each byte in byte-level vocabularies: itself where it can be seen, else one from 256 up."""
    seen = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(256 + at): byte for at, byte in enumerate(hidden)}


def _exact(said: _Json) -> Tokenizer:
    """The tokenizer without all that changes a text before it is cut, and without eyes for control tokens."""
    from tokenizers import Tokenizer  # noqa: PLC0415  (only who runs such models has it)

    plain = {
        **said,
        "truncation": None,
        "padding": None,
        "post_processor": None,
        "normalizer": _only_blanks(said.get("normalizer")),
        "pre_tokenizer": _without_prefix(said.get("pre_tokenizer")),
    }
    tokenizer = Tokenizer.from_str(msgspec.json.encode(plain).decode())
    tokenizer.encode_special_tokens = True
    return tokenizer


def _only_blanks(normalizer: object) -> object:
    """What remains of a normalizer: blanks as SentencePiece writes them."""
    if not isinstance(normalizer, dict):
        return None
    kept = [
        each
        for each in _parts(normalizer, "normalizers")
        if each.get("type") == "Replace" and each.get("content") == _BLANK
    ]
    return {"type": "Sequence", "normalizers": kept} if kept else None


def _without_prefix(cutter: object) -> object:
    """A pre-tokenizer that puts no blank before a text."""
    if not isinstance(cutter, dict):
        return None
    parts = []
    for each in _parts(cutter, "pretokenizers"):
        changed = dict(each)
        if each.get("type") == "ByteLevel":
            changed["add_prefix_space"] = False
        elif each.get("type") == "Metaspace":
            changed["prepend_scheme"] = "never"
        parts.append(changed)
    return parts[0] if len(parts) == 1 else {"type": "Sequence", "pretokenizers": parts}


def _encoder(tokenizer: Tokenizer, vocabulary: Vocabulary) -> Callable[[bytes], list[int]]:
    """A tokenizer that gives back the bytes it got, as far as there are tokens for them: its own, or the longest."""
    spelling = Spelling(vocabulary)

    def encode(data: bytes) -> Sequence[int]:
        ids: Sequence[int] = tokenizer.encode(data.decode(errors="ignore"), add_special_tokens=False).ids
        return ids if vocabulary.decode(ids) == data else spelling.ids(data) or ids

    return remembered(encode)


def _kinds(part: object) -> Iterable[str]:
    if isinstance(part, dict):
        yield str(part.get("type"))
        for name in ("decoders", "pretokenizers"):
            for inner in part.get(name) or ():
                yield from _kinds(inner)


def _parts(part: Mapping[str, object], name: str) -> list[_Json]:
    """What a sequence consists of, however deep; anything else is its own only part."""
    if part.get("type") != "Sequence":
        return [dict(part)]
    return [inner for each in _all(part.get(name)) for inner in _parts(each, name)]


def _all(found: object) -> list[_Json]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _whole(found: object) -> int:
    return found if isinstance(found, int) else -1
