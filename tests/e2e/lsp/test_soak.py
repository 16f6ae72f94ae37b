"""Thousands of random edits, requests and cancellations against the real server; what it says stays what a fresh analysis says.

`pytest -m slow tests/e2e/lsp/test_soak.py` runs 10,000 steps with the real model (minutes); the default run a few hundred.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from process import open_document, pulled, resident, server

from gproj_lsp.bench.client import Client, RequestError
from gproj_lsp.cli.wiring import Workspaces
from gproj_lsp.text import LineIndex, Position, Span, encode

SCHEMA = """\
CREATE TABLE users (id INT, name TEXT, email TEXT);
CREATE TABLE orders (id INT, user_id INT, total REAL, "größe" TEXT);
CREATE TABLE lines (order_id INT, sku TEXT, quantity INT);
"""
STATEMENTS = [
    "SELECT u.name, u.emial FROM users u;\n",
    "SELECT ?? FROM users;\r\n",
    "-- ö 😀 a comment\nSELECT o.?? FROM orders o WHERE o.{:Column} > 3;\n",
    "WITH big AS (SELECT user_id AS who FROM orders) SELECT who, whom FROM big;\n",
    "CREATE TABLE extra (a INT, b INT);\n",
    "SELECT a, b, c FROM extra;\n",
    "DROP TABLE extra;\n",
    "SELECT '😀', \"größe\" FROM orders, users;\n",
    "INSERT INTO lines (order_id, skuu) SELECT id, ?? FROM orders;\n",
    "UPDATE users SET nmae = 'x' WHERE id IN (SELECT user_id FROM ordesr);\n",
    "SELECT {:Tabel} FROM {x:Table};\n",
]
SCRAPS = [
    "x",
    " ",
    "\n",
    "\r\n",
    ";",
    ",",
    "(",
    ")",
    "'",
    "--",
    "/*",
    "*/",
    "??",
    ".",
    "😀",
    "ö",
    "id",
    "FROM ",
    "users",
]
FINE = {-32800, -32801, -32802, -32803}
"""RequestCancelled, ContentModified, ServerCancelled, and RequestFailed: what can't be done is told."""
READING = [
    "completion",
    "hover",
    "definition",
    "references",
    "documentHighlight",
    "prepareRename",
    "codeAction",
    "documentSymbol",
    "semanticTokens/full",
    "diagnostic",
]


@dataclass
class Buffer:
    """One document as the editor has it."""

    uri: str
    text: str
    version: int = 1

    def edit(self, span: Span, new: str) -> dict:
        """Replace bytes; gives the change as LSP has it."""
        place, data = self.range(span), encode(self.text)
        self.text = (data[: span.start] + encode(new) + data[span.end :]).decode()
        return {"range": place, "text": new}

    def range(self, span: Span) -> dict:
        found = LineIndex(encode(self.text)).range(span)
        return {
            side: {"line": at.line, "character": at.character}
            for side, at in (("start", found.start), ("end", found.end))
        }

    def span(self, place: dict) -> Span:
        lines = LineIndex(encode(self.text))
        return Span(*(lines.offset(Position(**place[side])) for side in ("start", "end")))

    def between(self, start: int, size: int) -> Span:
        """Bytes from a character on; places inside a line break are none, LSP can't name them."""
        ends = [start, min(start + size, len(self.text))]
        ends = [at + (self.text[at - 1 : at + 1] == "\r\n") for at in ends]
        return Span(*(len(encode(self.text[:at])) for at in ends))


@dataclass
class Soak:
    """An editor that does whatever the dice say."""

    client: Client
    folder: Path
    dice: random.Random
    fills: float
    buffers: list[Buffer] = field(default_factory=list)
    done: Counter = field(default_factory=Counter)

    def begin(self):
        for number in range(5):
            text = "".join(self.dice.choices(STATEMENTS, k=8))
            self.buffers.append(Buffer((self.folder / f"{number}.sql").as_uri(), text))
            open_document(self.client, self.buffers[-1].uri, text)

    def step(self):
        deeds = [
            self.type,
            self.paste,
            self.ask,
            self.cancel,
            self.act,
            self.fill,
            self.save,
            self.reopen,
            self.go,
        ]
        weights = [40, 8, 30, 6, 10, 100 * self.fills, 3, 1, 2]
        deed = self.dice.choices(deeds, weights)[0]
        deed(self.dice.choice(self.buffers))
        self.done[deed.__name__] += 1

    def type(self, buffer):
        """A small edit anywhere."""
        self.change(
            buffer,
            (self.place(buffer, self.dice.choice([0, 0, 0, 1, 2, 5])), self.dice.choice([*SCRAPS, ""])),
        )

    def paste(self, buffer):
        """A statement comes; where there are many, as much goes in the same edit."""
        edits = [(self.place(buffer, 0), self.dice.choice(STATEMENTS))]
        if len(buffer.text) > 800:
            edits.insert(0, (buffer.between(0, 200), ""))
            edits[1] = (Span(0, 0), edits[1][1])
        self.change(buffer, *edits)

    def ask(self, buffer):
        """A request that only reads."""
        self.answer(self.client.begin(*self.reading(buffer)))

    def cancel(self, buffer):
        """A request that nobody wants any more, or that an edit overtakes."""
        number = self.client.begin(*self.reading(buffer))
        if self.dice.random() < 0.5:
            self.client.notify("$/cancelRequest", {"id": number})
        else:
            self.type(buffer)
        self.answer(number)

    def act(self, buffer):
        """Take some code action that needs no model."""
        self.take(
            buffer,
            {"change", "ignore", "open", "fix-all"},
            self.dice.choice(["wait", "wait", "wait", "type"]),
        )

    def fill(self, buffer):
        """Take one that needs the model; sometimes somebody types meanwhile, or changes their mind."""
        self.take(
            buffer,
            {"fill", "fill-statement", "choose"},
            self.dice.choice(["wait", "type", "cancel", "again"]),
        )

    def save(self, buffer):
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": buffer.uri}})

    def reopen(self, buffer):
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": buffer.uri}})
        buffer.version = 1
        open_document(self.client, buffer.uri, buffer.text)

    def go(self, buffer):
        name = self.dice.choice(["gproj.nextHole", "gproj.previousHole", "gproj.explainFill"])
        argument = {"uri": buffer.uri, "position": buffer.range(self.place(buffer, 0))["start"]}
        self.answer(self.client.begin("workspace/executeCommand", {"command": name, "arguments": [argument]}))

    def take(self, buffer, deeds, how):
        place = buffer.range(self.place(buffer, self.dice.choice([0, 40])))
        params = {"textDocument": {"uri": buffer.uri}, "range": place, "context": {"diagnostics": []}}
        offered = self.answer(self.client.begin("textDocument/codeAction", params)) or []
        fit = [each for each in offered if each["data"]["deed"] in deeds]
        if not fit:
            return
        version, text = buffer.version, buffer.text
        number = self.client.begin("codeAction/resolve", self.dice.choice(fit))
        if how == "type":
            self.type(buffer)
        elif how == "cancel":
            self.client.notify("$/cancelRequest", {"id": number})
        elif how == "again":
            self.answer(self.client.begin("codeAction/resolve", self.dice.choice(fit)))
        action = self.answer(number)
        self.done[f"{how}: {'nothing' if action is None else 'an edit'}"] += 1
        if action is not None:
            self.apply(buffer, action["edit"], version, text)

    def apply(self, buffer, edit, version, text):
        """Make an edit as an editor does: for the version that it names, and for no other."""
        (change,) = edit["documentChanges"]
        assert change["textDocument"] == {"uri": buffer.uri, "version": version}
        if buffer.version == version:
            assert buffer.text == text
            edits = [(buffer.span(each["range"]), each["newText"]) for each in change["edits"]]
            self.change(buffer, *sorted(edits, reverse=True))

    def change(self, buffer, *edits):
        changes = [buffer.edit(span, new) for span, new in edits]
        buffer.version += 1
        document = {"uri": buffer.uri, "version": buffer.version}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def place(self, buffer, size):
        return buffer.between(self.dice.randint(0, len(buffer.text)), size)

    def reading(self, buffer):
        name = self.dice.choice(READING)
        place = buffer.range(self.place(buffer, 0))
        params = {"textDocument": {"uri": buffer.uri}, "position": place["start"], "range": place}
        return f"textDocument/{name}", {
            **params,
            "context": {"diagnostics": [], "includeDeclaration": True, "triggerKind": 1},
        }

    def answer(self, number):
        """What came back; None where it is one of the errors that may be."""
        try:
            return self.client.answer(number)
        except RequestError as error:
            if error.code not in FINE:
                raise
            self.done[error.code] += 1
            return None

    def compare(self):
        """Everything that is said of every document is what a fresh analysis says."""
        for buffer in self.buffers:
            self.save(buffer)
            told = pulled(self.client, buffer.uri)
            said = [(each["code"], each["range"], each["message"]) for each in told if each["code"] != "hole"]
            holes = [each["range"] for each in told if each["code"] == "hole"]
            analysis = fresh(self.folder, buffer)
            expected = [(each.code, buffer.range(each.span), each.message) for each in analysis.diagnostics]
            assert sorted(said, key=repr) == sorted(expected, key=repr), buffer.text
            assert holes == [buffer.range(hole.span) for hole in analysis.holes], buffer.text


def fresh(folder, buffer):
    """An analysis by nothing that was ever asked before."""
    path = folder / Path(buffer.uri).name
    workspace = Workspaces().at(path)
    surface = workspace.require_surface(path, path.name)
    return workspace.analyzer(surface, path).analyse(buffer.text)


@pytest.mark.parametrize(
    ("steps", "every", "fills"),
    [
        pytest.param(400, 100, 0.0, id="400-steps-without-a-model"),
        pytest.param(10_000, 500, 0.01, id="10000-steps", marks=pytest.mark.slow),
    ],
)
def test_nothing_fails_nothing_is_stale_and_nothing_drifts(tmp_path, steps, every, fills):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\ndialect = "sqlite"\n')
    log = tmp_path / "log"
    memory = []
    with server(folder, tmp_path / "state", log, speculate=bool(fills)) as client:
        soak = Soak(client, folder, random.Random(20261130), fills)
        soak.begin()
        pulled(client, soak.buffers[0].uri)
        client.told("gproj/status", 0, lambda told: told["state"] == "ready")
        for step in range(1, steps + 1):
            soak.step()
            if step % every == 0:
                soak.compare()
                memory.append(resident(client, "RssAnon"))
        assert client.alive
    assert log.read_text() == ""
    assert soak.done["wait: an edit"] > steps / 1000
    warm = memory[len(memory) // 2 :]
    assert warm[-1] < warm[0] * 1.1 + 10, memory
