"""Frozen facts of libraries: made by importing or by reading, and read back."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import NOTHING, Request
from gproj_lsp.providers.api.difference import compared
from gproj_lsp.providers.api.importing import by_import
from gproj_lsp.providers.api.reach import only
from gproj_lsp.providers.api.snapshots import ApiSnapshots, file_name
from gproj_lsp.providers.api.static import by_reading
from gproj_lsp.providers.snapshot import write


@pytest.fixture
def package(tmp_path):
    """Makes a package of one module."""

    def make(source: str, name: str = "lib") -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").write_text(dedent(source))
        return tmp_path

    return make


def attrs(facts, owner, name, sort="Attribute"):
    return next(
        (
            dict(each.attrs)
            for each in facts.bindings
            if (each.sort, each.owner, each.name) == (sort, owner, name)
        ),
        None,
    )


def request(root, *entries, shelf=None):
    return Request(root, {"api": entries}, lambda _: NOTHING, surface="python", shelf=shelf)


def test_what_a_module_may_have_besides_what_it_shows_is_open(package):
    folder = package("def __getattr__(name): return name")
    assert attrs(by_import("lib", folders=[folder]), "", "lib", "Module")["attributes"] == "open"
    assert attrs(by_reading("lib", folders=[folder]), "", "lib", "Module")["attributes"] == "open"


def test_what_an_instance_has_is_what_its_methods_assign(package):
    folder = package(
        """
        class Plain:
            def __init__(self):
                self.size = 1
        class Wild:
            def __init__(self, **given):
                self.__dict__.update(given)
        """
    )
    facts = by_import("lib", folders=[folder])
    assert attrs(facts, "lib.Plain", "size") == {"kind": "field"}
    assert "attributes" not in attrs(facts, "lib", "Plain")
    assert attrs(facts, "lib", "Wild")["attributes"] == "open"


def test_keywords_are_those_that_can_be_written(package):
    folder = package(
        """
        import functools
        def plain(a, /, b, *rest, c=1): pass
        def any_of(a, **others): pass
        def passed(function):
            @functools.wraps(function)
            def inner(*given, **named): return function(*given, **named)
            return inner
        @passed
        def wrapped(a): pass
        """
    )
    facts = by_import("lib", folders=[folder])
    names = {each.name for each in facts.bindings if each.sort == "Keyword" and each.owner == "lib.plain"}
    assert names == {"b", "c"}
    assert attrs(facts, "lib", "any_of")["keywords"] == "open"
    assert "keywords" not in attrs(facts, "lib", "wrapped")


def test_a_deprecation_is_told_however_it_is_written(package):
    folder = package(
        '''
        import warnings
        def fresh(): pass
        def warned():
            """Old."""
            warnings.warn("use fresh instead", DeprecationWarning)
        def noted():
            """Old.

            .. deprecated:: 2.0 Use fresh.
            """
        def only_sometimes(a):
            if a:
                warnings.warn("a is gone", DeprecationWarning)
        def marked(): pass
        marked.__deprecated__ = "use `fresh`"
        '''
    )
    facts = by_import("lib", folders=[folder])
    for name in ("warned", "noted", "marked"):
        assert attrs(facts, "lib", name)["replacement"] == "fresh"
    assert "deprecated" not in attrs(facts, "lib", "only_sometimes")


def test_a_call_gives_an_instance_only_where_nothing_is_below_its_class(package):
    folder = package(
        """
        class Last: pass
        class Base: pass
        class Below(Base): pass
        def last() -> Last: pass
        def base() -> "Base": pass
        """
    )
    facts = by_import("lib", folders=[folder])
    assert attrs(facts, "lib", "last")["returns"] == "lib.Last"
    assert "returns" not in attrs(facts, "lib", "base")


def test_a_package_that_can_not_be_imported_says_why(package):
    with pytest.raises(ProviderError, match="No module named 'nowhere_lib'"):
        by_import("nowhere_lib")
    with pytest.raises(ProviderError, match="RuntimeError: no"):
        by_import("lib", folders=[package("raise RuntimeError('no')")])


def test_a_package_that_takes_too_long_is_ended(package):
    folder = package("import time; time.sleep(60)")
    with pytest.raises(ProviderError, match=r"more than 0\.5 s"):
        by_import("lib", folders=[folder], seconds=0.5)


def test_a_package_that_prints_or_ends_its_python_does_no_harm(package):
    assert attrs(by_import("lib", folders=[package("print('{'); a = 1")]), "lib", "a")["value"] == "1"
    with pytest.raises(ProviderError, match="before it was read"):
        by_import("lib", folders=[package("import os; os._exit(0)")])


def test_an_interpreter_that_is_not_there_says_so():
    with pytest.raises(ProviderError, match="can't be started"):
        by_import("json", python=str(Path(sys.executable).with_name("no-python")))


def test_the_current_folder_is_not_searched(package, monkeypatch):
    monkeypatch.chdir(package("", name="only_here"))
    with pytest.raises(ProviderError, match="No module named"):
        by_import("only_here")


def test_reading_runs_nothing(package, tmp_path):
    folder = package(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    by_reading("lib", folders=[folder])
    assert not (tmp_path / "ran").exists()


def test_the_two_ways_differ_where_names_are_computed(package):
    folder = package("def plain(): pass\nglobals()['made'] = 1\nif False:\n    never = 1")
    difference = compared(by_import("lib", folders=[folder]), by_reading("lib", folders=[folder]))
    assert (difference.first, difference.second) == (("lib.made",), ("lib.never",))


def test_snapshots_are_read_by_name_by_path_and_from_the_shelf(tmp_path):
    facts = by_import("json")
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    write(tmp_path / file_name("json"), facts)
    write(tmp_path / "other.json", facts)
    write(shelf / file_name("shipped"), facts)
    for entry in ("json", "other.json", "shipped"):
        read = ApiSnapshots().read(request(tmp_path, entry, shelf=shelf))
        assert len(read.bindings) == len(facts.bindings)
        assert {each.origin.provider for each in read.bindings} == {"api"}
    assert ApiSnapshots().fingerprint(request(tmp_path)) is None


def test_a_snapshot_that_is_not_there_tells_how_to_make_it(tmp_path):
    with pytest.raises(ProviderError) as caught:
        ApiSnapshots().read(request(tmp_path, "mylib"))
    assert caught.value.place == "mylib.api.json"
    assert caught.value.mend == "write it with gproj-lsp facts freeze mylib"


def test_an_object_that_is_called_is_a_function(package):
    folder = package(
        """
        class _Maker:
            def __call__(self, shape, dtype="f"):
                pass
        make = _Maker()
        """
    )
    facts = by_import("lib", folders=[folder])
    assert attrs(facts, "lib", "make")["kind"] == "function"
    assert attrs(facts, "lib.make", "dtype", "Keyword")["default"] == "'f'"
    assert attrs(facts, "lib.make", "self", "Keyword") is None


def test_a_decorator_says_what_is_on_its_way_out(package):
    folder = package(
        """
        def deprecated(old, new):
            return lambda function: function
        @deprecated("lib.old(...)", "lib.new(...)")
        def old(): pass
        def new(): pass
        class _Maker:
            @deprecated("lib.made(...)", "lib.new(...)")
            def __call__(self): pass
        made = _Maker()
        """
    )
    facts = by_import("lib", folders=[folder])
    assert attrs(facts, "lib", "old")["replacement"] == "new"
    assert attrs(facts, "lib", "made")["replacement"] == "new"
    assert "deprecated" not in attrs(facts, "lib", "new")


def test_what_new_assigns_is_a_member(package):
    folder = package(
        """
        class Only:
            def __new__(cls):
                made = super().__new__(cls)
                made.held = 1
                return made
        """
    )
    assert attrs(by_import("lib", folders=[folder]), "lib.Only", "held") is not None


def test_a_snapshot_can_be_cut_down_to_some_modules(package):
    """What is left out is open: nothing of it becomes a ghost."""
    folder = package("from lib import near, far\nclass Kept:\n    def go(self): pass")
    (folder / "lib" / "near.py").write_text("from lib.far import Far\ndef open() -> Far: pass\n")
    (folder / "lib" / "far.py").write_text("class Far:\n    size = 1\nclass Further: pass\n")
    facts = only(by_import("lib", folders=[folder]), ["lib", "lib.near"])
    assert attrs(facts, "lib.Kept", "go") is not None
    assert attrs(facts, "lib.near", "open")["returns"] == "lib.far.Far"
    assert attrs(facts, "lib.far.Far", "size") is not None
    assert attrs(facts, "lib", "far")["attributes"] == "open"
    assert attrs(facts, "lib.far", "Further") is None
    assert "attributes" not in attrs(facts, "lib", "near")


def test_a_module_on_the_way_to_one_that_is_kept_is_open(package):
    folder = package("from lib import near")
    (folder / "lib" / "near").mkdir()
    (folder / "lib" / "near" / "__init__.py").write_text("from lib.near import inner\nx = 1")
    (folder / "lib" / "near" / "inner.py").write_text("def open(): pass\n")
    facts = only(by_import("lib", folders=[folder]), ["lib.near.inner"])
    assert attrs(facts, "", "lib", "Module")["attributes"] == "open"
    assert attrs(facts, "lib", "near")["attributes"] == "open"
    assert "attributes" not in attrs(facts, "lib.near", "inner")
    assert attrs(facts, "lib.near.inner", "open") is not None
    assert attrs(facts, "lib.near", "x") is None


@pytest.mark.parametrize(
    ("body", "opens"),
    [
        ("return function(*args, **given)", False),
        ("if 'x' in given and given['x']: pass\n                    return function(*args, **given)", False),
        ("given.pop('extra', None)\n                    return function(*args, **given)", True),
        ("given['y'] = 1\n                    return function(*args, **given)", True),
        ("return print(*args, **given)", True),
    ],
)
def test_a_wrapper_that_hands_keywords_on_takes_no_others(package, body, opens):
    folder = package(
        f"""
        import functools
        def wrapping(function):
            @functools.wraps(function)
            def wrapper(*args, **given):
                    {body}
            return wrapper
        @wrapping
        def load(pointer, mask=None): pass
        """
    )
    told = attrs(by_import("lib", folders=[folder]), "lib", "load")
    assert ("keywords" in told) == opens
