"""A surface may stand on another one, be told by what a file holds, and bring facts."""

from __future__ import annotations

import pytest

from gproj_lsp.errors import ProviderError, SurfaceError
from gproj_lsp.facts import Facts, Request
from gproj_lsp.settings import Settings
from gproj_lsp.surface import load, surface_for
from gproj_lsp.workspace import Workspace, brought

LOUD = """\
name = "loudtoy"
base = "toy"
marks = ['^LOUD\\b']

[sorts.Table]
placeholder = "tt"

[sorts.Noise]
"""

FRAGMENT = """\
anchor = "Table"
grammar = '''
root ::= %table%
any ::= [a-z]+
'''

[slots.table]
base = "any"
gamma = { sort = "Table" }
"""


@pytest.fixture
def loud_root(toy_root):
    """The folder of a surface that stands on the toy."""
    root = toy_root.parent / "loudtoy"
    (root / "fragments").mkdir(parents=True)
    (root / "surface.toml").write_text(LOUD)
    return root


def test_what_a_surface_does_not_say_is_its_bases(toy_root, loud_root):
    loud, toy = load(loud_root), load(toy_root)
    assert (loud.name, loud.base, loud.root) == ("loudtoy", "toy", loud_root)
    assert (loud.patterns, loud.lexer, loud.order) == (toy.patterns, toy.lexer, toy.order)
    assert {*toy.sorts, "Noise"} == {*loud.sorts}


def test_tables_are_joined_key_by_key(toy_root, loud_root):
    table = load(loud_root).sorts["Table"]
    assert (table.placeholder, table.aliases) == ("tt", load(toy_root).sorts["Table"].aliases)


def test_a_fragment_stands_in_the_place_of_its_bases(toy_root, loud_root):
    (toy_root / "fragments").mkdir()
    (toy_root / "fragments" / "table.toml").write_text(FRAGMENT)
    assert load(loud_root).fragments["Table"].place.startswith(str(toy_root))
    (loud_root / "fragments" / "table.toml").write_text(FRAGMENT)
    assert load(loud_root).fragments["Table"].place.startswith(str(loud_root))


def test_a_base_may_be_a_shipped_one(loud_root):
    file = loud_root / "surface.toml"
    file.write_text(LOUD.replace('"toy"', '"sql"'))
    assert load(loud_root).base == "sql"


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("nobody", 'there is no surface "nobody" to stand on'),
        ("../toy", "a base is the name"),
        ("loudtoy", "itself"),
    ],
)
def test_a_base_that_can_not_be_is_named_with_its_line(loud_root, base, said):
    (loud_root / "surface.toml").write_text(LOUD.replace('"toy"', f'"{base}"'))
    with pytest.raises(SurfaceError, match=said) as caught:
        load(loud_root)
    assert caught.value.place.endswith("surface.toml:2")


def test_surfaces_that_stand_on_each_other_are_an_error(toy_root, loud_root):
    (toy_root / "surface.toml").write_text('base = "loudtoy"\nname = "toy"')
    with pytest.raises(SurfaceError, match="itself"):
        load(loud_root)


def test_what_a_file_holds_tells_whose_it_is(toy_root, loud_root):
    surfaces = (load(toy_root), load(loud_root))
    assert surface_for("x.toy", surfaces).name == "toy"
    assert surface_for("x.toy", surfaces, text="quiet\nLOUD!").name == "loudtoy"
    assert surface_for("x.toy", surfaces, text="not LOUD").name == "toy"
    assert surface_for("x.other", surfaces, "toy", text="LOUD").name == "loudtoy"
    assert surface_for("x.other", surfaces, text="LOUD") is None


def test_a_mark_is_a_regular_expression(loud_root):
    (loud_root / "surface.toml").write_text(LOUD.replace("'^LOUD\\b'", "'('"))
    with pytest.raises(SurfaceError, match="no regular expression"):
        load(loud_root)


class Recorder:
    """A provider that keeps what it was asked."""

    name = "books"

    def __init__(self, error=None):
        self.asked = []
        self.error = error

    def fingerprint(self, _):
        return "always"

    def read(self, request: Request):
        self.asked.append(request.settings.get("books"))
        if self.error:
            raise self.error
        return Facts()


@pytest.fixture
def bringing(toy_root, loud_root):
    """The toy with a setting, and a surface on it that brings something for that."""
    file = toy_root / "surface.toml"
    text = file.read_text().replace('comment = "--"', 'comment = "--"\nproviders = ["books"]')
    file.write_text(text.replace("[settings]\n", '[settings]\nbooks = "texts"\n'))
    (loud_root / "surface.toml").write_text(f'{LOUD}\n[brings]\nbooks = ["atlas"]\n')
    return {each.name: each for each in (load(toy_root), load(loud_root))}


def test_what_a_surface_brings_stands_behind_what_users_set(bringing, tmp_path):
    provider = Recorder()
    settings = Settings(tmp_path, surfaces={"toy": {"books": ("novel",)}})
    Workspace(settings, bringing, {"books": provider}, lambda _: None).readings(bringing["loudtoy"])
    assert provider.asked == [("novel", "atlas")]


def test_a_surface_that_brings_facts_has_a_source(bringing, tmp_path):
    workspace = Workspace(Settings(tmp_path), bringing, {}, lambda _: None)
    assert workspace.sourceless(bringing["toy"])
    assert not workspace.sourceless(bringing["loudtoy"])


def test_what_a_surface_brings_is_read_for_its_tests(bringing):
    provider = Recorder()
    assert brought(bringing["loudtoy"], {"books": provider}) == (Facts(),)
    assert provider.asked == [("atlas",)]
    assert brought(bringing["toy"], {"books": provider}) == ()


def test_facts_that_a_surface_brings_and_that_can_not_be_read_are_an_error(bringing):
    provider = Recorder(ProviderError("is torn", place="atlas"))
    with pytest.raises(SurfaceError, match="is torn"):
        brought(bringing["loudtoy"], {"books": provider})


def test_only_a_list_can_be_added_to(loud_root):
    (loud_root / "surface.toml").write_text(f'{LOUD}\n[brings]\ndialect = ["loud"]\n')
    with pytest.raises(SurfaceError):
        load(loud_root)
