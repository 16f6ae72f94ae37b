"""TOML with places: every complaint about a key can name its line."""

from __future__ import annotations

import pytest

from gproj_lsp import tomlfile
from gproj_lsp.errors import InputError

TEXT = """\
# a comment
engine = "llama"

[surfaces.sql]
ddl = [
  "a.sql",
]
"quoted key" = 1

[fill]
temperature = 0.5
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("engine",), 2),
        (("surfaces", "sql"), 4),
        (("surfaces",), 4),
        (("surfaces", "sql", "ddl"), 5),
        (("surfaces", "sql", "quoted key"), 8),
        (("surfaces", "sql", "absent"), 4),
        (("fill", "temperature"), 11),
        (("absent",), 1),
    ],
)
def test_a_key_has_the_line_that_sets_it_or_the_table_around_it(keys, line):
    assert tomlfile.parse(TEXT, "x.toml").line(*keys) == line


def test_a_dotted_key_has_its_line():
    file = tomlfile.parse("a = 1\nsurfaces.sql.ddl = []\n", "x.toml")
    assert file.place("surfaces", "sql", "ddl") == "x.toml:2"


@pytest.mark.parametrize(
    ("text", "place"),
    [("a = 1\nb = = 2\n", "x.toml:2:5"), ("a = 1\nb = [1,\n", "x.toml:2"), ("a = 1\na = 2\n", "x.toml:2:6")],
)
def test_what_is_not_toml_is_told_with_its_place(text, place):
    with pytest.raises(InputError, match="is not TOML") as caught:
        tomlfile.parse(text, "x.toml")
    assert caught.value.place == place


def test_absurd_nesting_is_an_error_and_not_a_crash():
    with pytest.raises(InputError):
        tomlfile.parse("a = " + "[" * 60_000, "x.toml")


def test_a_file_that_is_absent_or_not_text_is_told(tmp_path):
    with pytest.raises(InputError, match="can't be read"):
        tomlfile.read(tmp_path / "absent.toml")
    path = tmp_path / "x.toml"
    path.write_bytes(b"a = '\xff'")
    with pytest.raises(InputError, match="is not UTF-8"):
        tomlfile.read(path)


def test_a_word_is_a_toml_value_or_none():
    assert tomlfile.value('["a", "b"]') == ["a", "b"]
    assert tomlfile.value("true") is True
    assert tomlfile.value("sqlite:///shop.db") is None
    assert tomlfile.value("1\nother = 2") is None
