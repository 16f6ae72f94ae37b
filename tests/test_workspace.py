"""A workspace: which files it reads, with what it analyses them, and what happens when a source fails."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from gproj_lsp.errors import InputError, ProviderError
from gproj_lsp.facts import Facts, facts_from_table
from gproj_lsp.resolve import resolver_of
from gproj_lsp.settings import Settings
from gproj_lsp.surface import shipped
from gproj_lsp.workspace import Workspace, walk

SURFACE = shipped()["sql"]
PATTERN = SURFACE.patterns[0].removeprefix("*")


class Source:
    """A provider that gives what it is told to."""

    def __init__(self, name, facts=None, error=None, fingerprint="x", interprets=()):
        self.name = name
        self.reads = 0
        self._facts = facts or Facts()
        self._error = error
        self._fingerprint = fingerprint
        self._interprets = interprets

    def fingerprint(self, _request):
        return self._fingerprint

    def read(self, request):
        self.reads += 1
        if self._error:
            raise self._error
        return request.declared(self._interprets) if self._interprets else self._facts


def workspace(folder, *sources, **said):
    settings = Settings(folder, surfaces={SURFACE.name: said})
    names = dict(zip(SURFACE.providers, sources, strict=False))
    return Workspace(settings, {SURFACE.name: SURFACE}, names, resolver_of)


def files(folder, **more):
    return [
        path.relative_to(folder).as_posix() for path in walk(folder, lambda path: path.suffix == ".x", **more)
    ]


@pytest.fixture
def tree(tmp_path):
    for name in ("b.x", "a.x", "c.y", "deep/d.x", "deep/deeper/e.x", ".hidden/f.x", "node_modules/g.x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_a_walk_gives_wanted_files_in_order_and_skips_hidden_and_generated_folders(tree):
    assert files(tree) == ["a.x", "b.x", "deep/d.x", "deep/deeper/e.x"]


@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        (["b.x"], ["a.x", "deep/d.x", "deep/deeper/e.x"]),
        (["deep"], ["a.x", "b.x"]),
        (["deep/*/*"], ["a.x", "b.x", "deep/d.x"]),
        (["*.x"], []),
    ],
)
def test_a_walk_leaves_out_what_is_excluded(tree, exclude, left):
    assert files(tree, exclude=exclude) == left


def test_a_walk_does_not_follow_links_to_folders(tree):
    (tree / "deep" / "loop").symlink_to(tree)
    assert files(tree) == ["a.x", "b.x", "deep/d.x", "deep/deeper/e.x"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_walk_goes_on_where_it_may_not_look(tree):
    (tree / "deep").chmod(0)
    assert files(tree) == ["a.x", "b.x"]


def test_a_surface_is_found_by_file_name_whatever_its_case(tmp_path):
    here = workspace(tmp_path)
    assert here.surface_of(tmp_path / f"A{PATTERN.upper()}") is SURFACE
    assert here.surface_of(tmp_path / "a.nothing") is None
    with pytest.raises(InputError, match=r"no surface reads this kind of file"):
        here.require_surface(tmp_path / "a.nothing", "a.nothing")
    with pytest.raises(InputError, match=rf"did you mean {SURFACE.name}\?"):
        here.surface(SURFACE.name + "x")


def test_sources_are_read_once(tmp_path):
    source = Source("one")
    here = workspace(tmp_path, source)
    assert here.analyzer(SURFACE) is here.analyzer(SURFACE)
    assert source.reads == 1
    here.forget()
    here.analyzer(SURFACE)
    assert source.reads == 2


def test_a_source_without_settings_is_not_read(tmp_path):
    source = Source("one", fingerprint=None)
    workspace(tmp_path, source).analyzer(SURFACE)
    assert source.reads == 0


def test_a_source_that_fails_is_an_error_for_whoever_needs_all_and_a_reading_for_the_rest(tmp_path):
    here = workspace(tmp_path, Source("one", error=ProviderError("no answer", place="db")), Source("two"))
    assert [str(reading.error) for reading in here.readings(SURFACE) if reading.error] == ["db: no answer"]
    with pytest.raises(ProviderError, match="no answer"):
        here.analyzer(SURFACE)


def test_problems_are_told_once(tmp_path):
    found = Facts(problems=("one is odd", "two is odd"))
    here = workspace(tmp_path, Source("one", found), Source("two", found))
    assert here.problems(SURFACE) == ("one is odd", "two is odd")


def test_what_a_source_says_of_itself_counts_where_the_user_says_nothing(tmp_path):
    setting, choices = next((key, kind.split("|")) for key, kind in SURFACE.settings.items() if "|" in kind)
    told = Source("one", Facts(details={setting: choices[0], "unheard of": "x"}))
    assert workspace(tmp_path, told).analyzer(SURFACE).settings[setting] == choices[0]
    assert (
        workspace(tmp_path, told, **{setting: choices[1]}).analyzer(SURFACE).settings[setting] == choices[1]
    )


def test_texts_are_read_again_once_another_source_told_how(tmp_path):
    setting, choices = next((key, kind.split("|")) for key, kind in SURFACE.settings.items() if "|" in kind)
    texts = Source("texts", interprets=(("", "empty"),))
    world = Source("world", Facts(details={setting: choices[0]}))
    workspace(tmp_path, texts, world).analyzer(SURFACE)
    assert (texts.reads, world.reads) == (2, 1)


def test_a_file_that_is_itself_a_source_is_read_on_top_of_those_before_it(tmp_path):
    texts = Source("texts", interprets=(("CREATE TABLE a (b int);", "1"), ("DROP TABLE a;", "2")))
    here = workspace(tmp_path, texts)
    names = [
        {
            binding.name
            for binding in here.analyzer(SURFACE, tmp_path / name).start
            if binding.origin.provider == "ddl"
        }
        for name in ("1", "2", "3")
    ]
    assert names == [set(), {"a", "b"}, set()]
    assert here.analyzer(SURFACE, tmp_path / "3") is here.analyzer(SURFACE)


def test_where_not_every_source_must_be_read_one_that_fails_leaves_all_open(tmp_path):
    known = facts_from_table(SURFACE, {"Table": {"users": {"columns": ["id"]}}})
    text = "SELECT ghost FROM users; SELECT 1 FROM ghosts; SELECT id FROM users;"
    whole = workspace(tmp_path, Source("a", known))
    assert len(whole.analyzer(SURFACE).analyse(text).diagnostics) == 2
    broken = workspace(tmp_path, Source("a", known), Source("b", error=ProviderError("gone")))
    analysis = broken.analyzer(SURFACE, strict=False).analyse(text)
    assert (analysis.diagnostics, analysis.unknown) == ((), 2)
    assert broken.problems(SURFACE) == ("gone",)


def test_sources_have_a_fingerprint_whatever_their_state(tmp_path):
    first, second = Source("a", fingerprint="1"), Source("b", fingerprint=None)
    assert workspace(tmp_path, first, second).fingerprint(SURFACE) == ("1", None)


def test_findings_are_told_as_the_settings_want_them(tmp_path):
    known = facts_from_table(SURFACE, {"Table": {"users": {"columns": ["id"]}}})
    made = workspace(tmp_path, Source("a", known))
    found = made.analyzer(SURFACE).analyse("SELECT ghost FROM users;").diagnostics
    assert [each.severity for each in made.told(found)] == ["error"]
    for severity, told in (("hint", ["hint"]), ("off", [])):
        values = {**made.settings.values, "checks.ghost-reference": severity}
        made.settings = replace(made.settings, values=values)
        assert [each.severity for each in made.told(found)] == told


def test_the_editor_s_language_decides_where_it_is_known(tmp_path):
    made = workspace(tmp_path)
    assert made.surface_of(tmp_path / "untitled", SURFACE.languages[0]) is SURFACE
    assert made.surface_of(tmp_path / "untitled", "klingon") is None
