"""`check-surface`: a surface is fit for use, or every reason why not is named with its place."""

import pytest

from gproj_lsp.check_surface import BYTES, accepts_by, check_surface, gate, mutants
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.environment import EMPTY, Query
from gproj_lsp.fragment import Rung
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import load

FRAGMENT = """\
anchor = "Table"
grammar = '''
root ::= %table%
identifier ::= [a-z]+
'''

[slots.table]
base = "identifier"
gamma = { sort = "Table" }

[[gate]]
facts.Table = ["users", "orders"]
accept = ["users", "orders"]
reject = ["usrs", "users orders", ""]

[[gate]]
rung = "base"
accept = ["anything"]
reject = ["no thing"]
"""
TEST = """\
# A ghost
```toml
[facts]
Table = ["users"]
```
```toy
SELECT 1 FROM usrs;
--            ^^^^ error: [ghost-reference] "usrs" fix: users
SELECT 1 FROM ??;
--            ^^ hole: Table (gamma) users
```
```reject hole=Table
usrs
```
"""


@pytest.fixture(scope="module")
def accepts():
    return accepts_by(make_engine("llguidance"))


@pytest.fixture
def root(toy_root):
    (toy_root / "fragments").mkdir()
    (toy_root / "fragments" / "table.toml").write_text(FRAGMENT)
    (toy_root / "tests").mkdir()
    (toy_root / "tests" / "ghosts.md").write_text(TEST)
    return toy_root


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_surface_that_is_fit_passes_everything(root, accepts):
    report = check_surface(root, accepts)
    assert report.passed, report.failures
    assert [(check.kind, check.name) for check in report.checks] == [
        ("toml", "surface.toml"),
        ("query", "locals.scm"),
        ("fragment", "Table"),
        ("test", "ghosts.md: A ghost"),
    ]


def test_data_that_is_not_valid_ends_the_check(root, accepts):
    change(root / "surface.toml", 'name = "toy"', 'nome = "toy"')
    report = check_surface(root, accepts)
    assert [failure.place for failure in report.failures] == [f"{root / 'surface.toml'}:1"]
    assert len(report.checks) == 1


def test_a_resolver_that_is_not_installed_ends_the_check(root, accepts):
    change(root / "surface.toml", 'comment = "--"', 'comment = "--"\nresolver = "mine"')
    assert "no installed package" in check_surface(root, accepts).failures[0].message


def test_a_language_that_is_not_installed_ends_the_check(root, accepts):
    change(root / "surface.toml", "tree_sitter_sql", "tree_sitter_nothing")
    assert "can't be loaded" in check_surface(root, accepts).failures[0].message


def test_a_query_that_does_not_compile_is_a_failure(root, accepts):
    (root / "more.scm").write_text("(nonsense) @x")
    (failure,) = check_surface(root, accepts).failures
    assert failure.place == f"{root / 'more.scm'}:1"


def test_a_literate_test_that_fails_or_is_malformed_is_a_failure(root, accepts):
    change(root / "tests" / "ghosts.md", "fix: users", "fix: user")
    (root / "tests" / "broken.md").write_text("# Nothing\n```toy\n")
    places = [failure.place.rpartition("/")[2] for failure in check_surface(root, accepts).failures]
    assert places == ["broken.md:2", "ghosts.md:7", "ghosts.md:8"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('accept = ["users", "orders"]', 'accept = ["nope"]', "Table at gamma refuses `nope` of its corpus"),
        ('reject = ["usrs"', 'reject = ["users"', "Table at gamma takes `users`, which it must reject"),
        ("root ::= %table%", "root ::= %table% [a-z]?", "Table at gamma takes the ghost `userss`"),
        ('accept = ["anything"]', 'accept = ["no thing"]', "Table at base refuses `no thing` of its corpus"),
    ],
)
def test_the_gate_shuts(root, accepts, old, new, said):
    change(root / "fragments" / "table.toml", old, new)
    assert said in [failure.message for failure in check_surface(root, accepts).failures]


def test_a_fragment_without_a_gate_does_not_pass(root, accepts):
    text = FRAGMENT[: FRAGMENT.index("[[gate]]")]
    (root / "fragments" / "table.toml").write_text(text)
    surface = load(root)
    (failure,) = gate(surface.fragments["Table"], surface, resolver_of(surface), accepts)
    assert "has no gate" in failure.message


def test_ghosts_are_mined_one_edit_away():
    found = list(mutants("id"))
    assert found[:2] == ["di", "d"]
    assert {"iid", "xd", "i", "id1"} <= set(found)
    assert "id" not in found


def test_an_empty_gamma_accepts_nothing(root, accepts):
    surface = load(root)
    assert not accepts(surface.fragments["Table"], EMPTY, Rung.GAMMA, "users")
    assert not EMPTY.names(Query.of("Table"))


def test_bytes_spell_any_text():
    assert BYTES.decode(BYTES.encode("é".encode())) == "é".encode()


COMPOSITE = """\
anchor = "Column"
grammar = '''
root ::= "OF " @table@
'''

[regions.table]
sort = "Table"

[[gate]]
facts.Table = ["users"]
accept = ["OF users"]
reject = ["OF usrs", "users"]
"""


def test_a_composite_fragment_is_judged_with_those_it_calls(root, accepts):
    path = root / "fragments" / "column.toml"
    path.write_text(COMPOSITE)
    assert check_surface(root, accepts).passed
    change(path, '"OF users"]', '"OF users", "OF orders"]')
    (failure,) = check_surface(root, accepts).failures
    assert "Column at gamma refuses `OF orders`" in failure.message


def test_a_composite_fragment_that_calls_what_has_no_fragment_fails(root, accepts):
    (root / "fragments" / "column.toml").write_text(COMPOSITE.replace('sort = "Table"', 'sort = "Alias"'))
    (failure,) = check_surface(root, accepts).failures
    assert "no fragment writes Alias" in failure.message
