"""Where the public texts lie that the evaluation reads: outside the repository, named by the environment.

`GPROJ_EVAL` names a folder with any of these; what is absent is skipped with a reason:

    tpch/*.sql tpcds/*.sql   the queries, one a file           (duckdb/duckdb, extension/tpc*/…/queries)
    postgres/*.sql           PostgreSQL's regression files     (pganalyze/libpg_query, 15-latest, test/sql)
    public/<project>/          migrations of real projects        (LemmyNet/lemmy, rust-lang/crates.io)

Spider's part is found by `GPROJ_SHARED` or in `shared` beside the checkout.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["SCHEMAS", "Task", "corpus", "spider_databases", "spider_tasks"]

SCHEMAS = Path(__file__).parent / "schemas"
_CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Task:
    """One of Spider's questions with its reference query."""

    label: str
    database: str
    query: str


def corpus(name: str) -> Path:
    """The folder of a corpus; skips the test where it is absent."""
    root = os.environ.get("GPROJ_EVAL")
    if not root:
        pytest.skip("GPROJ_EVAL names no folder of public corpora (see tests/eval/corpora.py)")
    folder = Path(root) / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent (see tests/eval/corpora.py)")
    return folder


def _spider() -> Path:
    folder = Path(os.environ.get("GPROJ_SHARED", _CHECKOUT.parent / "shared")) / "data" / "spider"
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent; GPROJ_SHARED names the folder that holds data/spider")
    return folder


def spider_tasks() -> list[Task]:
    """The reference queries."""
    tasks = json.loads((_spider() / "tasks.json").read_text())
    return [Task(f"{task['db_id']}#{task['id']}", task["db_id"], task["query"]) for task in tasks]


def spider_databases() -> dict[str, Path]:
    """The SQLite files by name."""
    return {file.stem: file for file in sorted((_spider() / "databases").glob("*.sqlite"))}
