"""Rename as editors ask for it: every place or none, and a reason."""

from __future__ import annotations

import pytest
from editor import failure
from lsprotocol import types


def prepare(editor, before):
    params = types.PrepareRenameParams(editor.identifier("a.sql"), editor.position("a.sql", before))
    return editor.client.text_document_prepare_rename_async(params)


def rename(editor, before, new):
    params = types.RenameParams(editor.identifier("a.sql"), editor.position("a.sql", before), new)
    return editor.client.text_document_rename_async(params)


TEXT = "SELECT '😀 ö', u.id\r\nFROM users u\r\nWHERE u.id > (SELECT 1 FROM users v WHERE v.id = u.id);\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_an_alias_is_renamed_everywhere_in_one_edit(share, encoding):
    editor = await share(encoding=encoding)
    await editor.open("a.sql", TEXT)
    asked = await prepare(editor, "ö', u")
    assert (editor.at("a.sql", asked.range), asked.placeholder) == ("u", "u")
    edit = await rename(editor, "ö', u", "die Größe")
    (change,) = edit.document_changes
    assert change.text_document.version == editor.version("a.sql")
    assert editor.edit(TEXT, change.edits) == (
        'SELECT \'😀 ö\', "die Größe".id\r\nFROM users "die Größe"\r\n'
        'WHERE "die Größe".id > (SELECT 1 FROM users v WHERE v.id = "die Größe".id);\r\n'
    )


async def test_a_client_without_document_changes_gets_plain_ones(share):
    editor = await share(document_changes=False)
    await editor.open("a.sql", "SELECT u.id FROM users u;")
    edit = await rename(editor, "SELECT u", "x")
    assert editor.edit(editor.text("a.sql"), edit.changes[editor.uri("a.sql")]) == "SELECT x.id FROM users x;"


async def test_what_would_collide_is_refused_with_a_reason(share):
    editor = await share()
    await editor.open("a.sql", TEXT)
    error = await failure(rename(editor, "ö', u", "v"))
    assert error.code == types.LSPErrorCodes.RequestFailed
    assert "would mean something else" in error.message


async def test_what_the_world_declares_is_not_renamed(share, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "schema.sql").write_text("CREATE TABLE users (id INT);\n")
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\n')
    editor = await share()
    await editor.open("a.sql", "SELECT nosuch FROM users;")
    await editor.diagnostics("a.sql", bool)
    error = await failure(prepare(editor, "FROM us"))
    assert "users is declared by ddl schema.sql:1, not in this text" in error.message


async def test_what_other_files_know_from_this_one_is_not_renamed(share, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.sql").write_text("CREATE TABLE users (id INT);\n")
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "a.sql"\n')
    editor = await share()
    await editor.open("b.sql", "SELECT nosuch FROM users;")
    await editor.diagnostics("b.sql", bool)
    await editor.open("a.sql", "CREATE TABLE users (id INT);\nSELECT u.id FROM users u;\n")
    error = await failure(prepare(editor, "TABLE us"))
    assert "other files know users from this one" in error.message
    edit = await rename(editor, "SELECT u", "x")
    assert len(edit.document_changes[0].edits) == 2


async def test_where_no_name_stands_nothing_is_renamed(share):
    editor = await share()
    await editor.open("a.sql", "SELECT 1 + 2;")
    assert "no name that is declared stands here" in (await failure(prepare(editor, "1 "))).message
