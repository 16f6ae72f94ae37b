"""How fast text comes to a cursor: the real server, asked by somebody who types."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from gproj_lsp.bench.client import Message
from gproj_lsp.bench.editor import Editor, Server, word_ends
from gproj_lsp.bench.lsp import Texts
from gproj_lsp.bench.sheet import Sheet, Value
from gproj_lsp.bench.timed import quantile

__all__ = ["run"]

_KEYS = 8
"""A second."""
_STEPS = 4
_SHARE = 0.8
_METHOD = "textDocument/inlineCompletion"


@dataclass(frozen=True)
class _Row:
    """Some figures of one kind, and the most or least that was promised."""

    name: str
    unit: str
    values: Sequence[float]
    most: float | None = None

    def cells(self) -> tuple[Value, ...]:
        if not self.values:
            return self.name, 0, None, None, self.unit, "", ""
        middle, high = quantile(self.values, 0.5), quantile(self.values, 0.95)
        promised = "" if self.most is None else f"p95 <= {self.most:g}"
        kept = "" if self.most is None else "yes" if high <= self.most else "no"
        return self.name, len(self.values), middle, high, self.unit, promised, kept


def run(server: Server, texts: Texts, *, places: int, keys: int, milliseconds: float) -> Sheet:
    """Measure how text comes to a cursor.

    Args:
        server: The server.
        texts: What is typed: `clean`, behind nothing.
        places: At how many places somebody who types waits for text.
        keys: How many keys are pressed without waiting.
        milliseconds: The server's setting for the time that text may take.

    Raises:
        TimeoutError: The server does not answer.
        RequestError: It can't.
    """
    with closing(Editor(server)) as editor:
        rows = [row.cells() for row in _asking(editor, texts, places)]
    with closing(Editor(server, speculate=True)) as editor:
        rows += _waiting(editor, texts, places)
        rows += [row.cells() for row in _going_on(editor, texts, keys)]
    return Sheet(
        f"Text at the cursor over stdio, {milliseconds:g} ms for whoever types",
        ("what", "times", "p50", "p95", "unit", "promised", "kept"),
        tuple(rows),
        (
            "first text: from the request until anything is shown; cold: with the model to load; warm: at another place.",
            "behind one more character: in steps of the model.",
            f"typing: {_KEYS} keys a second, and a request behind each. waiting: without an answer when the next is sent.",
        ),
    )


def _asking(editor: Editor, texts: Texts, places: int) -> Iterator[_Row]:
    """What somebody sees who asks."""
    editor.open("small", texts.small)
    ends = word_ends(texts.clean, texts.comment)
    firsts: list[float] = []
    behind: list[float] = []
    steps: list[float] = []
    for turn, end in enumerate(ends[:: max(len(ends) // places, 1)]):
        name, same = f"asked{turn}", f"typed{turn}"
        editor.show(name, texts.clean[: end - 1])
        first = _asked(editor, name)
        # In another document nothing is kept of what was offered.
        editor.show(same, texts.clean[: end - 1])
        editor.type(same, end - 1, texts.clean[end - 1])
        again = _asked(editor, same)
        firsts += [first.text] if first.text is not None else []
        behind += [again.text] if again.text is not None else []
        steps += [again.step] if again.step else []
    yield _Row("first text, cold", "ms", [each * 1000 for each in firsts[:1]])
    yield _Row("first text, warm", "ms", [each * 1000 for each in firsts[1:]])
    yield _Row("one step of the model", "ms", [each * 1000 for each in steps])
    step = quantile(steps, 0.5) if steps else 1.0
    yield _Row("first text behind one more character", "steps", [each / step for each in behind], _STEPS)


@dataclass(frozen=True)
class _Asked:
    """Seconds until the first text, if there was any, and those that one step of the model took."""

    text: float | None
    step: float


def _asked(editor: Editor, name: str) -> _Asked:
    """Ask for text at a document's end."""
    client = editor.client
    mark, began = client.mark(), time.perf_counter()
    answer = cast("Message", client.request("gproj/complete", editor.at(name, len(editor.texts[name]))))
    told = (at for message, at in client.heard("gproj/stream", mark) if message.get("text"))
    calls, spent = (cast("float", answer.get(key, 0)) for key in ("model_calls", "milliseconds"))
    return _Asked(next((at - began for at in told), None), spent / 1000 / calls if calls else 0.0)


def _waiting(editor: Editor, texts: Texts, places: int) -> Iterator[tuple[Value, ...]]:
    """What somebody sees who types a word at a time and looks up."""
    editor.open("small", texts.small)
    ends = word_ends(texts.clean, texts.comment)
    seconds: list[float] = []
    shown = 0
    for turn in range(places):
        name, at = f"typed{turn // len(ends)}", turn % len(ends)
        if not at:
            editor.show(name, "")
        size = len(editor.texts[name])
        editor.type(name, size, texts.clean[size : ends[at]])
        answer, spent = editor.client.timed(_METHOD, _typed(editor, name))
        shown += bool(answer)
        seconds.append(spent * 1000)
    yield _Row("answer to somebody who types", "ms", seconds).cells()
    share = shown / places
    kept = "yes" if share >= _SHARE else "no"
    yield "answers with text", places, share, share, "share", f">= {_SHARE:g}", kept


def _going_on(editor: Editor, texts: Texts, keys: int) -> Iterator[_Row]:
    """What the server does for somebody who does not look up."""
    editor.show("going", "")
    client = editor.client
    sent: list[int] = []
    waiting: list[float] = []
    start = time.perf_counter()
    text = (texts.clean * (keys // len(texts.clean) + 1))[:keys]
    for turn, char in enumerate(text):
        time.sleep(max(0.0, start + turn / _KEYS - time.perf_counter()))
        editor.type("going", turn, char)
        waiting.append(len(sent) - client.answers_to(sent))
        sent.append(client.begin(_METHOD, _typed(editor, "going")))
    last = time.perf_counter()
    arrived = [client.answered(number)[1] for number in sent]
    yield _Row("typing: requests waiting", "requests", waiting, 1)
    yield _Row("typing: answers out of order", "answers", [float(_disorder(arrived))], 0)
    yield _Row("typing: from the last key to its answer", "ms", [(arrived[-1] - last) * 1000])


def _disorder(arrived: Sequence[float]) -> int:
    """How many answers came after that to a later request: two were worked at, at once."""
    return sum(one > other for one, other in pairwise(arrived))


def _typed(editor: Editor, name: str) -> Mapping[str, object]:
    """A request for whoever types at a document's end."""
    return {**editor.at(name, len(editor.texts[name])), "context": {"triggerKind": 2}}
