"""What many files weigh, and what happens when a model or a schema can't be read any more."""

from __future__ import annotations

import shutil
import sys

import pytest
from editor import failure
from lsprotocol import types
from process import open_document, pulled, resident, server

from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.lsp.options import plain

FILES = 50
MIB = 120


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells a process's memory elsewhere")
def test_fifty_files_fit_into_little_memory(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    tables = [
        f"CREATE TABLE t{table} ({', '.join(f'c{each} INT' for each in range(10))});" for table in range(100)
    ]
    (folder / "schema.sql").write_text("\n".join(tables))
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\n')
    with server(folder, tmp_path / "state", tmp_path / "log", speculate=False) as client:
        for number in range(FILES):
            uri = (folder / f"{number}.sql").as_uri()
            lines = [
                f"SELECT a.c{line % 10}, b.c{number % 10}, c1x\nFROM t{line} a\nJOIN t{number} b ON a.c1 = b.c{line % 7};\n"
                for line in range(12)
            ]
            open_document(client, uri, "\n".join(lines))
            assert pulled(client, uri) is not None
        assert resident(client) < MIB
        again = resident(client)
        for turn in range(2, 6):
            for number in range(FILES):
                uri = (folder / f"{number}.sql").as_uri()
                change = {
                    "range": {"start": {"line": 0, "character": 9}, "end": {"line": 0, "character": 9}},
                    "text": "x",
                }
                client.notify(
                    "textDocument/didChange",
                    {"textDocument": {"uri": uri, "version": turn}, "contentChanges": [change]},
                )
                assert pulled(client, uri)
        assert resident(client) < again * 1.2


async def test_a_model_file_that_vanishes_is_told_and_another_one_helps(connect, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    model = folder / "mine.gguf"
    shutil.copy(embedded_path(), model)
    editor = await connect(options={"model": str(model)})
    await editor.open("a.sql", "CREATE TABLE t (a INT, b INT);\nSELECT ?? FROM t;")
    model.unlink()
    argument = {"uri": editor.uri("a.sql"), "scope": "file"}
    fill = types.ExecuteCommandParams("gproj.fill", [argument])
    error = await failure(editor.client.workspace_execute_command_async(fill))
    assert error.code == types.LSPErrorCodes.RequestFailed
    assert "mine.gguf" in str(error)
    told = await editor.status("noModel")
    assert told["command"] == "gproj.chooseModel"
    choose = types.ExecuteCommandParams("gproj.chooseModel", ["embedded"])
    assert plain(await editor.client.workspace_execute_command_async(choose))["model"] == "embedded"
    assert plain(await editor.client.workspace_execute_command_async(fill))["applied"]


@pytest.mark.parametrize("broken", [b"\xff\xfeC\0R\0", None], ids=["utf-16", "folder"])
async def test_a_schema_that_can_not_be_read_leaves_everything_unknown(share, tmp_path, broken):
    folder = tmp_path / "work"
    folder.mkdir()
    schema = folder / "schema.sql"
    schema.mkdir() if broken is None else schema.write_bytes(broken)
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\n')
    editor = await share()
    await editor.open("a.sql", "SELECT nmae FROM users;\nSELECT a, b FROM (SELECT 1 AS a) x;")
    told = await editor.status("schemaStale", editor.uri("."))
    assert "schema.sql" in told["cause"]
    found = await editor.diagnostics("a.sql", lambda found: found)
    assert [editor.at("a.sql", each.range) for each in found] == ["b"]
