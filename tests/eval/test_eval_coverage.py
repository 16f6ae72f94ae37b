"""What the grammar of whole statements takes: Spider's reference queries, TPC-H's, and nothing that is no SQL.

Only white space (one space where there is any) and the letter case of keywords are changed before a query is read; names may be
written in any case that the dialect takes for the same.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from corpora import SCHEMAS, corpus, spider_databases, spider_tasks
from world import analyzer, sqlite_facts, with_ddl

from gproj_lsp.check_surface import BYTES
from gproj_lsp.decode.base import Matcher
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.environment import Binding, Environment
from gproj_lsp.expansion import Keywords, Letters, expand
from gproj_lsp.fragment import Rung
from gproj_lsp.gbnf import Derivations, Grammar, Literal, walk
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import World
from gproj_lsp.resolvers.sql.names import any_case
from gproj_lsp.surface import shipped

_TOKEN = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\"[^\"]*\"|\s+|[^\s'\"-]+|-")
_SYNTAX = ("syntax error", "incomplete input", "unrecognized token", "parser stack overflow")


def grammar_of(environment: Environment, dialect: str, keywords: Keywords = Keywords.ANY) -> Grammar:
    world = World(frozenset(), {"dialect": dialect})
    letters = Letters(keywords, lambda binding: any_case(binding, world))
    fragments = shipped()["sql"].fragments
    return expand("Statement", fragments, environment, lambda _: Rung.GAMMA, letters=letters)


def plain(query: str) -> str:
    """The query with one space where it has white space or comments."""
    tokens = (match[0] for match in _TOKEN.finditer(query))
    spaced = "".join(" " if token.isspace() or token.startswith("--") else token for token in tokens)
    return re.sub(r" +", " ", spaced).strip()


def refused(matcher: Matcher, text: str) -> str:
    """Where the text leaves the language, read byte by byte; empty where it is in it."""
    data, at = plain(text).encode(), 0
    while at < len(data) and matcher.accept_bytes(data[at : at + 1]):
        at += 1
    if at == len(data) and matcher.is_complete():
        return ""
    return f"{data[:at].decode()} <here> {data[at:].decode()}"


@cache
def spider_matcher(database: str) -> Matcher:
    start = analyzer("sqlite", sqlite_facts(spider_databases()[database])).start
    return make_engine().compile(grammar_of(start, "sqlite"), BYTES)


def uncovered(step: int) -> list[str]:
    found = (
        (task, refused(spider_matcher(task.database).fork(), task.query)) for task in spider_tasks()[::step]
    )
    return [f"{task.label}: {where}" for task, where in found if where]


def test_a_part_of_the_reference_queries_is_covered():
    assert uncovered(12) == []


@pytest.mark.slow
def test_every_reference_query_is_covered(tell: Callable[[object], None]):
    found = uncovered(1)
    tell(f"coverage: {len(spider_tasks()) - len(found)} of {len(spider_tasks())} reference queries")
    assert found == []


@cache
def written(database: str) -> tuple[Analyzer, Matcher, dict[str, str]]:
    """A database's analyser, the grammar that `complete` writes under, and the words that it spells out."""
    reader = analyzer("sqlite", sqlite_facts(spider_databases()[database]))
    grammar = expand("Statement", shipped()["sql"].fragments, reader.start, lambda _: Rung.GAMMA)
    literals = [
        each.text for rule in grammar.rules.values() for each in walk(rule) if isinstance(each, Literal)
    ]
    words = {text.lower(): text for text in literals if text.isalpha()}
    return reader, make_engine().compile(grammar, BYTES), words


def test_what_a_user_wrote_is_read_once_its_names_are_spelled_as_declared(tell: Callable[[object], None]):
    """As `complete` reads the text before a cursor: then no name may be in another case than its declaration."""
    found = []
    for task in spider_tasks()[::4]:
        reader, matcher, words = written(task.database)
        # Without the blank somebody might still be writing the last name.
        text = reader.statement("", 0).canonical(f"{task.query} ", words).rstrip()
        if where := refused(matcher.fork(), text):
            found.append(f"{task.label}: {where}")
    tell(f"coverage as complete reads: {len(found)} of {len(spider_tasks()[::4])} refused")
    assert found == []


# --- TPC-H --------------------------------------------------------------------------------------------------------------------


def declared(query: str) -> Iterator[Binding]:
    """The names that a query declares itself: what writing it would have added to Γ."""
    listed = re.findall(r"\bas\s+\w+\s*\(([^()]*)\)", query, re.IGNORECASE)
    columns = re.findall(r"\bas\s+([a-z_]\w*)", query, re.IGNORECASE)
    tables = re.findall(r"\bwith\s+(\w+)", query, re.IGNORECASE)
    for name in dict.fromkeys([*columns, *(each.strip() for names in listed for each in names.split(","))]):
        yield Binding(name, "Column", owner="query")
    for name in dict.fromkeys([*tables, *columns]):
        yield Binding(name, "Table")


def test_tpch_is_covered(tell: Callable[[object], None]):
    files = sorted(corpus("tpch").glob("*.sql"))
    start = with_ddl("postgres", SCHEMAS / "tpch.sql").start
    found = {}
    for file in files:
        query = file.read_text()
        grammar = grammar_of(start.declare(*declared(query)), "postgres")
        found[file.name] = refused(make_engine().compile(grammar, BYTES), query)
    left = {name: where for name, where in found.items() if where}
    tell(f"coverage: {len(found) - len(left)} of {len(found)} queries of TPC-H; {left or 'none left'}")
    assert len(left) <= len(files) - 20


# --- what is derived parses ---------------------------------------------------------------------------------------------------


def misread(database: Path, number: int, seed: int) -> list[str]:
    """Random derivations that SQLite can't parse. That names do not fit together is for the narrower rungs to rule out."""
    rng = random.Random(seed)
    start = analyzer("sqlite", sqlite_facts(database)).start
    derivations = Derivations(grammar_of(start, "sqlite", Keywords.UPPER))
    found = []
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        for _ in range(number):
            text = derivations.sample(rng, steps=rng.choice((40, 120, 300)))
            try:
                connection.execute(f"EXPLAIN {text}")
            except sqlite3.Error as error:
                if any(complaint in str(error) for complaint in _SYNTAX):
                    found.append(f"{error}: {text}")
    return found


def test_a_few_random_derivations_parse():
    name, database = next(iter(spider_databases().items()))
    assert misread(database, 100, 1) == [], name


@pytest.mark.slow
def test_ten_thousand_random_derivations_parse(tell: Callable[[object], None]):
    databases = spider_databases()
    found = [
        each
        for seed, file in enumerate(databases.values())
        for each in misread(file, 10_000 // len(databases), seed)
    ]
    tell(f"10,000 random derivations, {len(found)} that SQLite can't parse")
    assert found == []
