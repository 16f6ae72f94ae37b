"""The answer to `initialize`, kept from one start to the next."""

from __future__ import annotations

import io
import json

import pytest

from gproj_lsp.cli.greeting import Greeting

RESULT = {"capabilities": {"hoverProvider": True}}


class Sink(io.BytesIO):
    """What the client got, message by message."""

    def messages(self):
        rest, found = self.getvalue(), []
        while rest:
            head, _, rest = rest.partition(b"\r\n\r\n")
            size = int(head.rpartition(b" ")[2])
            found.append(json.loads(rest[:size]))
            rest = rest[size:]
        return found


def frame(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def initialize(number=1, **able):
    return frame(
        {"id": number, "method": "initialize", "params": {"capabilities": able, "processId": number}}
    )


def start(folder, sent, *answers):
    """One start: what the client sends, what the server answers; gives what the client and the server got."""
    sink = Sink()
    greeting = Greeting(io.BufferedReader(io.BytesIO(sent)), sink, folder)
    reader, writer = greeting.streams()
    early = sink.messages()
    for answer in answers:
        writer.write(frame(answer))
        writer.flush()
    return early, sink.messages(), reader.read()


def test_the_first_time_the_server_answers(tmp_path):
    early, got, read = start(tmp_path, initialize() + b"rest", {"id": 1, "result": RESULT})
    assert early == []
    assert got == [{"jsonrpc": "2.0", "id": 1, "result": RESULT}]
    assert read == initialize() + b"rest"


def test_from_then_on_the_answer_is_there_at_once_and_only_once(tmp_path):
    start(tmp_path, initialize(), {"id": 1, "result": RESULT})
    note = {"method": "window/logMessage", "params": {"type": 3, "message": "m"}}
    early, got, read = start(
        tmp_path, initialize("x") + b"rest", note, {"id": "x", "result": RESULT}, {"id": 2, "result": RESULT}
    )
    assert early == [{"jsonrpc": "2.0", "id": "x", "result": RESULT}]
    assert got == [*early, {"jsonrpc": "2.0", **note}, {"jsonrpc": "2.0", "id": 2, "result": RESULT}]
    assert read == initialize("x") + b"rest"


def test_another_client_is_answered_by_the_server(tmp_path):
    start(tmp_path, initialize(), {"id": 1, "result": RESULT})
    assert start(tmp_path, initialize(hover={}))[0] == []


def test_another_answer_takes_the_place_of_the_one_that_was_kept(tmp_path):
    start(tmp_path, initialize(), {"id": 1, "result": RESULT})
    other = {"capabilities": {}}
    start(tmp_path, initialize(), {"id": 1, "result": other})
    assert start(tmp_path, initialize())[0][0]["result"] == other


def test_a_damaged_answer_is_not_told(tmp_path):
    start(tmp_path, initialize(), {"id": 1, "result": RESULT})
    for path in tmp_path.iterdir():
        path.write_bytes(b"{")
    early, got, _ = start(tmp_path, initialize(), {"id": 1, "result": RESULT})
    assert (early, len(got)) == ([], 1)


def test_a_failure_is_not_kept(tmp_path):
    failure = {"id": 1, "error": {"code": 1, "message": "m"}}
    assert start(tmp_path, initialize(), failure)[1] == [{"jsonrpc": "2.0", **failure}]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\r\n\r\n",
        b"Content-Length: 9",
        b"Content-Length: 99\r\n\r\n{}",
        frame({"id": 1, "method": "shutdown"}),
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 3\r\n\r\n\xff\xfe{",
    ],
)
def test_anything_else_is_left_to_the_server(tmp_path, sent):
    early, _, read = start(tmp_path, sent)
    assert (early, read) == ([], sent)


def test_a_folder_that_can_not_be_written_costs_time_only(tmp_path):
    (tmp_path / "file").touch()
    _, got, _ = start(tmp_path / "file" / "x", initialize(), {"id": 1, "result": RESULT})
    assert len(got) == 1
