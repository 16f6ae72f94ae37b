"""What names mean: which are one thing."""

import gc
from weakref import ref

import pytest

from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.names import names_of
from gproj_lsp.resolve import Verdict, resolver_of

ROWS = {b"new", b"excluded"}
"""Rows that a statement has without declaring them."""


def same(desk, marked):
    """The names that mean what the one under the cursor means, declarations in brackets."""
    place = desk.place(marked)
    names = names_of(place.analysis)
    name = names.at(place.offset)
    if name is None:
        return None
    return [
        f"{place.analysis.lines.place(each.span.start)} "
        f"{f'[{place.at(each.span)}]' if each.declares else place.at(each.span)}"
        for each in names.occurrences(name.meaning)
    ]


@pytest.mark.parametrize(
    ("marked", "found"),
    [
        ("SELECT u|.id FROM users u WHERE u.id > 1", ["1:8 u", "1:24 [u]", "1:32 u"]),
        ("SELECT users|.id FROM users", ["1:8 users", "1:22 users"]),
        ("SELECT a.id, b.id FROM users a|, users b", ["1:8 a", "1:30 [a]"]),
        ("SELECT c.|x FROM (SELECT id AS x FROM users) c", ["1:10 x", "1:31 [x]"]),
        ("SELECT c.id| FROM (SELECT id FROM users) c", ["1:10 id", "1:26 id"]),
        ("WITH c| AS (SELECT 1 AS x) SELECT c.x FROM c", ["1:6 [c]", "1:34 c", "1:43 c"]),
        ("WITH c(x|) AS (SELECT id FROM users) SELECT c.x FROM c", ["1:8 [x]", "1:46 x"]),
        ("SELECT total AS t| FROM orders ORDER BY t", ["1:17 [t]", "1:40 t"]),
        ("SELECT rank() OVER w| FROM users WINDOW w AS (ORDER BY id)", ["1:20 w", "1:40 [w]"]),
        (
            "WITH RECURSIVE r| AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
            ["1:16 [r]", "1:64 r", "1:81 r"],
        ),
        (
            "SELECT (SELECT x.id FROM users x| WHERE x.id = o.id) FROM orders o",
            ["1:16 x", "1:32 [x]", "1:40 x"],
        ),
    ],
)
def test_names_inside_a_statement(desk, marked, found):
    assert same(desk, marked) == found


@pytest.mark.parametrize(
    ("marked", "found"),
    [
        (
            "CREATE TABLE t (a| INT, CHECK (a > 0)); SELECT t.a FROM t;",
            ["1:17 [a]", "1:31 a", "1:49 a"],
        ),
        (
            "CREATE TABLE t| (a INT); DROP TABLE t; CREATE TABLE t (b INT); SELECT b FROM t;",
            ["1:14 [t]", "1:36 t"],
        ),
        (
            "CREATE TABLE t (a INT); DROP TABLE t; CREATE TABLE t| (b INT); SELECT b FROM t;",
            ["1:52 [t]", "1:77 t"],
        ),
        (
            "CREATE TABLE t (a INT); ALTER TABLE t RENAME COLUMN a TO b|; SELECT b FROM t;",
            ["1:58 [b]", "1:68 b"],
        ),
        (
            "CREATE VIEW v AS SELECT id AS x| FROM users; SELECT x FROM v;",
            ["1:31 [x]", "1:52 x"],
        ),
        (
            "CREATE TABLE IF NOT EXISTS t| (a INT); CREATE TABLE IF NOT EXISTS t (a INT);",
            ["1:28 [t]", "1:66 [t]"],
        ),
        ("SELECT name| FROM users; SELECT u.name FROM users u;", ["1:8 name", "1:34 name"]),
    ],
)
def test_names_that_outlive_their_statement(desk, marked, found):
    assert same(desk, marked) == found


def test_what_is_not_known_means_nothing(desk):
    assert same(desk, "SELECT nma|e FROM users;") is None
    assert same(desk, "SELECT id| FROM users, orders;") is None
    assert same(desk, "SELECT 1| FROM users;") is None


def test_spans_are_bytes(desk):
    assert same(desk, "SELECT 'ö😀', ü|.id FROM users ü") == ["1:14 ü", "1:30 [ü]"]


def test_an_edit_that_changes_gamma_keeps_local_names_together(desk):
    first = "CREATE TABLE t (a INT);\nSELECT x.id FROM users x;\n"
    desk.analyzer.analyse(first, document="d")
    analysis = desk.analyzer.analyse(first.replace("(a INT)", "(b INT)"), document="d")
    names = names_of(analysis)
    name = names.at(first.index("x.id"))
    assert len(names.occurrences(name.meaning)) == 2


def test_every_declared_reference_means_something(desk):
    text = """
        CREATE TABLE t (id INT REFERENCES users (id), n TEXT, PRIMARY KEY (id));
        INSERT INTO t (id, n) SELECT u.id, u.name FROM users u ON CONFLICT (id) DO UPDATE SET n = excluded.n;
        UPDATE t SET n = (SELECT max(o.total) FROM orders o WHERE o.user_id = t.id) WHERE n IS NULL RETURNING id;
        DELETE FROM t WHERE id IN (SELECT user_id FROM orders);
        SELECT * FROM users JOIN orders USING (id) GROUP BY name HAVING count(*) > 1;
        CREATE INDEX i ON t (n);
        CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET n = new.n WHERE id = new.id; END;
    """
    analysis = desk.analyzer.analyse(text)
    names = names_of(analysis)
    known = {name.span for name in names.all()}
    assert not analysis.diagnostics
    declared = [
        span for span, each in analysis.each_reference() if each.verdict is Verdict.DECLARED and each.binding
    ]
    new = [span for span in declared if span not in known]
    assert {analysis.source.data[span.start : span.end] for span in new} <= ROWS
    assert len(declared) > 30


def test_names_of_a_surface_of_scopes(toy):
    analyzer = Analyzer(toy, resolver_of(toy))
    text = "CREATE TABLE t (a int); SELECT u.id FROM t AS u WHERE EXISTS (SELECT u.id FROM t AS u);"
    names = names_of(analyzer.analyse(text))

    def places(at):
        return [each.span.start for each in names.occurrences(names.at(at).meaning)]

    assert places(text.index("t (a")) == [13, 41, 79]
    assert places(text.index("u.id")) == [31, 46]
    assert places(text.rindex("u.id")) == [69, 84]


def test_what_nobody_needs_any_more_is_let_go(desk):
    analysis = desk.analyzer.again(desk.analyzer.analyse(""), "SELECT u.id FROM users u WHERE u.id > 1;")
    assert len(list(names_of(analysis).all())) == 6
    gone = ref(analysis)
    del analysis
    gc.collect()
    assert gone() is None
