"""A repository that wants to run something, or to have something read that lies outside of it."""

from __future__ import annotations

import json
import sqlite3
import textwrap

import pytest
from lsprotocol import types
from program import HOME

AUDIT = """
import json, os, sys

_file = os.open(os.environ["GPROJ_AUDIT"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
_PROCESSES = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.system", "pty.spawn")


def _heard(event, arguments):
    if event in _PROCESSES or event in ("open", "import", "socket.connect", "socket.getaddrinfo", "sqlite3.connect"):
        os.write(_file, (json.dumps([event, repr(arguments)]) + "\\n").encode())


sys.addaudithook(_heard)
"""

TRAP = "import os; os.system('touch {}')"


@pytest.fixture
def hostile(tmp_path):
    """A folder full of traps, with something to steal beside it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.sql").write_text("CREATE TABLE secret_table (secret_column INT);")
    sqlite3.connect(outside / "secret.db").execute("CREATE TABLE secret_rows (id INT)").connection.close()
    folder = tmp_path / "work"
    trap = f"touch {tmp_path / 'sprung'}"
    files = {
        "Makefile": f"all:\n\t{trap}\nschema.sql: ; {trap}\n",
        "package.json": json.dumps({"scripts": {"preinstall": trap, "start": trap, "gproj": trap}}),
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/config": f'[core]\n\tfsmonitor = "{trap}"\n\thooksPath = hooks\n[alias]\n\tst = "!{trap}"\n',
        ".git/hooks/post-checkout": f"#!/bin/sh\n{trap}\n",
        ".git/hooks/fsmonitor-watchman": f"#!/bin/sh\n{trap}\n",
        "hooks/pre-commit": f"#!/bin/sh\n{trap}\n",
        ".envrc": trap,
        "sitecustomize.py": TRAP.format(tmp_path / "sprung"),
        "conftest.py": TRAP.format(tmp_path / "sprung"),
        "gproj_lsp/__init__.py": TRAP.format(tmp_path / "sprung"),
        "sqlglot.py": TRAP.format(tmp_path / "sprung"),
        "grammars/evil/surface.toml": 'name = "evil"\npatterns = ["*.sql"]\nlanguages = ["sql"]\nresolver = "evil"\n',
        "grammars/evil/__init__.py": TRAP.format(tmp_path / "sprung"),
        "grammars/evil/resolver.py": TRAP.format(tmp_path / "sprung"),
        "gproj.toml": textwrap.dedent(
            f"""
            model = "{outside / "secret.db"}"
            baseline = "../outside/secret.sql"
            [fill]
            allow-base = true
            [surfaces.sql]
            ddl = ["{outside}/*.sql", "../outside/secret.sql", "link.sql"]
            database = "sqlite:///{outside / "secret.db"}"
            snapshot = "${{HOME}}/secret.json"
            """
        ),
        "a.sql": "SELECT nmae FROM secret_table;\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    (folder / "link.sql").symlink_to(outside / "secret.sql")
    return folder


async def test_nothing_runs_and_nothing_outside_is_read(connect, hostile, tmp_path):
    spy = tmp_path / "spy"
    spy.mkdir()
    (spy / "sitecustomize.py").write_text(AUDIT)
    heard = tmp_path / "heard.jsonl"
    editor = await connect(
        options={"trusted": False}, env={"PYTHONPATH": f"{spy}:{HOME}", "GPROJ_AUDIT": str(heard)}
    )
    for name in ("a.sql", "link.sql", "grammars/evil/resolver.py", "Makefile", "package.json"):
        language = "sql" if name.endswith(".sql") else "plaintext"
        editor.documents[editor.uri(name)] = (1, "SELECT nmae FROM secret_table;\n")
        item = types.TextDocumentItem(editor.uri(name), language, 1, "SELECT nmae FROM secret_table;\n")
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    assert await editor.diagnostics("a.sql") == []
    status = await editor.status("untrusted")
    for key in ("model", "baseline", "fill.allow-base", "surfaces.sql.ddl", "surfaces.sql.database"):
        assert key in status["cause"]
        assert await editor.logged(key)
    editor.type("a.sql", "nmae", "name ")
    editor.save("a.sql")
    await editor.diagnostics("a.sql")
    events = [json.loads(line) for line in heard.read_text().splitlines()]
    assert {"open", "import"} <= {event for event, _ in events}, "the spy hears nothing"
    assert not (tmp_path / "sprung").exists()
    outside = [arguments for event, arguments in events if str(tmp_path / "outside") in arguments]
    assert outside == []
    began = [
        (event, arguments)
        for event, arguments in events
        if event not in ("open", "import", "sqlite3.connect")
    ]
    assert began == []
    inside = [arguments for event, arguments in events if event == "open" and str(hostile) in arguments]
    assert all("gproj.toml" in arguments for arguments in inside)
