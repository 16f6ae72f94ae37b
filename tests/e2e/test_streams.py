"""The standard streams as shells, pipes and locales leave them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from program import HOME, gproj


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "gproj.toml").write_text('[surfaces.sql]\ndialect = "sqlite"\nddl = ["schema.sql"]\n')
    (tmp_path / "schema.sql").write_text("CREATE TABLE users (id INTEGER, name TEXT);\n")
    (tmp_path / "é.sql").write_text("SELECT u.é日 FROM users u;\n", encoding="utf-8")
    return tmp_path


def shell(folder, command):
    return subprocess.run(
        ["sh", "-c", command.replace("PROGRAM", f"{sys.executable} -m gproj_lsp")],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": HOME},
        check=False,
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("how", ["json", "text"])
def test_what_programs_read_is_utf8_whatever_the_locale_says(shop, encoding, how):
    done = gproj(shop, "check", "é.sql", "--format", how, env={"PYTHONIOENCODING": encoding})
    assert done.returncode == 1
    assert "é日" in done.stdout.decode()
    if how == "json":
        assert json.loads(done.stdout)["files"][0]["diagnostics"][0]["name"] == "é日"


@pytest.mark.parametrize(
    ("closed", "code"), [(">&-", 1), ("2>&-", 1), ("<&-", 1), (">&- 2>&- <&-", 1), ("> /dev/full", 2)]
)
def test_a_closed_or_full_stream_is_no_traceback(shop, closed, code):
    done = shell(shop, f"PROGRAM check é.sql {closed}")
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert b"unexpected" not in done.stderr


def test_closed_standard_input_is_empty(shop):
    done = shell(shop, "PROGRAM check - --stdin-filename a.sql <&-")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_current_folder_that_is_gone_is_told(shop):
    done = shell(
        shop, 'mkdir gone; cd gone; rmdir ../gone; PROGRAM check "$OLDPWD/é.sql"; PROGRAM facts show'
    )
    assert b"Traceback" not in done.stderr
    assert b"unexpected" not in done.stderr
