"""`gproj/stream`: text while it grows, for clients that say that they show it (experimental capability `gproj.stream`).

Every message has `uri`, `version` and `stream`, one number a request. `kind` tells the rest:

- `begin`: nothing is written yet; sent again where the work had to begin anew, and what was told before is void. With a `range`
  where text is written on from a cursor, and in no hole.
- `hole`: the hole at `range` (`sort`) has its turn.
- `text`: `text` is all that is written in it so far.
- `filled`, `left`: it has its whole `text`; it stays, for a `reason`.
- `candidates`: the best `candidates` so far (`text`, `probability`), and the `remaining` share.
- `end`: nothing more comes. What was told is a preview: the edit that the request gives is what counts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from lsprotocol import types

from gproj_lsp.decode.trace import (
    EmptyQuery,
    Event,
    Filled,
    HoleBegun,
    HoleEntered,
    Incomplete,
    Ranked,
    Text,
)
from gproj_lsp.lsp.session import Snapshot
from gproj_lsp.text import Span

if TYPE_CHECKING:
    from gproj_lsp.decode.rank import Ranking
    from gproj_lsp.lsp.server import Server

__all__ = ["STREAM", "Stream"]

STREAM = "gproj/stream"

_SHOWN = 10
"""How many of the best candidates are told while more are compared."""

_numbers = count(1)


class Stream:
    """Tells one request's events to the client, from the decoding thread.

    Args:
        server: Whose client.
        snapshot: The document.
        place: Where a span of the text that is filled lies in the document.
    """

    def __init__(
        self, server: Server, snapshot: Snapshot, place: Callable[[Span], Span] = lambda span: span
    ) -> None:
        self._server = server
        self._snapshot = snapshot
        self._place = place
        self._wanted = server.session.client.stream
        self._number = next(_numbers)
        self._ended = False
        self._text = b""
        self._part = 0

    def __call__(self, event: Event) -> None:
        """Take an event of decoding."""
        if isinstance(event, HoleBegun):
            self._text, self._part = b"", 0
            self._tell("hole", range=self._range(self._place(event.span)), sort=event.sort)
        elif isinstance(event, HoleEntered):
            self._part = len(self._text) if event.depth else 0
        elif isinstance(event, Text):
            self._text = self._text[: self._part + event.at] + event.data
            self._tell("text", text=self._text.decode(errors="ignore"))
        elif isinstance(event, Ranked):
            self._candidates(event.ranking)
        elif isinstance(event, Filled):
            self._tell("filled", text=event.text)
        elif isinstance(event, Incomplete):
            self._tell("left", reason=event.reason)
        elif isinstance(event, EmptyQuery):
            self._tell("left", reason=event.error.message)

    def begin(self, place: types.Range | None = None) -> None:
        """Work begins, perhaps once more.

        Args:
            place: Where text is written that stands in no hole.
        """
        self._tell("begin", **({"range": place} if place is not None else {}))

    def end(self) -> None:
        """Nothing more comes; what the decoding thread still has to say comes too late."""
        self._tell("end")

    def _candidates(self, ranking: Ranking) -> None:
        best = [{"text": each.text, "probability": each.probability} for each in ranking.candidates[:_SHOWN]]
        self._tell("candidates", candidates=best, remaining=ranking.remaining)

    def _range(self, span: Span) -> types.Range:
        return self._snapshot.range(span)

    def _tell(self, kind: str, **more: object) -> None:
        if not self._wanted:
            return
        document = self._snapshot.document
        message = {
            "uri": document.uri,
            "version": document.version,
            "stream": self._number,
            "kind": kind,
            **more,
        }

        def send() -> None:
            if not self._ended:
                self._ended = kind == "end"
                self._server.protocol.notify(STREAM, message)

        self._server.session.later(send)
