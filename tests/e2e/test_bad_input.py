"""Bad input kills nothing: one clear line on stderr with file and place, exit code 2, nothing written."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from program import HOME, contents, gproj, spent

SCHEMA = "CREATE TABLE users (id INTEGER, name TEXT);\n"
HOLE = "SELECT {:Column} FROM users;\n"


@pytest.fixture
def shop(tmp_path):
    """A workspace with a schema, in which commands run; they may not change it."""
    (tmp_path / "gproj.toml").write_text('[surfaces.sql]\ndialect = "sqlite"\nddl = ["schema.sql"]\n')
    (tmp_path / "schema.sql").write_text(SCHEMA)
    return tmp_path


def refused(folder, *arguments, **options):
    """What a command says on stderr that can't be carried out."""
    before = contents(folder)
    done = gproj(folder, *arguments, **options)
    said = done.stderr.decode()
    assert done.returncode == 2, said + done.stdout.decode()
    assert contents(folder) == before
    (line,) = said.splitlines()
    assert line.startswith("gproj-lsp: ")
    return line.removeprefix("gproj-lsp: ")


@pytest.mark.parametrize("command", [("check",), ("fill", "--write"), ("gamma",)])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"SELECT id\nFROM \xff users;\n", "a.sql:2:6: byte 0xff is not UTF-8 (save the file as UTF-8)"),
        (b"SELECT \0 id FROM users;\n", "a.sql:1:8: a NUL byte: this is not a text file"),
        ("SELECT id FROM users;".encode("utf-16"), "a.sql: is UTF-16 (save it as UTF-8)"),
    ],
)
def test_what_is_not_text(shop, command, data, said):
    (shop / "a.sql").write_bytes(data)
    assert refused(shop, *command, "a.sql") == said


def test_a_file_that_cannot_be_checked_does_not_keep_others_from_it(shop):
    (shop / "a.sql").write_bytes(b"\xff")
    (shop / "b.sql").write_text("SELECT nmae FROM users;\n")
    done = gproj(shop, "check", "a.sql", "b.sql", "--format", "json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["ghosts"] == 1
    assert done.stderr.decode() == "gproj-lsp: a.sql:1:1: byte 0xff is not UTF-8 (save the file as UTF-8)\n"


@pytest.mark.parametrize(
    "command", [("check",), ("fill",), ("gamma",), ("rank", "--at", "1:1"), ("grammar", "--at", "1:1")]
)
def test_a_file_that_is_not_there(shop, command):
    assert refused(shop, *command, "absent.sql") == "absent.sql: no such file"


@pytest.mark.parametrize("command", [("fill",), ("gamma",)])
def test_a_folder_where_a_file_is_needed(shop, command):
    (shop / "d.sql").mkdir()
    assert refused(shop, *command, "d.sql") == "d.sql: is a folder, and one file is needed"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(shop):
    (shop / "a.sql").write_text(HOLE)
    (shop / "a.sql").chmod(0)
    assert refused(shop, "check", "a.sql") == "a.sql: can't be read: permission denied"


def test_a_file_of_a_kind_that_no_surface_reads(shop):
    (shop / "a.txt").write_text("x")
    assert refused(shop, "check", "a.txt").startswith("a.txt: no surface reads this kind of file (known: ")


def test_standard_input_without_a_name(shop):
    said = refused(shop, "check", "-", stdin=b"SELECT 1")
    assert said == "-: standard input has no name (add --stdin-filename report.sql)"


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("9:1", "a.sql:9:1: outside the file, which has 2 lines"),
        ("0:1", "a.sql:0:1: outside the file, which has 2 lines"),
        ("1:99", "a.sql:1:99: outside the line, which has 28 characters"),
        ("x", '--at: "x" is not a place (write LINE:COLUMN, as in 3:8)'),
    ],
)
@pytest.mark.parametrize("command", ["gamma", "rank", "grammar"])
def test_a_place_outside_the_file(shop, command, at, said):
    (shop / "a.sql").write_text(HOLE)
    assert refused(shop, command, "a.sql", "--at", at) == said


@pytest.mark.parametrize("command", ["rank", "grammar"])
def test_a_place_where_no_hole_is(shop, command):
    (shop / "a.sql").write_text(HOLE)
    assert refused(shop, command, "a.sql", "--at", "1:1").startswith(
        "a.sql:1:1: there is no hole here (holes are at 1:8)"
    )


def test_an_unknown_settings_key(shop):
    (shop / "a.sql").write_text(HOLE)
    (shop / "gproj.toml").write_text('[surfaces.sql]\ndialekt = "sqlite"\n')
    said = 'gproj.toml:2: unknown key "surfaces.sql.dialekt" (did you mean surfaces.sql.dialect?)'
    assert refused(shop, "check", "a.sql") == said
    assert refused(shop, "check", ".") == said


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("surfaces.sql.dialect=sqlit", "-c surfaces.sql.dialect: "),
        ("engine=none", '-c engine: "none" is none of llguidance, xgrammar, llama'),
        ("fill.temperature=-1", "-c fill.temperature: the value must be a number from 0 to 10"),
        (
            "surfaces.sql.database=${NOT_SET_HERE}",
            "-c surfaces.sql.database: the variable NOT_SET_HERE is not set",
        ),
        ("nonsense", "-c: an override is key=value"),
    ],
)
def test_a_setting_that_is_not_valid(shop, setting, said):
    (shop / "a.sql").write_text(HOLE)
    assert refused(shop, "check", "a.sql", "-c", setting).startswith(said)


def test_no_code_of_the_workspace_runs(shop):
    for name in ("typer", "sqlglot", "sqlite3", "duckdb", "psycopg", "conftest", "sitecustomize"):
        (shop / f"{name}.py").write_text("raise SystemExit(77)\n")
    (shop / "a.sql").write_text("SELECT id FROM users;\n")
    done = gproj(shop, "check", "a.sql")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_sqlite_file_that_is_not_there_is_not_created(shop):
    (shop / "a.sql").write_text(HOLE)
    said = refused(shop, "check", "a.sql", "-c", "surfaces.sql.database=sqlite:///absent.db")
    assert "absent.db" in said
    assert not (shop / "absent.db").exists()


def test_a_file_that_is_no_database(shop):
    (shop / "a.sql").write_text(HOLE)
    (shop / "not.db").write_text("hello " * 100)
    assert "not.db" in refused(shop, "check", "a.sql", "-c", "surfaces.sql.database=sqlite:///not.db")


def test_a_password_is_never_shown(shop):
    (shop / "a.sql").write_text(HOLE)
    url = "postgresql://someone:hunter2secret@127.0.0.1:1/shop"
    for command in (
        ("check", "a.sql"),
        ("gamma", "a.sql"),
        ("facts", "show"),
        ("facts", "freeze", "-o", "x.json"),
    ):
        assert "hunter2secret" not in refused(shop, *command, "-c", f"surfaces.sql.database={url}")


def test_a_snapshot_that_is_damaged(shop):
    (shop / "a.sql").write_text(HOLE)
    (shop / "s.json").write_text('{"version": 1, "tab')
    assert refused(shop, "check", "a.sql", "-c", "surfaces.sql.snapshot=s.json").startswith("s.json")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("absent.gguf", "there is no such model file"),
        ("cut.gguf", "truncated"),
        ("text.gguf", "not a GGUF file"),
    ],
)
def test_a_model_that_cannot_be_loaded(shop, model, said):
    embedded = pytest.importorskip("gproj_lsp.decode.models.catalogue").embedded_path()
    (shop / "a.sql").write_text(HOLE)
    (shop / "text.gguf").write_text("hello")
    with embedded.open("rb") as file:
        (shop / "cut.gguf").write_bytes(file.read(5_000_000))
    told = refused(shop, "fill", "a.sql", "--write", "-c", f"model={model}")
    assert said in told
    assert model in told


def test_an_empty_gamma(shop):
    (shop / "gproj.toml").unlink()
    (shop / "schema.sql").unlink()
    (shop / "a.sql").write_text("-- nothing is declared\n" + HOLE)
    assert refused(shop, "fill", "a.sql", "--write").startswith("a.sql:2:8: no Column can stand at {:Column}")


def test_a_hole_of_a_sort_there_is_not(shop):
    (shop / "a.sql").write_text("SELECT {:Colunm} FROM users;\n")
    assert refused(shop, "fill", "a.sql", "--write").startswith("a.sql:1:8: ")


def test_a_hole_that_is_not_there(shop):
    (shop / "a.sql").write_text(HOLE)
    assert refused(shop, "fill", "a.sql", "--hole", "2") == "a.sql: there is no hole 2 (the file has 1 hole)"


@pytest.mark.parametrize(
    "text", ["-- {:Column}\n/* ?? */\n", "SELECT '{:Column} ??' FROM users;\n", 'SELECT "??" FROM users;\n']
)
def test_marks_in_comments_strings_and_quoted_names_are_no_holes(shop, text):
    (shop / "a.sql").write_text(text)
    done = gproj(shop, "fill", "a.sql", "--write")
    assert (done.returncode, done.stderr.decode()) == (0, "gproj-lsp: a.sql: there are no holes\n")
    assert (shop / "a.sql").read_text() == text


def test_windows_line_ends_are_text_like_any_other_and_stay(shop):
    (shop / "a.sql").write_bytes(b"SELECT id,\r\n  nmae\r\nFROM users;\r\n")
    done = gproj(shop, "check", "a.sql", "--format", "json")
    (found,) = json.loads(done.stdout)["files"][0]["diagnostics"]
    assert found["range"]["start"] == {"line": 1, "character": 2}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "(" * 60_000 + "id" + ")" * 60_000 + " FROM users;\n",
        "SELECT " + "(" * 60_000,
        "SELECT " + "f(" * 60_000 + " FROM users;\n",
        "SELECT 1 " + "UNION SELECT 1 " * 60_000,
        "SELECT id, name FROM users WHERE name = 'somebody' ORDER BY id;\n" * 50_000,
    ],
    ids=["parentheses", "open parentheses", "calls in calls", "set operations", "50,000 statements"],
)
def test_absurd_text_is_checked_in_time_without_a_ghost(shop, text):
    (shop / "a.sql").write_text(text)
    start = spent()
    done = gproj(shop, "check", "a.sql", "--format", "json")
    assert spent() - start < 30
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout)["ghosts"] == 0


@pytest.mark.parametrize("command", [("check",), ("fill", "--write"), ("gamma",)])
def test_more_text_than_the_limit_is_refused_and_not_passed_over(shop, command):
    (shop / "a.sql").write_text("SELECT id FROM users;\n" * 500_000)
    start = spent()
    said = refused(shop, *command, "a.sql")
    assert spent() - start < 10
    assert re.fullmatch(r"a\.sql: 11,000,000 bytes are more than the limit of [\d,]+; not analysed", said)


def test_a_surface_with_faults_names_the_line(shop):
    source = Path(__file__).parents[2] / "grammars" / "sql"
    surface = shop / "toy"
    (surface / "fragments").mkdir(parents=True)
    text = (source / "surface.toml").read_text()
    (surface / "surface.toml").write_text(text.replace('\ncomment = "--"', '\ncoment = "--"'))
    assert refused(shop, "check-surface", "toy").startswith(f"toy/surface.toml:{_line(text, 'comment =')}: ")
    (surface / "surface.toml").write_text(text)
    fragment = (source / "fragments" / "column.toml").read_text()
    (surface / "fragments" / "column.toml").write_text(
        fragment.replace("root ::= %column%", 'root ::= "unclosed')
    )
    assert refused(shop, "check-surface", "toy").startswith("toy/fragments/column.toml:")
    assert refused(shop, "gate", "toy/fragments/column.toml").startswith("toy/fragments/column.toml:")


def test_a_surface_that_is_not_there(shop):
    assert "absent" in refused(shop, "check-surface", "absent")


def test_a_baseline_is_not_made_of_half_a_check(shop):
    (shop / "a.sql").write_bytes(b"\xff")
    (shop / "b.sql").write_text("SELECT nmae FROM users;\n")
    done = gproj(shop, "check", "a.sql", "b.sql", "--baseline", "known.json", "--update-baseline")
    assert done.returncode == 2
    assert b"known.json: not written, since not everything could be checked" in done.stderr
    assert not (shop / "known.json").exists()


def test_a_snapshot_is_not_made_of_half_a_schema(shop):
    (shop / "more.sql").write_bytes(b"\xff")
    done = gproj(shop, "facts", "freeze", "-o", "s.json", "-c", 'surfaces.sql.ddl=["*.sql"]')
    assert done.returncode == 2
    assert b"s.json: not written, since not everything could be read" in done.stderr
    assert not (shop / "s.json").exists()


def test_a_baseline_that_is_none(shop):
    (shop / "a.sql").write_text("SELECT id FROM users;\n")
    (shop / "b.json").write_text("[]")
    said = refused(shop, "check", "a.sql", "--baseline", "b.json")
    assert said == "b.json: is not a baseline (make one with check --update-baseline)"


def test_options_that_are_not_there_are_one_line_too(shop):
    assert "--nonsense" in refused(shop, "check", "--nonsense", "a.sql")
    assert "chekc" in refused(shop, "chekc", "a.sql")


def test_a_closed_pipe_is_silent(shop):
    (shop / "a.sql").write_text("SELECT nmae FROM users;\n" * 2_000)
    command = f"{sys.executable} -m gproj_lsp check a.sql | head -n 1"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=shop,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": HOME},
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("error[ghost-reference]")


def test_a_database_is_never_written_to(shop):
    (shop / "a.sql").write_text("SELECT id FROM users;\n")
    connection = sqlite3.connect(shop / "shop.db")
    connection.executescript(SCHEMA)
    connection.close()
    before = contents(shop)
    done = gproj(shop, "check", "a.sql", "-c", "surfaces.sql.database=sqlite:///shop.db")
    assert done.returncode == 0, done.stderr.decode()
    assert contents(shop) == before


def _line(text, start):
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith(start))
