"""Renames judged by SQLite itself: whatever is not refused gives the same rows."""

from __future__ import annotations

import json
import sqlite3
from functools import cache

import pytest

from gproj_lsp.errors import InputError
from gproj_lsp.facts import facts_from_table
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.edits import applied
from gproj_lsp.ide.names import names_of
from gproj_lsp.ide.rename import renaming
from gproj_lsp.resolve import resolver_of

pytestmark = pytest.mark.slow

FRESH = "zqx_fresh"
MORE = (
    "WITH a AS (SELECT {0} AS x FROM {1}), b AS (SELECT x FROM a) SELECT b.x, a.x FROM a, b WHERE a.x = b.x ORDER BY b.x",
    "SELECT t.n FROM (SELECT {0} AS n, count(*) AS c FROM {1} GROUP BY n) t WHERE t.c > 0 ORDER BY t.c, n",
    "SELECT {0} AS {0}, (SELECT count(*) FROM {1} i WHERE i.{0} = o.{0}) AS k FROM {1} o GROUP BY o.{0} ORDER BY k, 1",
)


@pytest.fixture(scope="module")
def spider(shared):
    return shared / "data" / "spider"


@pytest.fixture(scope="module")
def tasks(spider):
    return json.loads((spider / "tasks.json").read_text())


@pytest.fixture(scope="module")
def database(spider):
    @cache
    def opened(name):
        path = spider / "databases" / f"{name}.sqlite"
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        connection.text_factory = bytes
        return connection

    return opened


@pytest.fixture(scope="module")
def analyzer(sql, database):
    @cache
    def made(name):
        connection = database(name)
        tables = {table: {"columns": columns} for table, columns in _tables(connection)}
        return Analyzer(
            sql, resolver_of(sql), facts_from_table(sql, {"Table": tables}), {"dialect": "sqlite"}
        )

    return made


def _tables(connection):
    for (raw,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
        columns = connection.execute("SELECT name FROM pragma_table_info(?)", [raw.decode()])
        yield raw.decode(), [column.decode() for (column,) in columns]


def rows(connection, text):
    try:
        return connection.execute(text).fetchmany(200)
    except sqlite3.Error as error:
        return str(error)


def renames(analyzer, text, names):
    """Each name of a text with each new name: the text after it, unless it was refused."""
    analysis = analyzer.analyse(text)
    found = {name.meaning: name for name in names_of(analysis).all() if name.meaning.local}
    for meaning, name in found.items():
        for new in names:
            try:
                edits = renaming(analyzer, analysis, name.span.start).to(new)
            except InputError:
                continue
            yield meaning.binding.name, new, applied(text, edits)


def judged(tasks, analyzer, database, texts_of, names_of_text):
    """How many renames were made, and those that changed what the database answers."""
    made, wrong = 0, []
    for task in tasks:
        connection = database(task["db_id"])
        for text in texts_of(task, connection):
            before = rows(connection, text)
            for old, new, after in renames(analyzer(task["db_id"]), text, names_of_text(text)):
                made += 1
                if rows(connection, after) != before:
                    wrong.append((old, new, text, after))
    return made, wrong


def test_fresh_names_change_nothing(tasks, analyzer, database):
    made, wrong = judged(tasks, analyzer, database, lambda task, _: [task["query"]], lambda _: [FRESH])
    assert wrong == []
    assert made > 300


def test_names_that_stand_in_the_query_change_nothing_or_are_refused(tasks, analyzer, database):
    def words(text):
        return sorted(
            {word for word in text.replace(".", " ").replace(",", " ").split() if word.isidentifier()}
        )

    made, wrong = judged(tasks[::3], analyzer, database, lambda task, _: [task["query"]], words)
    assert wrong == []
    assert made > 100


def test_common_tables_derived_columns_and_aliases_can_be_renamed(tasks, analyzer, database):
    def texts(task, connection):
        table, columns = next(_tables(connection))
        return [each.format(f'"{columns[0]}"', f'"{table}"') for each in MORE]

    some = list({task["db_id"]: task for task in tasks}.values())
    made, wrong = judged(some, analyzer, database, texts, lambda _: [FRESH, "x", "b", "n", "k", "select"])
    assert wrong == []
    assert made > 100


def script(connection, query):
    """The definitions of a database and a query over them."""
    made = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL")
    return ";\n".join([*(text.decode() for (text,) in made), query]) + ";"


def runs(text):
    with sqlite3.connect(":memory:") as connection:
        try:
            connection.executescript(text)
        except sqlite3.Error as error:
            return str(error)
        finally:
            connection.execute("SELECT 1")
    connection.close()
    return ""


def test_tables_and_columns_can_be_renamed_with_everything_that_names_them(sql, tasks, database):
    bare = Analyzer(sql, resolver_of(sql), settings={"dialect": "sqlite"})
    made, refused, wrong = 0, [], []
    for task in list({task["db_id"]: task for task in tasks}.values()):
        text = script(database(task["db_id"]), task["query"])
        if runs(text):
            continue
        analysis = bare.analyse(text)
        found = {name.meaning: name for name in names_of(analysis).all() if not name.meaning.local}
        for meaning, name in found.items():
            if meaning.binding.origin.provider != "buffer":
                continue
            try:
                after = applied(text, renaming(bare, analysis, name.span.start).to(FRESH))
            except InputError as error:
                refused.append((task["db_id"], str(error)))
                continue
            made += 1
            if problem := runs(after):
                wrong.append((task["db_id"], meaning.binding.name, problem))
    assert wrong == []
    assert made > 4 * len(refused)
    assert made > 150
