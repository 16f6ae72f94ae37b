"""The client that measures: shown on a server of a few lines, whose answers are known."""

import sys
from contextlib import closing

import pytest

from gproj_lsp.bench.client import Client, RequestError

SERVER = r"""
import json, sys

def send(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Type: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()

while True:
    line = sys.stdin.buffer.readline()
    if not line:
        break
    size = int(line.split(b":")[1])
    sys.stdin.buffer.readline()
    message = json.loads(sys.stdin.buffer.read(size))
    method, number = message.get("method"), message.get("id")
    if method == "echo":
        send({"jsonrpc": "2.0", "id": number, "result": message["params"]})
    elif method == "fail":
        send({"jsonrpc": "2.0", "id": number, "error": {"code": -32801, "message": "changed"}})
    elif method == "ask":
        send({"jsonrpc": "2.0", "id": 7, "method": "workspace/applyEdit", "params": {}})
    elif method == "tell":
        for number in range(message["params"]):
            send({"jsonrpc": "2.0", "method": "told", "params": {"number": number}})
    elif method == "die" or method == "exit":
        break
    elif method == "shutdown":
        send({"jsonrpc": "2.0", "id": number, "result": None})
    else:
        send({"jsonrpc": "2.0", "method": "heard", "params": message})
"""


@pytest.fixture
def client():
    with closing(Client([sys.executable, "-c", SERVER])) as started:
        yield started


def test_answers_find_their_requests(client):
    one, two = client.begin("echo", "ö"), client.begin("echo", [2])
    assert client.answer(two) == [2]
    assert client.answer(one) == "ö"
    answer, seconds = client.timed("echo", 3)
    assert answer == 3
    assert seconds > 0


def test_an_error_is_raised_with_its_number(client):
    with pytest.raises(RequestError, match="changed") as caught:
        client.request("fail", None)
    assert caught.value.code == -32801


def test_what_is_told_is_found_behind_a_mark(client):
    client.notify("tell", 3)
    _, first = client.told("told", 0)
    found, last = client.told("told", 0, lambda told: told["number"] == 2)
    assert (found, last >= first) == ({"number": 2}, True)
    mark = client.mark()
    client.notify("tell", 1)
    assert client.told("told", mark)[0] == {"number": 0}


def test_an_obliging_editor_answers_the_server(client):
    client.notify("ask", None)
    heard, _ = client.told("heard", 0)
    assert heard["result"] == {"applied": True}


def test_a_server_that_dies_keeps_nobody_waiting(client):
    number = client.begin("die", None)
    with pytest.raises(TimeoutError):
        client.answer(number)
    client.close()
    assert not client.alive
