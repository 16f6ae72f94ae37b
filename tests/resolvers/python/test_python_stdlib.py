"""The running Python's standard library: no false alarm, and one renamed name is found with the right name first.

Minutes long: `pytest -m slow tests/resolvers/python/test_python_stdlib.py`.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import random
import sys
import tokenize
import warnings
from pathlib import Path

import pytest

from gproj_lsp.check_surface import mutants
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import Verdict, resolver_of

ROOT = Path(io.__file__).parent
ON_PURPOSE = ("lib2to3/tests/data", "idlelib/idle_test", "test/", "tests/", "site-packages/")
"""What tests Python itself names what is not there."""

LONG = 60_000
"""Longer files are left out where names are renamed, for time."""

pytestmark = pytest.mark.slow


def files():
    """Files of the library that parse, with their text; those that test Python itself left out."""
    for path in sorted(ROOT.rglob("*.py")):
        inside = path.relative_to(ROOT).as_posix()
        if any(part in f"{inside}" for part in ON_PURPOSE):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(path.read_bytes())
            with tokenize.open(path) as file:
                yield inside, file.read()
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue


def test_no_false_alarm(python):
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    alarms, references, unknown = [], 0, 0
    for inside, text in files():
        analysis = Analyzer(python, resolver_of(python), settings={"version": version}).analyse(text)
        references += analysis.references
        unknown += analysis.unknown
        alarms += [f"{inside}: {each.message}" for each in analysis.diagnostics]
    assert not alarms, "\n".join(alarms)
    assert references > 100_000
    assert unknown < references * 0.02


def reads(analysis):
    """The places that read a name which is known, and bind none."""
    module = analysis.statements[0].resolution._module
    start = analysis.source.span(0).start
    bound = {each.span for scope in module.scopes for places in scope.bound.values() for each in places}
    read = {use.span.shift(start) for use in module.uses if use.span not in bound and not use.exported}
    for span, reference in analysis.each_reference():
        plain = reference.sort == "Name" and reference.verdict is Verdict.DECLARED and len(reference.name) > 2
        if plain and span in read and not reference.name.startswith("__"):
            yield span, reference


def test_one_renamed_name_in_each_of_300_files_is_found(python):
    draw = random.Random(7)
    analyzer = Analyzer(python, resolver_of(python))
    found, first, done = 0, 0, 0
    for _, text in draw.sample([each for each in files() if len(each[1]) < LONG], k=500):
        analysis = analyzer.analyse(text)
        places = list(reads(analysis)) if analysis.statements else []
        # What is defined when it runs is unknown wherever it is: such a file can't tell.
        if done == 300 or not places or analysis.statements[0].effect.opens:
            continue
        span, reference = draw.choice(places)
        taken = {*analysis.statements[0].statement.mentions, *dir(builtins), *keyword.kwlist}
        words = [
            each for each in mutants(reference.name) if each.isidentifier() and each.casefold() not in taken
        ]
        if not words:
            continue
        written = draw.choice(words).encode()
        data = analysis.source.data
        changed = analyzer.analyse((data[: span.start] + written + data[span.end :]).decode())
        hits = [each for each in changed.diagnostics if each.span.start == span.start]
        done += 1
        found += bool(hits)
        first += bool(hits) and hits[0].suggestions[:1] == (reference.name,)
    assert done == 300
    assert found >= 297
    assert first >= 270
