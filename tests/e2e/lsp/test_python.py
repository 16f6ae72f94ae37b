"""A second language in the same server: Python's findings, completions and hints, from a library's frozen facts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lsprotocol import types

FROZEN = Path(__file__).parents[2] / "resolvers" / "python" / "shelf.api.json"
TEXT = """\
import shelf

sales = shelf.load("sales.csv")
sales.groupby("shop")
sales.sort_by("total")
print(sale)
"""


@pytest.fixture
def work(tmp_path):
    """A workspace with a library's snapshot."""
    folder = tmp_path / "work"
    folder.mkdir()
    shutil.copy(FROZEN, folder)
    (folder / "gproj.toml").write_text('[surfaces.python]\napi = ["shelf"]\n')
    return folder


async def test_findings_and_completions(work, connect):
    editor = await connect()
    await editor.open("a.py", TEXT, "python")
    found = await editor.diagnostics("a.py", lambda each: len(each) == 3)
    assert [(each.code, editor.text("a.py").splitlines()[each.range.start.line]) for each in found] == [
        ("ghost-reference", 'sales.groupby("shop")'),
        ("deprecated-reference", 'sales.sort_by("total")'),
        ("ghost-reference", "print(sale)"),
    ]
    assert list(found[1].tags) == [types.DiagnosticTag.Deprecated]
    editor.replace("a.py", TEXT + "sales.")
    params = types.CompletionParams(editor.identifier("a.py"), editor.position("a.py", TEXT + "sales."))
    offered = await editor.client.text_document_completion_async(params)
    assert {"arrange", "gather"} <= {each.label for each in offered.items}
