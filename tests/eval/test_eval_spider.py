"""Spider's reference queries: no alarm, nothing unknown, every renamed reference found, nothing shown while typing."""

from __future__ import annotations

import os
import random
from contextlib import closing

import pytest
from corpora import spider_databases, spider_tasks
from measure import GHOST, Measure, measure
from mutation import mutants
from replay import flickers
from world import analyzer, sqlite_facts

from gproj_lsp.ide import Analyzer
from gproj_lsp.oracles.sqlite import SQLiteOracle

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def analyzers() -> dict[str, Analyzer]:
    return {name: analyzer("sqlite", sqlite_facts(file)) for name, file in spider_databases().items()}


@pytest.fixture(scope="module")
def names() -> dict[str, set[str]]:
    files = spider_databases().items()
    return {name: {binding.name for binding in sqlite_facts(file).bindings} for name, file in files}


def test_reference_queries_raise_no_alarm(analyzers, tell):
    result = Measure("spider")
    for task in spider_tasks():
        measure("spider", analyzers[task.database], [(task.label, task.query)], result)
    tell(result)
    assert not result.findings
    assert result.unknown_share <= 0.01


def test_a_renamed_reference_is_found(analyzers, names, tell):
    chosen = random.Random(5)
    found, missed = 0, []
    for task in spider_tasks():
        every = list(mutants(task.query, names[task.database], "sqlite"))
        mutant = chosen.choice(every)
        diagnostics = analyzers[task.database].analyse(mutant.text).diagnostics
        hit = any(
            each.code == GHOST and each.span.start <= mutant.offset < each.span.end for each in diagnostics
        )
        found += hit
        missed += [] if hit else [mutant.text]
    tell(f"spider, one reference renamed in each query: {found} of {found + len(missed)} found")
    assert found >= 0.99 * (found + len(missed)), missed


def test_the_judge_refuses_what_was_renamed(names):
    """The mutants are ghosts indeed: SQLite says so of a sample."""
    tasks = spider_tasks()[::25]
    for task in tasks:
        with closing(SQLiteOracle()) as oracle:
            oracle.run(f"ATTACH 'file:{spider_databases()[task.database]}?mode=ro' AS given")
            for mutant in mutants(task.query, names[task.database], "sqlite"):
                assert not oracle.judge(mutant.text).accepted, mutant.text


@pytest.mark.parametrize(
    ("before", "after"),
    [("", ""), ("SELECT 1;\n", ";\nSELECT count(*) FROM sqlite_master;\n"), ("SELECT 1;\n", "\nSELECT 1;\n")],
    ids=["at the end of a file", "before a semicolon", "before another statement"],
)
def test_typing_shows_no_alarm_that_the_finished_text_lacks(analyzers, tell, before, after):
    """A sixth of the queries, letter by letter; `GPROJ_EVAL_ALL=1` takes all."""
    tasks = spider_tasks()[:: 1 if os.environ.get("GPROJ_EVAL_ALL") else 6]
    shown = [
        f"{task.label}: {each}"
        for task in tasks
        for each in flickers(analyzers[task.database], task.query, before, after)
    ]
    tell(f"typing: {sum(len(task.query) for task in tasks)} keystrokes, {len(shown)} alarms shown too early")
    assert not shown
