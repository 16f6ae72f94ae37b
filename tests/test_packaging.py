"""What is installed, what it imports when it starts, and that its parts agree about themselves."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import gproj_lsp
from gproj_lsp import tomlfile
from gproj_lsp.settings import KEYS
from gproj_lsp.surface import shipped

ROOT = Path(__file__).parents[1]
PROJECT = tomlfile.read(ROOT / "pyproject.toml").table["project"]
HEAVY = {
    "llama_cpp",
    "llguidance",
    "numpy",
    "rich",
    "sqlalchemy",
    "sqlglot",
    "torch",
    "tree_sitter",
    "xgrammar",
}


def python(*arguments, **options):
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    python("-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_holds_the_package_its_surfaces_and_its_demo(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("cli/__init__.py", "py.typed", "grammars/sql/surface.toml", "demo/schema.sql"):
        assert f"gproj_lsp/{wanted}" in names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"gproj_lsp", f"gproj_lsp-{gproj_lsp.__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name]


def test_the_wheel_is_small(wheel):
    assert wheel.stat().st_size < 3_000_000


def test_the_version_is_said_once():
    assert PROJECT["version"] == gproj_lsp.__version__


def test_every_dependency_is_explained():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    said = [
        *PROJECT["dependencies"],
        *(name for extra in PROJECT["optional-dependencies"].values() for name in extra),
    ]
    names = {re.match(r"[\w-]+", line)[0] for line in said} - {"gproj-lsp"}
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []


def test_every_setting_is_in_the_readme():
    text = (ROOT / "README.md").read_text()
    keys = [
        *KEYS,
        *(f"surfaces.{name}.{key}" for name, surface in shipped().items() for key in surface.settings),
    ]
    assert [key for key in keys if f"| `{key}` |" not in text] == []


def test_every_module_is_on_the_map():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    package = Path(gproj_lsp.__file__).parent
    modules = [path for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    names = {path.name + "/" * path.is_dir() for path in modules} - {
        "__init__.py",
        "__main__.py",
        "__pycache__/",
    }
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []


def loaded(code):
    modules = python("-c", f"import sys\n{code}\nprint(*sys.modules)").split()
    return HEAVY & set(modules)


def test_importing_the_package_imports_nothing_heavy():
    assert loaded("import gproj_lsp") == set()


def test_help_imports_nothing_heavy():
    assert (
        loaded("from gproj_lsp.cli import run\nassert run(['--help']) == 0\nassert run(['check', '-h']) == 0")
        == set()
    )


def quickest(*arguments):
    """Processor seconds of the quickest of five runs: what else the machine does is not what is measured."""
    seconds = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        python(*arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds)


def test_import_takes_a_tenth_of_a_second_at_most():
    assert quickest("-c", "import gproj_lsp") - quickest("-c", "pass") <= 0.1


def test_help_takes_four_tenths_of_a_second_at_most():
    assert quickest("-m", "gproj_lsp", "--help") <= 0.4
