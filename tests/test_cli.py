"""The command line's own parts: places, exit codes, what is said where."""

from __future__ import annotations

import pytest

from gproj_lsp.cli import check as check_module
from gproj_lsp.cli import main, run, streams
from gproj_lsp.cli.console import Progress
from gproj_lsp.cli.place import offset_of
from gproj_lsp.document import Document
from gproj_lsp.errors import InputError
from gproj_lsp.report.diff import unified
from gproj_lsp.text import LineIndex

TEXT = "SELECT 'é𝒳' x\r\nFROM t"


def offset(at, text=TEXT):
    return offset_of(Document(None, "a.toy", text, b""), LineIndex(text.encode()), at)


@pytest.mark.parametrize(
    ("at", "before"),
    [("1:1", ""), ("1:9", "SELECT '"), ("1:13", "SELECT 'é𝒳' "), ("1:14", "SELECT 'é𝒳' x"), ("2:7", TEXT)],
)
def test_a_place_counts_lines_and_characters_from_one(at, before):
    assert offset(at) == len(before.encode())


@pytest.mark.parametrize(
    "at", ["0:1", "1:0", "3:1", "1:15", "2:8", "1", "a:b", "1:1:1", "-1:1", "1:99999999999", ""]
)
def test_a_place_outside_the_text_is_refused(at):
    with pytest.raises(InputError):
        offset(at)


def test_an_unexpected_error_is_one_line_and_no_traceback(monkeypatch, capsys, tmp_path):
    def broken(*_arguments, **_options):
        raise ValueError("some\ndetail")

    monkeypatch.setattr(check_module, "check", broken)
    monkeypatch.delenv("GPROJ_LSP_TRACEBACK", raising=False)
    assert run(["check", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        "gproj-lsp: unexpected ValueError: some detail (a bug: GPROJ_LSP_TRACEBACK=1 shows where)\n"
    )


def test_an_interrupt_is_silent(monkeypatch, capsys, tmp_path):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(check_module, "check", interrupted)
    assert run(["check", str(tmp_path)]) == 130
    assert capsys.readouterr().err == ""


def test_the_program_tells_its_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("gproj-lsp ")


def test_a_diff_is_what_patch_reads():
    before = "a\r\nb\x0cstill b\nc"
    assert list(unified("dir/a.toy", before, before.replace("c", "d"))) == [
        "--- a/dir/a.toy",
        "+++ b/dir/a.toy",
        "@@ -1,3 +1,3 @@",
        " a\r",
        " b\x0cstill b",
        "-c",
        "\\ No newline at end of file",
        "+d",
        "\\ No newline at end of file",
    ]


def test_a_diff_of_nothing_is_nothing():
    assert list(unified("a.toy", "x\n", "x\n")) == []


def test_a_late_timer_shows_no_progress_that_nobody_would_stop():
    shown = Progress("working")
    shown.stop()
    shown._show()
    assert shown._status is None


def test_an_interrupt_while_the_program_is_being_loaded_ends_it_without_a_traceback(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(streams, "prepare_streams", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
