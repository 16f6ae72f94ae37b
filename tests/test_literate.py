"""Literate tests judge both ways: what is not said and what is said in vain are failures."""

from dataclasses import replace

import pytest
from toy_resolver import ToyResolver

from gproj_lsp.check_surface import accepts_by
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.environment import Query
from gproj_lsp.errors import SurfaceError
from gproj_lsp.facts import facts_from_table
from gproj_lsp.fragment import Fragment, Rung, SlotLadder
from gproj_lsp.gbnf import parse
from gproj_lsp.literate import read_tests, run
from gproj_lsp.resolve import resolver_of

WORLD = """\
```toml
[facts]
Table = ["users"]
```
"""


def accepts(fragment, environment, rung, text):
    return any(binding.name == text for binding in environment.names(Query.of("Table")))


@pytest.fixture
def fragments(toy):
    ladder = SlotLadder("name", {Rung.GAMMA: Query.of("Table")})
    fragment = Fragment("Table", parse("root ::= %t%\nname ::= [a-z]+"), {"t": ladder}, {})
    return replace(toy, fragments={"Table": fragment})


@pytest.fixture
def tests_in(tmp_path, fragments):
    def read(text):
        path = tmp_path / "toy.md"
        path.write_text(text)
        return read_tests(path, fragments)

    return read


@pytest.fixture
def failures(tests_in, fragments):
    def judge(code):
        (test,) = tests_in(f"# Test\n{WORLD}```toy\n{code}\n```\n")
        found = run(test, fragments, ToyResolver(), accepts)
        return [str(failure).partition(".md:")[2] for failure in found]

    return judge


def test_a_file_reads_as_sections_that_inherit(tests_in):
    one, two = tests_in(
        f"# Top\n\nProse.\n\n{WORLD}\n## One\n```toy\nuse a;\n```\nmore\n```toy\nuse b;\n```\n"
        '## Two\n```toml\n[settings]\ndialect = "loud"\n```\n```text\nignored\n```\n```toy\nuse c!\n```\n'
    )
    assert (one.name, one.code, one.rows) == ("Top › One", "use a;\nuse b;", (12, 16))
    assert one.facts.closed == {"Table"}
    assert (two.name, dict(two.settings)) == ("Top › Two", {"dialect": "loud"})
    assert two.facts.bindings[0].name == "users"


@pytest.mark.parametrize(
    "code",
    [
        "use users;",
        'use usr;\n--  ^^^ error: [ghost-reference] "usr" fix: users',
        "use usr;\n--  ^^^ error: [ghost-reference]",
        'use usr;\n-- error: "does not exist"',
        'use usr; use é;\n--  ^^^ error: "usr"\n--           ^ error: "é"',
        "use {:Tabel};\n--  ^^^^^^^^ error: [unknown-sort]",
        "use ??;\n--  ^^ hole: Table",
        "use ??;\n--  ^^ hole: Table (gamma) users, self, dual",
        "use ??;\n--  ^^ hole: Table (gamma) users, …",
        "use ??;",
    ],
)
def test_what_is_said_and_comes_out(failures, code):
    assert failures(code) == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("use usr;", '7: unexpected at column 5: error: [ghost-reference] "usr" fix: users'),
        ('use users;\n--  ^^^^^ error: "users"', '8: nothing matches `error: "users"`'),
        ('use usr;\n-- ^^^ error: "usr"', '8: nothing matches `error: "usr"`'),
        ('use usr;\n--  ^^^ error: "usr" fix: user', "8: nothing matches"),
        ('use usr;\n--  ^^^ warning: "usr"', "8: nothing matches"),
        ('use usr;\n--  ^^^ error: [unknown-sort] "usr"', "8: nothing matches"),
        ('use usr;\n--  ^^^ error: "usr"\n--  ^^^ error: "usr"', '9: nothing matches `error: "usr"`'),
        ("use users;\n--  ^^ hole: Table", "8: there is no hole"),
        ("use ??;\n--  ^^ hole: Column", "8: the hole's sort is Table"),
        ("use ??;\n--  ^^ hole: Table (gamma) users", "8: the candidates at gamma are"),
        ("use ??;\n--  ^^ hole: Table (gamma) nope, …", "8: the candidates at gamma are"),
    ],
)
def test_leftovers_fail_both_ways(failures, code, said):
    assert any(failure.startswith(said) for failure in failures(code)), failures(code)


def test_listings_ask_what_may_stand_at_a_hole(tests_in, fragments):
    (test,) = tests_in(
        f"# Test\n{WORLD}```toy\nuse ??;\n```\n"
        "```accept hole=Table\nusers\nnope\n```\n```reject hole=1 rung=gamma\nnope\nusers\n```\n"
        "```accept hole=Column\nid\n```\n"
    )
    assert [str(each).partition(".md:")[2] for each in run(test, fragments, ToyResolver(), accepts)] == [
        "11: `nope` is refused at gamma",
        "15: `users` is taken at gamma",
        "17: there is no hole Column with a fragment",
    ]


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", "", "holds no test"),
        ("# A\nprose\n", "", "holds no test"),
        ("# A\n```toy\nuse a;\n", ":2", "the fence is never closed"),
        ("```toy\nuse a;\n```\n", ":1", "below the header"),
        ("# A\n```python\nx\n```\n", ":2", 'unknown fence "python"'),
        ("# A\n```toy\n--  ^ error: [x]\n```\n", ":3", "below the line of code"),
        ("# A\n```toy\nuse a;\n-- ^ error: fix: b\n```\n", ":4", "code or text at least"),
        ("# A\n```toy\nuse a;\n-- ^ error: nothing known\n```\n", ":4", "code or text at least"),
        ("# A\n```toy\nuse a;\n-- ^ hole: Table (tight)\n```\n", ":4", "write `hole: Sort (rung) name, name`"),
        ("# A\n```toml\nx = 1\n```\n", ":2", 'unknown key "x"'),
        ("# A\n```toml\nx =\n```\n", ":2", "is not TOML"),
        ("# A\n```toml\nsettings = 1\n```\n", ":2", "are tables"),
        ("# A\n```toml\n[settings]\ncolour = 'red'\n```\n", ":2", '"colour" is no setting of toy'),
        ("# A\n```toml\n[facts.Tabel]\na = {}\n```\n```toy\nuse a;\n```\n", ":2", "unknown sort"),
        ("# A\n```accept\na\n```\n", ":2", "write `accept hole=Sort`"),
        ("# A\n```accept hole=Table colour=red\na\n```\n", ":2", "write `accept hole=Sort`"),
        ("# A\n```accept hole=Table\na\n```\n", ":2", "there is no code"),
        ("# A\n```toy\nuse a;\n```\n# A\n```toy\nuse a;\n```\n", ":2", 'two tests are called "A"'),
    ],
)  # fmt: skip
def test_a_malformed_file_is_an_error_with_its_line(tests_in, tmp_path, text, place, said):
    with pytest.raises(SurfaceError, match=said.replace("(", r"\(").replace(")", r"\)")) as caught:
        tests_in(text)
    assert caught.value.place == f"{tmp_path / 'toy.md'}{place}"


def test_an_absent_file_is_an_error(toy, tmp_path):
    with pytest.raises(SurfaceError, match="can't be read"):
        read_tests(tmp_path / "nothing.md", toy)


def test_the_example_of_the_design_holds(sql, tmp_path):
    path = tmp_path / "design.md"
    path.write_text(
        '# Unknown column\n```toml\n[facts.Table.users]\ncolumns = ["id", "name"]\n```\n```sql\n'
        'SELECT u.nmae FROM users u;\n--       ^^^^ error: [ghost-reference] "nmae" fix: name\n'
        "SELECT ?? FROM users;\n--     ^^ hole: Column (ctx) id, name\n```\n"
        "```accept hole=Column\nid\n```\n```reject hole=Column\nnmae\n```\n"
    )
    (test,) = read_tests(path, sql)
    assert run(test, sql, resolver_of(sql), accepts_by(make_engine("llguidance"))) == ()
    assert facts_from_table(sql, {"Table": {"users": {}}}).closed == {"Table"}
