"""The demonstration shows the main job, with the real model, on what is shipped."""

from __future__ import annotations

import re

import pytest
from program import gproj

from gproj_lsp.cli.demo import FOLDER
from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.errors import ModelError

try:
    embedded_path()
except ModelError as error:
    pytest.skip(str(error), allow_module_level=True)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    done = gproj(tmp_path_factory.mktemp("demo"), "demo")
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return done.stdout.decode()


def test_it_shows_the_ghosts_of_a_report(shown):
    assert "3 ghosts among" in shown
    for ghost, meant in (("email", "mail_addr"), ("price", "price_paid"), ("products", "product")):
        assert f'"{ghost}"' in shown
        assert f"did you mean {meant}?" in shown


def test_it_shows_one_hole_decoded_free_and_under_gamma(shown):
    free = re.search(r"^free +(\S+) +a ghost +every identifier there is *$", shown, re.MULTILINE)
    bound = re.search(r"^under Γ +(\S+) +declared +(.+?) *$", shown, re.MULTILINE)
    assert free
    assert bound
    assert bound[1] in bound[2].split(", ")


def test_it_shows_the_fill_as_a_diff_and_what_to_do_next(shown):
    assert "+++ b/holes.sql" in shown
    assert "\n5 of 5 holes filled\n" in shown
    assert "gproj-lsp fill holes.sql --write" in shown


def test_what_it_tells_to_do_next_works(tmp_path):
    path = gproj(tmp_path, "demo", "--path").stdout.decode().strip()
    assert path == str(FOLDER)
    for source in FOLDER.iterdir():
        (tmp_path / source.name).write_bytes(source.read_bytes())
    assert gproj(tmp_path, "fill", "holes.sql", "--write").returncode == 0
    assert gproj(tmp_path, "check", "holes.sql").stdout.startswith(b"No ghosts")


def test_the_shipped_example_changes_nothing_of_itself(shown):
    assert "{:Column" in (FOLDER / "holes.sql").read_text()
    assert shown
