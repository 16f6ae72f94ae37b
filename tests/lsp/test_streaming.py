"""What a stream tells of decoding, in the order in which it is sent."""

from __future__ import annotations

from types import SimpleNamespace

from gproj_lsp.decode.trace import Text
from gproj_lsp.lsp.streaming import Stream


def stream_to(sent):
    """A stream whose messages land in a list; what it has for the loop waits in another."""
    waiting = []
    session = SimpleNamespace(client=SimpleNamespace(stream=True), later=waiting.append)
    protocol = SimpleNamespace(notify=lambda _, message: sent.append(message["kind"]))
    document = SimpleNamespace(uri="file:///a", version=1)
    server = SimpleNamespace(session=session, protocol=protocol)
    return Stream(server, SimpleNamespace(document=document)), waiting


def test_nothing_comes_behind_the_end():
    sent = []
    stream, waiting = stream_to(sent)
    stream.begin()
    stream.end()
    stream(Text(0, b"late"))
    for each in waiting:
        each()
    assert sent == ["begin", "end"]
