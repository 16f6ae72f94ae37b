"""A server that writes holes: what it is sent, what is made of its answers, and what no answer can do."""

from __future__ import annotations

import os
import socket
import threading
import time

import pytest
from fake_server import Reply, completion, fake_server

from gproj_lsp.decode.base import HoleFiller, HoleTask, HoleText
from gproj_lsp.decode.models import remote
from gproj_lsp.decode.models.exchange import MOST, address, shown_model
from gproj_lsp.decode.models.remote import RemoteFiller
from gproj_lsp.decode.models.servers import SERVERS, server_of
from gproj_lsp.errors import Cancelled, ModelError
from gproj_lsp.settings import KEYS

TASK = HoleTask("SELECT", 'root ::= " name"\n', 40, temperature=0.5, top_p=0.9, seed=7)
NAME = completion(" name")


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """Attempts follow each other at once, and no proxy of this machine is asked."""
    monkeypatch.setattr(remote, "_PAUSE", 0.001)
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


def filler(running, **said):
    said = {"server": "llama.cpp", "seconds": 5.0, **said}
    return RemoteFiller(running if isinstance(running, str) else running.url, **said)


def complaint(answer, **said):
    """What is told of a server that always answers so; it may be asked no more than three times."""
    with fake_server(lambda _: answer) as server, pytest.raises(ModelError) as caught:
        filler(server, **said).write(TASK)
    assert caught.value.place.startswith(server.url)
    assert caught.value.mend
    return caught.value.message, len(server.asked)


# --- What is sent -------------------------------------------------------------------------------------------------------------


def test_a_hole_is_one_request_with_its_grammar():
    with fake_server(lambda _: NAME) as server:
        one: HoleFiller = filler(server, model="small", key="s3cret")
        assert one.write(TASK) == HoleText(" name", 3)
    (asked,) = server.asked
    assert asked.path == "/v1/completions"
    assert asked.headers["authorization"] == "Bearer s3cret"
    assert asked.json == {
        "prompt": "SELECT",
        "max_tokens": 40,
        "temperature": 0.5,
        "top_p": 0.9,
        "stream": False,
        "model": "small",
        "seed": 7,
        "grammar": TASK.gbnf,
    }


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("llama.cpp", {"grammar": TASK.gbnf}),
        ("vllm", {"structured_outputs": {"grammar": TASK.gbnf}}),
        ("vllm-before-0.12", {"guided_grammar": TASK.gbnf}),
        ("sglang", {"ebnf": TASK.gbnf}),
        ("fireworks", {"response_format": {"type": "grammar", "grammar": TASK.gbnf}}),
    ],
)
def test_each_kind_of_server_gets_the_grammar_where_it_looks_for_it(kind, sent):
    with fake_server(lambda _: NAME) as server:
        filler(server, server=kind, model="m").write(TASK)
    assert {name: server.asked[0].json[name] for name in sent} == sent


def test_the_setting_names_every_kind():
    assert KEYS["remote.server"].kind.split("|") == [remote.AUTO, *(server.name for server in SERVERS)]
    assert server_of("") is None
    assert server_of(owner="somebody") is None


@pytest.mark.parametrize(
    ("owner", "field"),
    [("llamacpp", "grammar"), ("me", "grammar"), ("vllm", "structured_outputs"), ("sglang", "ebnf")],
)
def test_a_server_tells_its_kind_by_its_models_and_is_asked_once(owner, field):
    models = Reply({"object": "list", "data": [{"id": "only", "owned_by": owner}]})
    with fake_server(lambda asked: models if asked.path == "/v1/models" else NAME) as server:
        one = filler(server, server=remote.AUTO)
        one.write(TASK)
        one.write(TASK)
    assert [asked.path for asked in server.asked] == ["/v1/models", "/v1/completions", "/v1/completions"]
    assert server.asked[1].json["model"] == "only"
    assert field in server.asked[1].json


@pytest.mark.parametrize(
    ("models", "said", "mend"),
    [
        ([{"id": "a", "owned_by": "vllm"}, {"id": "b\x1b[31m"}], "not just one model", "it has a, b [31m"),
        ([], "not just one model", "it has none"),
        ([{"id": "a", "owned_by": "library"}], "does not tell how it takes a grammar", "remote.server"),
        ({"no": "list"}, "does not list its models", "remote.model and remote.server"),
    ],
)
def test_what_can_not_be_found_out_is_asked_of_the_user(models, said, mend):
    with (
        fake_server(lambda _: Reply({"data": models})) as server,
        pytest.raises(ModelError, match=said) as caught,
    ):
        filler(server, server=remote.AUTO).write(TASK)
    assert mend in caught.value.mend
    assert [asked.path for asked in server.asked] == ["/v1/models"]


# --- What comes back ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("told", "tokens"), [(None, 0), (12, 12), (-4, 0), (10**30, 0), ("many", 0)])
def test_tokens_are_what_the_server_tells_where_that_can_be(told, tokens):
    with fake_server(lambda _: completion(" name", tokens=told)) as server:
        assert filler(server).write(TASK).tokens == tokens


def test_an_answer_that_the_budget_ended_is_known_as_one():
    with fake_server(lambda _: completion(" na", finish="length")) as server:
        assert filler(server).write(TASK).cut


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"choices": [{"text": " na',
        b"<html>welcome</html>",
        b'{"choices": []}',
        b'{"choices": [{"text": 5}]}',
        b'{"choices": [{"text": "\\ud800"}]}',
        b'{"choices": [{"text": "\xff"}]}',
        b"[" * 100_000,
        b'{"choices": ' + b"[" * 100_000,
        b'{"x": ' * 50_000,
    ],
)
def test_what_is_no_completion_is_told(body):
    said, asked = complaint(Reply(body))
    assert said == "what came back is no completion"
    assert asked == 1


def test_of_an_endless_answer_no_more_than_a_bound_is_read():
    said, asked = complaint(Reply(b" " * (MOST + 1), promised=1 << 40))
    assert said == "the answer is longer than 1 MiB"
    assert asked == 1


@pytest.mark.parametrize(
    "raw",
    [b"", b"garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}", b"HTTP/1.1 abc\r\n\r\n"],
)
def test_a_connection_that_breaks_is_tried_again_and_told(raw):
    said, asked = complaint(Reply(raw=raw))
    assert said.startswith("the server does not answer: ")
    assert asked == 3


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(status):
    answers = iter([Reply({"error": {"message": "busy"}}, status=status), Reply(raw=b""), NAME])
    with fake_server(lambda _: next(answers)) as server:
        assert filler(server).write(TASK).text == " name"
    assert len(server.asked) == 3


def test_a_server_that_stays_busy_is_told_with_its_own_words():
    said, asked = complaint(Reply({"error": {"message": "try\nlater \x1b[31m"}}, status=503))
    assert said == "the server is busy or broken (503): try later [31m"
    assert asked == 3


def test_a_server_that_wants_to_be_left_alone_for_longer_than_there_is_time_is_not_asked_again():
    said, asked = complaint(Reply(status=429, headers={"Retry-After": "3600"}))
    assert "429" in said
    assert asked == 1


@pytest.mark.parametrize(
    ("status", "mend"),
    [(400, "remote.context"), (401, "remote.key"), (403, "remote.key"), (404, "/v1"), (422, "")],
)
def test_what_the_server_refuses_is_not_asked_again(status, mend):
    said = rf"\({status}\): no"
    with (
        fake_server(lambda _: Reply({"detail": "no"}, status=status)) as server,
        pytest.raises(ModelError, match=said) as caught,
    ):
        filler(server).write(TASK)
    assert mend in caught.value.mend
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_nothing_is_sent_where_a_server_redirects_to(status):
    with fake_server(lambda _: NAME) as other:
        said, asked = complaint(
            Reply(status=status, headers={"Location": f"{other.url}/completions?token=hidden"}), key="s3cret"
        )
    assert said == f"the server redirects to {other.url}; nothing is sent there"
    assert asked == 1
    assert other.asked == []


def test_a_body_in_pieces_is_put_together_and_one_that_breaks_off_is_told():
    whole = b'{"choices": [{"text": " name"}]}'
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    pieces = b"".join(b"1\r\n%c\r\n" % byte for byte in whole)
    with fake_server(lambda _: Reply(raw=head + pieces + b"0\r\n\r\n")) as server:
        assert filler(server).write(TASK).text == " name"
    said, asked = complaint(Reply(raw=head + pieces))
    assert said.startswith("the server does not answer: ")
    assert asked == 3


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 10_000 + b"\r\n{}",
        b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 1_000_000 + b"\r\n\r\n{}",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n" + b" " * (3 * MOST),
        b"\x16\x03\x01\x00\x00",
    ],
)
def test_what_is_hardly_http_is_told(raw):
    said, asked = complaint(Reply(raw=raw))
    assert said.startswith("the server does not answer: ")
    assert asked == 3


def test_a_server_that_does_not_speak_tls_is_told_at_once():
    with fake_server(lambda _: NAME) as server, pytest.raises(ModelError, match="TLS"):
        filler(server.url.replace("http:", "https:"), key="s3cret").write(TASK)
    assert server.asked == []


def test_the_systems_proxy_is_asked_for_other_machines_and_never_for_this_one(monkeypatch):
    with fake_server(lambda _: NAME) as proxy, fake_server(lambda _: NAME) as server:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        assert filler("http://model.invalid:81/v1").write(TASK).text == " name"
        assert filler(server).write(TASK).text == " name"
    assert [asked.path for asked in proxy.asked] == ["http://model.invalid:81/v1/completions"]
    assert [asked.path for asked in server.asked] == ["/v1/completions"]


# --- Time ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [Reply(hangs=True), Reply(b" " * 1000, pause=0.05)])
def test_no_server_takes_longer_than_it_may(answer):
    said, asked = complaint(answer, seconds=0.3)
    assert said == "no answer within 0.3 s"
    assert asked == 1


def test_cancelling_breaks_the_connection_off():
    with fake_server(lambda _: Reply(hangs=True)) as server:
        with pytest.raises(Cancelled):
            filler(server, seconds=30).write(TASK, stop=lambda: bool(server.asked))
        assert server.left.wait(5)


def test_cancelling_needs_no_patience_between_attempts(monkeypatch):
    monkeypatch.setattr(remote, "_PAUSE", 600.0)
    with fake_server(lambda _: Reply(status=503)) as server, pytest.raises(Cancelled):
        filler(server, seconds=3600).write(TASK, stop=lambda: bool(server.asked))
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(ModelError, match="connection refused") as caught:
            filler(url).write(TASK)
    assert caught.value.place == url
    assert "is it running" in caught.value.mend


def test_no_thread_is_left_behind():
    before = set(threading.enumerate())
    with fake_server(lambda _: Reply(hangs=True)) as server, pytest.raises(ModelError):
        filler(server, seconds=0.1).write(TASK)
    until = time.monotonic() + 5
    while set(threading.enumerate()) - before and time.monotonic() < until:
        time.sleep(0.01)
    assert set(threading.enumerate()) <= before


# --- Secrets ------------------------------------------------------------------------------------------------------------------


def test_no_message_holds_a_secret():
    def tells_on(asked):
        heard = f"bad {asked.headers['authorization']} for {asked.path}"
        return Reply({"error": {"message": heard}}, status=400)

    with fake_server(tells_on) as server:
        url = server.url.replace("//", "//me:pass%21word@") + "?token=t0ken&api-version=2"
        one = filler(url, key="s3cret")
        with pytest.raises(ModelError) as caught:
            one.write(TASK)
    assert server.asked[0].path == "/v1/completions?token=t0ken&api-version=2"
    said = f"{caught.value} {one.name} {one._to!r}"
    assert [secret for secret in ("s3cret", "t0ken", "pass", "word@") if secret in said] == []
    assert caught.value.place == server.url


def test_a_password_in_the_url_is_sent_as_one_and_not_told():
    def tells_on(asked):
        return Reply({"message": asked.headers["authorization"]}, status=400)

    with fake_server(tells_on) as server, pytest.raises(ModelError) as caught:
        filler(server.url.replace("//", "//me:pass%21@")).write(TASK)
    assert server.asked[0].headers["authorization"] == "Basic bWU6cGFzcyE="
    assert "bWU6cGFzcyE" not in str(caught.value)


@pytest.mark.parametrize("key", ["a\r\nX-Evil: 1", "naïve", "tab\there"])
def test_a_key_that_is_none_is_refused_and_not_repeated(key):
    with pytest.raises(ModelError, match="can't be sent") as caught:
        filler("https://host.example/v1", key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "ftp://host/v1",
        "https://user:secret@:80/v1",
        "https://host:notaport/secret",
        "https://host/secret\r\nX-Evil: 1",
        "https://ho st/secret",
        "https://[::1/secret",
        "https://ho\u202est/secret",
        "//host/secret",
    ],
)
def test_a_url_that_is_none_is_refused_and_not_repeated(url):
    with pytest.raises(ModelError, match="can't be read") as caught:
        address(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown", "local"),
    [
        ("https://Host.example:443/v1/", "https://host.example/v1", False),
        ("http://localhost:8000/v1/completions", "http://localhost:8000/v1", True),
        ("http://[::1]:8000", "http://[::1]:8000", True),
        ("http://127.1.2.3/v1?key=x", "http://127.1.2.3/v1", True),
        ("https://127.0.0.1.evil.example/v1", "https://127.0.0.1.evil.example/v1", False),
        ("https://me:secret@bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4", False),
    ],
)
def test_an_address_is_shown_without_what_is_secret(url, shown, local):
    assert (str(address(url)), address(url).local) == (shown, local)
    assert shown_model(url) == shown


def test_other_models_are_shown_as_they_are():
    assert shown_model("a/b.gguf") == "a/b.gguf"
    assert "secret" not in shown_model("https://me:secret@")
