"""Cards as Markdown or plain text. What comes from a schema is shown as it is and never becomes markup."""

from __future__ import annotations

import re

from lsprotocol import types

from gproj_lsp.ide.card import Card

__all__ = ["coded", "fenced", "line", "markup"]

_LONGEST = 300
_TICKS = re.compile("`+")


def markup(card: Card, *, markdown: bool) -> types.MarkupContent:
    """A card as a client shows it."""
    if markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, _markdown(card))
    return types.MarkupContent(types.MarkupKind.PlainText, _plain(card))


def line(text: str) -> str:
    """A text in one line: what can't be printed is written as its number."""
    told = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"


def coded(text: str) -> str:
    """A text as a code span of Markdown, in which nothing is markup and no address is a link."""
    told = line(text)
    ticks = "`" * (_longest_run(told) + 1)
    blank = " " if told[:1] in ("`", " ", "") or told[-1:] in ("`", " ") else ""
    return f"{ticks}{blank}{told}{blank}{ticks}"


def fenced(text: str, language: str = "") -> str:
    """A text as a code block of Markdown."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _markdown(card: Card) -> str:
    lines = [f"{coded(card.title)} ({coded(card.sort)})", ""]
    lines += [
        f"- {coded(label)}: {coded(text)}" if "`" in label else f"- {line(label)}: {coded(text)}"
        for label, text in card.facts
    ]
    if card.code:
        lines += ["", fenced(card.code)]
    return "\n".join(lines).rstrip()


def _plain(card: Card) -> str:
    lines = [f"{line(card.title)} ({line(card.sort)})"]
    lines += [f"  {line(label)}: {line(text)}" for label, text in card.facts]
    if card.code:
        lines += ["", card.code]
    return "\n".join(lines)
