"""No ghost without a model: whatever is drawn from an instantiated grammar names only what exists.

Statements are drawn at random, with no model to be sensible; Γ comes from analysing the statement's own FROM. Our analysis
judges them, and so does SQLite, with double-quoted strings off where Python lets us (3.12); otherwise it judges a plain schema,
of which no name needs quotes, so that it can't read a ghost as a string.
"""

from __future__ import annotations

import sqlite3
from random import Random

import pytest

from gproj_lsp.environment import Query
from gproj_lsp.facts import Facts
from gproj_lsp.fragment import Fragment, Rung, SlotLadder, instantiate
from gproj_lsp.gbnf import parse, sample
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

PLAIN = """\
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, email TEXT, created_at TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER, total REAL, name TEXT);
CREATE TABLE order_items (order_id INTEGER, product TEXT, qty INTEGER, list TEXT, listen TEXT);
CREATE VIEW totals AS SELECT user_id, sum(total) AS total FROM orders GROUP BY user_id;
"""
LONG = "n" * 256
ADVERSARIAL = f"""\
CREATE TABLE users (id INTEGER PRIMARY KEY, "select" TEXT, "a""b" TEXT, "x|y" TEXT, "(paren)" TEXT, "new
line" TEXT, "naïve 😀" TEXT, "{LONG}" TEXT, list TEXT, listen TEXT, "list en" TEXT, "back\\slash" TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, "order" TEXT, "CamelCase" TEXT, "1st" TEXT, "%slot%" TEXT, "'" TEXT, "" TEXT);
CREATE TABLE order_items ("from" TEXT, "a.b" TEXT, "--" TEXT, "/*" TEXT, ";" TEXT, "?" TEXT, id TEXT);
CREATE VIEW totals AS SELECT "CamelCase" AS total, "1st" FROM orders;
"""
SCHEMAS = {"plain": PLAIN, "adversarial": ADVERSARIAL}

SOURCES = (
    "FROM users",
    "FROM orders AS o",
    "FROM users u JOIN orders o ON u.id = o.id",
    "FROM users JOIN order_items AS i ON 1 = 1",
    "FROM totals t",
    "FROM totals, users",
    "FROM users a LEFT JOIN users b ON a.id = b.id",
    "FROM (SELECT id AS key, id + 1 AS next FROM orders) AS d CROSS JOIN users",
)
"""Where the columns come from: one table, aliases, joins with ambiguous names, a view, a table twice, a subquery."""

STATEMENT = """
root ::= item (", " item)* " %s" (" WHERE " condition)? (" GROUP BY " %%c%%)? order? (" LIMIT " [1-9])?
order ::= " ORDER BY " %%c%% (" DESC")?
item ::= %%c%% | "count(" %%c%% ")" | "max(" value ")" | value " AS x" [0-9]
value ::= %%c%% | number | value2
value2 ::= "coalesce(" %%c%% ", " value ")" | "CASE WHEN " condition " THEN " %%c%% " ELSE " value " END"
condition ::= %%c%% " " compare " " value | "(" condition (" OR " | " AND ") condition ")" | %%c%% " IS NOT NULL"
    | %%c%% " IN (SELECT " %%c%% " %s)"
compare ::= "=" | "<" | ">=" | "LIKE"
number ::= [0-9]+
identifier ::= [a-z]+
"""
LADDER = SlotLadder(
    "identifier", {Rung.GAMMA: Query.of("Column"), Rung.CTX: Query.of("Column", scope="visible")}
)


def fragment(source: str) -> Fragment:
    return Fragment("Column", parse(STATEMENT % (source, source)), {"c": LADDER}, {})


def judge(schema: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    if hasattr(connection, "setconfig"):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DQS_DML, False)  # noqa: FBT003  (its signature)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DQS_DDL, False)  # noqa: FBT003  (its signature)
    elif schema != "plain":
        pytest.skip("Python before 3.12 can't turn SQLite's double-quoted strings off")
    connection.executescript(SCHEMAS[schema])
    return connection


def drawn(sql, schema: str, count: int) -> tuple[Analyzer, list[str]]:
    """An analyser that knows the schema to be all there is, and statements drawn over it."""
    settings = {"dialect": "sqlite"}
    declared = Analyzer(sql, resolver_of(sql), settings=settings).declared([(SCHEMAS[schema], "schema.sql")])
    facts = Facts(declared.bindings, frozenset({"Table", "Column"}))
    analyzer = Analyzer(sql, resolver_of(sql), facts, settings)
    rng = Random(99)
    grammars = []
    for source in SOURCES:
        (hole,) = analyzer.analyse(f"SELECT {{:Column}} {source};").holes
        instance = instantiate(fragment(source), hole.environment, Rung.CTX)
        assert len(instance.candidates["c"]) >= 2, source
        grammars.append(instance.grammar)
    return analyzer, ["SELECT " + sample(rng.choice(grammars), rng, steps=40) for _ in range(count)]


COUNTS = [300, pytest.param(10_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("schema", SCHEMAS)
def test_analysis_finds_no_ghost_in_random_statements(sql, schema: str, count: int):
    analyzer, statements = drawn(sql, schema, count)
    references = unknown = 0
    for statement in statements:
        analysis = analyzer.analyse(statement + ";")
        assert [(d.code, d.name, statement) for d in analysis.diagnostics] == []
        references += analysis.references
        unknown += analysis.unknown
    assert references > count
    assert unknown <= references / 100


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("schema", SCHEMAS)
def test_sqlite_finds_every_name_in_random_statements(sql, schema: str, count: int):
    connection = judge(schema)
    _, statements = drawn(sql, schema, count)
    for statement in statements:
        connection.execute(
            f"EXPLAIN {statement}"
        )  # raises "no such column", "ambiguous column name" and whatever else
    connection.close()


@pytest.mark.parametrize("schema", SCHEMAS)
def test_both_judges_see_a_ghost(sql, schema: str):
    """They are not blind: one name changed in each statement, and both say so."""
    connection = judge(schema)
    analyzer, statements = drawn(sql, schema, 40)
    for statement in statements:
        ghostly = statement.replace("SELECT ", "SELECT ghost_1, ", 1)
        assert [d.name for d in analyzer.analyse(ghostly + ";").diagnostics] == ["ghost_1"]
        with pytest.raises(sqlite3.Error, match="no such column: ghost_1"):
            connection.execute(f"EXPLAIN {ghostly}")
    connection.close()
