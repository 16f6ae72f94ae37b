"""A fixture that starts editors; see `editor.Editor` for what they can do."""

from __future__ import annotations

import pytest
import pytest_asyncio
from editor import Editor, capabilities


def pytest_collection_modifyitems(items):
    """One loop for all of them, so that one server can serve several tests."""
    for item in items:
        if pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


_OPTIONS = {"trusted": True, "debounce": 20}


@pytest_asyncio.fixture(loop_scope="session")
async def connect(tmp_path):
    """Start a client with its server: `await connect(pull=True, encoding="utf-8", options={...})`.

    Options are the `initializationOptions`; `folders`, `arguments` (after `serve`) and `env` are the process's; everything else
    is a capability (`editor.capabilities`). The workspace is `tmp_path / "work"`, trusted unless the options say otherwise.
    """
    editors = []

    async def start(*, options=None, folders=None, arguments=(), env=None, folder=None, **able):
        home = folder or tmp_path / "work"
        home.mkdir(exist_ok=True)
        editor = Editor(home)
        editor.answer = able.get("ask")
        editors.append(editor)
        await editor.start(
            capabilities=capabilities(**able),
            options={**_OPTIONS, **(options or {})},
            folders=folders,
            arguments=arguments,
            env=env,
        )
        return editor

    yield start
    for editor in editors:
        await editor.stop()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def servers(tmp_path_factory):
    """The servers that tests share, by what their clients can do."""
    running = {}
    yield running
    for editor in running.values():
        await editor.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def share(servers, tmp_path, tmp_path_factory):
    """As `connect`, with a server that other tests use, too: starting one costs more than most tests.

    Only capabilities can be chosen. The workspace of the test is `tmp_path / "work"`; the folder that is open, and trusted, is
    above it.
    """

    async def start(**able):
        key = tuple(sorted(able.items()))
        if key not in servers:
            above = tmp_path_factory.getbasetemp()
            editor = Editor(above)
            await editor.start(capabilities=capabilities(**able), options=_OPTIONS, folders=[above])
            servers[key] = editor
        home = tmp_path / "work"
        home.mkdir(exist_ok=True)
        return servers[key].elsewhere(home)

    return start
