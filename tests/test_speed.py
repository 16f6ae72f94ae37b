"""What an edit costs in a long file: measured, so only on demand."""

import gc
import time
from statistics import median

import pytest

from gproj_lsp.cli import collect_seldom
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

pytestmark = pytest.mark.slow

DDL = "CREATE TABLE users (id int, name text, email text);\nCREATE TABLE orders (id int, user_id int, total int);\n"
QUERY = """\
SELECT u.id, u.name, o.total AS t{0}
FROM users u
JOIN orders o ON o.user_id = u.id AND o.total > {0}
WHERE u.email LIKE 'x{0}%' ORDER BY o.total;

"""
QUERIES = DDL + "".join(QUERY.format(number) for number in range(600))
LINES = DDL + "".join(
    f"SELECT id, name, email FROM users WHERE id = {number} AND name <> 'x';\n" for number in range(2_998)
)
TABLE = """\
CREATE TABLE t{0} (
  id int PRIMARY KEY,
  a int,
  b text,
  c text,
  d text,
  e int REFERENCES t{1} (id),
  f int,
  g int
);
"""
SCHEMA = "".join(TABLE.format(number, max(number - 1, 0)) for number in range(300))
FILES = pytest.mark.parametrize("text", [QUERIES, LINES, SCHEMA], ids=["queries", "lines", "schema"])
DIALECTS = pytest.mark.parametrize("dialect", ["sqlite", "postgres"])


@pytest.fixture(autouse=True)
def _as_the_program():
    before = gc.get_threshold()
    collect_seldom()
    yield
    gc.set_threshold(*before)


@pytest.fixture
def analyse(sql, dialect):
    return Analyzer(sql, resolver_of(sql), settings={"dialect": dialect}).analyse


def milliseconds(analyse, texts):
    """The median time of analysing each text after the one before it."""
    taken = []
    for text in texts:
        started = time.process_time()
        analyse(text)
        taken.append((time.process_time() - started) * 1_000)
    return median(taken)


@FILES
@DIALECTS
def test_an_edit_inside_one_statement(analyse, text):
    analyse(text)
    places = [at for at in range(len(text) // 3, len(text)) if text.startswith("id", at)][:25]
    assert milliseconds(analyse, [f"{text[:at]}idx{text[at + 2 :]}" for at in places]) <= 15


@FILES
@DIALECTS
def test_an_edit_of_the_first_declaration(analyse, text):
    analyse(text)
    added = [text.replace(" int", f" int, extra{number} int", 1) for number in range(9)]
    assert milliseconds(analyse, added) <= 300


@DIALECTS
def test_renaming_what_six_hundred_statements_mention(analyse):
    analyse(QUERIES)
    renamed = [QUERIES.replace("email text", f"email{number} text", 1) for number in range(5)]
    assert milliseconds(analyse, renamed) <= 600  # every one of them is resolved anew, and is a ghost
