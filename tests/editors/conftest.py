"""Fixtures that start editors."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def _shared(tmp_path_factory):
    pytest.importorskip("pynvim", reason="pynvim is not installed")
    from real_nvim import Neovim

    running = Neovim(tmp_path_factory.mktemp("neovim"))
    yield running
    running.close()


@pytest.fixture
def editor(_shared):
    """The Neovim that tests share, since starting one with its server costs more than most of them; as if it were new."""
    yield _shared
    _shared.clear()


@pytest.fixture
def start(tmp_path):
    """Start a Neovim of the test's own: `start("its user's Lua")`; it is ended with the test."""
    pytest.importorskip("pynvim", reason="pynvim is not installed")
    from real_nvim import Neovim

    running = []

    def started(before="", **options):
        editor = Neovim(tmp_path / f"home{len(running)}", before, **options)
        running.append(editor)
        return editor

    yield started
    for editor in running:
        editor.close()
