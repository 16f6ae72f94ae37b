"""What a folder's gproj.toml may do before the user trusts the folder, and after."""

from __future__ import annotations

import pytest
from editor import failure
from lsprotocol import types

SETTINGS = """\
exclude = ["old/*"]
[surfaces.sql]
dialect = "postgres"
ddl = "schema.sql"
"""


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "schema.sql").write_text("CREATE TABLE users (id INT, name TEXT);\n")
    (folder / "gproj.toml").write_text(SETTINGS)
    return folder


def names(editor, found):
    return [editor.at("a.sql", each.range) for each in found if each.code == "ghost-reference"]


async def run(editor, command, *arguments):
    params = types.ExecuteCommandParams(command, list(arguments))
    return await editor.client.workspace_execute_command_async(params)


async def test_sources_are_ignored_until_the_user_trusts_the_folder(connect, work):
    editor = await connect(options={"trusted": False})
    assert names(editor, await editor.open("a.sql", "SELECT nmae FROM users;")) == []
    status = await editor.status("untrusted")
    assert status["command"] == "gproj.trust"
    assert "surfaces.sql.ddl" in status["cause"]
    assert "dialect" not in status["cause"]
    assert await editor.logged("surfaces.sql.ddl")
    await run(editor, "gproj.trust", editor.uri("."))
    found = await editor.diagnostics("a.sql", lambda found: names(editor, found))
    assert names(editor, found) == ["nmae"]
    assert await editor.status("ready", status["uri"])


async def test_what_leads_nowhere_holds_in_any_folder(connect, work):
    editor = await connect(options={"trusted": False})
    assert await editor.open("old/a.sql", "SELECT ??;") == []
    assert (await editor.status("excluded"))["cause"] == "exclude: old/*"


async def test_trust_is_remembered(connect, work):
    first = await connect(options={"trusted": False})
    await first.open("a.sql", "SELECT 1;")
    assert await run(first, "gproj.trust") == [str(work)]
    second = await connect(options={"trusted": False})
    await second.open("a.sql", "SELECT nmae FROM users;")
    assert await second.diagnostics("a.sql", lambda found: names(second, found))


async def test_a_user_who_is_asked_can_say_yes(connect, work):
    editor = await connect(options={"trusted": False}, ask="Trust")
    await editor.open("a.sql", "SELECT nmae FROM users;")
    assert await editor.diagnostics("a.sql", lambda found: names(editor, found))
    assert len(editor.questions) == 1
    assert "surfaces.sql.ddl" in editor.questions[0].message


async def test_a_user_who_is_asked_can_say_no(connect, work):
    editor = await connect(options={"trusted": False}, ask="Not now")
    await editor.open("a.sql", "SELECT nmae FROM users;")
    assert await editor.status("untrusted")
    editor.save("a.sql")
    assert names(editor, await editor.diagnostics("a.sql")) == []
    assert len(editor.questions) == 1


async def test_settings_of_the_editor_can_not_say_that_a_folder_is_trusted(connect, work):
    editor = await connect(options={"trusted": False})
    await editor.open("a.sql", "SELECT nmae FROM users;")
    params = types.DidChangeConfigurationParams({"gproj": {"trusted": True, "debounce": 10}})
    editor.client.workspace_did_change_configuration(params)
    editor.type("a.sql", "nmae", "name, nmae ")
    assert names(editor, await editor.diagnostics("a.sql")) == []
    assert await editor.status("untrusted")


async def test_a_secret_of_the_environment_is_not_read(connect, work):
    (work / "gproj.toml").write_text(
        '[surfaces.sql]\ndatabase = "postgresql://me:${HUNTER}@nowhere/${HUNTER}"\n'
    )
    editor = await connect(options={"trusted": False}, env={"HUNTER": "hunter2"})
    await editor.open("a.sql", "SELECT 1;")
    assert await editor.status("untrusted")
    assert "hunter2" not in repr([editor.statuses, editor.client.log_messages, editor.published])


async def test_a_command_that_there_is_not_is_answered(connect):
    editor = await connect()
    assert (await failure(run(editor, "gproj.nothing"))).code < 0
