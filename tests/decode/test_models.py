"""Models: the real embedded one through llama.cpp, and the two without weights."""

import struct
from pathlib import Path

import numpy as np
import pytest

from gproj_lsp.decode.base import BranchingModel, LanguageModel
from gproj_lsp.decode.models.catalogue import EMBEDDED, embedded_path, locate, pull, verify
from gproj_lsp.decode.models.fake import FakeModel, UniformModel, word_vocabulary
from gproj_lsp.decode.models.gguf import check_gguf
from gproj_lsp.errors import Cancelled, ModelError

WORDS = word_vocabulary([" name"])


@pytest.fixture(scope="module")
def embedded():
    from gproj_lsp.decode.models.llama import LlamaModel

    model = LlamaModel(embedded_path(), capacity=512)
    yield model
    model.close()


def test_the_embedded_model_is_the_one_we_know():
    assert verify(embedded_path()) == EMBEDDED.sha256
    assert locate("") == locate("embedded") == embedded_path()


def test_tokens_are_the_bytes_that_they_stand_for(embedded):
    text = 'SELECT "naïve", 名 FROM t;\0\t\r\n'.encode()
    vocabulary = embedded.vocabulary
    assert vocabulary.decode(vocabulary.encode(text)) == text
    assert len(vocabulary.end) > 1
    assert all(vocabulary.tokens[token] == b"" for token in vocabulary.end)
    assert vocabulary.fim is None


def test_control_words_in_a_text_are_only_text(embedded):
    ids = embedded.vocabulary.encode(b"<|im_end|>")
    assert embedded.vocabulary.decode(ids) == b"<|im_end|>"
    assert not set(ids) & embedded.vocabulary.end


def test_going_back_and_on_again_gives_the_same_logits(embedded):
    embedded.rewind(0)
    ids = embedded.vocabulary.encode(b"SELECT name FROM users")
    first = embedded.feed(ids, every=True).copy()
    embedded.rewind(2)
    assert list(embedded.fed) == ids[:2]
    again = embedded.feed(ids[2:], every=True)
    assert np.allclose(first[2:], again, atol=0.5)
    assert list(first[-1].argsort()[-3:]) == list(again[-1].argsort()[-3:])


def test_a_tree_of_continuations_is_seen_as_if_each_were_alone(embedded):
    encode = embedded.vocabulary.encode
    embedded.rewind(0)
    embedded.feed(encode(b"CREATE TABLE users (id, name);\nSELECT"))
    before = list(embedded.fed)
    one, other = encode(b" name FROM"), encode(b" name, id")
    rows = embedded.spread(
        [*one, *other[1:]],
        [-1, 0, *range(len(one), len(one) + 0), 0, *range(len(one), len(one) + len(other) - 2)],
    ).copy()
    assert list(embedded.fed) == before
    for path, nodes in ((one, range(len(one))), (other, [0, *range(len(one), len(one) + len(other) - 1)])):
        alone = embedded.feed(path, every=True).copy()
        embedded.rewind(len(before))
        for row, node in zip(alone, nodes, strict=True):
            assert np.abs(row - rows[node]).max() < 1.0
            assert row.argmax() == rows[node].argmax()


def test_stopping_leaves_the_context_as_it_was(embedded):
    embedded.rewind(0)
    embedded.feed(embedded.vocabulary.encode(b"SELECT"))
    before = list(embedded.fed)
    asked = []

    def stop():
        asked.append(1)
        return len(asked) > 1

    with pytest.raises(Cancelled):
        embedded.feed(embedded.vocabulary.encode(b" name, id" * 60), stop=stop)
    assert list(embedded.fed) == before
    embedded.feed(embedded.vocabulary.encode(b" name"))


def test_a_text_that_does_not_fit_is_told(embedded):
    embedded.rewind(0)
    with pytest.raises(ModelError, match="512 tokens"):
        embedded.feed([1] * 600)
    with pytest.raises(ModelError):
        embedded.feed([])


def test_every_model_keeps_the_protocol(embedded):
    for model in (embedded, UniformModel(WORDS), FakeModel(WORDS, lambda _: b"")):
        plain: LanguageModel = model
        assert isinstance(plain, BranchingModel)


def test_a_closed_model_says_so():
    from gproj_lsp.decode.models.llama import LlamaModel

    model = LlamaModel(embedded_path(), capacity=64)
    model.close()
    with pytest.raises(ModelError, match="closed"):
        model.feed([1])


def damaged(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    return path


HEADER = b"GGUF" + struct.pack("<IQQ", 3, 0, 0)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a GGUF"),
        (b"PK\x03\x04 something else", "not a GGUF"),
        (HEADER[:10], "truncated"),
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "version 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 0), "can't be read"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 62), "truncated"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k" + struct.pack("<I", 77),
            "can't be read",
        ),
    ],
)
def test_a_damaged_file_never_reaches_native_code(tmp_path, data, message):
    path = damaged(tmp_path, data)
    with pytest.raises(ModelError, match=message) as caught:
        check_gguf(path)
    assert caught.value.place == str(path)
    assert caught.value.mend


@pytest.mark.parametrize("share", [0.05, 0.5, 0.999])
def test_a_truncated_model_is_told(tmp_path, share):
    data = embedded_path().read_bytes()
    path = damaged(tmp_path, data[: int(len(data) * share)])
    with pytest.raises(ModelError, match="truncated"):
        check_gguf(path)


@pytest.mark.parametrize("count", [0, 513, 0xFFFFFFFF])
def test_a_number_of_layers_that_ends_the_process_never_reaches_native_code(tmp_path, count):
    key = b"llama.block_count"
    path = tmp_path / "damaged.gguf"
    entry = struct.pack("<Q", len(key)) + key + struct.pack("<II", 4, count)
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + entry)
    with pytest.raises(ModelError, match="layers"):
        check_gguf(path)


def test_an_absent_model_is_told_with_its_mend(tmp_path):
    with pytest.raises(ModelError, match="no such model") as caught:
        locate("absent.gguf", root=tmp_path)
    assert "embedded" in caught.value.mend
    with pytest.raises(ModelError, match="can't be opened"):
        check_gguf(tmp_path / "absent.gguf")


def test_a_pulled_model_must_have_its_digest(tmp_path):
    folder = tmp_path / "hub" / "own" / "repo" / "resolve" / "main"
    folder.mkdir(parents=True)
    (folder / "m.gguf").write_bytes(HEADER)
    hub = (tmp_path / "hub").as_uri()
    digest = verify(folder / "m.gguf")
    cache = tmp_path / "cache"
    with pytest.raises(ModelError, match="digest"):
        pull(f"hf:own/repo/m.gguf@{'0' * 64}", cache=cache, hub=hub)
    assert not list(cache.rglob("*.gguf"))
    assert not list(cache.rglob("*.part"))
    reference = f"hf:own/repo/m.gguf@{digest}"
    with pytest.raises(ModelError, match="not pulled yet"):
        locate(reference, cache=cache)
    pull(reference, cache=cache, hub=hub)
    assert locate(reference, cache=cache).read_bytes() == HEADER


@pytest.mark.parametrize(
    "reference", ["hf:a/b/c.gguf", "hf:a/../../c.gguf@" + "0" * 64, "hf:a/b/c.bin@" + "0" * 64]
)
def test_a_reference_without_its_digest_is_refused(tmp_path, reference):
    with pytest.raises(ModelError):
        pull(reference, cache=tmp_path)
