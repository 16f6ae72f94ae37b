"""`fill` and `rank` on real files with the real embedded model."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from program import contents, gproj

from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.errors import ModelError

try:
    embedded_path()
except ModelError as error:
    pytest.skip(str(error), allow_module_level=True)

SCHEMA = """\
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, mail TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER, total NUMERIC);
"""
HOLES = """\
-- Whom to write to.
SELECT u.name, u.{:Column "the user's e-mail"}
FROM users u;
SELECT SUM(o.??) FROM orders o;
"""
COLUMNS = {"users": {"id", "name", "mail"}, "orders": {"id", "user_id", "total"}}


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "gproj.toml").write_text('[surfaces.sql]\ndialect = "sqlite"\nddl = ["schema.sql"]\n')
    (tmp_path / "schema.sql").write_text(SCHEMA)
    (tmp_path / "a.sql").write_text(HOLES)
    return tmp_path


def said(done, code=0):
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode()


def test_fill_prints_a_diff_and_changes_nothing(shop):
    before = contents(shop)
    done = gproj(shop, "fill", "a.sql")
    diff = said(done)
    assert contents(shop) == before
    assert diff.startswith("--- a/a.sql\n+++ b/a.sql\n@@ ")
    assert re.fullmatch(r"gproj-lsp: a\.sql: 2 of 2 holes filled in [\d.]+ s\n", done.stderr.decode())
    subprocess.run(["patch", "-p1", "-s"], cwd=shop, input=diff.encode(), check=True)
    check = gproj(shop, "check", "a.sql")
    assert said(check).startswith("No ghosts")
    assert "??" not in (shop / "a.sql").read_text()


def test_the_diff_of_a_file_with_a_byte_order_mark_applies(shop):
    (shop / "a.sql").write_text("SELECT {:Column} FROM users;\n", encoding="utf-8-sig")
    diff = gproj(shop, "fill", "a.sql").stdout
    subprocess.run(["patch", "-p1", "-s"], cwd=shop, input=diff, check=True)
    filled = (shop / "a.sql").read_text(encoding="utf-8")
    assert filled.startswith("\ufeffSELECT ")
    assert "{" not in filled


def test_fill_json_is_as_documented(shop):
    found = json.loads(said(gproj(shop, "fill", "a.sql", "--json")))
    assert set(found) == {"text", "holes", "incomplete", "empty"}
    first, second = found["holes"]
    assert set(first) >= {
        "range",
        "sort",
        "rung",
        "candidates",
        "text",
        "guaranteed",
        "free_bits",
        "tokens",
        "model_calls",
        "milliseconds",
    }
    assert first["range"] == {"start": {"line": 1, "character": 17}, "end": {"line": 1, "character": 46}}
    assert set(first["candidates"]) == COLUMNS["users"]
    assert set(second["candidates"]) == COLUMNS["orders"]
    assert all(hole["text"] in hole["candidates"] and hole["guaranteed"] for hole in found["holes"])
    assert f"SUM(o.{second['text']})" in found["text"]


def test_fill_writes_whole_or_not_at_all(shop):
    (shop / "a.sql").chmod(0o640)
    done = gproj(shop, "fill", "a.sql", "--write")
    assert said(done) == ""
    assert "filled and written" in done.stderr.decode()
    assert said(gproj(shop, "check", "a.sql")).startswith("No ghosts")
    assert (shop / "a.sql").stat().st_mode & 0o777 == 0o640
    assert {path.name for path in shop.iterdir()} == {"a.sql", "schema.sql", "gproj.toml"}


def test_fill_keeps_windows_line_ends_and_the_byte_order_mark(shop):
    (shop / "a.sql").write_bytes(b"\xef\xbb\xbf" + HOLES.replace("\n", "\r\n").encode())
    said(gproj(shop, "fill", "a.sql", "--write"))
    data = (shop / "a.sql").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf-- Whom")
    assert data.count(b"\r\n") == data.count(b"\n") == 4


def test_fill_takes_one_hole(shop):
    text = json.loads(said(gproj(shop, "fill", "a.sql", "--json", "--hole", "2")))["text"]
    assert '{:Column "the user\'s e-mail"}' in text
    assert "??" not in text


def test_the_same_seed_gives_the_same_text_and_no_temperature_gives_a_ghost(shop):
    hot = ("fill", "a.sql", "--json", "--temperature", "2", "--top-p", "1")
    one, same = (json.loads(said(gproj(shop, *hot, "--seed", "7"))) for _ in range(2))
    assert one["text"] == same["text"]
    for hole, table in zip(one["holes"], ("users", "orders"), strict=True):
        assert hole["text"] in COLUMNS[table]


def test_fill_reads_standard_input(shop):
    done = gproj(shop, "fill", "-", "--stdin-filename", "a.sql", "--json", stdin=b"SELECT ?? FROM users;")
    (hole,) = json.loads(said(done))["holes"]
    assert hole["text"] in COLUMNS["users"]


def test_a_hole_without_candidates_is_left_unless_an_open_name_is_allowed(shop):
    (shop / "a.sql").write_text(
        "SELECT {:Column} FROM users;\n-- nothing has columns here\nSELECT {:Column} FROM nowhere;\n"
    )
    (shop / "gproj.toml").write_text('[surfaces.sql]\ndialect = "sqlite"\n')
    (shop / "schema.sql").unlink()
    done = gproj(shop, "fill", "a.sql", "--json")
    assert done.returncode == 2
    assert [hole["mark"] for hole in json.loads(done.stdout)["empty"]] == ["{:Column}"] * 2
    done = gproj(shop, "fill", "a.sql", "--json", "--allow-base", "--hole", "1")
    (hole,) = json.loads(said(done))["holes"]
    assert (hole["rung"], hole["guaranteed"]) == ("base", False)
    assert "is not guaranteed" in done.stderr.decode()


def test_a_name_that_is_declared_but_not_for_this_place_is_told(shop):
    (shop / "a.sql").write_text("SELECT {:Column} FROM nowhere;\n")
    done = gproj(shop, "fill", "a.sql", "--json")
    (hole,) = json.loads(said(done))["holes"]
    assert (hole["rung"], hole["guaranteed"]) == ("gamma", True)
    assert "a.sql:1:8: " in done.stderr.decode()
    assert " is declared, but nothing that is declared fits here\n" in done.stderr.decode()


def test_rank_tells_probabilities_that_add_up(shop):
    found = json.loads(said(gproj(shop, "rank", "a.sql", "--at", "2:20", "--json")))
    assert set(found) == {"sort", "rung", "candidates", "remaining"}
    assert (found["sort"], found["rung"]) == ("Column", "ctx")
    assert {each["text"] for each in found["candidates"]} == COLUMNS["users"]
    total = sum(each["probability"] for each in found["candidates"]) + found["remaining"]
    assert total == pytest.approx(1, abs=1e-3)
    probabilities = [each["probability"] for each in found["candidates"]]
    assert probabilities == sorted(probabilities, reverse=True)
    lines = said(gproj(shop, "rank", "a.sql", "--at", "2:20", "--top", "1")).splitlines()
    assert found["candidates"][0]["text"] in lines[0]
