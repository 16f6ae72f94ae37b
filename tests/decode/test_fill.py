"""What filling a document needs besides a model: drafts, the head of the prompt, what Γ is near."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.draft import Draft
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.fill import Analysed, Filler
from gproj_lsp.decode.models.fake import FakeModel, word_vocabulary
from gproj_lsp.decode.nearby import Nearby
from gproj_lsp.decode.schema import head
from gproj_lsp.environment import Binding, Environment, Frame, Origin
from gproj_lsp.facts import DISPUTED, facts_from_table
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.text import Span

DATABASE = Origin("database")


@given(st.text(min_size=1, max_size=20), st.data())
def test_edits_apply_at_once_and_places_follow(original, data):
    size = len(original.encode())
    cuts = [at for at in range(size + 1) if at == size or original.encode()[at] & 0xC0 != 0x80]
    marks = sorted(data.draw(st.lists(st.sampled_from(cuts), min_size=4, max_size=4)))
    spans = [Span(marks[0], marks[1]), Span(marks[2], marks[3])]
    texts = data.draw(st.tuples(st.text(min_size=1, max_size=5), st.text(min_size=1, max_size=5)))
    draft = Draft(original)
    for span, text in data.draw(st.permutations(list(zip(spans, texts, strict=True)))):
        draft = draft.filled(span, text)
    whole = original.encode()
    if spans[0] != spans[1]:
        expected = (
            whole[: marks[0]]
            + texts[0].encode()
            + whole[marks[1] : marks[2]]
            + texts[1].encode()
            + whole[marks[3] :]
        )
        assert draft.text.encode() == expected
    for offset in cuts:
        if offset >= marks[3]:
            assert draft.text.encode()[draft.now(offset) :] == whole[offset:]


def test_what_is_no_text_stays_as_it_is_around_edits():
    draft = Draft("\ud800 ?? \udcff\n??").filled(Span(4, 6), "a").filled(Span(9, 11), "é")
    assert draft.text == "\ud800 a \udcff\né"


def world(count=3):
    tables = [Binding(f"t{at}", "Table", origin=DATABASE) for at in range(count)]
    columns = [
        Binding(name, "Column", f"t{at}", attrs={"type": "INT"}, origin=DATABASE)
        for at in range(count)
        for name in ("id", "name")
    ]
    return Environment.of([*tables, *columns])


def test_the_head_tells_the_world_in_the_surfaces_words(sql):
    assert head(sql, world(2), "").splitlines() == [
        "CREATE TABLE t0 (id INT, name INT);",
        "CREATE TABLE t1 (id INT, name INT);",
    ]


def test_the_head_leaves_out_what_the_text_and_the_language_declare(sql):
    own = Environment.of(
        [
            Binding("mine", "Table"),
            Binding("x", "Column", "mine"),
            Binding("catalog", "Table", origin=Origin("builtin")),
            Binding("y", "Column", "catalog", origin=Origin("builtin")),
        ]
    )
    assert head(sql, own, "") == ""


def test_of_a_large_world_what_the_text_names_comes_first_and_the_order_stays(sql):
    told = head(sql, world(200), "SELECT id FROM T150 JOIN t7", room=400).splitlines()
    names = [line.split()[2] for line in told]
    assert {"t7", "t150"} <= set(names)
    assert names == sorted(names, key=lambda name: int(name[1:]))
    assert sum(map(len, told)) <= 400


def test_members_of_the_languages_own_things_are_near_only_where_they_are_visible(sql):
    builtin = Origin("builtin")
    far = Binding("pagetype", "Column", "dbstat", origin=builtin)
    visible = Binding("tbl_name", "Column", "sqlite_master", attrs={"scope": "visible"}, origin=builtin)
    function = Binding("max", "Function", origin=builtin)
    mine = Binding("id", "Column", "t")
    near = Nearby(sql).environment(Environment.of([far, visible, function, mine]))
    assert set(near) == {visible, function, mine}


def test_a_name_in_doubt_is_not_offered_and_hides_what_it_was_before(sql):
    column = Binding("email", "Column", "users")
    doubted = Binding("email", "Column", "users", attrs={DISPUTED: "it may have been dropped"})
    near = Nearby(sql).environment(Environment.of([column]).push(Frame.of([doubted])))
    assert not set(near)


@dataclass(frozen=True)
class Choosy:
    """An analysis that can't read a text where a word stands."""

    of: Analysed
    word: str

    def __getattr__(self, name):
        return getattr(self.of, name)

    def readable(self, span):  # noqa: ARG002  (a protocol's method)
        return self.word not in self.of.text


def test_a_name_that_makes_its_statement_unreadable_is_withheld_however_much_the_model_wants_it(sql):
    facts = facts_from_table(sql, {"Table": {"users": {"columns": ["id", "name"]}}})
    analyzer = Analyzer(sql, resolver_of(sql), facts, {"dialect": "sqlite"})
    model = FakeModel(
        word_vocabulary(["SELECT", " FROM", "users", "id", "name"]), lambda _: b"name FROM users;"
    )

    def filled(word):
        filler = Filler(sql, Context(model), make_engine("trie"))
        result = filler.fill("SELECT ?? FROM users;", lambda text: Choosy(analyzer.analyse(text), word))
        return [hole.text for hole in result.holes], result.withheld

    assert filled("no such word") == (["name"], 0)
    assert filled("name") == (["id"], 1)
