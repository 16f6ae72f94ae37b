"""Models of Transformers: byte-exact vocabularies, and folders of which nothing is trusted."""

from __future__ import annotations

import json
import shutil
import socket
import warnings

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tiny_hf import byte_level, make_folder, pieces

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import ENGINES, make_engine
from gproj_lsp.decode.fill import Filler, Wishes
from gproj_lsp.decode.models.catalogue import locate, pull, runs_in_transformers
from gproj_lsp.decode.models.hf import HfModel, HfTreeModel, open_hf
from gproj_lsp.decode.models.hf_tokens import vocabulary_of
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.errors import ModelError
from gproj_lsp.gbnf import parse
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("hf") / "tiny")


@pytest.fixture
def copy(folder, tmp_path):
    """The folder, to be broken."""
    return shutil.copytree(folder, tmp_path / "copy")


# --- Vocabularies -------------------------------------------------------------------------------------------------------------


def vocabulary(tokenizer, *, size=None, end=()):
    return vocabulary_of(tokenizer, name="t", size=size or tokenizer.get_vocab_size(), end=end, begin=None)


def test_a_byte_level_token_is_its_bytes():
    tokenizer = byte_level()
    found = vocabulary(tokenizer, size=400)
    assert {bytes([byte]) for byte in range(256)} <= set(found.tokens)
    assert b" SELECT" in found.tokens
    assert b" name" in found.tokens
    assert len(found) == 400
    assert found.tokens[-1] == b""
    assert found.tokens[tokenizer.token_to_id("<indent>")] == b"<indent>"


def test_control_tokens_are_no_text_and_those_that_end_are_known_by_name():
    tokenizer = byte_level()
    found = vocabulary(tokenizer, end=[tokenizer.token_to_id("<|im_start|>"), 10**9])
    named = {
        found.tokens[tokenizer.token_to_id(word)] for word in ("<|endoftext|>", "<|im_end|>", "<fim_prefix>")
    }
    assert named == {b""}
    assert found.end == {
        tokenizer.token_to_id(word) for word in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    }
    assert found.fim is not None
    assert found.fim.suffix == tokenizer.token_to_id("<fim_suffix>")


@pytest.mark.parametrize(
    "text",
    [
        b"SELECT name",
        b" two  blanks ",
        b"e\xcc\x81 is not \xc3\xa9",
        b"\xff\x80 cut",
        b"<|im_end|><indent>",
        "名 🦆".encode(),
    ],
)
@pytest.mark.parametrize("make", [byte_level, pieces])
def test_any_bytes_come_back_from_their_tokens(make, text):
    """Normal forms, blanks put before a text, and control words are what tokenizers change; here they may not."""
    found = vocabulary(make())
    ids = found.encode(text)
    assert found.decode(ids) == text
    assert not set(ids) & found.end


def test_sentence_pieces_are_blanks_and_bytes():
    tokenizer = pieces()
    found = vocabulary(tokenizer)
    assert found.tokens[tokenizer.token_to_id("▁na")] == b" na"
    assert found.tokens[tokenizer.token_to_id("<0x0A>")] == b"\n"
    assert found.tokens[tokenizer.token_to_id("<s>")] == b""
    assert found.end == {tokenizer.token_to_id("</s>")}
    assert found.encode(b"na na") == [tokenizer.token_to_id("na"), tokenizer.token_to_id("▁na")]


def test_a_tokenizer_whose_bytes_can_not_be_known_is_refused():
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"select": 0, "[UNK]": 1}, unk_token="[UNK]"))  # noqa: S106  (a token)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    with pytest.raises(ModelError, match="can't be known"):
        vocabulary(tokenizer)


def test_a_token_without_a_logit_is_refused():
    with pytest.raises(ModelError, match="and the model 300"):
        vocabulary(byte_level(), size=300)


# --- Folders ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def _no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("somebody wanted the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("_no_network")
def test_a_folder_is_loaded_as_it_is_and_without_a_network(folder):
    model = open_hf(folder)
    assert isinstance(model, HfTreeModel)
    assert (model.name, model.capacity) == ("tiny", 512)
    assert len(model.vocabulary) == len(byte_level().get_vocab()) + 3
    model.close()


def test_a_model_that_looks_back_only_so_far_is_not_shown_trees(tmp_path):
    """A tree's mask says what each node sees; a window would have to be cut out of it."""
    from transformers import MistralConfig, MistralForCausalLM

    folder = make_folder(tmp_path / "windowed")
    size = byte_level().get_vocab_size() + 3
    config = MistralConfig(
        vocab_size=size,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        sliding_window=16,
    )
    MistralForCausalLM(config).save_pretrained(folder)
    model = open_hf(folder)
    assert type(model) is HfModel
    ids = model.vocabulary.encode(b"SELECT name FROM users WHERE total > 5")
    last = model.feed(ids).copy()
    model.rewind(3)
    assert abs(model.feed(ids[3:]) - last).max() < 0.01


def break_config(folder, **said):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **said}))


EVIL = "open(__file__ + '.ran', 'w').close()\n"


@pytest.mark.usefixtures("_no_network")
def test_code_in_a_folder_is_not_run(copy):
    (copy / "evil.py").write_text(EVIL)
    autos = {
        "AutoConfig": "evil.Config",
        "AutoModelForCausalLM": "evil.Model",
        "AutoTokenizer": ["evil.T", "evil.T"],
    }
    break_config(copy, auto_map=autos, model_type="made-up")
    with pytest.raises(ModelError, match="can't load") as caught:
        open_hf(copy)
    assert caught.value.place == str(copy)
    break_config(copy, model_type="llama")
    path = copy / "tokenizer_config.json"
    path.write_text(
        json.dumps({**json.loads(path.read_text()), "auto_map": {"AutoTokenizer": ["evil.T", "evil.T"]}})
    )
    try:
        open_hf(copy)
    except ModelError as error:
        assert "can't load" in error.message  # noqa: PT017  (either is right, as long as nothing is run)
    assert not list(copy.glob("*.ran"))


@pytest.mark.usefixtures("_no_network")
def test_pickles_are_not_read(copy):
    """A pickle is a program."""
    import torch

    (copy / "model.safetensors").unlink()
    torch.save({}, copy / "pytorch_model.bin")
    with pytest.raises(ModelError, match="safetensors"):
        open_hf(copy)


@pytest.mark.usefixtures("_no_network")
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("config.json", b"{"),
        ("config.json", b"[]"),
        ("config.json", b"\xff\xfe"),
        ("tokenizer.json", b"{}"),
        (
            "tokenizer.json",
            b'{"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": [["a", "b"]]}}',
        ),
        ("model.safetensors", b""),
        ("model.safetensors", b"\xff" * 64),
        ("model.safetensors", b"\x02\x00\x00\x00\x00\x00\x00\x00{}"),
    ],
)
def test_a_damaged_folder_is_told(copy, name, data):
    (copy / name).write_bytes(data)
    with pytest.raises(ModelError) as caught:
        open_hf(copy)
    assert caught.value.place == str(copy)
    assert caught.value.mend
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    "said",
    [
        {"num_hidden_layers": 10**9},
        {"num_hidden_layers": 0},
        {"vocab_size": 10},
        {"hidden_size": -1},
        {"model_type": "t5"},
    ],
)
def test_a_configuration_that_does_not_fit_is_told(copy, said):
    break_config(copy, **said)
    with pytest.raises(ModelError):
        open_hf(copy)


@pytest.mark.parametrize(
    "said", [{"hidden_size": 10**6, "head_dim": 16}, {"vocab_size": 10**9}, {"intermediate_size": 10**9}]
)
def test_a_configuration_that_asks_for_all_of_the_memory_gets_none(copy, said):
    break_config(copy, **said)
    with pytest.raises(ModelError, match="far fewer"):
        open_hf(copy)


@pytest.mark.usefixtures("_no_network")
@pytest.mark.parametrize("name", ["attn_implementation", "_attn_implementation"])
def test_no_kernel_is_fetched_because_a_configuration_names_one(copy, name):
    break_config(copy, **{name: "kernels-community/evil"})
    assert open_hf(copy)._network.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("said", [{"max_position_embeddings": -5}, {"sliding_window": "x"}])
def test_what_a_configuration_tells_and_can_not_be_is_not_believed(copy, said):
    break_config(copy, **said)
    model = open_hf(copy, capacity=100)
    assert model.capacity == 100
    assert len(model.feed([70, 71])) == len(model.vocabulary)


def test_weights_that_are_missing_are_not_made_up(copy):
    break_config(copy, num_hidden_layers=3)
    with pytest.raises(ModelError, match="missing"):
        open_hf(copy)


def test_what_is_no_folder_of_a_model_is_told(tmp_path):
    with pytest.raises(ModelError, match="no model of Transformers"):
        open_hf(tmp_path)
    (tmp_path / "a.gguf").write_bytes(b"no")
    with pytest.raises(ModelError, match="not a GGUF"):
        open_hf(tmp_path / "a.gguf")


# --- Settings -----------------------------------------------------------------------------------------------------------------


def test_a_setting_names_a_folder_a_file_or_a_repository(tmp_path, folder, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models" / "tiny").mkdir(parents=True)
    (tmp_path / "a.gguf").touch()
    assert locate("hf:models/tiny", root=tmp_path) == tmp_path / "models" / "tiny"
    assert locate("hf:a.gguf", root=tmp_path) == tmp_path / "a.gguf"
    assert locate(f"hf:{folder}", root=tmp_path) == folder
    assert runs_in_transformers("hf:models/tiny")
    assert not runs_in_transformers("hf:o/r/f.gguf@" + "0" * 64)
    assert not runs_in_transformers("models/tiny")


@pytest.mark.usefixtures("_no_network")
@pytest.mark.parametrize(
    "setting", ["hf:nobody/nothing", "hf:nobody/nothing@" + "0" * 40, "hf:a/b/c.gguf", "hf:"]
)
def test_nothing_is_downloaded_silently(tmp_path, setting):
    with pytest.raises(ModelError) as caught:
        locate(setting, root=tmp_path / "absent")
    assert "hf:" in caught.value.mend


@pytest.mark.parametrize("reference", ["hf:owner/name", "hf:owner/name@main"])
def test_only_one_state_of_a_repository_can_be_pulled(reference):
    with pytest.raises(ModelError, match=r"one state|digest"):
        pull(reference)


# --- Holes --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["llguidance", "xgrammar", "trie"])
def test_engines_keep_a_model_of_transformers_to_the_same_names(sql, folder, engine):
    """Its weights mean nothing, so that it would write anything."""
    if engine == "xgrammar":
        pytest.importorskip("xgrammar")
    text = 'CREATE TABLE users (id INT, name TEXT, "naïve" TEXT);\nSELECT ?? FROM users;\n'
    analyzer = Analyzer(sql, resolver_of(sql), settings={"dialect": "sqlite"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        context = Context(open_hf(folder))
        drawn = set()
        for seed in range(8):
            wishes = Wishes(Sampling(1.5, seed=seed) if seed else Sampling())
            (hole,) = Filler(sql, context, ENGINES[engine](), wishes).fill(text, analyzer.analyse).holes
            drawn.add(hole.text)
    assert drawn <= {"id", "name", "naïve", '"naïve"'}
    assert len(drawn) > 1


def test_llama_cpps_own_sampler_says_that_it_needs_its_own_vocabulary(folder):
    with pytest.raises(ModelError, match=r"is not a llama\.cpp vocabulary") as caught:
        make_engine("llama").compile(parse('root ::= "a" root | "b"'), open_hf(folder).vocabulary)
    assert "llguidance" in caught.value.mend
