"""The formats that programs read. Their shapes are promises: keys are added, never renamed.

Sources: SARIF 2.1.0 (OASIS); GitHub's workflow commands.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from gproj_lsp import __version__
from gproj_lsp.ide import Diagnostic
from gproj_lsp.report.terminal import printable
from gproj_lsp.report.value import FileReport, totals
from gproj_lsp.text import LineIndex, Range, Span

__all__ = ["dump", "github", "json_range", "json_text", "sarif_text"]

_RULES = {
    "ghost-reference": "A name that nothing declares.",
    "ambiguous-reference": "A bare name that several things declare.",
    "deprecated-reference": "A name that is on its way out.",
    "unknown-reference": "A name that can't be judged.",
    "unknown-sort": "A hole that asks for a sort the surface does not have.",
}
_LEVELS = {"ambiguous-reference": "warning", "deprecated-reference": "warning", "unknown-reference": "note"}
_LOUD = frozenset({"error", "warning"})
"""Severities that every format has; below them, each has its own word."""

_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON admits as it is although it drives terminals, turns text around or is no character."""


def dump(value: object) -> str:
    """A value as JSON that is safe to look at: whatever drives a terminal is escaped, and so is what UTF-8 has no bytes for."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def json_text(reports: Iterable[FileReport]) -> str:
    """`check --format json`; lines and UTF-16 characters count from 0, as in LSP."""
    reports = tuple(reports)
    return dump({"files": [_file(report) for report in reports], "ghosts": totals(reports).ghosts})


def json_range(lines: LineIndex, span: Span) -> dict[str, dict[str, int]]:
    """A span as an LSP range in UTF-16 units."""
    return _range(lines.range(span, "utf-16"))


def github(reports: Iterable[FileReport]) -> Iterator[str]:
    """`check --format github`: one workflow command a diagnostic."""
    for report in reports:
        for diagnostic in report.diagnostics:
            at = report.lines.range(diagnostic.span, "utf-32")
            fields = {
                "file": report.path,
                "line": at.start.line + 1,
                "endLine": at.end.line + 1,
                "col": at.start.character + 1,
                "endColumn": at.end.character + 1,
                "title": diagnostic.code,
            }
            said = ",".join(f"{name}={_property(str(value))}" for name, value in fields.items())
            level = diagnostic.severity if diagnostic.severity in _LOUD else "notice"
            yield f"::{level} {said}::{_message(diagnostic.message)}"


def sarif_text(reports: Iterable[FileReport]) -> str:
    """`check --format sarif`: one run; columns count UTF-16 units from 1."""
    rules = [
        {"id": code, "shortDescription": {"text": about}, "defaultConfiguration": {"level": _level(code)}}
        for code, about in _RULES.items()
    ]
    driver = {"name": "gproj-lsp", "version": __version__, "rules": rules}
    results = [_result(report, diagnostic) for report in reports for diagnostic in report.diagnostics]
    run = {"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return dump({"$schema": schema, "version": "2.1.0", "runs": [run]})


def _file(report: FileReport) -> dict[str, object]:
    return {
        "path": report.path,
        "surface": report.surface,
        "diagnostics": [_diagnostic(report, diagnostic) for diagnostic in report.diagnostics],
        "references": report.references,
        "unknown": report.unknown,
    }


def _diagnostic(report: FileReport, diagnostic: Diagnostic) -> dict[str, object]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "name": diagnostic.name,
        "sort": diagnostic.sort,
        "range": json_range(report.lines, diagnostic.span),
        "suggestions": list(diagnostic.suggestions),
    }


def _range(at: Range) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": at.start.line, "character": at.start.character},
        "end": {"line": at.end.line, "character": at.end.character},
    }


def _level(code: str) -> str:
    return _LEVELS.get(code, "error")


def _result(report: FileReport, diagnostic: Diagnostic) -> dict[str, object]:
    at = report.lines.range(diagnostic.span, "utf-16")
    region = {
        "startLine": at.start.line + 1,
        "startColumn": at.start.character + 1,
        "endLine": at.end.line + 1,
        "endColumn": at.end.character + 1,
    }
    artifact = {"uri": quote(os.fsencode(report.path))}
    result: dict[str, object] = {
        "ruleId": diagnostic.code,
        "level": diagnostic.severity if diagnostic.severity in _LOUD else "note",
        "message": {"text": diagnostic.message},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
    if diagnostic.suggestions:
        inserted = {"text": diagnostic.suggestions[0]}
        change = {
            "artifactLocation": artifact,
            "replacements": [{"deletedRegion": region, "insertedContent": inserted}],
        }
        result["fixes"] = [
            {"description": {"text": f"write {inserted['text']}"}, "artifactChanges": [change]}
        ]
    return result


def _message(text: str) -> str:
    return printable(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
