"""The format that people read: the source line, what is underlined, what was probably meant.

What comes out of files is untrusted: control characters are shown as pictures, so that no file can drive the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from gproj_lsp.ide import Diagnostic
from gproj_lsp.report.value import FileReport, Totals, totals
from gproj_lsp.text import LineIndex, Span

__all__ = ["counted", "print_reports", "printable", "snippet"]

_COLOURS = {"error": "bold red", "warning": "bold yellow"}
_WIDEST = 160  # columns of a source line that are shown around what is underlined


def print_reports(reports: Iterable[FileReport], console: Console) -> None:
    """Every diagnostic with its source, then one line of totals."""
    reports = tuple(reports)
    for report in reports:
        for diagnostic in report.diagnostics:
            console.print(_block(report, diagnostic), soft_wrap=True)
    console.print(_summary(totals(reports)), soft_wrap=True)


def counted(number: int, noun: str) -> str:
    """`1 ghost`, `2 ghosts`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """The text with control characters as pictures and tabs as spaces."""
    return "".join(_shown(char) for char in text)


def snippet(lines: LineIndex, span: Span, colour: str, note: str = "") -> Text:
    """The source line of a span, underlined, with a note after the underline."""
    window = _window(lines, span)
    gutter = len(str(window.number))
    under = "^" * max(1, cell_len(window.inside))
    text = Text()
    text.append(f"{' ' * gutter} |\n", "blue")
    text.append(f"{window.number} | ", "blue")
    text.append(window.before)
    text.append(window.inside, colour)
    text.append(f"{window.after}\n")
    text.append(f"{' ' * gutter} | ", "blue")
    text.append(" " * cell_len(window.before))
    text.append(under, colour)
    text.append(f" {printable(note)}" if note else "", colour)
    return text


@dataclass(frozen=True)
class _Window:
    """A source line as shown: its 1-based number, and what lies before, inside and after the span."""

    number: int
    before: str
    inside: str
    after: str


def _window(lines: LineIndex, span: Span) -> _Window:
    number = lines.position(span.start, "utf-8").line
    line = lines.line_span(number)
    start, end = min(span.start, line.end), min(max(span.end, span.start), line.end)
    data = lines.data
    half = _WIDEST // 2
    before = data[max(line.start, start - 4 * half) : start].decode("utf-8", "replace")
    inside = data[start : min(end, start + 4 * half)].decode("utf-8", "replace")
    after = data[end : min(line.end, end + 4 * half)].decode("utf-8", "replace")
    if len(before) > half or line.start < start - 4 * half:
        before = "…" + before[-half:]
    if len(inside) > half:
        inside = inside[:half] + "…"
    if len(after) > half or line.end > end + 4 * half:
        after = after[:half] + "…"
    return _Window(number + 1, printable(before), printable(inside), printable(after))


def _block(report: FileReport, diagnostic: Diagnostic) -> Text:
    colour = _COLOURS.get(diagnostic.severity, "bold cyan")
    gutter = len(str(report.lines.position(diagnostic.span.start, "utf-8").line + 1))
    text = Text()
    text.append(f"{diagnostic.severity}[{diagnostic.code}]", colour)
    text.append(f": {printable(diagnostic.message)}\n", "bold")
    text.append(f"{' ' * gutter}--> ", "blue")
    text.append(f"{printable(report.path)}:{report.lines.place(diagnostic.span.start)}\n")
    text.append_text(snippet(report.lines, diagnostic.span, colour, _note(diagnostic)))
    text.append("\n")
    return text


def _note(diagnostic: Diagnostic) -> str:
    if not diagnostic.suggestions:
        return ""
    first = diagnostic.suggestions[0]
    return f"did you mean {first}?" if diagnostic.severity == "error" else f"write {first}"


def _summary(sums: Totals) -> Text:
    text = Text()
    found = [counted(sums.ghosts, "ghost")] if sums.ghosts else []
    found += [counted(sums.errors - sums.ghosts, "other error")] if sums.errors > sums.ghosts else []
    found += [counted(sums.warnings, "warning")] if sums.warnings else []
    unknown = f", {sums.unknown:,} unknown" if sums.unknown else ""
    looked = f"{counted(sums.references, 'reference')}{unknown} in {counted(sums.files, 'file')}"
    if found:
        text.append(", ".join(found), "bold red" if sums.errors else "bold yellow")
        text.append(f" among {looked}")
    else:
        text.append("No ghosts", "bold green")
        text.append(f" among {looked}")
    return text


def _shown(char: str) -> str:
    code = ord(char)
    if char == "\t":
        return "    "
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in _BIDIRECTIONAL:
        return "\ufffd"
    return char


_BIDIRECTIONAL = frozenset({0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)})
