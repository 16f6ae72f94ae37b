"""`gproj-lsp complete`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gproj_lsp import document
from gproj_lsp.cli.console import Progress, complain, out, progress
from gproj_lsp.cli.opened import Opened, open_document
from gproj_lsp.cli.place import offset_of
from gproj_lsp.cli.wiring import open_completer, open_sketch_writer
from gproj_lsp.decode.complete import Completion
from gproj_lsp.decode.sketch import Sketcher
from gproj_lsp.decode.trace import Event, Text
from gproj_lsp.errors import InputError
from gproj_lsp.report.machine import dump
from gproj_lsp.text import decode, encode

__all__ = ["complete"]

_SHOWN = 60
"""Characters of the text being written that progress shows."""


def complete(
    file: Path,
    at: str,
    *,
    number: int,
    sketch: bool,
    write: bool,
    json: bool,
    stdin_filename: str | None,
    overrides: Iterable[str],
) -> int:
    """Write what may be inserted at a place, or insert it.

    Returns:
        0, 1 where it stops short of its end, 2 where there is nothing to insert.
    """
    opened = open_document(str(file), stdin_filename, overrides)
    label = opened.document.label
    if write and str(file) == "-":
        mend = "leave --write out, or name the file"
        raise InputError("standard input can't be changed", place="-", mend=mend)
    offset = offset_of(opened.document, opened.analysis.lines, at)
    with progress("loading the model") as shown:
        found = _completions(opened, offset, shown, number=number, sketch=sketch)
    if write and found and found[0].text:
        document.replace(opened.document, _inserted(opened.document.text, offset, found[0].text))
    if json:
        listed = [_json(each) for each in found]
        out(dump(listed if number > 1 else listed[0]))
    elif not write:
        for text in filter(None, (each.text for each in found)):
            out(text)
    for each in found:
        if each.reason:
            complain(f"{label}:{at}: {each.reason}")
        if each.text and not each.guaranteed:
            complain(f"{label}:{at}: not guaranteed: a name in it may be a ghost")
    if not any(each.text for each in found):
        return 2
    return 1 if any(each.reason for each in found) else 0


def _completions(
    opened: Opened, offset: int, shown: Progress, *, number: int, sketch: bool
) -> tuple[Completion, ...]:
    """What may be inserted; at least one, perhaps without text."""
    written = b""

    def told(event: Event) -> None:
        nonlocal written
        if isinstance(event, Text):
            written = written[: event.at] + event.data
            shown.update(" ".join(decode(written).split())[-_SHOWN:] or "writing")

    completer = open_completer(opened.workspace.settings, opened.surface, told=told)
    text, analyzer = opened.document.text, opened.analyzer
    if sketch:
        writer = open_sketch_writer(opened.workspace.settings) or completer.desk.context
        return (Sketcher(completer, writer).complete(text, offset, analyzer),)
    if number == 1:
        return (completer.complete(text, offset, analyzer),)
    return completer.candidates(text, offset, analyzer, number)


def _inserted(text: str, offset: int, new: str) -> str:
    data = encode(text)
    return decode(data[:offset]) + new + decode(data[offset:])


def _json(found: Completion) -> dict[str, object]:
    return {
        "text": found.text,
        "guaranteed": found.guaranteed,
        "rung": found.rung.name.lower(),
        "free_bits": round(found.ledger.free_bits, 3),
        "tokens": found.ledger.tokens,
        "model_calls": found.ledger.model_calls,
        "milliseconds": round(found.milliseconds, 1),
        "declared": list(found.declared),
        "reason": found.reason,
    }
