"""What people tell of the functions of a library, beside what its snapshot does."""

from __future__ import annotations

import pytest

from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import NOTHING, Facts, Request
from gproj_lsp.providers.api.roles import read_roles
from gproj_lsp.providers.api.snapshots import ApiSnapshots
from gproj_lsp.providers.snapshot import write

ROLES = """\
module = "tiles.language"

[roles."near far"]
parameters = ["shape", "dtype"]
makes = "Buffer"
operands.shape = { mem = ["a", "b"] }
"""


@pytest.fixture
def shelf(tmp_path):
    """A folder of facts that a surface ships."""
    folder = tmp_path / "facts"
    folder.mkdir()
    (folder / "tiles.roles.toml").write_text(ROLES)
    return folder


def test_a_table_tells_of_every_function_that_it_names(shelf):
    found = read_roles(shelf / "tiles.roles.toml")
    assert [(each.sort, each.owner, each.name) for each in found] == [
        ("Role", "", "tiles.language.near"),
        ("Operand", "tiles.language.near", "shape"),
        ("Role", "", "tiles.language.far"),
        ("Operand", "tiles.language.far", "shape"),
    ]
    assert dict(found[0].attrs) == {"parameters": "shape dtype", "makes": "Buffer"}
    assert dict(found[1].attrs) == {"mem": "a b"}
    assert found[0].origin.place == "tiles.roles.toml:3"


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("[roles", "is not TOML", ":1"),
        ('roles = "x"', "tables of tables", ":1"),
        ("[roles.a]\nmakes = 3", '"makes" is a text', ":2"),
        ('[roles.a]\noperands = "b"', "tables of tables", ":1"),
    ],
)
def test_what_is_no_role_is_named_with_its_line(tmp_path, text, said, place):
    path = tmp_path / "x.roles.toml"
    path.write_text(text)
    with pytest.raises(ProviderError, match=said) as caught:
        read_roles(path)
    assert place in caught.value.place


def test_roles_are_read_with_the_snapshot_of_their_package(tmp_path, shelf):
    root = tmp_path / "work"
    root.mkdir()
    write(root / "tiles.api.json", Facts())
    asked = Request(root, {"api": ("tiles",)}, lambda _: NOTHING, shelf=shelf)
    assert {each.sort for each in ApiSnapshots().read(asked).bindings} == {"Role", "Operand"}
    before = ApiSnapshots().fingerprint(asked)
    (shelf / "tiles.roles.toml").write_text(ROLES.replace("Buffer", "Tile"))
    assert ApiSnapshots().fingerprint(asked) != before


def test_roles_of_other_packages_are_left_alone(tmp_path, shelf):
    write(tmp_path / "other.api.json", Facts())
    asked = Request(tmp_path, {"api": ("other",)}, lambda _: NOTHING, shelf=shelf)
    assert ApiSnapshots().read(asked).bindings == ()
