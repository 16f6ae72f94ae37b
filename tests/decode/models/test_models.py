"""Models: the real embedded one through llama.cpp, and the two without weights."""

import struct
from pathlib import Path

import pytest

from gproj_lsp.decode.models.catalogue import EMBEDDED, embedded_path, locate, pull, verify
from gproj_lsp.decode.models.gguf import check_gguf
from gproj_lsp.errors import ModelError


def test_the_embedded_model_is_the_one_we_know():
    assert verify(embedded_path()) == EMBEDDED.sha256
    assert locate("") == locate("embedded") == embedded_path()


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
