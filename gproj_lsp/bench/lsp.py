"""How fast the language server answers: the real process over its standard input and output, in one run."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from gproj_lsp.bench.editor import DEBOUNCE, Editor, Server
from gproj_lsp.bench.sheet import Sheet
from gproj_lsp.bench.timed import Timed

__all__ = ["Texts", "run"]


@dataclass(frozen=True)
class Texts:
    """What is opened.

    Attributes:
        small: A document with holes.
        large: A document of thousands of lines with some holes in it.
        hole: A hole in both.
        clean: A document without holes and ghosts.
        comment: What a line begins with in which nothing is declared or named.
    """

    small: str
    large: str
    hole: str
    clean: str
    comment: str


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
    starts = Timed("initialize, from process start", "p95 <= 500", 500, "p95")
    for _ in range(max(rounds // 10, 1)):
        with closing(Editor(server)) as editor:
            starts.seconds.append(editor.ready - editor.client.started)
    with closing(Editor(server)) as editor:
        rows = [starts, *_reading(editor, texts, rounds, random.Random(seed))]  # noqa: S311  (no secret)
        rows += _filling(editor, texts, rounds)
    lines = texts.large.count("\n")
    return Sheet(
        f"The language server over stdio, {lines:,} lines",
        ("answer", "times", "p50 ms", "p95 ms", "promised", "kept"),
        tuple(each.row() for each in rows),
        (
            f"change to diagnostics: from the edit until they arrive, less the debounce of {DEBOUNCE} ms.",
            "fill: in a small file, from the request to its edit; another hole than the last one, or the same one again.",
            "free after a cancel: from $/cancelRequest until the next request decodes; one model step is the row above it.",
        ),
    )


def _reading(editor: Editor, texts: Texts, rounds: int, dice: random.Random) -> Iterator[Timed]:
    """What needs no model."""
    editor.open("large", texts.large)
    changes = Timed("change to diagnostics", "p95 <= 50", 50, "p95")
    for turn in range(rounds + 1):
        seconds = editor.edit("large", dice.choice(editor.words("large", texts.comment))) - DEBOUNCE / 1000
        if turn:  # the first one builds what the others keep
            changes.seconds.append(seconds)
    yield changes
    actions = Timed("list of code actions", "p95 <= 20", 20, "p95")
    for end in dice.choices(editor.words("large", texts.comment), k=rounds):
        actions.seconds.append(editor.listed("large", end - 1)[1])
    for _ in range(rounds // 4):
        actions.seconds.append(editor.listed("large", editor.texts["large"].index(texts.hole))[1])
    yield actions
    completions = Timed("completion list at a hole", "p95 <= 30", 30, "p95")
    place = editor.at("large", editor.texts["large"].index(texts.hole) + 1)
    for _ in range(rounds):
        completions.seconds.append(editor.client.timed("textDocument/completion", place)[1])
    yield completions


def _filling(editor: Editor, texts: Texts, rounds: int) -> Iterator[Timed]:
    """What the model does."""
    editor.open("small", texts.small)
    offsets = [match.start() for match in re.finditer(re.escape(texts.hole), texts.small)]
    others = Timed("fill of another hole", "", None, "p50")
    again = Timed("fill of a warm hole", "p50 <= 150", 150, "p50")
    steps = Timed("one step of the model", "", None, "p50")
    for turn in range(rounds + len(offsets)):
        action = editor.filling("small", offsets[turn % len(offsets)])
        for timed in (others, again):
            seconds = editor.client.timed("codeAction/resolve", action)[1]
            if turn >= len(offsets):
                timed.seconds.append(seconds)
                steps.seconds += editor.steps("small")
    yield from (others, again, steps)
    freed = Timed("free after a cancel", "one step", None, "p95")
    editor.open("many", texts.small * 10)
    for turn in range(max(rounds // 6, 1)):
        freed.seconds.append(
            editor.cancelled("many", texts.small.index(texts.hole), superseded=bool(turn % 2))
        )
    yield freed
