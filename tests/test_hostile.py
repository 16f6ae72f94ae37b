"""Input that means harm or was never thought of: told in a line, and nothing of it reaches the terminal or other files.

The program runs inside the test's process here; `e2e/test_bad_input.py` runs it as a user does.
"""

from __future__ import annotations

import json
import os
import sqlite3
import unicodedata

import pytest

from gproj_lsp.cli import run
from gproj_lsp.cli.console import Progress
from gproj_lsp.report.machine import dump

DRIVES = ("\x1b[2J", "\x9b31m", "\u202e", "\x7f")
"""Clears the screen, colours it, turns text around, deletes."""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gproj.toml").write_text('[surfaces.sql]\ndialect = "sqlite"\nddl = ["schema.sql"]\n')
    (tmp_path / "schema.sql").write_text("CREATE TABLE users (id INTEGER, name TEXT);\n")
    return tmp_path


@pytest.fixture
def told(capsys):
    """Runs a command; gives its exit code, and what it wrote to stdout and stderr."""

    def runs(*arguments):
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return runs


def drives_a_terminal(text):
    return any((unicodedata.category(char) == "Cc" and char != "\n") or char == "\u202e" for char in text)


@pytest.mark.parametrize("how", ["text", "json", "github", "sarif"])
@pytest.mark.parametrize("code", DRIVES)
def test_names_in_files_and_of_files_do_not_drive_the_terminal(shop, told, code, how):
    (shop / "schema.sql").write_text(f'CREATE TABLE "u{code}" (id INT, "a{code}b" INT);\n')
    (shop / f"q{code}.sql").write_text(f'SELECT t."a{code}c" FROM "u{code}" AS t;\n')
    status, out, err = told("check", f"q{code}.sql", "--format", how)
    assert status == 1
    assert not drives_a_terminal(out + err)


@pytest.mark.parametrize("code", DRIVES)
@pytest.mark.parametrize(
    "options", [("gamma", "q.sql"), ("gamma", "q.sql", "--json"), ("facts", "show", "--json")]
)
def test_names_in_a_database_do_not_drive_the_terminal(shop, told, code, options):
    connection = sqlite3.connect(shop / "shop.db")
    connection.execute(f'CREATE TABLE "u{code}" ("a{code}" "type{code}")')
    connection.close()
    (shop / "q.sql").write_text("SELECT 1;\n")
    status, out, err = told(*options, "-c", "surfaces.sql.database=sqlite:///shop.db")
    assert status == 0
    assert not drives_a_terminal(out + err)


@pytest.mark.parametrize("code", DRIVES)
def test_what_is_complained_about_does_not_drive_the_terminal(shop, told, code):
    assert not drives_a_terminal(told("check", f"absent{code}.sql")[2])
    (shop / "gproj.toml").write_text(json.dumps(f"key{code}") + " = 1\n")
    status, _, err = told("check", "schema.sql")
    assert status == 2
    assert not drives_a_terminal(err)


def test_json_keeps_what_it_escapes():
    value = {"name": "".join(DRIVES) + "é日😀"}
    assert json.loads(dump(value)) == value
    assert "é日😀" in dump(value)


@pytest.mark.parametrize("how", ["json", "sarif"])
def test_a_file_name_that_is_not_utf8_is_still_json(shop, told, how):
    name = b"q\xff.sql".decode("utf-8", "surrogateescape")
    (shop / name).write_text("SELECT nmae FROM users;\n")
    status, out, _ = told("check", name, "--format", how)
    assert status == 1
    assert json.loads(out.encode("utf-8"))


def test_a_file_name_is_no_markup(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    shown = Progress("checking [/red].sql")
    shown._show()
    shown.update("checking [/blue].sql")
    shown.stop()


@pytest.mark.parametrize(
    "key", ["model", "baseline", "surfaces.sql.ddl", "surfaces.sql.snapshot", "surfaces.sql.database"]
)
def test_a_nul_in_a_setting_is_refused_with_its_line(shop, told, key):
    (shop / "gproj.toml").write_text(f'\n{key} = "x://a\\u0000b"\n')
    status, _, err = told("check", "schema.sql")
    assert status == 2
    assert err == "gproj-lsp: gproj.toml:2: the value holds a NUL character, which no path and no name has\n"


@pytest.mark.parametrize(
    ("digits", "said"),
    [
        (400, "gproj.toml:1: the value must be a whole number from 0 to 4.29497e+09"),
        (5000, "gproj.toml: holds a number with more digits than can be read"),
    ],
)
def test_a_number_with_very_many_digits_is_refused(shop, told, digits, said):
    (shop / "gproj.toml").write_text(f"fill.seed = {'9' * digits}\n")
    status, _, err = told("check", "schema.sql")
    assert status == 2
    assert err == f"gproj-lsp: {said}\n"


@pytest.mark.parametrize("setting", ["ddl", "snapshot", "database"])
def test_a_home_that_nobody_has_is_a_path_like_any_other(shop, told, setting):
    scheme = "sqlite:///" if setting == "database" else ""
    status, _, err = told("check", "schema.sql", "-c", f"surfaces.sql.{setting}={scheme}~nobody-at-all/x.sql")
    assert status == 2
    assert "unexpected" not in err
    assert "~nobody-at-all/x.sql" in err


def test_a_walk_passes_over_what_is_no_file(shop, told):
    os.mkfifo(shop / "pipe.sql")
    (shop / "dangling.sql").symlink_to("nowhere.sql")
    status, out, err = told("check", ".")
    assert (status, err) == (0, "")
    assert "in 1 file" in out


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, '{"a":' * 100_000, '{"gproj-lsp snapshot":1,"x":' + "[" * 100_000 + "]" * 100_000 + "}"],
)
def test_a_snapshot_that_is_nested_without_end_is_refused(shop, told, text):
    (shop / "frozen.json").write_text(text)
    status, _, err = told("check", "schema.sql", "-c", "surfaces.sql.snapshot=frozen.json")
    assert status == 2
    assert err.startswith("gproj-lsp: frozen.json: is not a snapshot")


def test_a_baseline_that_counts_to_infinity_is_none(shop, told):
    row = '{"path": "a", "code": "b", "sort": "c", "name": "d", "count": 1e999}'
    (shop / "known.json").write_text(f'{{"version": 1, "known": [{row}]}}')
    status, _, err = told("check", "schema.sql", "--baseline", "known.json")
    assert status == 2
    assert err.startswith("gproj-lsp: known.json: is not a baseline")


def test_a_file_that_is_no_baseline_is_not_replaced_by_one(shop, told):
    before = (shop / "schema.sql").read_text()
    status, _, err = told("check", "schema.sql", "--baseline", "schema.sql", "--update-baseline")
    assert status == 2
    assert (
        err == "gproj-lsp: schema.sql: is there and is no baseline; nothing was written (name another file)\n"
    )
    assert (shop / "schema.sql").read_text() == before


def test_an_empty_database_file_is_no_reason_to_call_every_table_a_ghost(shop, told):
    (shop / "shop.db").touch()
    status, _, err = told("check", "schema.sql", "-c", "surfaces.sql.database=sqlite:///shop.db")
    assert status == 2
    assert err == "gproj-lsp: shop.db: the file is empty, so it says nothing of any table\n"
