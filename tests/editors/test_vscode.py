"""The extension for VS Code: its own checks, what it weighs, and that it says the same as the server. `-m slow`: the workbench.

The workbench also needs `GPROJ_CODE_SERVER=DIR`, where DIR holds `node_modules/.bin/code-server`, and Chromium.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from zipfile import ZipFile

import pytest

from gproj_lsp.lsp.options import Preferences
from gproj_lsp.settings import KEYS
from gproj_lsp.surface import shipped

HOME = Path(__file__).parents[2]
EXTENSION = HOME / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text())
SETTINGS = MANIFEST["contributes"]["configuration"]["properties"]
OURS = ("server.", "holes.", "trace.")
"""Settings that the server is not told."""

MOST = 1_000_000
"""Bytes that the packaged extension may have."""


def npm(*arguments, **environment):
    """Run npm in the extension's folder; what it says is told where it fails."""
    done = subprocess.run(
        ["npm", *arguments],
        cwd=EXTENSION,
        env={**os.environ, "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def tools():
    """Node, and what the lock file says, installed beside the extension; kept while the lock file is the same."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    installed, lock = EXTENSION / "node_modules" / ".package-lock.json", EXTENSION / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        npm("ci", "--ignore-scripts", "--no-audit", "--no-fund")
    return npm


@pytest.fixture(scope="session")
def package(tools):
    """The packaged extension."""
    tools("run", "package")
    return EXTENSION / "gproj-lsp.vsix"


def test_its_parts_do_what_they_say(tools):
    told = tools("test")
    assert "# fail 0" in told
    assert "# pass 0" not in told


@pytest.mark.parametrize("check", ["lint", "types"])
def test_it_is_clean(tools, check):
    tools("run", check)


def test_it_weighs_little_and_holds_nothing_else(package):
    assert package.stat().st_size < MOST
    with ZipFile(package) as archive:
        files = {
            name.removeprefix("extension/") for name in archive.namelist() if name.startswith("extension/")
        }
    assert {"package.json", "readme.md", "changelog.md", "LICENSE.txt", "dist/extension.js"} <= files
    rest = {file for file in files if "/" in file} - {"dist/extension.js"}
    assert all(file.startswith(("media/", "images/")) for file in rest)
    pictures = {line.split("](")[1].rstrip(")") for line in _readme() if line.startswith("![")}
    assert pictures <= files


def _readme():
    return (EXTENSION / "README.md").read_text().splitlines()


def test_the_lock_file_names_no_host():
    lock = json.loads((EXTENSION / "package-lock.json").read_text())
    assert not [name for name, each in lock["packages"].items() if "resolved" in each]


def test_its_settings_are_the_servers():
    told = {name.removeprefix("gproj.") for name in SETTINGS}
    kept = {name for name in told if name.startswith(OURS)}
    preferences = {each.name for each in fields(Preferences)} - {"trusted", "settings"}
    surfaces = {f"surfaces.{name}.{key}" for name, surface in shipped().items() for key in surface.settings}
    assert told - kept == {*KEYS, *preferences, *surfaces}


@pytest.mark.parametrize("name", KEYS)
def test_a_setting_admits_what_the_server_does(name):
    key, shown = KEYS[name], SETTINGS[f"gproj.{name}"]
    default = list(key.default) if isinstance(key.default, tuple) else key.default
    assert shown["default"] == default
    assert shown.get("enum", []) == (key.kind.split("|") if "|" in key.kind else [])
    if key.kind in {"number", "whole"}:
        assert (shown["minimum"], shown["maximum"]) == (key.least, key.most)
        assert shown["type"] == ("integer" if key.kind == "whole" else "number")


def test_every_setting_is_described():
    assert all(len(each["markdownDescription"]) > 10 for each in SETTINGS.values())


def test_paths_and_urls_of_a_folder_that_is_not_trusted_do_not_count():
    """What `gproj.toml` may not say there, the folder's editor settings may not say either."""
    restricted = set(MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"])
    harmless = {name for name, key in KEYS.items() if key.kind not in {"text", "texts", "url"}} | {"exclude"}
    leading = {f"gproj.{name}" for name in KEYS.keys() - harmless}
    for name, surface in shipped().items():
        leading |= {
            f"gproj.surfaces.{name}.{key}" for key, kind in surface.settings.items() if "|" not in kind
        }
    assert leading <= restricted


def test_it_wakes_for_every_language_of_a_surface():
    languages = {language for surface in shipped().values() for language in surface.languages}
    assert {f"onLanguage:{each}" for each in languages} <= set(MANIFEST["activationEvents"])


@pytest.mark.slow
def test_a_real_workbench(tools, tmp_path):
    """`GPROJ_CODE_SERVER=DIR pytest -m slow tests/editors/test_vscode.py`; the pictures are in editors/vscode/out/pictures."""
    if not os.environ.get("GPROJ_CODE_SERVER"):
        pytest.skip("GPROJ_CODE_SERVER leads to no code-server")
    program = tmp_path / "gproj-lsp"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={HOME} exec {sys.executable} -m gproj_lsp "$@"\n')
    program.chmod(0o755)
    told = tools("run", "test:workbench", GPROJ_SERVER=str(program), XDG_STATE_HOME=str(tmp_path / "state"))
    assert "# fail 0" in told
    assert "# skipped 0" in told
