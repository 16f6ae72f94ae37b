"""An editor that measures: documents over a real server process, places told as characters of their text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gproj_lsp.bench.client import Client, Message, RequestError

__all__ = ["DEBOUNCE", "Editor", "Server", "of_kind", "word_ends"]

_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
    "textDocument": {
        "publishDiagnostics": {"versionSupport": True},
        "completion": {"completionItem": {}},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
    "experimental": {"gproj": {"stream": True}},
}
DEBOUNCE = 30
"""Milliseconds, taken off where diagnostics are timed."""
_WORD = re.compile(r"[^\W\d]\w+")
_CANCELLED = {-32800, -32801}
"""RequestCancelled, ContentModified."""


@dataclass(frozen=True)
class Server:
    """How to start a server.

    Attributes:
        command: The program and its arguments.
        environment: Variables of its own.
        folder: The workspace.
        language: The language id of its documents.
        suffix: What their names end with.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    language: str
    suffix: str


class Editor:
    """An editor with documents.

    Args:
        server: The server.
        speculate: Whether it may do what nobody asked for yet.

    Attributes:
        client: Talks to the process.
        ready: When it was initialized, as `time.perf_counter` tells it.
        texts: The documents, by name.
        versions: Their versions.
    """

    def __init__(self, server: Server, *, speculate: bool = False) -> None:
        self.server = server
        self.client = Client(server.command, server.environment)
        self.client.request(
            "initialize",
            {
                "processId": None,
                "rootUri": server.folder.as_uri(),
                "workspaceFolders": [{"uri": server.folder.as_uri(), "name": "bench"}],
                "capabilities": _CAPABILITIES,
                "initializationOptions": {"trusted": True, "debounce": DEBOUNCE, "speculate": speculate},
            },
        )
        self.ready = time.perf_counter()
        self.client.notify("initialized", {})
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def close(self) -> None:
        """End the server."""
        self.client.close()

    def uri(self, name: str) -> str:
        """The URI of a document."""
        return (self.server.folder / f"{name}{self.server.suffix}").as_uri()

    def open(self, name: str, text: str) -> None:
        """Open a document and wait until its holes are known to fit something: until sources are read."""
        mark = self.client.mark()
        self.show(name, text)
        self.client.told("textDocument/publishDiagnostics", mark, lambda told: "candidates" in str(told))

    def show(self, name: str, text: str) -> None:
        """Open a document."""
        self.texts[name], self.versions[name] = text, 1
        item = {"uri": self.uri(name), "languageId": self.server.language, "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def words(self, name: str, comment: str) -> Sequence[int]:
        """Where the words of a document end; see `word_ends`."""
        return word_ends(self.texts[name], comment)

    def edit(self, name: str, at: int) -> float:
        """Type a letter somewhere; gives seconds until diagnostics are there."""
        mark = self.client.mark()
        began = time.perf_counter()
        version = self.type(name, at, "x")
        _, there = self.client.told(
            "textDocument/publishDiagnostics", mark, lambda told: told.get("version") == version
        )
        return there - began

    def type(self, name: str, at: int, new: str) -> int:
        """Type something somewhere; gives the document's version then."""
        text = self.texts[name]
        place = self.position(name, at)
        self.versions[name] += 1
        self.texts[name] = text[:at] + new + text[at:]
        change = {"range": {"start": place, "end": place}, "text": new}
        document = {"uri": self.uri(name), "version": self.versions[name]}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        return self.versions[name]

    def position(self, name: str, index: int) -> dict[str, int]:
        """A place as the protocol has it."""
        before = self.texts[name][:index]
        line = before.rpartition("\n")[2]
        return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}

    def at(self, name: str, index: int) -> dict[str, object]:
        """The parameters of a request about a place."""
        return {"textDocument": {"uri": self.uri(name)}, "position": self.position(name, index)}

    def listed(self, name: str, index: int) -> tuple[Sequence[Message], float]:
        """The code actions at a place, and how long their list took."""
        here = self.position(name, index)
        params = {
            "textDocument": {"uri": self.uri(name)},
            "range": {"start": here, "end": here},
            "context": {"diagnostics": []},
        }
        answer, seconds = self.client.timed("textDocument/codeAction", params)
        return cast("Sequence[Message]", answer or ()), seconds

    def filling(self, name: str, index: int, deed: str = "fill") -> Message:
        """The action that fills a hole."""
        found, _ = self.listed(name, index)
        return next(each for each in found if cast("Message", each.get("data", {})).get("deed") == deed)

    def steps(self, name: str) -> Iterator[float]:
        """How long one step of the model took in the last filling, in seconds."""
        params = {"command": "gproj.explainFill", "arguments": [{"uri": self.uri(name)}]}
        told = cast("Message", self.client.request("workspace/executeCommand", params) or {})
        for hole in cast("Sequence[Mapping[str, float]]", told.get("holes", ())):
            if hole["model_calls"]:
                yield hole["milliseconds"] / hole["model_calls"] / 1000

    def cancelled(self, name: str, index: int, *, superseded: bool) -> float:
        """Stop a long filling in its midst; gives seconds until the thread decodes for the next request."""
        mark = self.client.mark()
        number = self.client.begin("codeAction/resolve", self.filling(name, index, "fill-file"))
        self.client.told("gproj/stream", mark, of_kind("filled"))
        following = self.filling(name, index)
        mark = self.client.mark()
        began = time.perf_counter()
        if not superseded:
            self.client.notify("$/cancelRequest", {"id": number})
        second = self.client.begin("codeAction/resolve", following)
        _, at = self.client.told("gproj/stream", mark, of_kind("begin"))
        self.client.answer(second)
        try:
            self.client.answer(number)
        except RequestError as error:
            if error.code not in _CANCELLED:
                raise
        return at - began


def of_kind(kind: str) -> Callable[[Message], bool]:
    """What tells the messages of `gproj/stream` that are of a kind."""
    return lambda told: told.get("kind") == kind


def word_ends(text: str, comment: str) -> Sequence[int]:
    """Where the words of a text end, but for those of its comments.

    Args:
        text: The text.
        comment: What a line of it begins with that is a comment.
    """
    return [
        word.end()
        for word in _WORD.finditer(text)
        if not text.startswith(comment, text.rfind("\n", 0, word.start()) + 1)
    ]
