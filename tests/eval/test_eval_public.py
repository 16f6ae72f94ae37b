"""Histories of public projects: migrations that a real PostgreSQL took, one after the other, in one text."""

from __future__ import annotations

import pytest
from corpora import corpus
from measure import measure
from world import analyzer

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("project", ["LemmyNet+lemmy", "rust-lang+crates.io"])
def test_a_history_of_migrations_raises_no_alarm(project, tell):
    folder = corpus("public") / project
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent")
    # Diesel orders migrations by their time stamps, with or without dashes.
    files = sorted(folder.rglob("up.sql"), key=lambda file: file.parent.name.replace("-", ""))
    history = "".join(f"-- {file.parent.name}\n{file.read_text()}\n;\n" for file in files)
    result = measure(f"{project}, {len(files)} migrations", analyzer("postgres"), [(project, history)])
    tell(result)
    assert not result.findings
    assert result.unknown_share <= 0.01
