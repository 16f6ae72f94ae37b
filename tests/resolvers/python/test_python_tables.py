"""The made-up library: its frozen facts, and tables.md, which shows what of fifteen mistakes is found and excluded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gproj_lsp.check_surface import accepts_by
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.ide import Analyzer
from gproj_lsp.literate import read_tests, run
from gproj_lsp.providers.api.difference import compared
from gproj_lsp.providers.api.importing import by_import
from gproj_lsp.providers.api.static import by_reading
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

LIBRARIES = Path(__file__).parents[2] / "libraries"
TESTS = read_tests(Path(__file__).parent / "tables.md", shipped()["python"])


@pytest.fixture(scope="module")
def accepts():
    return accepts_by(make_engine("llguidance"))


@pytest.mark.parametrize("test", [pytest.param(test, id=test.name.rpartition("› ")[2]) for test in TESTS])
def test_mistake(test, python, shelf, accepts):
    failures = run(replace(test, facts=shelf), python, resolver_of(python), accepts)
    assert not failures, "\n" + "\n".join(map(str, failures))


def test_thirteen_of_fifteen_are_found_and_excluded():
    found = [test for test in TESTS if test.assertions]
    excluded = [test for test in TESTS if any(not listing.accept for listing in test.listings)]
    assert (len(TESTS), len(found), found) == (15, 13, excluded)


def test_what_every_module_has_of_itself_is_no_ghost(python, shelf):
    """Facts leave it out."""
    text = (
        "import shelf\nfrom shelf import __version__, __file__\nprint(shelf.__doc__, __version__, __file__)\n"
    )
    found = Analyzer(python, resolver_of(python), [shelf]).analyse(text)
    assert found.diagnostics == ()


SPELLED = {"signature", "type", "default"}  # each release of Python spells annotations its own way


def as_told(facts):
    return {
        (each.sort, each.owner, each.name): {
            key: value for key, value in each.attrs.items() if key not in SPELLED
        }
        for each in facts.bindings
    }


def test_the_frozen_facts_are_what_importing_the_library_says(shelf):
    assert as_told(by_import("shelf", folders=[LIBRARIES])) == as_told(shelf)


def test_reading_the_source_finds_the_same_names(shelf):
    difference = compared(shelf, by_reading("shelf", folders=[LIBRARIES]))
    assert (difference.first, difference.second) == ((), ())
