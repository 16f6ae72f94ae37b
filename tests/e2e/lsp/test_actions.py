"""Code actions by the real server: titles at once, edits for one version, by Γ alone or by the real model."""

from __future__ import annotations

import ast
import asyncio

import pytest
from editor import failure
from lsprotocol import types

from gproj_lsp.lsp.options import plain

SCHEMA = "CREATE TABLE users (id INT, name TEXT, email TEXT);\nCREATE TABLE orders (id INT, user_id INT);\n"
QUICK_FIX = types.CodeActionKind.QuickFix


@pytest.fixture
def work(tmp_path):
    """A workspace with its schema in a file."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\n')
    return folder


@pytest.fixture
def start(share, work):
    """A client with one document open whose sources are read."""

    async def started(text, **able):
        editor = await share(**able)
        await editor.open("a.sql", text)
        refresh = types.ExecuteCommandParams("gproj.refreshEnvironment")  # answered when sources are read
        await editor.client.workspace_execute_command_async(refresh)
        return editor

    return started


async def listed(editor, at, only=None, told=()):
    """The actions at a text of the document."""
    params = types.CodeActionParams(
        editor.identifier("a.sql"), editor.range("a.sql", at), types.CodeActionContext([*told], only)
    )
    return await editor.client.text_document_code_action_async(params)


async def chosen(editor, at, title):
    """The action whose title begins so."""
    found = await listed(editor, at)
    titles = [each.title for each in found]
    return next((each for each in found if each.title.startswith(title)), f"only {titles}")


async def resolved(editor, at, title):
    return await editor.client.code_action_resolve_async(await chosen(editor, at, title))


def after(editor, edit):
    """The document after a workspace edit, which must be one edit of this one document and version."""
    uri = editor.uri("a.sql")
    if edit.changes is not None:
        assert edit.document_changes is None
        assert list(edit.changes) == [uri]
        return editor.edit(editor.text("a.sql"), edit.changes[uri])
    (change,) = edit.document_changes
    assert (change.text_document.uri, change.text_document.version) == (uri, editor.version("a.sql"))
    return editor.edit(editor.text("a.sql"), change.edits)


async def command(editor, name, *arguments):
    params = types.ExecuteCommandParams(name, [*arguments])
    return await editor.client.workspace_execute_command_async(params)


@pytest.mark.parametrize(("encoding", "documents"), [("utf-8", True), ("utf-16", False), ("utf-32", True)])
async def test_a_ghost_is_changed_to_the_nearest_name(start, encoding, documents):
    text = "SELECT '😀 ö', u.nmae\r\nFROM users u;\r\n"
    editor = await start(text, encoding=encoding, document_changes=documents)
    action = await chosen(editor, "nmae", "Change to")
    assert (action.title, action.kind, action.is_preferred, action.edit) == (
        "Change to `name`",
        QUICK_FIX,
        True,
        None,
    )
    done = await resolved(editor, "nmae", "Change to")
    assert after(editor, done.edit) == text.replace("nmae", "name")


async def test_actions_name_the_diagnostics_that_they_mend(start):
    editor = await start("SELECT nmae, ?? FROM users;")
    found = await editor.diagnostics("a.sql", lambda found: len(found) == 2)
    for each in await listed(editor, "nmae", told=found):
        if each.title != "Replace with a hole" and not each.title.startswith("Fix all"):
            assert [editor.at("a.sql", told.range) for told in each.diagnostics] == ["nmae"]
    assert [told.code for told in (await listed(editor, "??", told=found))[0].diagnostics] == ["hole"]


async def test_without_resolve_edits_come_at_once_and_models_by_command(start):
    text = "SELECT nmae FROM users;"
    editor = await start(text, resolve=False)
    change = await chosen(editor, "nmae", "Change to `name`")
    assert after(editor, change.edit) == text.replace("nmae", "name")
    choose = await chosen(editor, "nmae", "Let the model choose")
    called = ast.literal_eval(choose.command)  # lsprotocol takes what has a command for a mere command
    assert called["command"] == "gproj.apply"
    answer = await command(editor, called["command"], *called["arguments"])
    assert answer["applied"]
    assert after(editor, applied(editor)[-1]) in {
        text.replace("nmae", name) for name in ("id", "name", "email")
    }


async def test_kinds_that_are_not_wanted_are_not_listed(start):
    editor = await start("SELECT nmae, emial FROM users;")
    (fix,) = await listed(editor, "SELECT", only=["source.fixAll"])
    assert (fix.title, fix.kind) == ("Fix all ghosts in file (2 clear)", "source.fixAll.gproj")
    done = await editor.client.code_action_resolve_async(fix)
    assert after(editor, done.edit) == "SELECT name, email FROM users;"
    (rewrite,) = await listed(editor, "nmae", only=[types.CodeActionKind.Refactor])
    assert rewrite.title == "Replace with a hole"
    assert await listed(editor, "nmae", only=[types.CodeActionKind.SourceOrganizeImports]) == ()


async def test_a_line_is_ignored(start):
    editor = await start("SELECT nmae FROM users;\n")
    done = await resolved(editor, "nmae", "Ignore this line")
    text = after(editor, done.edit)
    assert text == "SELECT nmae FROM users; -- gproj: ignore[ghost-reference]\n"
    editor.replace("a.sql", text)
    editor.save("a.sql")
    assert await editor.diagnostics("a.sql", lambda found: not found) == []


async def test_the_model_fills_holes_and_the_cursor_goes_to_the_next(start):
    text = "-- ö 😀\r\nSELECT ?? FROM users;\r\nSELECT ?? FROM orders;\r\n"
    editor = await start(text)
    done = await resolved(editor, "??", "Fill: Column (3 candidates)")
    filled = after(editor, done.edit)
    assert filled in {text.replace("??", name, 1) for name in ("id", "name", "email")}
    editor.replace("a.sql", filled)
    answer = await command(editor, done.command.command, *done.command.arguments)
    assert editor.at("a.sql", _range(answer["range"])) == "??"
    (shown,) = (each for each in editor.client.shown_documents if each.uri == editor.uri("a.sql"))
    assert editor.at("a.sql", shown.selection) == "??"
    last = await resolved(editor, "??", "Fill: Column (2 candidates)")
    assert last.command is None


@pytest.mark.parametrize(
    ("title", "left"), [("Fill all 2 holes in statement", 1), ("Fill all 3 holes in file", 0)]
)
async def test_several_holes_are_one_edit(start, title, left):
    editor = await start("SELECT ??, ?? FROM users;\nSELECT ?? FROM orders;")
    done = await resolved(editor, "??", title)
    text = after(editor, done.edit)
    assert text.count("??") == left
    await editor.open("b.sql", text)
    assert [each.code for each in await editor.diagnostics("b.sql")] == ["hole"] * left


async def test_one_action_a_candidate(start):
    editor = await start("SELECT ?? FROM users;")
    done = await resolved(editor, "??", "Fill with `email`")
    assert after(editor, done.edit) == "SELECT email FROM users;"


async def test_a_reference_becomes_a_hole(start):
    editor = await start("SELECT name FROM users;")
    done = await resolved(editor, "name", "Replace with a hole")
    text = after(editor, done.edit)
    assert text == "SELECT ?? FROM users;"
    editor.replace("a.sql", text)
    answer = await command(editor, done.command.command, *done.command.arguments)
    assert editor.at("a.sql", _range(answer["range"])) == "??"


async def test_what_was_offered_for_another_version_is_refused(start):
    editor = await start("SELECT nmae, ?? FROM users;")
    change = await chosen(editor, "nmae", "Change to")
    fill = await chosen(editor, "??", "Fill:")
    editor.type("a.sql", "users", "orders")
    for action in (change, fill):
        error = await failure(editor.client.code_action_resolve_async(action))
        assert error.code == types.LSPErrorCodes.ContentModified


async def test_an_edit_while_the_model_fills_leaves_nothing(start):
    editor = await start("SELECT ?? FROM users;" * 30)
    action = await chosen(editor, "??", "Fill all 30 holes in file")
    request = asyncio.ensure_future(editor.client.code_action_resolve_async(action))
    await editor._until(lambda: _kinds(editor), lambda kinds: "filled" in kinds)
    editor.type("a.sql", "users", "orders")
    error = await failure(request)
    assert error.code == types.LSPErrorCodes.ContentModified
    assert applied(editor) == []
    assert await listed(editor, "??")  # and the server goes on


async def test_a_later_request_takes_the_place_of_an_earlier_one(start):
    editor = await start("SELECT ?? FROM users;" * 30)
    action = await chosen(editor, "??", "Fill all 30 holes in file")
    first = asyncio.ensure_future(editor.client.code_action_resolve_async(action))
    await editor._until(lambda: _kinds(editor), lambda kinds: "filled" in kinds)
    done = await resolved(editor, "??", "Fill: Column")
    assert after(editor, done.edit)
    assert (await failure(first)).code == types.LSPErrorCodes.ContentModified


@pytest.mark.parametrize("by", ["resolve", "command"])
async def test_a_request_can_be_cancelled(start, by):
    editor = await start("SELECT ?? FROM users;" * 30)
    if by == "resolve":
        action = await chosen(editor, "??", "Fill all 30 holes in file")
        method, params = types.CODE_ACTION_RESOLVE, action
    else:
        argument = {"uri": editor.uri("a.sql"), "scope": "file"}
        method, params = types.WORKSPACE_EXECUTE_COMMAND, types.ExecuteCommandParams("gproj.fill", [argument])
    request = editor.client.protocol.send_request_async(method, params, msg_id="long")
    waiting = asyncio.ensure_future(request)
    await editor._until(lambda: _kinds(editor), lambda kinds: "filled" in kinds)
    editor.client.cancel_request(types.CancelParams("long"))
    assert (await failure(waiting)).code == types.LSPErrorCodes.RequestCancelled
    await editor._until(lambda: _kinds(editor), lambda kinds: kinds[-1] == "end")
    done = await resolved(editor, "??", "Fill: Column")  # the thread is free
    assert after(editor, done.edit)
    assert applied(editor) == []


async def test_text_streams_to_clients_that_show_it_and_to_no_others(start):
    text = "-- 😀\r\nSELECT ?? FROM users;"
    editor = await start(text)
    done = await resolved(editor, "??", "Fill:")
    await editor._until(lambda: _kinds(editor), lambda kinds: kinds and kinds[-1] == "end")
    kinds = [each["kind"] for each in streams(editor)]
    assert (kinds[:2], kinds[-2:]) == (["begin", "hole"], ["filled", "end"])
    assert {(each["uri"], each["version"]) for each in streams(editor)} == {(editor.uri("a.sql"), 1)}
    assert editor.at("a.sql", _range(streams(editor)[1]["range"])) == "??"
    assert after(editor, done.edit) == text.replace("??", streams(editor)[-2]["text"])


async def test_no_stream_for_standard_clients(start):
    editor = await start("SELECT ?? FROM users;", stream=False)
    await resolved(editor, "??", "Fill:")
    assert streams(editor) == []


def streams(editor):
    return [each for each in editor.streams if each["uri"] == editor.uri("a.sql")]


def applied(editor):
    edits = [each.edit for each in editor.applied]
    return [each for each in edits if each.document_changes[0].text_document.uri == editor.uri("a.sql")]


async def _kinds(editor):
    return [each["kind"] for each in streams(editor)]


def _range(given):
    found = plain(given)
    return types.Range(types.Position(**found["start"]), types.Position(**found["end"]))
