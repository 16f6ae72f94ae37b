"""Settings, sources and folders that change under an open document, and what is said of it."""

from __future__ import annotations

import sqlite3

import pytest
from editor import Editor, capabilities
from lsprotocol import types
from pygls.uris import from_fs_path


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "schema.sql").write_text("CREATE TABLE users (id INT, name TEXT);\n")
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\n')
    return folder


def ghosts(name, editor):
    return lambda found: [editor.at(name, each.range) for each in found if each.code == "ghost-reference"]


def touched(editor, *names):
    changes = [types.FileEvent(editor.uri(name), types.FileChangeType.Changed) for name in names]
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))


async def test_a_schema_that_changes_on_the_disk_is_read_anew(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT email FROM users;")
    await editor.diagnostics("a.sql", ghosts("a.sql", editor))
    (work / "schema.sql").write_text("CREATE TABLE users (id INT, email TEXT);\n")
    touched(editor, "schema.sql")
    await editor.diagnostics("a.sql", lambda found: not ghosts("a.sql", editor)(found))


async def test_without_watching_a_save_looks_at_the_sources(share, work):
    editor = await share(watch=False)
    assert not editor.registered
    await editor.open("a.sql", "SELECT email FROM users;")
    await editor.diagnostics("a.sql", ghosts("a.sql", editor))
    (work / "schema.sql").write_text("CREATE TABLE users (id INT, email TEXT);\n")
    editor.save("a.sql")
    await editor.diagnostics("a.sql", lambda found: not ghosts("a.sql", editor)(found))


async def test_the_client_is_asked_to_watch_what_is_read(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT 1;")
    (registration,) = [each for each in editor.registered if each.method.endswith("didChangeWatchedFiles")]
    globs = {watcher["globPattern"] for watcher in registration.register_options["watchers"]}
    assert {"**/gproj.toml", "**/*.sql", "**/*.db"} <= globs


async def test_settings_that_change_on_the_disk_hold_at_once(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT nmae FROM users;")
    await editor.diagnostics("a.sql", ghosts("a.sql", editor))
    (work / "gproj.toml").write_text('checks.ghost-reference = "off"\n[surfaces.sql]\nddl = "schema.sql"\n')
    touched(editor, "gproj.toml")
    await editor.diagnostics("a.sql", lambda found: not found)


async def test_settings_that_are_not_valid_are_told_and_the_defaults_hold(share, work):
    (work / "gproj.toml").write_text('engin = "xgrammar"\n')
    editor = await share()
    assert await editor.open("a.sql", "SELECT nmae FROM users;") == []
    status = await editor.status("failed", from_fs_path(str(work)))
    assert "engin" in status["cause"]
    assert "gproj.toml:1" in status["cause"]


async def test_settings_of_the_editor_hold_when_they_change(connect, work):
    editor = await connect(configuration=False)
    await editor.open("a.sql", "SELECT nmae FROM users;")
    await editor.diagnostics("a.sql", ghosts("a.sql", editor))
    settings = {"gproj": {"checks": {"ghost-reference": "information"}}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    severities = lambda found: found and found[0].severity  # noqa: E731  (named for what it tells)
    await editor.diagnostics("a.sql", lambda found: severities(found) == types.DiagnosticSeverity.Information)


async def test_settings_are_asked_for_where_the_client_only_says_that_they_changed(connect, work):
    editor = await connect()
    editor.client.set_configuration({"checks": {"ghost-reference": "hint"}}, section="gproj")
    await editor.open("a.sql", "SELECT nmae FROM users;")
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await editor.diagnostics(
        "a.sql", lambda found: found and found[0].severity == types.DiagnosticSeverity.Hint
    )


async def test_settings_are_asked_for_at_the_start(tmp_path, work):
    editor = Editor(work)
    editor.client.set_configuration({"checks": {"ghost-reference": "hint"}, "trusted": True}, section="gproj")
    await editor.start(capabilities=capabilities(), options={"trusted": True})
    try:
        await editor.open("a.sql", "SELECT nmae FROM users;")
        await editor.diagnostics(
            "a.sql", lambda found: found and found[0].severity == types.DiagnosticSeverity.Hint
        )
    finally:
        await editor.stop()


async def test_bad_options_are_told_and_the_defaults_hold(connect, work):
    editor = await connect(options={"debounce": "soon"})
    await editor.open("a.sql", "SELECT nmae FROM users;")
    assert await editor.diagnostics("a.sql", ghosts("a.sql", editor))
    assert "gproj.debounce" in editor.client.messages[0].message


async def test_each_folder_has_its_own_world(connect, work, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "schema.sql").write_text("CREATE TABLE things (id INT);\n")
    (other / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\n')
    editor = await connect(folders=[work, other])
    await editor.open("a.sql", "SELECT 1 FROM things;")
    await editor.open("../other/b.sql", "SELECT 1 FROM things, users;")
    assert ghosts("a.sql", editor)(await editor.diagnostics("a.sql", ghosts("a.sql", editor))) == ["things"]
    name = "../other/b.sql"
    assert ghosts(name, editor)(await editor.diagnostics(name, ghosts(name, editor))) == ["users"]


async def test_a_folder_that_is_added_is_trusted_like_the_others(connect, work, tmp_path):
    editor = await connect(folders=[tmp_path / "nowhere"])
    await editor.open("a.sql", "SELECT nmae FROM users;")
    assert await editor.status("untrusted")
    folder = types.WorkspaceFolder(from_fs_path(str(work)), "work")
    event = types.WorkspaceFoldersChangeEvent([folder], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    assert await editor.diagnostics("a.sql", ghosts("a.sql", editor))


async def test_what_is_read_in_the_background_is_shown(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT nmae FROM users;")
    await editor.diagnostics("a.sql", ghosts("a.sql", editor))
    uri = from_fs_path(str(work))
    assert [each["state"] for each in editor.statuses if each["uri"] == uri] == ["ready", "loading", "ready"]
    begun = [reports[0].title for reports in editor.client.progress_reports.values() if reports]
    assert "reading what is declared in work" in begun


async def test_a_database_that_goes_away_leaves_what_it_said_open(share, work):
    connection = sqlite3.connect(work / "shop.db")
    connection.execute("CREATE TABLE users (id INT, name TEXT)")
    connection.close()
    (work / "gproj.toml").write_text('[surfaces.sql]\ndatabase = "sqlite:///shop.db"\n')
    editor = await share()
    await editor.open("a.sql", "SELECT nmae FROM users;")
    await editor.diagnostics("a.sql", ghosts("a.sql", editor))
    (work / "shop.db").unlink()
    touched(editor, "shop.db")
    await editor.diagnostics("a.sql", lambda found: not found)
    status = await editor.status("schemaStale", from_fs_path(str(work)))
    assert "shop.db" in status["cause"]
    assert status["command"] == "gproj.refreshEnvironment"


async def test_a_folder_that_is_deleted_takes_nothing_with_it(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT nmae FROM users;")
    await editor.diagnostics("a.sql", ghosts("a.sql", editor))
    for file in work.iterdir():
        file.unlink()
    work.rmdir()
    touched(editor, "gproj.toml", "schema.sql")
    editor.type("a.sql", "nmae FROM users;", "?? FROM users;")
    await editor.diagnostics("a.sql", lambda found: [each.code for each in found] == ["hole"])
    work.mkdir()
