"""Every shipped surface passes its own check: data, queries, fragments and literate tests."""

from functools import cache
from pathlib import Path

import pytest

from gproj_lsp.check_surface import accepts_by, gate
from gproj_lsp.cli.wiring import shipped_facts
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.literate import LiterateTest, read_tests, run
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import Surface, shipped
from gproj_lsp.syntax import grammar_of

SURFACES = tuple(shipped().values())
TESTS = [
    pytest.param(surface, test, id=f"{surface.name}/{path.name}: {test.name}")
    for surface in SURFACES
    for path in sorted((surface.root / "tests").glob("*.md"))
    for test in read_tests(path, surface)
]
QUERIES = [
    pytest.param(surface, path, id=f"{surface.name}/{path.name}")
    for surface in SURFACES
    for path in sorted(surface.root.glob("*.scm"))
]
FRAGMENTS = [
    pytest.param(surface, anchor, id=f"{surface.name}/{anchor}")
    for surface in SURFACES
    for anchor in surface.fragments
]


@cache
def brought(name: str):
    return shipped_facts(next(each for each in SURFACES if each.name == name))


@pytest.fixture(scope="module")
def accepts():
    return accepts_by(make_engine("llguidance"))


@pytest.mark.parametrize(("surface", "test"), TESTS)
def test_literate(surface: Surface, test: LiterateTest, accepts):
    failures = run(test, surface, resolver_of(surface), accepts, brought(surface.name))
    assert not failures, "\n" + "\n".join(map(str, failures))


@pytest.mark.parametrize(("surface", "path"), QUERIES)
def test_query_compiles(surface: Surface, path: Path):
    grammar_of(surface).check(path.stem)


@pytest.mark.parametrize(("surface", "anchor"), FRAGMENTS)
def test_fragment_passes_its_gate(surface: Surface, anchor: str, accepts):
    failures = gate(surface.fragments[anchor], surface, resolver_of(surface), accepts)
    assert not failures, "\n" + "\n".join(map(str, failures))
