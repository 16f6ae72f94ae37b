"""`check` and a database on random statements: no name that the database finds is called a ghost."""

from __future__ import annotations

from contextlib import closing

import pytest
from agreement import Agreement
from statements import SCHEMA, Dialect, Writer
from world import analyzer

from gproj_lsp.ide import Analyzer
from gproj_lsp.oracles.base import Judgement
from gproj_lsp.oracles.sqlite import SQLiteOracle

POSTGRES = Dialect("postgres", lateral=True, column_lists=True, delete_using=True)


def over_the_schema(dialect: str) -> Analyzer:
    return analyzer(dialect, analyzer(dialect).declared([(SCHEMA, "schema.sql")]))


def agreement_with_sqlite(seed: int, statements: int) -> Agreement:
    agreement = Agreement()
    subject, writer = over_the_schema("sqlite"), Writer(seed, Dialect("sqlite"))
    with closing(SQLiteOracle(SCHEMA)) as oracle:
        for _ in range(statements):
            statement = writer.statement()
            agreement.add(statement, oracle.judge(statement), subject.analyse(f"{statement};"))
    return agreement


def test_sqlite_finds_no_name_that_check_calls_a_ghost():
    agreement = agreement_with_sqlite(seed=11, statements=150)
    assert not agreement.false_alarms
    assert agreement.found == agreement.absent


@pytest.mark.slow
def test_sqlite_and_check_agree_on_many(tell):
    agreement = agreement_with_sqlite(seed=12, statements=3000)
    tell(f"sqlite: {agreement}")
    for row in (*agreement.false_alarms, *agreement.misses):
        tell(row[:400])
    # A common table expression sees, in SQLite, the names around the place where it is used; no one writes that on purpose.
    assert len(agreement.false_alarms) <= 3
    assert agreement.found >= 0.99 * agreement.absent


@pytest.mark.slow
def test_postgres_and_check_agree_on_many(server, tmp_path, tell):
    writer, subject, agreement = Writer(13, POSTGRES), over_the_schema("postgres"), Agreement()
    statements = [writer.statement() for _ in range(3000)]
    schema, file = tmp_path / "schema.sql", tmp_path / "statements.sql"
    schema.write_text(SCHEMA)
    file.write_text("".join(f"EXPLAIN {statement};\n" for statement in statements))
    server.create("agreement")
    assert not server.complaints(schema, "agreement")
    refused = {judgement.line: judgement for judgement in server.complaints(file, "agreement")}
    for line, statement in enumerate(statements, 1):
        judgement = refused.get(line, Judgement(line, accepted=True))
        agreement.add(statement, judgement, subject.analyse(f"{statement};"))
    tell(f"postgres: {agreement}")
    for row in (*agreement.false_alarms, *agreement.misses):
        tell(row[:400])
    assert not agreement.false_alarms
    assert agreement.found >= 0.99 * agreement.absent
