"""How fast the language server answers: the real process over its standard input and output, in one run."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from gproj_lsp.bench.client import Client, Message, RequestError
from gproj_lsp.bench.sheet import Sheet, Value

__all__ = ["Server", "Texts", "run"]

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
_DEBOUNCE = 30
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


@dataclass(frozen=True)
class Texts:
    """What is opened.

    Attributes:
        small: A document with holes.
        large: A document of thousands of lines with some holes in it.
        hole: A hole in both.
        comment: What a line begins with in which nothing is declared or named.
    """

    small: str
    large: str
    hole: str
    comment: str


@dataclass
class _Timed:
    """Seconds of one kind of answer, and what was promised."""

    name: str
    wanted: str
    limit: float | None
    by: str
    seconds: list[float] = field(default_factory=list)

    def row(self) -> tuple[Value, ...]:
        middle, high = (_quantile(self.seconds, part) * 1000 for part in (0.5, 0.95))
        judged = middle if self.by == "p50" else high
        kept = "" if self.limit is None else "yes" if judged <= self.limit else "no"
        return self.name, len(self.seconds), middle, high, self.wanted, kept


def run(server: Server, texts: Texts, *, rounds: int = 60, seed: int = 0) -> Sheet:
    """Measure everything that was promised.

    Args:
        server: The server.
        texts: What to open.
        rounds: How often most things are measured; starting takes a tenth, cancelling a sixth of it.
        seed: Makes the edits repeatable.

    Raises:
        TimeoutError: The server does not answer.
        RequestError: It can't.
    """
    starts = _Timed("initialize, from process start", "p95 <= 500", 500, "p95")
    for _ in range(max(rounds // 10, 1)):
        with closing(_Editor(server)) as editor:
            starts.seconds.append(editor.ready - editor.client.started)
    with closing(_Editor(server)) as editor:
        rows = [starts, *_reading(editor, texts, rounds, random.Random(seed))]  # noqa: S311  (no secret)
        rows += _filling(editor, texts, rounds)
    lines = texts.large.count("\n")
    return Sheet(
        f"The language server over stdio, {lines:,} lines",
        ("answer", "times", "p50 ms", "p95 ms", "promised", "kept"),
        tuple(each.row() for each in rows),
        (
            f"change to diagnostics: from the edit until they arrive, less the debounce of {_DEBOUNCE} ms.",
            "fill: in a small file, from the request to its edit; another hole than the last one, or the same one again.",
            "free after a cancel: from $/cancelRequest until the next request decodes; one model step is the row above it.",
        ),
    )


def _reading(editor: _Editor, texts: Texts, rounds: int, dice: random.Random) -> Iterator[_Timed]:
    """What needs no model."""
    editor.open("large", texts.large)
    changes = _Timed("change to diagnostics", "p95 <= 50", 50, "p95")
    for turn in range(rounds + 1):
        seconds = editor.edit("large", dice.choice(editor.words("large", texts.comment))) - _DEBOUNCE / 1000
        if turn:  # the first one builds what the others keep
            changes.seconds.append(seconds)
    yield changes
    actions = _Timed("list of code actions", "p95 <= 20", 20, "p95")
    for end in dice.choices(editor.words("large", texts.comment), k=rounds):
        actions.seconds.append(editor.listed("large", end - 1)[1])
    for _ in range(rounds // 4):
        actions.seconds.append(editor.listed("large", editor.texts["large"].index(texts.hole))[1])
    yield actions
    completions = _Timed("completion list at a hole", "p95 <= 30", 30, "p95")
    place = editor.at("large", editor.texts["large"].index(texts.hole) + 1)
    for _ in range(rounds):
        completions.seconds.append(editor.client.timed("textDocument/completion", place)[1])
    yield completions


def _filling(editor: _Editor, texts: Texts, rounds: int) -> Iterator[_Timed]:
    """What the model does."""
    editor.open("small", texts.small)
    offsets = [match.start() for match in re.finditer(re.escape(texts.hole), texts.small)]
    others = _Timed("fill of another hole", "", None, "p50")
    again = _Timed("fill of a warm hole", "p50 <= 150", 150, "p50")
    steps = _Timed("one step of the model", "", None, "p50")
    for turn in range(rounds + len(offsets)):
        action = editor.filling("small", offsets[turn % len(offsets)])
        for timed in (others, again):
            seconds = editor.client.timed("codeAction/resolve", action)[1]
            if turn >= len(offsets):
                timed.seconds.append(seconds)
                steps.seconds += editor.steps("small")
    yield from (others, again, steps)
    freed = _Timed("free after a cancel", "one step", None, "p95")
    editor.open("many", texts.small * 10)
    for turn in range(max(rounds // 6, 1)):
        freed.seconds.append(
            editor.cancelled("many", texts.small.index(texts.hole), superseded=bool(turn % 2))
        )
    yield freed


class _Editor:
    """An editor with documents."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client = Client(server.command, server.environment)
        self.client.request(
            "initialize",
            {
                "processId": None,
                "rootUri": server.folder.as_uri(),
                "workspaceFolders": [{"uri": server.folder.as_uri(), "name": "bench"}],
                "capabilities": _CAPABILITIES,
                "initializationOptions": {"trusted": True, "debounce": _DEBOUNCE, "speculate": False},
            },
        )
        self.ready = time.perf_counter()
        self.client.notify("initialized", {})
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def close(self) -> None:
        self.client.close()

    def uri(self, name: str) -> str:
        return (self.server.folder / f"{name}{self.server.suffix}").as_uri()

    def open(self, name: str, text: str) -> None:
        """Open a document and wait until its holes are known to fit something: until sources are read."""
        mark = self.client.mark()
        self.texts[name], self.versions[name] = text, 1
        item = {"uri": self.uri(name), "languageId": self.server.language, "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})
        self.client.told("textDocument/publishDiagnostics", mark, lambda told: "candidates" in str(told))

    def words(self, name: str, comment: str) -> Sequence[int]:
        """Where the words of a document end, but for those of its comments."""
        text = self.texts[name]
        return [
            word.end()
            for word in _WORD.finditer(text)
            if not text.startswith(comment, text.rfind("\n", 0, word.start()) + 1)
        ]

    def edit(self, name: str, at: int) -> float:
        """Type a letter somewhere; gives seconds until diagnostics are there."""
        text = self.texts[name]
        place = self.position(name, at)
        self.versions[name] += 1
        version = self.versions[name]
        self.texts[name] = f"{text[:at]}x{text[at:]}"
        change = {"range": {"start": place, "end": place}, "text": "x"}
        document = {"uri": self.uri(name), "version": version}
        mark = self.client.mark()
        began = time.perf_counter()
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        _, there = self.client.told(
            "textDocument/publishDiagnostics", mark, lambda told: told.get("version") == version
        )
        return there - began

    def position(self, name: str, index: int) -> dict[str, int]:
        before = self.texts[name][:index]
        line = before.rpartition("\n")[2]
        return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}

    def at(self, name: str, index: int) -> dict[str, object]:
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
        self.client.told("gproj/stream", mark, _of("filled"))
        following = self.filling(name, index)
        mark = self.client.mark()
        began = time.perf_counter()
        if not superseded:
            self.client.notify("$/cancelRequest", {"id": number})
        second = self.client.begin("codeAction/resolve", following)
        _, at = self.client.told("gproj/stream", mark, _of("begin"))
        self.client.answer(second)
        try:
            self.client.answer(number)
        except RequestError as error:
            if error.code not in _CANCELLED:
                raise
        return at - began


def _of(kind: str) -> Callable[[Message], bool]:
    return lambda told: told.get("kind") == kind


def _quantile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(round(part * (len(ordered) - 1)), len(ordered) - 1)]
