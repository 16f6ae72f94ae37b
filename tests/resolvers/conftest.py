"""Fixtures of the resolvers' tests: Spider's reference queries, and the databases they are for."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from functools import cache

import pytest
from sqlcase import Schema


@pytest.fixture(scope="session")
def tasks(shared):
    return json.loads((shared / "data" / "spider" / "tasks.json").read_text())


@pytest.fixture(scope="session")
def schema_of(shared):
    """The tables of a database, by its name."""

    @cache
    def read(name: str) -> Schema:
        path = shared / "data" / "spider" / "databases" / f"{name}.sqlite"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            names = [
                row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            ]
            tables = {
                table: [row[1] for row in database.execute("SELECT * FROM pragma_table_info(?)", [table])]
                for table in names
            }
        return Schema("sqlite", tables)

    return read
