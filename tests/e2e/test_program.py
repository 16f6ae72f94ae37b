"""The command line on real files: what each command prints, and with which code it ends."""

from __future__ import annotations

import json
import re
import sqlite3

import pytest
from program import gproj, spent

from gproj_lsp import gbnf
from gproj_lsp.check_surface import BYTES
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.surface.shelf import folders

SCHEMA = """\
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, mail TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER, total NUMERIC);
"""
GHOST = "SELECT u.nmae\nFROM users u;\n"


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "gproj.toml").write_text('[surfaces.sql]\ndialect = "sqlite"\nddl = ["schema.sql"]\n')
    (tmp_path / "schema.sql").write_text(SCHEMA)
    return tmp_path


def said(done, code=0):
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode()


def test_check_shows_a_ghost_with_its_place_and_what_was_meant(shop):
    (shop / "a.sql").write_text(GHOST)
    text = said(gproj(shop, "check", "a.sql"), 1)
    assert " --> a.sql:1:10\n" in text
    assert "1 | SELECT u.nmae\n" in text
    assert re.search(r"\^\^\^\^ did you mean name\?", text)
    assert re.match(r"1 ghost among \d references in 1 file$", text.splitlines()[-1])


def test_check_tells_on_request_what_it_does_not_know_and_why(shop):
    (shop / "a.sql").write_text("SELECT g.y FROM generate_odd(1) g;\n")
    assert "[unknown-reference]" not in said(gproj(shop, "check", "a.sql"))
    text = said(gproj(shop, "check", "a.sql", "--show-unknown"))
    assert (
        'information[unknown-reference]: nothing is known of column "y"; not all columns of g are known'
        in text
    )
    assert text.splitlines()[-1].startswith("No ghosts among ")
    found = json.loads(said(gproj(shop, "check", "a.sql", "--show-unknown", "--format", "json")))
    assert {each["code"] for each in found["files"][0]["diagnostics"]} == {"unknown-reference"}
    assert len(found["files"][0]["diagnostics"]) == found["files"][0]["unknown"]


def test_check_of_what_is_fine_says_so(shop):
    (shop / "a.sql").write_text("SELECT u.name FROM users u;\n")
    done = gproj(shop, "check", ".")
    assert said(done).startswith("No ghosts among ")
    assert done.stderr == b""


def test_check_walks_folders_and_leaves_out_what_is_excluded(shop):
    for name in ("a.sql", "deep/b.sql", "deep/c.sql", ".hidden/d.sql", "node_modules/e.sql"):
        (shop / name).parent.mkdir(exist_ok=True)
        (shop / name).write_text(GHOST)
    done = gproj(shop, "check", ".", "--format", "json", "-c", 'exclude=["deep/c*"]')
    found = json.loads(said(done, 1))
    assert [file["path"] for file in found["files"]] == ["a.sql", "schema.sql", "deep/b.sql"]


def test_check_reads_standard_input_as_the_file_it_stands_for(shop):
    done = gproj(shop, "check", "-", "--stdin-filename", "a.sql", "--format", "json", stdin=GHOST.encode())
    (file,) = json.loads(said(done, 1))["files"]
    assert file["path"] == "a.sql"
    assert file["diagnostics"][0]["range"] == {
        "start": {"line": 0, "character": 9},
        "end": {"line": 0, "character": 13},
    }


def test_check_uses_the_settings_nearest_to_each_file(shop):
    other = shop / "other"
    other.mkdir()
    (other / "gproj.toml").write_text('[surfaces.sql]\ndialect = "sqlite"\nddl = ["own.sql"]\n')
    (other / "own.sql").write_text("CREATE TABLE users (nmae TEXT);\n")
    (other / "a.sql").write_text(GHOST)
    (shop / "a.sql").write_text(GHOST)
    found = json.loads(said(gproj(shop, "check", "a.sql", "other/a.sql", "--format", "json"), 1))
    assert [len(file["diagnostics"]) for file in found["files"]] == [1, 0]


def test_a_comment_silences_a_ghost(shop):
    (shop / "a.sql").write_text("SELECT u.nmae -- gproj: ignore[ghost-reference]\nFROM users u;\n")
    said(gproj(shop, "check", "a.sql"))


def test_a_baseline_silences_what_is_known_and_nothing_new(shop):
    (shop / "a.sql").write_text(GHOST)
    said(gproj(shop, "check", "a.sql", "--baseline", "ghosts.json", "--update-baseline"))
    said(gproj(shop, "check", "a.sql", "--baseline", "ghosts.json"))
    (shop / "a.sql").write_text("-- moved\n" + GHOST + "SELECT u.mial FROM users u;\n")
    found = json.loads(
        said(gproj(shop, "check", "a.sql", "--baseline", "ghosts.json", "--format", "json"), 1)
    )
    assert [diagnostic["name"] for diagnostic in found["files"][0]["diagnostics"]] == ["mial"]
    said(gproj(shop, "check", "a.sql", "-c", "baseline=ghosts.json"), 1)


@pytest.mark.parametrize("format_", ["github", "sarif"])
def test_check_writes_what_other_tools_read(shop, format_):
    (shop / "a.sql").write_text(GHOST)
    text = said(gproj(shop, "check", "a.sql", "--format", format_), 1)
    if format_ == "github":
        assert text.startswith(
            "::error file=a.sql,line=1,endLine=1,col=10,endColumn=14,title=ghost-reference::"
        )
    else:
        assert json.loads(text)["runs"][0]["results"][0]["ruleId"] == "ghost-reference"


def test_check_reads_a_database(shop):
    connection = sqlite3.connect(shop / "shop.db")
    connection.executescript("CREATE TABLE people (id INTEGER, nick TEXT);")
    connection.close()
    (shop / "a.sql").write_text("SELECT nikc FROM people;\n")
    (shop / "gproj.toml").write_text('[surfaces.sql]\ndatabase = "sqlite:///shop.db"\n')
    found = json.loads(said(gproj(shop, "check", "a.sql", "--format", "json"), 1))
    (diagnostic,) = found["files"][0]["diagnostics"]
    assert diagnostic["suggestions"][0] == "nick"


def test_what_a_database_said_before_stands_in_while_it_does_not_answer(shop):
    connection = sqlite3.connect(shop / "shop.db", isolation_level=None)
    connection.execute("CREATE TABLE people (id INTEGER, nick TEXT)")
    (shop / "a.sql").write_text("SELECT nikc FROM people;\n")
    (shop / "gproj.toml").write_text('[surfaces.sql]\ndatabase = "sqlite:///shop.db"\n')
    said(gproj(shop, "check", "a.sql"), 1)
    connection.execute("ALTER TABLE people ADD nikc TEXT")
    connection.execute("BEGIN EXCLUSIVE")
    done = gproj(shop, "check", "a.sql", "--format", "json")
    assert json.loads(done.stdout)["ghosts"] == 0
    assert b"shop.db: is locked by another program; using what was read on" in done.stderr
    frozen = gproj(shop, "facts", "freeze", "-o", "snapshot.json")
    assert (frozen.returncode, frozen.stderr) == (2, b"gproj-lsp: shop.db: is locked by another program\n")
    connection.close()
    (shop / "shop.db").unlink()
    assert b"no such database file" in gproj(shop, "check", "a.sql").stderr


def test_five_hundred_small_files_take_five_seconds_at_most(shop):
    for number in range(500):
        text = f"SELECT u.name, o.total\nFROM users u JOIN orders o ON o.user_id = u.id\nWHERE o.total > {number};\n"
        (shop / f"q{number:03}.sql").write_text(text)
    start = spent()
    done = gproj(shop, "check", ".", "--format", "json")
    assert spent() - start <= 5
    assert len(json.loads(said(done))["files"]) == 501


def test_gamma_lists_what_may_be_named_and_where_it_is_declared(shop):
    (shop / "a.sql").write_text("SELECT  FROM users u;\n")
    text = said(gproj(shop, "gamma", "a.sql", "--at", "1:8"))
    assert re.search(r"^users\.mail +Column .*ddl schema\.sql:1$", text, re.MULTILINE)
    assert "built in: " in text
    everything = said(gproj(shop, "gamma", "a.sql", "--at", "1:8", "--all"))
    assert len(everything.splitlines()) > len(text.splitlines())


def test_gamma_json_is_as_documented(shop):
    (shop / "a.sql").write_text("SELECT  FROM users u;\n")
    found = json.loads(said(gproj(shop, "gamma", "a.sql", "--at", "1:8", "--json")))
    assert set(found) == {"bindings", "frames"}
    assert set(found["bindings"][0]) == {"name", "sort", "owner", "spelling", "attrs", "origin"}
    assert {binding["name"] for binding in found["bindings"]} >= {"users", "mail", "total"}


def test_a_grammar_is_what_fill_decodes(shop):
    (shop / "a.sql").write_text("CREATE TABLE t ({c:ColDecl} INT);\nSELECT {:Column};\n")
    assert '"c"' in said(gproj(shop, "grammar", "a.sql", "--at", "1:17"))
    assert "busy" not in said(gproj(shop, "grammar", "a.sql", "--at", "2:8"))


def test_facts_are_shown_and_frozen_and_the_snapshot_stands_for_the_source(shop):
    assert re.search(r"^orders\.total +Column ", said(gproj(shop, "facts", "show")), re.MULTILINE)
    said(gproj(shop, "facts", "freeze", "-o", "schema.json"))
    (shop / "gproj.toml").write_text('[surfaces.sql]\ndialect = "sqlite"\nsnapshot = "schema.json"\n')
    (shop / "schema.sql").unlink()
    (shop / "a.sql").write_text(GHOST)
    assert "did you mean name?" in said(gproj(shop, "check", "a.sql"), 1)


def accepted(grammar, *texts):
    """Those of the texts that a printed grammar accepts."""
    compiled = gbnf.parse(grammar)
    matchers = {text: make_engine().compile(compiled, BYTES) for text in texts}
    return {
        text for text, each in matchers.items() if each.accept_bytes(text.encode()) and each.is_complete()
    }


def test_grammar_prints_gbnf_with_the_declared_names_in_it(shop):
    (shop / "a.sql").write_text("SELECT ?? FROM users u;\n")
    names = ("id", "name", "mail", "total", "nmae")
    fitting = said(gproj(shop, "grammar", "a.sql", "--at", "1:8"))
    assert accepted(fitting, *names) == {"id", "name", "mail"}
    declared = said(gproj(shop, "grammar", "a.sql", "--at", "1:8", "--rung", "gamma"))
    assert accepted(declared, *names) == {"id", "name", "mail", "total"}
    anything = said(gproj(shop, "grammar", "a.sql", "--at", "1:8", "--rung", "base"))
    assert accepted(anything, *names) == set(names)


def test_the_shipped_surface_passes_its_own_check(shop):
    for folder in folders():
        assert "passed" in said(gproj(shop, "check-surface", folder))
        fragments = sorted((folder / "fragments").glob("*.toml"))
        assert "passed" in said(gproj(shop, "gate", *fragments))


def test_models_are_listed_and_found(shop):
    (row, *_) = json.loads(said(gproj(shop, "model", "list", "--json")))["models"]
    assert row["name"] == "embedded"
    assert said(gproj(shop, "model", "path")).strip() == row["path"]


def test_every_command_teaches_by_examples(shop):
    assert "gproj-lsp check queries/" in said(gproj(shop, "--help"))
    for command in ("check", "fill", "rank", "gamma", "grammar", "check-surface", "gate"):
        text = said(gproj(shop, command, "--help"))
        assert f"gproj-lsp {command}" in text.partition("Examples:")[2], command


@pytest.mark.parametrize("group", [(), ("facts",), ("model",), ("bench",)])
def test_without_a_command_the_commands_are_listed(shop, group):
    done = gproj(shop, *group)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout) == (2, b"")
    assert lines[0].startswith(" ".join(("Usage: gproj-lsp", *group)))
    assert "Commands:" in lines


def test_check_does_not_call_clean_what_it_could_not_read(shop):
    done = gproj(shop, "check", "nowhere.sql")
    assert (done.returncode, done.stdout) == (2, b"")


def test_check_tells_why_so_much_is_unknown(tmp_path):
    for name in ("a.sql", "b.sql"):
        (tmp_path / name).write_text("SELECT id FROM users;\n")
    told = gproj(tmp_path, "check", ".").stderr.decode()
    assert told.count("no source says") == told.count("surfaces.sql.ddl") == 1
    (tmp_path / "gproj.toml").write_text('[surfaces.sql]\nddl = "b.sql"\n')
    assert b"no source says" not in gproj(tmp_path, "check", ".").stderr
