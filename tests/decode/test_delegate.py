"""Holes that somebody else writes: what is asked for, and that nothing gets in which the grammar does not hold."""

from __future__ import annotations

import pytest

from gproj_lsp.decode.base import HoleText
from gproj_lsp.decode.delegate import Delegate
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.fill import Filler
from gproj_lsp.decode.hole import Place, Stranded, Wishes
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.decode.trace import Declared, HoleEntered
from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.errors import Cancelled, EmptyQueryError, InputError, ModelError
from gproj_lsp.fragment import Fragment, RegionCall, Rung, SlotLadder
from gproj_lsp.gbnf import parse
from gproj_lsp.ide import Analyzer
from gproj_lsp.policy import Policy
from gproj_lsp.resolve import resolver_of

SHOP = "CREATE TABLE users (id INT, name TEXT, email TEXT);\n"
OPEN = "\nname ::= [a-z]+"


class ScriptedFiller:
    """Writes what it was told to, one text after the other, and remembers the tasks."""

    name = "http://somewhere/v1"
    capacity = 4096

    def __init__(self, *texts: str | HoleText) -> None:
        self.tasks = []
        self._texts = list(texts)

    def write(self, task, stop=None):
        if stop and stop():
            raise Cancelled("decoding was cancelled")
        self.tasks.append(task)
        text = self._texts.pop(0)
        return text if isinstance(text, HoleText) else HoleText(text, 2)


def fragment(anchor, grammar, *, refers=(), declares=(), regions=None):
    gamma = {Rung.GAMMA: Query.of("Var")}
    slots = {slot: SlotLadder("name", gamma) for slot in refers}
    slots |= {slot: SlotLadder("name", {}, declares="Var") for slot in declares}
    calls = {name: RegionCall(call) for name, call in (regions or {}).items()}
    return Fragment(anchor, parse(grammar + OPEN), slots, calls)


USE = fragment("Use", 'root ::= "use " %old% ";"', refers=["old"])
NAME = fragment("Name", "root ::= %old%", refers=["old"])
LET = fragment("Let", 'root ::= "let " %new% ";"', declares=["new"])
BLOCK = fragment("Block", 'root ::= "{" @let@ @use@ "}"', regions={"let": "Let", "use": "Use"})
CHOICE = fragment("Choice", "root ::= @let@ | @use@", regions={"let": "Let", "use": "Use"})
GAMMA = Environment.of([Binding("alpha", "Var"), Binding("al", "Var"), Binding("beta", "Var")])


def decoded(
    filler, sort, before=b"x", after=b" ;", environment=GAMMA, events=None, accepts=lambda _: True, **wishes
):
    fragments = {each.anchor: each for each in (USE, NAME, LET, BLOCK, CHOICE)}
    policies = {"Let": Policy((Rung.BASE,))}
    told = (events if events is not None else []).append
    delegate = Delegate(filler, make_engine(), fragments, policies, Wishes(**wishes), told)
    return delegate.decode(sort, environment, Place(before, after), accepts=accepts)


def test_the_last_word_is_written_again_and_what_follows_shows_the_end():
    """A prompt that ends within a token misleads; without what follows, `al` could not be told from a part of `alpha`."""
    filler = ScriptedFiller(" u.al ;")
    found = decoded(filler, "Name", before=b"SELECT u.")
    assert (found.text, found.guaranteed, found.rung) == ("al", True, Rung.GAMMA)
    assert found.candidates == ("alpha", "al", "beta")
    (task,) = filler.tasks
    assert task.before == "SELECT"
    assert '" u."' in task.gbnf
    assert task.gbnf.startswith("root ::= ")
    assert "ghost" not in task.gbnf


def test_what_it_cost_is_told_as_far_as_it_is_known():
    ledger = decoded(ScriptedFiller("xal ;"), "Name").ledger
    assert (ledger.model_calls, ledger.tokens, ledger.told) == (1, 2, False)


def test_where_there_is_no_choice_nobody_is_asked():
    filler = ScriptedFiller()
    found = decoded(filler, "Name", environment=Environment.of([Binding("only", "Var")]))
    assert (found.text, filler.tasks) == ("only", [])
    assert found.ledger.told


def test_nothing_is_asked_where_nothing_fits():
    filler = ScriptedFiller()
    with pytest.raises(EmptyQueryError):
        decoded(filler, "Name", environment=Environment.of([]))
    assert filler.tasks == []


@pytest.mark.parametrize(
    "text",
    [
        "xghost ;",
        "xal",
        "xal ; DROP TABLE users",
        "al ;",
        "",
        "x",
        "Sure! Here is: xal ;",
        "xAL ;",
        "x al ;",
        "x\0",
    ],
)
def test_a_server_that_ignored_the_grammar_is_named(text):
    with pytest.raises(ModelError, match="ignored the grammar") as caught:
        decoded(ScriptedFiller(text), "Name")
    assert caught.value.place == ScriptedFiller.name
    assert "remote.server" in caught.value.mend


def test_a_long_answer_is_not_repeated_whole():
    with pytest.raises(ModelError) as caught:
        decoded(ScriptedFiller("\x1b[31m" * 10_000), "Name")
    assert len(caught.value.message) < 300
    assert "\x1b" not in caught.value.message


def test_blanks_that_a_server_drops_at_the_beginning_are_put_back():
    assert decoded(ScriptedFiller("u.al ;"), "Name", before=b"SELECT\n  u.").text == "al"


def test_what_the_budget_cut_off_is_incomplete_and_no_accusation():
    with pytest.raises(Stranded, match="16 tokens"):
        decoded(ScriptedFiller(HoleText("xalp", 16, cut=True)), "Name", budget=16)
    with pytest.raises(ModelError, match="ignored"):
        decoded(ScriptedFiller(HoleText("xghost", 16, cut=True)), "Name", budget=16)
    whole = HoleText("xal ;", 16, cut=True)
    assert decoded(ScriptedFiller(whole), "Name", budget=16).text == "al"


def test_a_name_that_was_refused_is_not_asked_for_again():
    filler = ScriptedFiller("xalpha ;", "xbeta ;")
    found = decoded(filler, "Name", accepts=lambda text: text == "beta")
    assert found.text == "beta"
    assert '"pha"' in filler.tasks[0].gbnf
    assert '"pha"' not in filler.tasks[1].gbnf


def test_when_all_names_are_refused_the_hole_stays():
    with pytest.raises(Stranded, match="withheld"):
        decoded(ScriptedFiller("xalpha ;", "xbeta ;", "xal ;"), "Name", accepts=lambda _: False)


def test_an_open_text_that_was_refused_is_drawn_anew():
    filler = ScriptedFiller(" a;", " b;")
    found = decoded(
        filler, "Let", after=b"", accepts=lambda text: text == "let b;", sampling=Sampling(seed=3)
    )
    assert found.text == "let b;"
    assert [(task.temperature > 0, task.seed) for task in filler.tasks] == [(False, 3), (True, 4)]


def test_a_declaration_enters_gamma_before_the_next_part_is_asked_for():
    events = []
    filler = ScriptedFiller(" gamma;", " gamma;use gamma;}")
    found = decoded(filler, "Block", before=b"q\n", after=b"", environment=Environment.of([]), events=events)
    assert found.text == "{let gamma;use gamma;}"
    assert [event.binding.name for event in events if isinstance(event, Declared)] == ["gamma"]
    assert [event.sort for event in events if isinstance(event, HoleEntered)][-1] == "Use"


def test_between_parts_the_server_chooses_by_what_it_writes():
    filler = ScriptedFiller("xuse al;", "xuse al;")
    assert decoded(filler, "Choice", after=b"").text == "use al;"


def test_cancelling_reaches_the_server():
    with pytest.raises(Cancelled):
        Delegate(ScriptedFiller("x"), make_engine(), {"Name": NAME}, {}).decode(
            "Name", GAMMA, Place(b"x"), stop=lambda: True
        )


# --- Documents ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def analyzer(sql):
    return Analyzer(sql, resolver_of(sql), settings={"dialect": "sqlite"})


def test_the_holes_of_a_document_are_filled_and_the_joined_text_is_looked_at(sql, analyzer):
    filler = ScriptedFiller(" email FROM", " name FROM")
    text = SHOP + "SELECT ?? FROM users;\nSELECT ?? FROM users;\n"
    result = Filler(sql, filler, make_engine()).fill(text, analyzer.analyse)
    assert result.text == SHOP + "SELECT email FROM users;\nSELECT name FROM users;\n"
    assert [hole.free_bits for hole in result.holes] == [None, None]
    assert filler.tasks[1].before.endswith("SELECT email FROM users;\nSELECT")


def test_a_name_that_would_make_the_rest_a_ghost_is_not_taken(sql, analyzer):
    text = SHOP + "CREATE TABLE orders (total REAL);\nSELECT email FROM ??;\n"
    filler = ScriptedFiller(" orders;", " users;")
    assert (
        Filler(sql, filler, make_engine())
        .fill(text, analyzer.analyse)
        .text.endswith("SELECT email FROM users;\n")
    )


def test_ranking_says_that_it_can_not(sql, analyzer):
    text = SHOP + "SELECT ?? FROM users;\n"
    filler = Filler(sql, ScriptedFiller(), make_engine())
    with pytest.raises(ModelError, match="no probabilities") as caught:
        filler.rank(text, analyzer.analyse, text.index("??"))
    assert "embedded" in caught.value.mend
    with pytest.raises(InputError, match="no hole"):
        filler.rank(text, analyzer.analyse, 0)
