"""What a server must live through: broken messages, unknown methods, clients that go away."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sys

import pytest
from editor import failure
from lsprotocol import types
from program import HOME


async def alive(editor):
    found = await editor.open("alive.sql", "CREATE TABLE t (a INT);\nSELECT ?? FROM t;")
    editor.close("alive.sql")
    return [each.code for each in found] == ["hole"]


def raw(editor, body):
    """Send bytes as one message."""
    editor.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b"{}",
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "1.0", "id": 1, "method": "shutdown"}',
        b'{"jsonrpc": "2.0", "id": 4242, "result": null}',
        b'{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "m"}}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 4242}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": 3}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {}}',
        b'{"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration", "params": {"settings": [[[1]]]}}',
        b"[" * 100_000,
    ],
    ids=lambda body: body[:60].decode("latin-1"),
)
async def test_it_lives_through_a_broken_message(share, body):
    editor = await share()
    raw(editor, body)
    assert await alive(editor)


async def test_a_request_that_can_not_be_read_is_answered(share):
    editor = await share()
    protocol = editor.client.protocol
    answered = asyncio.get_running_loop().create_future()
    protocol._request_futures["broken"] = answered
    raw(
        editor,
        json.dumps({"jsonrpc": "2.0", "id": "broken", "method": "textDocument/hover", "params": 3}).encode(),
    )
    error = await failure(answered)
    assert error.code == types.ErrorCodes.InvalidParams


async def test_an_unknown_method_is_answered(share):
    editor = await share()
    error = await failure(editor.client.protocol.send_request_async("gproj/nothing", {}))
    assert error.code == types.ErrorCodes.MethodNotFound
    editor.client.protocol.notify("gproj/nothing", {})
    assert await alive(editor)


async def test_a_document_that_was_never_opened_has_nothing(share):
    editor = await share()
    identifier = types.VersionedTextDocumentIdentifier(1, editor.uri("never.sql"))
    change = types.TextDocumentContentChangeWholeDocument("x")
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
    params = types.HoverParams(editor.identifier("never.sql"), types.Position(3, 3))
    assert await editor.client.text_document_hover_async(params) is None
    assert await alive(editor)


async def test_places_outside_of_a_text_are_its_ends(share):
    editor = await share()
    await editor.open("a.sql", "SELECT 1;")
    at = types.Range(types.Position(7, 70), types.Position(3, 1))
    identifier = types.VersionedTextDocumentIdentifier(2, editor.uri("a.sql"))
    change = types.TextDocumentContentChangePartial(at, "\nSELECT ??;")
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    editor.documents[editor.uri("a.sql")] = (2, "SELECT 1;\nSELECT ??;")
    (hole,) = await editor.diagnostics("a.sql")
    assert editor.at("a.sql", hole.range) == "??"


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "git:/a.sql?HEAD", "file:///%00.sql", "file:", "x"])
async def test_what_is_no_file_is_read_by_its_language(share, uri):
    editor = await share()
    item = types.TextDocumentItem(uri, "sql", 1, "SELECT ??;")
    editor.documents[uri] = (1, item.text)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    found = await editor._until(lambda: _last(editor, uri), bool)
    assert [each.code for each in found] == ["hole"]


async def _last(editor, uri):
    found = [each for each in editor.published if each.uri == uri]
    return list(found[-1].diagnostics) if found else None


async def test_large_files_never_block_small_ones(share):
    editor = await share()
    line = "SELECT a, b FROM t WHERE a = 1;\n"
    item = types.TextDocumentItem(editor.uri("big.sql"), "sql", 1, line * 100_000)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    assert await alive(editor)


async def test_nothing_is_done_before_the_server_is_initialized(tmp_path):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gproj_lsp", "serve"),
        env={**os.environ, "PYTHONPATH": HOME},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    early = {"jsonrpc": "2.0", "id": 7, "method": "shutdown"}
    body = json.dumps(early).encode()
    process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    process.stdin.close()
    out = await asyncio.wait_for(process.stdout.read(), 40)
    answer = json.loads(out.partition(b"\r\n\r\n")[2])
    assert (answer["id"], answer["error"]["code"]) == (7, types.ErrorCodes.ServerNotInitialized)
    assert await process.wait() == 1


async def test_it_also_speaks_over_tcp(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gproj_lsp", "serve", "--tcp", f"127.0.0.1:{port}"),
        env={**os.environ, "PYTHONPATH": HOME},
        stderr=asyncio.subprocess.PIPE,
    )
    assert b"listening on 127.0.0.1" in await asyncio.wait_for(process.stderr.readline(), 40)
    for _ in range(400):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        except ConnectionRefusedError:
            await asyncio.sleep(0.1)
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    for message in ({"id": 1, "method": "initialize", "params": params}, {"id": 2, "method": "shutdown"}):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        header = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 40)
        answer = json.loads(await reader.readexactly(int(re.search(rb"Content-Length: (\d+)", header)[1])))
        assert answer["id"] == message["id"]
        assert "result" in answer
    writer.close()
    assert await asyncio.wait_for(process.wait(), 40) == 0


async def test_a_client_that_goes_away_ends_the_process(connect):
    editor = await connect()
    process = editor.process
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), 40) == 1
    editor.client.capabilities = None


async def test_a_server_that_was_told_to_shut_down_ends_well(connect):
    editor = await connect()
    process = editor.process
    await editor.client.shutdown_async(None)
    editor.client.exit(None)
    assert await asyncio.wait_for(process.wait(), 40) == 0
    editor.client.capabilities = None
