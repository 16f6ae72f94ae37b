"""Commands by the real server: filling, going round holes, telling how a fill came about, and choosing who fills."""

from __future__ import annotations

import pytest
from editor import failure
from lsprotocol import types

from gproj_lsp.lsp.options import plain

SCHEMA = "CREATE TABLE users (id INT, name TEXT, email TEXT);\n"
TEXT = "-- ö 😀\r\nSELECT ??, ?? FROM users;\r\nSELECT ?? FROM users;\r\n"


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

    async def started(text=TEXT, **able):
        editor = await share(**able)
        await editor.open("a.sql", text)
        refresh = types.ExecuteCommandParams("gproj.refreshEnvironment")  # answered when sources are read
        await editor.client.workspace_execute_command_async(refresh)
        return editor

    return started


async def run(editor, name, *arguments):
    params = types.ExecuteCommandParams(name, [*arguments])
    return plain(await editor.client.workspace_execute_command_async(params))


def at(found):
    return types.Range(types.Position(**found["start"]), types.Position(**found["end"]))


def place(position):
    return {"line": position.line, "character": position.character}


async def test_fill_applies_one_edit_and_goes_on(start):
    editor = await start()
    answer = await run(editor, "gproj.fill", {"uri": editor.uri("a.sql"), "scope": "statement"})
    assert answer["applied"]
    assert [editor.at("a.sql", at(each["range"])) for each in answer["filled"]] == ["??", "??"]
    changes = [change for each in editor.applied for change in each.edit.document_changes]
    (change,) = (each for each in changes if each.text_document.uri == editor.uri("a.sql"))
    assert change.text_document.version == 1
    text = editor.edit(TEXT, change.edits)
    assert text.count("??") == 1
    editor.replace("a.sql", text)
    assert editor.at("a.sql", at(answer["next"])) == "??"
    assert editor.at("a.sql", editor.client.shown_documents[-1].selection) == "??"


async def test_a_client_that_applies_nothing_gets_the_edit(start):
    editor = await start(apply_edit=False)
    second = place(editor.position("a.sql", "??, "))
    answer = await run(
        editor, "gproj.fill", {"uri": editor.uri("a.sql"), "scope": "hole", "position": second}
    )
    assert not answer["applied"]
    (change,) = answer["edit"]["documentChanges"]
    assert at(change["edits"][0]["range"]) == editor.range("a.sql", "??", after="??")


async def test_what_can_not_be_filled_is_told(start):
    editor = await start("SELECT {:Alias}.id;")
    error = await failure(run(editor, "gproj.fill", {"uri": editor.uri("a.sql"), "scope": "file"}))
    assert error.code == types.LSPErrorCodes.RequestFailed
    assert "Alias" in error.message


async def test_holes_that_stay_are_told(start):
    text = "SELECT ?? FROM users;\nSELECT {:Alias}.id;"
    editor = await start(text)
    answer = await run(editor, "gproj.fill", {"uri": editor.uri("a.sql"), "scope": "file"})
    assert [editor.at("a.sql", at(each["range"])) for each in answer["left"]] == ["{:Alias}"]
    assert any("2:8: {:Alias} stays" in each.message for each in editor.client.messages)


async def test_the_cursor_goes_round_the_holes(start):
    editor = await start()
    uri = editor.uri("a.sql")
    holes = [
        editor.range("a.sql", "??"),
        editor.range("a.sql", "??", "??"),
        editor.range("a.sql", "??", "FROM"),
    ]
    here, seen = None, []
    for _ in range(4):
        answer = await run(editor, "gproj.nextHole", {"uri": uri, **({"position": here} if here else {})})
        here = answer["range"]["start"]
        seen.append(at(answer["range"]))
    assert seen == [*holes, holes[0]]
    back = await run(editor, "gproj.previousHole", {"uri": uri, "position": here})
    assert at(back["range"]) == holes[-1]
    await editor.open("b.sql", "SELECT 1;")
    assert await run(editor, "gproj.nextHole", {"uri": editor.uri("b.sql")}) is None


async def test_how_a_fill_came_about(start):
    editor = await start("SELECT ?? FROM users;")
    argument = {"uri": editor.uri("a.sql")}
    assert await run(editor, "gproj.explainFill", argument) is None
    await run(editor, "gproj.fill", {**argument, "scope": "file"})
    told = await run(editor, "gproj.explainFill", argument)
    (hole,) = told["holes"]
    assert (hole["sort"], hole["rung"], hole["candidates"], hole["masks"]) == ("Column", "ctx", 3, [3])
    assert hole["free_bits"] == pytest.approx(1.585, abs=0.001)
    assert hole["guaranteed"]
    assert "among 3" in told["markdown"]
    assert hole["text"] in told["markdown"]


async def test_candidates_are_compared_aloud(start):
    editor = await start()
    argument = {"uri": editor.uri("a.sql"), "position": place(editor.range("a.sql", "??").start), "limit": 2}
    answer = await run(editor, "gproj.candidates", argument)
    assert editor.at("a.sql", at(answer["range"])) == "??"
    assert len(answer["candidates"]) == 2
    assert {each["text"] for each in answer["candidates"]} < {"id", "name", "email"}
    chances = [each["probability"] for each in answer["candidates"]]
    assert chances == sorted(chances, reverse=True)
    streams = [each for each in editor.streams if each["uri"] == editor.uri("a.sql")]
    assert (streams[0]["kind"], streams[-1]["kind"]) == ("begin", "end")


async def test_a_model_that_is_not_there_is_refused_and_the_old_one_stays(start):
    editor = await start("SELECT ?? FROM users;")
    assert "embedded" in (await run(editor, "gproj.chooseModel"))["models"]
    error = await failure(run(editor, "gproj.chooseModel", "/nowhere/model.gguf"))
    assert error.code == types.LSPErrorCodes.RequestFailed
    assert (await run(editor, "gproj.chooseModel", "embedded"))["model"] == "embedded"
    assert (await run(editor, "gproj.fill", {"uri": editor.uri("a.sql"), "scope": "file"}))["applied"]


async def test_the_world_is_read_anew_when_asked(start, work):
    editor = await start("SELECT phone FROM users;")
    await editor.diagnostics("a.sql", lambda found: [each.code for each in found] == ["ghost-reference"])
    (work / "schema.sql").write_text(SCHEMA.replace("email", "phone"))
    told = await run(editor, "gproj.refreshEnvironment")
    assert [each["state"] for each in told if each["uri"] == editor.uri(".")] == ["ready"]
    await editor.diagnostics("a.sql", lambda found: found == [])


WRONG = [
    (),
    ("nothing",),
    ({},),
    ({"uri": 3, "scope": "file"},),
    ({"uri": "file:///x.sql", "scope": "everything"},),
    ({"uri": "file:///x.sql", "scope": "hole", "position": {"line": -1, "character": 0}},),
    ({"uri": "file:///x.sql", "scope": "hole", "position": "here"},),
    ({"uri": "file:///x.sql", "deed": "change", "version": 1, "text": 3, "range": {}},),
]


async def test_wrong_arguments_are_answered(share):
    editor = await share()
    for arguments in WRONG:
        for name in ("gproj.fill", "gproj.apply", "gproj.nextHole", "gproj.candidates"):
            error = await failure(run(editor, name, *arguments))
            assert error.code == types.LSPErrorCodes.RequestFailed, (name, arguments)
    assert (await failure(run(editor, "gproj.nothing"))).code == types.ErrorCodes.InvalidParams
