"""PostgreSQL's regression files, with PostgreSQL itself as the judge of which names exist."""

from __future__ import annotations

import pytest
import regression
from corpora import corpus
from regress_judged import Comparison
from world import analyzer

from gproj_lsp.facts import Request
from gproj_lsp.providers.database import Database

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "live", [False, True], ids=["Γ from the file alone", "Γ from the live database as well"]
)
def test_no_ghost_that_postgres_finds(server, live, tell, monkeypatch):
    folder = corpus("postgres")
    for name, value in regression.environment(folder).items():
        monkeypatch.setenv(name, value)
    database = f"regression_{live}".lower()
    server.create(database)
    comparison = Comparison("postgres, live facts" if live else "postgres, the file alone")
    subject = analyzer("postgres")
    for file in regression.in_order(folder):
        if live:
            settings = {"database": server.url(database)}
            request = Request(folder, settings, lambda sources: analyzer("postgres").declared(sources), 60.0)
            subject = analyzer("postgres", Database().read(request))
        complaints = server.complaints(file, database)
        comparison.add(file.name, subject.analyse(file.read_text()), complaints)
    tell(comparison)
    assert not comparison.false_alarms
