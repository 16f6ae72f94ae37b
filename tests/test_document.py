"""Documents: read strictly, replaced whole or not at all."""

from __future__ import annotations

import os

import pytest

from gproj_lsp import document
from gproj_lsp.errors import InputError


def read(path):
    return document.read(path, path.name)


def test_text_is_as_in_the_file_without_a_byte_order_mark(tmp_path):
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read(path).text == "a\r\nb\rc\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ab\ncd\xff", "x.txt:2:3: byte 0xff is not UTF-8 (save the file as UTF-8)"),
        (b"a\0b", "x.txt:1:2: a NUL byte: this is not a text file"),
        ("é\0".encode(), "x.txt:1:2: a NUL byte: this is not a text file"),
        ("hi".encode("utf-16"), "x.txt: is UTF-16 (save it as UTF-8)"),
        (b"\xed\xa0\x80", "x.txt:1:1: byte 0xed is not UTF-8 (save the file as UTF-8)"),
    ],
)
def test_what_is_not_text_is_refused_with_its_place(tmp_path, data, said):
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == said


def test_a_folder_and_an_absent_file_are_told(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "absent")


def test_replacing_keeps_mode_mark_and_link(tmp_path):
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfold\r\n")
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    document.replace(read(link), "new\r\n")
    assert path.read_bytes() == b"\xef\xbb\xbfnew\r\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old")
    seen = read(path)
    path.write_text("somebody else's")
    with pytest.raises(InputError, match="changed since it was read"):
        document.replace(seen, "mine")
    assert path.read_text() == "somebody else's"


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    path = tmp_path / "x.txt"
    path.write_text("old")
    seen = read(path)

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        document.replace(seen, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_is_as_open_as_the_umask_lets_it_be(tmp_path):
    before = os.umask(0o027)
    try:
        document.write_atomically(tmp_path / ("\u540d" * 85), b"x")
    finally:
        os.umask(before)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_read_only_file_is_not_replaced(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(InputError, match="read-only"):
        document.replace(read(path), "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_file_is_written_to_and_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        document.write_atomically(pipe, b"x")
        assert os.read(reader, 10) == b"x"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    with pytest.raises(IsADirectoryError):
        document.write_atomically(tmp_path, b"x")


def test_a_link_stays_one_whoever_writes(tmp_path):
    path, link = tmp_path / "x.txt", tmp_path / "link.txt"
    path.write_text("old")
    link.symlink_to(path)
    document.write_atomically(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
