"""Keystrokes replayed: what a user would see while typing a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gproj_lsp.ide import Analyzer, Diagnostic

__all__ = ["Flicker", "flickers"]


@dataclass(frozen=True)
class Flicker:
    """A diagnostic shown after a keystroke that the finished text does not have."""

    typed: str
    diagnostic: Diagnostic

    def __str__(self) -> str:
        return f"{self.diagnostic.code} {self.diagnostic.name!r} after {self.typed!r}"


def flickers(analyzer: Analyzer, text: str, before: str = "", after: str = "") -> Iterator[Flicker]:
    """Every diagnostic that some prefix of `text` shows, typed between `before` and `after`, and the whole does not.

    The cursor stands at the end of what was typed.
    """
    final = {_key(diagnostic) for diagnostic in analyzer.analyse(before + text + after).diagnostics}
    for end in range(len(text)):
        typed = before + text[:end]
        analysis = analyzer.analyse(typed + after, cursor=len(typed.encode()))
        for diagnostic in analysis.diagnostics:
            if _key(diagnostic) not in final:
                yield Flicker(typed[-120:], diagnostic)


def _key(diagnostic: Diagnostic) -> tuple[str, str, int]:
    return diagnostic.code, diagnostic.name, diagnostic.span.start
