"""A fixture that starts editors; see `editor.Editor` for what they can do."""

from __future__ import annotations

import pytest_asyncio
from editor import Editor, capabilities


@pytest_asyncio.fixture
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
        editors.append(editor)
        given = {"trusted": True, "debounce": 20, **(options or {})}
        await editor.start(
            capabilities=capabilities(**able), options=given, folders=folders, arguments=arguments, env=env
        )
        return editor

    yield start
    for editor in editors:
        await editor.stop()
