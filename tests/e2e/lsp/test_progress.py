"""What takes long is shown while it lasts, and nobody else waits for it."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "schema.sql").write_text("CREATE TABLE users (id INT, name TEXT);\n")
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\n')
    return folder


async def test_the_model_is_loaded_when_it_is_first_wanted_and_all_else_is_answered_meanwhile(connect, work):
    editor = await connect()
    await editor.open("a.sql", "SELECT {:Column} FROM users;")
    await editor.diagnostics("a.sql", lambda found: found and "2 candidates" in found[0].message)
    assert not [each for each in editor.statuses if each["uri"] == ""]
    arguments = [{"uri": editor.uri("a.sql"), "scope": "hole", "position": {"line": 0, "character": 8}}]
    params = types.ExecuteCommandParams("gproj.fill", arguments)
    filling = asyncio.ensure_future(editor.client.workspace_execute_command_async(params))
    loading = await editor.status("loading", "")
    assert "embedded" in loading["cause"]
    assert await editor.open("b.sql", "SELECT nmae FROM users;")
    await asyncio.wait_for(filling, 120)
    assert await editor.status("ready", "")
    titles = {
        reports[0].title: len(reports) for reports in editor.client.progress_reports.values() if reports
    }
    assert titles["loading the model embedded"] == 2
