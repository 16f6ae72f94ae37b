"""TPC-H's and TPC-DS's queries over their schemas as DDL."""

from __future__ import annotations

import random

import pytest
import sqlglot
from corpora import SCHEMAS, corpus
from measure import GHOST, measure
from mutation import mutants
from sqlglot import exp
from world import with_ddl

pytestmark = pytest.mark.slow

BENCHMARKS = pytest.mark.parametrize(("name", "queries"), [("tpch", 22), ("tpcds", 99)])


def texts(name: str) -> list[tuple[str, str]]:
    return [(file.name, file.read_text()) for file in sorted(corpus(name).glob("*.sql"))]


def names(name: str) -> set[str]:
    trees = sqlglot.parse((SCHEMAS / f"{name}.sql").read_text(), read="postgres")
    nodes = [node for tree in trees for node in tree.find_all(exp.Table, exp.ColumnDef)]
    return {node.name for node in nodes}


@BENCHMARKS
@pytest.mark.parametrize("dialect", ["postgres", "duckdb", "generic", "sqlite"])
def test_queries_raise_no_alarm(name, queries, dialect, tell):
    result = measure(f"{name} {dialect}", with_ddl(dialect, SCHEMAS / f"{name}.sql"), texts(name))
    tell(result)
    assert result.texts == queries
    assert not result.findings
    assert result.unknown_share <= 0.01


@BENCHMARKS
def test_a_renamed_reference_is_found(name, queries, tell):
    analyzer = with_ddl("duckdb", SCHEMAS / f"{name}.sql")
    chosen = random.Random(5)
    missed = []
    for label, text in texts(name):
        mutant = chosen.choice(list(mutants(text, names(name), "duckdb")))
        diagnostics = analyzer.analyse(mutant.text).diagnostics
        if not any(
            each.code == GHOST and each.span.start <= mutant.offset < each.span.end for each in diagnostics
        ):
            missed.append((label, mutant.name))
    tell(f"{name}, one reference renamed in each query: {queries - len(missed)} of {queries} found")
    assert len(missed) <= 0.01 * queries, missed
