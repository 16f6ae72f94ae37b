"""Holes that an editor has filled by a model's server."""

from __future__ import annotations

import pytest
from editor import failure
from fake_server import Reply, completion, fake_server
from lsprotocol import types

from gproj_lsp.decode.completion import shortest
from gproj_lsp.gbnf import parse
from gproj_lsp.lsp.options import plain

TEXT = "CREATE TABLE users (id INT, name TEXT);\nSELECT ??, ?? FROM users;\n"
SECRET = "t0ken-of-the-test"  # noqa: S105  (what may not be said)


def obeys(asked):
    """Writes the shortest text of the grammar."""
    return completion(shortest(parse(asked.json["grammar"])))


async def run(editor, name, *arguments):
    params = types.ExecuteCommandParams(name, [*arguments])
    return plain(await editor.client.workspace_execute_command_async(params))


async def opened(connect, url):
    chosen = ["-c", f"model={url}?key={SECRET}", "-c", "remote.server=llama.cpp"]
    editor = await connect(arguments=chosen)
    await editor.open("a.sql", TEXT)
    return editor


async def test_a_server_fills_the_holes_of_a_document_and_its_secrets_stay_unsaid(connect):
    with fake_server(obeys) as server:
        editor = await opened(connect, server.url)
        answer = await run(editor, "gproj.fill", {"uri": editor.uri("a.sql"), "scope": "statement"})
        assert answer["applied"]
        assert len(server.asked) == 2
        explained = await run(editor, "gproj.explainFill", {"uri": editor.uri("a.sql")})
        assert explained
    heard = f"{vars(editor)} {editor.client.log_messages} {explained}"
    assert server.url in heard
    assert SECRET not in heard


@pytest.mark.parametrize("answer", [completion("ghost"), Reply(status=500), Reply(b"{")])
async def test_a_server_that_fails_is_named_and_the_editor_lives_on(connect, answer):
    with fake_server(lambda _: answer) as server:
        editor = await opened(connect, server.url)
        error = await failure(run(editor, "gproj.fill", {"uri": editor.uri("a.sql"), "scope": "statement"}))
        assert server.url in str(error)
        assert SECRET not in str(error)
    assert not editor.applied
    assert await editor.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(editor.uri("a.sql")), types.Position(1, 20))
    )
