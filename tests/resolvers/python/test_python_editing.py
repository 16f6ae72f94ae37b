"""What editors are told of Python: completions, renames, and cells that follow each other."""

from __future__ import annotations

import pytest

from gproj_lsp.errors import InputError
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.completion import Completer
from gproj_lsp.ide.edits import applied
from gproj_lsp.ide.rename import renaming
from gproj_lsp.resolve import resolver_of


@pytest.fixture(scope="module")
def analyzer(python, shelf):
    return Analyzer(python, resolver_of(python), shelf)


def offered(analyzer, python, marked):
    before, _, after = marked.partition("|")
    analysis = analyzer.analyse(before + after, len(before.encode()))
    found = Completer(python).at(analyzer, analysis, len(before.encode()))
    assert not analysis.diagnostics
    return [item.text for item in found.items] if found else []


def renamed(analyzer, marked, name):
    before, _, after = marked.partition("|")
    text = before + after
    return applied(text, renaming(analyzer, analyzer.analyse(text), len(before.encode())).to(name))


SHELF = "import shelf\nsales = shelf.load('a')\n"


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        (SHELF + "sales.|", ["arrange", "gather", "head"]),
        (SHELF + "sales.ar|", ["arrange", "gather", "head"]),
        (SHELF + "sales.arrange(de|=1)", ["descending"]),
        (SHELF + "print(sal|)", ["sales"]),
        ("import shelf\nfrom shelf import |", ["Fit", "Grouping", "Kind"]),
        ("def f(alpha):\n    return al|", ["alpha"]),
        ("import other\nother.|", []),
        ("class A:\n    size = 1\n    def f(self):\n        return siz|", []),
    ],
)
def test_what_fits_is_offered(analyzer, python, marked, first):
    assert offered(analyzer, python, marked)[: len(first) or None] == first


def test_what_is_deprecated_is_not_offered(analyzer, python):
    assert "sort_by" not in offered(analyzer, python, SHELF + "sales.|")


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("def f(a|):\n    return a + 1", "def f(b):\n    return b + 1"),
        (
            "a| = 1\na = 2\ndef f():\n    global a\n    a += 1",
            "b = 1\nb = 2\ndef f():\n    global b\n    b += 1",
        ),
        ("import numpy as a|\nprint(a.x, f'{a}')", "import numpy as b\nprint(b.x, f'{b}')"),
        ("__all__ = ['a']\ndef a|(): pass", "__all__ = ['b']\ndef b(): pass"),
        ("a = 1\ndef f(a|):\n    return [a for _ in a]", "a = 1\ndef f(b):\n    return [b for _ in b]"),
    ],
)
def test_every_place_of_a_name_changes(analyzer, marked, text):
    assert renamed(analyzer, marked, "b") == text


@pytest.mark.parametrize(
    "marked",
    [
        "from os import path|\nprint(path)",  # the name is another module's
        "import os|\nprint(os)",
        "class A:\n    size| = 1\nprint(A().size)",  # a member is named through what has it
        "def f(a|): pass\nf(a=1)",  # as a keyword
        "a = 1\nb = 2\nprint(a|)",  # another name
        "print|(1)",
    ],
)
def test_what_is_named_elsewhere_too_is_not_renamed(analyzer, marked):
    with pytest.raises(InputError):
        renamed(analyzer, marked, "b")


def test_a_cell_sees_what_cells_above_it_declare(analyzer):
    first = analyzer.analyse("total = 1\ndef f(): pass")
    second = analyzer.analyse("print(total, f, totl)", after=first)
    assert [each.name for each in second.diagnostics] == ["totl"]
    star = analyzer.analyse("from somewhere import *")
    assert not analyzer.analyse("print(anything)", after=star).diagnostics
