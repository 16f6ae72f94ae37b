"""A folder as Transformers has them, of a model that is made in a second: its weights mean nothing, its parts are real."""

from __future__ import annotations

from pathlib import Path

__all__ = ["byte_level", "make_folder", "pieces"]

SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<fim_prefix>", "<fim_suffix>", "<fim_middle>"]
TEXT = ["SELECT name, id FROM users WHERE total > 5;", "CREATE TABLE orders (id INT, naïve TEXT);"] * 4


def byte_level():
    """A tokenizer whose every character is a byte, as GPT-2's and most since."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=SPECIALS, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.add_tokens([AddedToken("<indent>", special=False, normalized=False)])
    return tokenizer


def pieces():
    """A tokenizer in SentencePiece's way, which puts a blank before each text."""
    from tokenizers import Tokenizer, decoders, models, normalizers

    words = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    words += ["▁", "S", "E", "SE", "n", "a", "m", "na", "▁na", "▁S", ",", "ï", "名"]
    merges = [("S", "E"), ("n", "a"), ("▁", "na"), ("▁", "S")]
    vocabulary = {word: at for at, word in enumerate(words)}
    tokenizer = Tokenizer(
        models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True)  # noqa: S106  (a token)
    )
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    return tokenizer


def make_folder(folder: Path, tokenizer=None, *, end: str = "<|im_end|>", **config) -> Path:
    """A folder with config.json, tokenizer.json and model.safetensors."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokenizer = tokenizer or byte_level()
    size = tokenizer.get_vocab_size()
    torch.manual_seed(5)
    said = {
        "vocab_size": size + 3,  # as many models have it, more logits than tokens
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "eos_token_id": tokenizer.token_to_id(end),
        "bos_token_id": None,
        "initializer_range": 0.6,
        **config,
    }
    LlamaForCausalLM(LlamaConfig(**said)).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=end).save_pretrained(folder)
    return folder
