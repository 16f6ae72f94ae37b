"""Settings: three sources, one set of keys, and a place in every complaint."""

from __future__ import annotations

import pytest

from gproj_lsp.errors import SettingsError
from gproj_lsp.settings import KEYS, find_root, load

SURFACES = {"toy": {"dialect": "small|large", "database": "url", "ddl": "texts", "snapshot": "text"}}


def settings(folder, text="", *, overrides=(), editor=None, environ=None):
    if text:
        (folder / "gproj.toml").write_text(text)
    return load(folder, SURFACES, overrides=overrides, editor=editor, environ=environ or {})


def complaint(folder, text="", **more):
    with pytest.raises(SettingsError) as caught:
        settings(folder, text, **more)
    return str(caught.value).replace(str(folder), "W")


def test_without_a_file_the_defaults_hold(tmp_path):
    found = settings(tmp_path)
    assert {name: found.values[name] for name in KEYS} == {name: key.default for name, key in KEYS.items()}
    assert found.place == ""
    assert found.surface("toy") == {}


def test_a_later_source_wins(tmp_path):
    found = settings(
        tmp_path,
        'engine = "llama"\nmodel = "a.gguf"\n[fill]\nseed = 1\n',
        editor={"model": "b.gguf", "fill": {"seed": 2}, "fill.temperature": 0.5},
        overrides=["fill.seed=3"],
    )
    assert (found.text("engine"), found.text("model")) == ("llama", "b.gguf")
    assert (found.number("fill.seed"), found.number("fill.temperature")) == (3, 0.5)


def test_a_surface_has_the_keys_that_it_names(tmp_path):
    found = settings(
        tmp_path,
        '[surfaces.toy]\ndialect = "large"\nddl = ["schema/*.toy", "more.toy"]\n',
        overrides=["surfaces.toy.database=toy:///x.db"],
    )
    assert found.surface("toy") == {
        "dialect": "large",
        "ddl": ("schema/*.toy", "more.toy"),
        "database": "toy:///x.db",
    }


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("surfaces.toy.ddl=a.toy", ("a.toy",)),
        ('surfaces.toy.ddl=["a.toy", "b.toy"]', ("a.toy", "b.toy")),
        ("surfaces.toy.snapshot=5", "5"),
        ('surfaces.toy.snapshot="with = and space"', "with = and space"),
        ("surfaces.toy.snapshot=a=b", "a=b"),
    ],
)
def test_a_value_on_the_command_line_is_a_word_or_toml(tmp_path, word, expected):
    key = word.split("=")[0].split(".")[-1]
    assert settings(tmp_path, overrides=[word]).surface("toy")[key] == expected


def test_variables_are_expanded_and_an_unset_one_is_an_error(tmp_path):
    text = '[surfaces.toy]\ndatabase = "toy://${USER_NAME}:${PASSWORD}@host/db"\nddl = ["$${literal}"]\n'
    found = settings(tmp_path, text, environ={"USER_NAME": "u", "PASSWORD": "p"})
    assert found.surface("toy") == {"database": "toy://u:p@host/db", "ddl": ("${literal}",)}
    said = complaint(tmp_path, text, environ={"USER_NAME": "u"})
    assert said == (
        "W/gproj.toml:2: the variable PASSWORD is not set (export PASSWORD, or write $${PASSWORD} for the text itself)"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\nengin = "llama"\n', 'W/gproj.toml:2: unknown key "engin" (did you mean engine?)'),
        ("[fill]\nheat = 1\n", 'W/gproj.toml:2: unknown key "fill.heat"'),
        ('[surfaces.toi]\nddl = "x"\n', 'W/gproj.toml:1: unknown surface "toi" (did you mean toy?)'),
        (
            '[surfaces.toy]\nddll = "x"\n',
            'W/gproj.toml:2: unknown key "surfaces.toy.ddll" (did you mean surfaces.toy.ddl?)',
        ),
        (
            'engine = "xgramar"\n',
            'W/gproj.toml:1: "xgramar" is none of llguidance, xgrammar, llama (did you mean xgrammar?)',
        ),
        ("model = 3\n", "W/gproj.toml:1: the value must be a text"),
        ("[fill]\ntemperature = -1\n", "W/gproj.toml:2: the value must be a number from 0 to 10"),
        ("[fill]\ntemperature = nan\n", "W/gproj.toml:2: the value must be a number from 0 to 10"),
        ("[fill]\nseed = 1.5\n", "W/gproj.toml:2: the value must be a whole number from 0 to 4.29497e+09"),
        ('[fill]\nallow-base = "yes"\n', "W/gproj.toml:2: the value must be true or false"),
        ("exclude = [1]\n", "W/gproj.toml:1: the value must be a list of texts"),
        ("engine = \n", "W/gproj.toml:1:10: is not TOML: invalid value"),
        ("surfaces = 1\n", 'W/gproj.toml:1: unknown key "surfaces"'),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_the_nearest_key(tmp_path, text, said):
    assert complaint(tmp_path, text).startswith(said)


def test_a_refused_url_is_not_repeated_since_it_may_hold_a_password(tmp_path):
    said = complaint(tmp_path, overrides=["surfaces.toy.database=secret"])
    assert said == "-c surfaces.toy.database: the value must be a URL, as in sqlite:///shop.db"
    assert "secret" not in said


def test_an_override_without_a_value_is_told(tmp_path):
    assert (
        complaint(tmp_path, overrides=["engine"]) == "-c: an override is key=value (as in -c engine=xgrammar)"
    )
    assert complaint(tmp_path, overrides=["engin=x"]).startswith('-c engin: unknown key "engin"')


def test_editor_settings_are_named_as_their_place(tmp_path):
    assert complaint(tmp_path, editor={"modle": "x"}).startswith(
        'editor settings: modle: unknown key "modle"'
    )


def test_the_root_is_the_nearest_folder_with_a_settings_file(tmp_path):
    (tmp_path / "gproj.toml").touch()
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_root(deep) == tmp_path
    (tmp_path / "a" / "gproj.toml").touch()
    assert find_root(deep) == tmp_path / "a"


def test_values_are_frozen(tmp_path):
    found = settings(tmp_path, overrides=["surfaces.toy.ddl=a"])
    with pytest.raises(TypeError):
        found.values["engine"] = "llama"
    with pytest.raises(TypeError):
        found.surfaces["toy"]["ddl"] = ()


def test_what_only_the_file_says_is_known_since_it_may_be_somebody_elses(tmp_path):
    text = 'model = "https://host/v1"\nengine = "llama"\n[remote]\nkey = "A"\n[fill]\nseed = 1\n'
    found = settings(tmp_path, text, editor={"remote": {"key": "B"}}, overrides=["engine=xgrammar"])
    assert found.filed == {"model", "fill.seed"}
    assert settings(tmp_path, "", overrides=["model=a"]).filed == {"remote.key", "fill.seed", "engine"}


def untrusted(folder, text, **more):
    (folder / "gproj.toml").write_text(text)
    return load(folder, SURFACES, environ={"SECRET": "hunter2"}, trusted=False, **more)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('model = "/etc/passwd"', "model"),
        ('baseline = "../x.json"', "baseline"),
        ("fill.allow-base = true", "fill.allow-base"),
        ("fill.temperature = 9", "fill.temperature"),
        ('surfaces.toy.database = "x://${SECRET}@there"', "surfaces.toy.database"),
        ('surfaces.toy.database = "x://${UNSET}"', "surfaces.toy.database"),
        ('surfaces.toy.ddl = ["/**/*.sql"]', "surfaces.toy.ddl"),
        ('surfaces.toy.snapshot = "/dev/zero"', "surfaces.toy.snapshot"),
    ],
)
def test_of_a_folder_that_is_not_trusted_nothing_holds_that_leads_anywhere(tmp_path, line, key):
    found = untrusted(tmp_path, line)
    assert found.ignored == (key,)
    assert (found.values, found.surfaces) == (load(tmp_path / "none", SURFACES).values, {})


def test_of_a_folder_that_is_not_trusted_choices_and_what_is_left_out_hold(tmp_path):
    text = (
        'engine = "llama"\nexclude = ["${SECRET}/*"]\nchecks.hole = "off"\nsurfaces.toy.dialect = "large"\n'
    )
    found = untrusted(tmp_path, text)
    assert found.ignored == ()
    assert (found.text("engine"), found.text("checks.hole")) == ("llama", "off")
    assert found.texts("exclude") == ("${SECRET}/*",)
    assert found.surface("toy") == {"dialect": "large"}


def test_what_the_user_says_holds_in_any_folder(tmp_path):
    found = untrusted(
        tmp_path,
        'model = "theirs.gguf"',
        editor={"model": "mine.gguf"},
        overrides=["surfaces.toy.snapshot=${SECRET}.json"],
    )
    assert (found.ignored, found.text("model")) == (("model",), "mine.gguf")
    assert found.surface("toy") == {"snapshot": "hunter2.json"}


def test_an_unknown_key_is_an_error_in_any_folder(tmp_path):
    with pytest.raises(SettingsError, match="engin"):
        untrusted(tmp_path, 'engin = "llama"')
