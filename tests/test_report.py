"""What `check` writes, in each of its formats."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from gproj_lsp.ide import Diagnostic
from gproj_lsp.report import machine, terminal
from gproj_lsp.report.value import FileReport, totals
from gproj_lsp.text import LineIndex, Span


def ghost(text, name, *suggestions, severity="error", code="ghost-reference"):
    start = text.encode().index(name.encode())
    span = Span(start, start + len(name.encode()))
    return Diagnostic(code, severity, f'no Column is called "{name}"', name, "Column", span, suggestions)


def report(text, *diagnostics, path="queries/a.toy"):
    return FileReport(path, "toy", LineIndex(text.encode()), diagnostics, references=3, unknown=1)


def shown(*reports, **console):
    stream = io.StringIO()
    terminal.print_reports(reports, Console(file=stream, highlight=False, markup=False, width=100, **console))
    return stream.getvalue()


TEXT = "-- x\nSELECT u.nmae FROM users u;\n"


def test_text_shows_the_line_and_what_was_probably_meant():
    assert shown(report(TEXT, ghost(TEXT, "nmae", "name", "named"))) == (
        'error[ghost-reference]: no Column is called "nmae"\n'
        " --> queries/a.toy:2:10\n"
        "  |\n"
        "2 | SELECT u.nmae FROM users u;\n"
        "  |          ^^^^ did you mean name?\n"
        "\n"
        "1 ghost among 3 references, 1 unknown in 1 file\n"
    )


def test_text_without_findings_is_one_line():
    assert shown(report(TEXT)) == "No ghosts among 3 references, 1 unknown in 1 file\n"


def test_text_has_colours_only_where_they_are_wanted():
    found = report(TEXT, ghost(TEXT, "nmae"))
    assert "\x1b[" not in shown(found)
    assert "\x1b[" in shown(found, force_terminal=True, color_system="standard")


def test_the_underline_stands_under_wide_characters_and_tabs():
    text = "\t'日本' nmae"
    lines = shown(report(text, ghost(text, "nmae"))).splitlines()
    assert lines[3].endswith("'日本' nmae")
    assert lines[4].index("^") == len("1 |     '日本' ") + 2  # two wide characters take two cells more


def test_a_file_cannot_drive_the_terminal():
    text = "SELECT '\x1b[2J\u202e' nmae"
    said = shown(report(text, ghost(text, "nmae"), path="a\x1b[31m.toy"))
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "\u241b" in said


def test_an_endless_line_is_shown_around_the_place_alone():
    text = "x " * 500_000 + "nmae " + "y " * 500_000
    assert max(map(len, shown(report(text, ghost(text, "nmae"))).splitlines())) < 250


JSON_TEXT = "SELECT '𝒳', nmae"


def test_json_counts_utf_16_units_from_zero():
    found = json.loads(machine.json_text([report(JSON_TEXT, ghost(JSON_TEXT, "nmae", "name"))]))
    assert found == {
        "files": [
            {
                "path": "queries/a.toy",
                "surface": "toy",
                "diagnostics": [
                    {
                        "code": "ghost-reference",
                        "severity": "error",
                        "message": 'no Column is called "nmae"',
                        "name": "nmae",
                        "sort": "Column",
                        "range": {
                            "start": {"line": 0, "character": 13},
                            "end": {"line": 0, "character": 17},
                        },
                        "suggestions": ["name"],
                    }
                ],
                "references": 3,
                "unknown": 1,
            }
        ],
        "ghosts": 1,
    }


def test_github_annotations_are_escaped():
    text = "a\nnm%ae"
    found = report(text, ghost(text, "nm%ae", "na,me"), path="a,b:c.toy")
    (line,) = machine.github([found])
    fields, _, message = line.removeprefix("::").partition("::")
    assert fields == "error file=a%2Cb%3Ac.toy,line=2,endLine=2,col=1,endColumn=6,title=ghost-reference"
    assert message == 'no Column is called "nm%25ae"'


def test_a_warning_is_a_warning_in_every_format():
    found = report(TEXT, ghost(TEXT, "nmae", severity="warning", code="ambiguous-reference"))
    assert next(machine.github([found])).startswith("::warning ")
    assert json.loads(machine.json_text([found]))["ghosts"] == 0
    assert json.loads(machine.sarif_text([found]))["runs"][0]["results"][0]["level"] == "warning"
    assert shown(found).endswith("1 warning among 3 references, 1 unknown in 1 file\n")


def test_sarif_names_rule_place_and_fix():
    run = json.loads(machine.sarif_text([report(TEXT, ghost(TEXT, "nmae", "name"), path="a b.toy")]))["runs"][
        0
    ]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert place["artifactLocation"]["uri"] == "a%20b.toy"
    assert place["region"] == {"startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 14}
    assert result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "name"}


@pytest.mark.parametrize("write", [machine.json_text, machine.sarif_text])
def test_no_files_are_a_valid_document(write):
    assert json.loads(write([]))


def test_totals_count_ghosts_apart_from_other_errors():
    found = report(TEXT, ghost(TEXT, "nmae"), ghost(TEXT, "users", code="unknown-sort"))
    sums = totals([found, report(TEXT)])
    assert (sums.files, sums.ghosts, sums.errors, sums.warnings, sums.references) == (2, 1, 2, 0, 6)
