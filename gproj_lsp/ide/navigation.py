"""Where a name is declared, and where else it is named."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gproj_lsp.environment import Binding
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.names import Meaning, names_of
from gproj_lsp.text import LineIndex, Span, encode

__all__ = [
    "Definition",
    "Occurrence",
    "declarations_of",
    "definition_at",
    "name_in_line",
    "occurrences_at",
    "occurrences_of",
]


@dataclass(frozen=True)
class Definition:
    """Where a name is declared.

    Attributes:
        span: The name that was asked about.
        places: Where the text itself declares it.
        outside: What the world says of it, if it does: its origin may name a file.
    """

    span: Span
    places: tuple[Span, ...]
    outside: Binding | None = None


@dataclass(frozen=True)
class Occurrence:
    """A place at which a thing is named.

    Attributes:
        span: Its bytes.
        declares: Whether it declares it.
    """

    span: Span
    declares: bool


def definition_at(analysis: Analysis, offset: int) -> Definition | None:
    """Where the name under a cursor is declared: through aliases' tables' columns, common tables and derived columns.

    Args:
        analysis: The document.
        offset: The cursor, in bytes.
    """
    names = names_of(analysis)
    name = names.at(offset)
    if name is None:
        return None
    return Definition(name.span, names.declarations(name.meaning), names.outside(name.meaning))


def occurrences_at(analysis: Analysis, offset: int) -> tuple[Occurrence, ...]:
    """Every place of a text that names what the name under a cursor means, in order.

    Args:
        analysis: The document.
        offset: The cursor, in bytes.
    """
    names = names_of(analysis)
    name = names.at(offset)
    if name is None:
        return ()
    return tuple(Occurrence(each.span, each.declares) for each in names.occurrences(name.meaning))


def occurrences_of(analysis: Analysis, binding: Binding) -> tuple[Occurrence, ...]:
    """Every place of a text that names something the world declares, in order.

    Args:
        analysis: The document.
        binding: What the world says of it.
    """
    names = names_of(analysis)
    meaning = Meaning(binding, key=binding.key)
    if names.outside(meaning) is None:
        return ()
    return tuple(Occurrence(each.span, each.declares) for each in names.occurrences(meaning))


def declarations_of(analysis: Analysis, binding: Binding) -> tuple[Span, ...]:
    """Where a text declares what is known of after it, as a cell of a notebook does for those behind it.

    Args:
        analysis: The text that comes before.
        binding: What it leaves behind.
    """
    names = names_of(analysis)
    found = [each.meaning for each in names.all() if each.declares and each.meaning.key == binding.key]
    return names.declarations(found[-1]) if found else ()


def name_in_line(lines: LineIndex, line: int, name: str) -> Span:
    """The bytes of the first such name in a 0-based line; the line's beginning where it is not there any more.

    Args:
        lines: The text.
        line: Which line.
        name: Without quotes.
    """
    if not 0 <= line < lines.lines:
        return Span(0, 0)
    span = lines.line_span(line)
    text = lines.data[span.start : span.end].decode("utf-8", "replace")
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    if found is None:
        return Span(span.start, span.start)
    start = span.start + len(encode(text[: found.start()]))
    return Span(start, start + len(encode(found[0])))
