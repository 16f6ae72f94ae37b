"""A baseline silences what is known, and nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest

from gproj_lsp import baseline
from gproj_lsp.errors import InputError
from gproj_lsp.ide import Diagnostic
from gproj_lsp.report.value import FileReport
from gproj_lsp.text import LineIndex, Span


def report(*names, path="a.toy"):
    found = tuple(
        Diagnostic("ghost-reference", "error", "no such name", name, "Column", Span(at, at + 1))
        for at, name in enumerate(names)
    )
    return FileReport(path, "toy", LineIndex(b" " * 80), found, references=9, unknown=0)


def known_of(*reports, folder=Path()):
    return baseline.Baseline.of(reports, folder)


def names(found):
    return [diagnostic.name for diagnostic in found.diagnostics]


def test_what_is_known_is_not_reported_again_wherever_it_moved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "ghosts.json"
    baseline.save(known_of(report("a", "b", "b"), folder=tmp_path), path)
    known = baseline.load(path)
    assert names(known.new(report("b", "x", "a", "b"))) == ["x"]


def test_one_more_use_of_a_known_ghost_is_new():
    known = known_of(report("a"))
    assert names(known.new(report("a", "a"))) == ["a"]


def test_a_file_has_its_own_ghosts():
    known = known_of(report("a"))
    assert names(known.new(report("a", path="b.toy"))) == ["a"]


def test_it_does_not_matter_from_which_folder_a_baseline_is_made_or_used(tmp_path, monkeypatch):
    path = tmp_path / "ghosts.json"
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    baseline.save(known_of(report("a", path="sub/a.toy"), folder=tmp_path), path)
    monkeypatch.chdir(tmp_path / "sub")
    assert names(baseline.load(path).new(report("a", path="a.toy"))) == []


def test_the_file_is_sorted_so_that_its_diffs_are_small(tmp_path):
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    baseline.save(known_of(report("b", "a")), one)
    baseline.save(known_of(report("a", "b")), other)
    assert one.read_text() == other.read_text()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2, "known": []}', '{"version": 1, "known": [{}]}', "[" * 60_000]
)
def test_what_is_no_baseline_is_told(tmp_path, text):
    path = tmp_path / "ghosts.json"
    path.write_text(text)
    with pytest.raises(InputError, match="is not a baseline"):
        baseline.load(path)
