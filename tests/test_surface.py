"""Surfaces are read strictly: whatever is wrong is named with its file and line."""

import re
import shutil

import pytest

from gproj_lsp.environment import Query
from gproj_lsp.errors import GrammarError, SurfaceError
from gproj_lsp.fragment import RegionCall, Rung
from gproj_lsp.resolve import resolver_of
from gproj_lsp.resolvers.lexical import LexicalResolver
from gproj_lsp.surface import load, shipped, surface_for

FRAGMENT = """\
anchor = "Column"
grammar = '''
root ::= %column%
identifier ::= [a-z]+
'''

[slots.column]
base = "identifier"
gamma = { sort = "Column" }
ctx = { sort = "Column", scope = ["visible", "near"] }

[[gate]]
facts.Table.users.columns = ["id"]
accept = ["id"]
"""


@pytest.fixture
def write_fragment(toy_root):
    def write(text, name="column"):
        folder = toy_root / "fragments"
        folder.mkdir(exist_ok=True)
        path = folder / f"{name}.toml"
        path.write_text(text)
        return path

    return write


def line_of(path, needle):
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if needle in line)


def test_the_toy_surface_reads_as_written(toy):
    assert toy.name == "toy"
    assert toy.sort("TableRef") is toy.sorts["Table"]
    assert toy.sort("Nope") is None
    assert toy.sorts["Column"].rungs == (Rung.GAMMA,)
    assert toy.sorts["Column"].namespace == "Column"
    assert toy.order == ("From", "Select")
    assert toy.limits.nesting == 200


def test_text_is_offered_in_comments_and_strings_only_where_a_surface_says_so(sql, tmp_path):
    assert (sql.completion.in_comments, sql.completion.in_strings) == (False, False)
    folder = shutil.copytree(sql.root, tmp_path / "sql")
    path = folder / "surface.toml"
    path.write_text(path.read_text().replace("in-comments = false", "in-comments = true"))
    assert (load(folder).completion.in_comments, load(folder).completion.in_strings) == (True, False)
    path.write_text(path.read_text().replace("in-comments = true", 'in-comments = "yes"'))
    with pytest.raises(SurfaceError, match="in-comments"):
        load(folder)


def test_a_sort_may_have_other_rungs_in_a_region(toy_root):
    path = toy_root / "surface.toml"
    path.write_text(path.read_text().replace('placeholder = "c"', 'regions = { Where = ["ctx", "gamma"] }'))
    policy = load(toy_root).sorts["Column"].policy
    assert policy.ladder(("Select",)) == (Rung.GAMMA,)
    assert policy.ladder(("Select", "Where")) == (Rung.CTX, Rung.GAMMA)


def test_a_dialect_changes_only_the_keys_it_names(toy):
    assert toy.lexer.terminator == ";"
    assert toy.dialects["loud"].terminator == "!"
    assert toy.dialects["loud"].strings == toy.lexer.strings


def test_equal_folders_are_equal_surfaces(toy, toy_root):
    assert load(toy_root) == toy


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        ('comment = "--"', 'comment = "--"\ncolour = "red"', 'unknown key "colour"', "colour"),
        ("[lexer]", "[lexer]\nstringz = []", 'unknown key "stringz"', "stringz"),
        ('aliases = ["TableRef"]', 'alias = ["TableRef"]', 'unknown key "alias"', "alias ="),
        ('plural = "columns"', "plural = 3", "sorts.Column.plural: expected `str`, got `int`", "plural"),
        ('placeholder = "c"', 'placeholder = "a b"', "a placeholder is an identifier", "a b"),
        ('placeholder = "c"', 'rungs = ["gamma", "ctx"]', "from the tightest to the loosest", "rungs"),
        ('placeholder = "c"', 'regions = { Where = ["gamma", "ctx"] }', "tightest to the loosest", "regions"),
        ('placeholder = "c"', 'rungs = ["delta"]', '"delta" is none of base, gamma, ctx, pin', "rungs"),
        ('placeholder = "c"', 'kind = "colour"', '"colour" is none of', "kind"),
        ('placeholder = "c"', 'declares = "Colum"', 'unknown sort "Colum"', "declares"),
        (
            "[sorts.Alias]",
            '[sorts.Alias]\naliases = ["Table"]',
            '"Table" already names Table',
            "[sorts.Alias]",
        ),
        ("pattern = ':\\w+'", "pattern = '('", "is no regular expression", "opaque"),
        ('fill = "name"', 'fill = "void"', '"void" is none of keep, name', "opaque"),
        ('terminator = "!"', 'terminator = " "', "a terminator can't be blank", "terminator"),
        ('terminator = "!"', "words = '['", "is no regular expression", "words"),
        ('dialect = "loud|quiet"', 'dialect = "loud"', '"loud" is none of text', "dialect"),
        ('patterns = ["*.toy"]', "patterns = []", "at least one pattern", "patterns"),
        ('comment = "--"', 'comment = " "', "a comment can't be blank", "comment"),
        ("[sorts.Alias]", "[limits]\nnesting = 0\n[sorts.Alias]", "a limit is at least 1", "nesting"),
        ('name = "toy"', 'name = "toy', "is not TOML", "name"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(toy_root, old, new, said, line):
    path = toy_root / "surface.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(SurfaceError, match=re.escape(said)) as caught:
        load(toy_root)
    assert caught.value.place.split(":")[:2] == [str(path), str(line_of(path, line))]


def test_a_folder_without_a_surface_is_an_error(tmp_path):
    with pytest.raises(SurfaceError, match="can't be read") as caught:
        load(tmp_path)
    assert caught.value.place == str(tmp_path / "surface.toml")


def test_a_fragment_has_slots_with_queries_that_tighten(toy_root, write_fragment):
    write_fragment(FRAGMENT)
    fragment = load(toy_root).fragments["Column"]
    assert fragment.slots["column"].queries == {
        Rung.GAMMA: Query.of("Column"),
        Rung.CTX: Query.of("Column", scope=["visible", "near"]),
    }
    assert fragment.gate[0].accept == ("id",)
    assert fragment.gate[0].rung is Rung.GAMMA


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        ('anchor = "Column"', 'anchor = "Colum"', 'unknown sort "Colum"', "anchor"),
        ('base = "identifier"', 'base = "name"', 'the grammar has no rule "name"', "base"),
        ("[slots.column]", "[slots.table]", "the slot column is not described", "grammar"),
        ("root ::= %column%", "root ::= identifier", "the grammar has no slot column", "[slots.column]"),
        ('gamma = { sort = "Column" }', "gamma = {}", "a query names at least one sort", "[slots.column]"),
        ('gamma = { sort = "Column" }', 'gamma = { sort = "X" }', 'unknown sort "X"', "[slots.column]"),
        ('gamma = { sort = "Column" }', 'gamma = { sort = "Table" }', "must tighten", "[slots.column]"),
        ('accept = ["id"]', 'accepts = ["id"]', 'unknown key "accepts"', "accepts"),
    ],
)
def test_a_broken_fragment_is_named_with_its_line(write_fragment, old, new, said, line):
    assert old in FRAGMENT
    path = write_fragment(FRAGMENT.replace(old, new, 1))
    with pytest.raises(SurfaceError, match=re.escape(said)) as caught:
        load(path.parents[1])
    assert caught.value.place == f"{path}:{line_of(path, line)}"


COMPOSITE = """\
anchor = "Table"
grammar = '''
root ::= %new% ws @inner@
name ::= [a-z] [a-z0-9]{0,9}
ws ::= " "
'''

[slots.new]
base = "name"
declares = "Table"
unless = { sort = "Column", except = { kind = ["view", "system"] } }

[regions.inner]
sort = "Column"
clause = "From"
nests = true
swaps = { Column = "Alias" }
prefers = "Alias"
"""


def test_a_composite_fragment_says_what_its_regions_call(toy_root, write_fragment):
    write_fragment(COMPOSITE)
    fragment = load(toy_root).fragments["Table"]
    assert fragment.regions["inner"] == RegionCall("Column", 0, "From", True, {"Column": "Alias"}, "Alias")  # noqa: FBT003  (as the file says it)
    barred = (("kind", frozenset({"view", "system"})),)
    assert fragment.slots["new"].unless == Query(frozenset({"Column"}), barring=barred)


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        ('sort = "Column"\nclause', 'sort = "Colum"\nclause', 'unknown sort "Colum"', "[regions.inner]"),
        ('Column = "Alias"', 'Column = "Ali"', 'unknown sort "Ali"', "[regions.inner]"),
        ('prefers = "Alias"', 'prefers = "Ali"', 'unknown sort "Ali"', "[regions.inner]"),
        ("{0,9}", "*", "words can be left out only of", "unless"),
        ('kind = ["view", "system"]', "kind = { a = 1 }", "expected", "unless"),
        (
            'sort = "Column", except',
            'sort = { a = "b" }, except',
            "a query names at least one sort",
            "unless",
        ),
        ("except = {", "other = {", "`except` by those that bar a name", "unless"),
    ],
)
def test_what_is_wrong_with_a_composite_fragment_is_named(write_fragment, old, new, said, line):
    assert old in COMPOSITE
    path = write_fragment(COMPOSITE.replace(old, new, 1))
    with pytest.raises(SurfaceError, match=re.escape(said)) as caught:
        load(path.parents[1])
    assert caught.value.place == f"{path}:{line_of(path, line)}"


def test_broken_gbnf_is_named_with_line_and_column(toy_root, write_fragment):
    write_fragment(FRAGMENT.replace("[a-z]+", "[a-z"))
    with pytest.raises(GrammarError) as caught:
        load(toy_root)
    assert caught.value.place == f"{toy_root / 'fragments' / 'column.toml'}:4:16"


def test_one_sort_has_one_fragment(toy_root, write_fragment):
    write_fragment(FRAGMENT, "a")
    write_fragment(FRAGMENT, "b")
    with pytest.raises(SurfaceError, match="Column has a fragment already"):
        load(toy_root)


def test_the_shipped_surfaces_load():
    assert "sql" in shipped()


def test_a_workspace_surface_stands_beside_the_shipped_ones(toy_root):
    assert set(shipped([toy_root])) >= {"sql", "toy"}


def test_a_file_finds_its_surface_by_name_and_an_editor_by_language(toy, sql):
    surfaces = (toy, sql)
    assert surface_for("deep/Q.SQL", surfaces) is sql
    assert surface_for("x.toy", surfaces) is toy
    assert surface_for("x.toy", surfaces, "sql") is sql
    assert surface_for("x.py", surfaces) is None


def test_a_surface_without_a_resolver_resolves_lexically(toy, sql):
    assert isinstance(resolver_of(toy), LexicalResolver)
    assert not isinstance(resolver_of(sql), LexicalResolver)


def test_a_workspace_can_not_bring_code(toy_root):
    path = toy_root / "surface.toml"
    shutil.copy(__file__, toy_root / "mine.py")
    path.write_text(path.read_text().replace('comment = "--"', 'comment = "--"\nresolver = "mine"'))
    with pytest.raises(SurfaceError, match='no installed package offers the resolver "mine"'):
        resolver_of(load(toy_root))
