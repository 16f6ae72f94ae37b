"""Grammar calls, frames, declarations and order (paper, 4.3), with models that want what they must not get."""

import pytest

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.executor import Executor, Place, Stranded, Wishes
from gproj_lsp.decode.models.fake import FakeModel, UniformModel, word_vocabulary
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.decode.trace import Declared, Fallback, HoleEntered
from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.errors import DepthError, EmptyQueryError
from gproj_lsp.fragment import Fragment, RegionCall, Rung, SlotLadder
from gproj_lsp.gbnf import parse
from gproj_lsp.policy import Policy

VOCABULARY = word_vocabulary(
    ["let", " let", " use", "alpha", "beta", "gamma", " FROM", "SELECT", " users", "{", "}", ";"]
)
OPEN = "\nname ::= [a-z]+"


def fragment(anchor, grammar, *, refers=(), declares=(), regions=None):
    """A fragment whose slots in `refers` name a Var, and whose slots in `declares` declare one."""
    gamma = {Rung.GAMMA: Query.of("Var")}
    slots = {slot: SlotLadder("name", gamma) for slot in refers}
    slots |= {slot: SlotLadder("name", {}, declares="Var") for slot in declares}
    calls = {
        name: call if isinstance(call, RegionCall) else RegionCall(call)
        for name, call in (regions or {}).items()
    }
    return Fragment(anchor, parse(grammar + OPEN), slots, calls)


LET = fragment("Let", 'root ::= "let " %new% ";"', declares=["new"])
USE = fragment("Use", 'root ::= "use " %old% ";"', refers=["old"])
BLOCK = fragment("Block", 'root ::= "{" @let@ @use@ "}"', regions={"let": "Let", "use": "Use"})


def executor(model, *fragments, told=None, **wishes):
    events = []
    policies = {each.anchor: Policy((Rung.GAMMA,)) for each in fragments}
    policies["Let"] = Policy((Rung.BASE,))
    found = Executor(
        Context(model),
        make_engine(),
        {each.anchor: each for each in fragments},
        policies,
        Wishes(**wishes),
        told or events.append,
    )
    return found, events


def wanting(text, before=b""):
    """Wants to write the text after `before`, wherever that stands in what it was shown."""

    def wants(fed):
        start = fed.rfind(before) + len(before) if before else 0
        done = fed[start:]
        return text[len(done) :] if text.startswith(done) else b"?"

    return FakeModel(VOCABULARY, wants)


def test_a_declaration_enters_gamma_before_the_next_region_is_instantiated():
    run, events = executor(wanting(b"q\n{let beta;use alpha;}"), LET, USE, BLOCK)
    decoded = run.decode("Block", Environment.of([]), Place(b"q\n"))
    assert decoded.text == "{let beta;use beta;}"
    assert [event.binding.name for event in events if isinstance(event, Declared)] == ["beta"]
    assert decoded.declared[0].sort == "Var"


def test_names_of_outer_frames_are_seen_inside():
    run, _ = executor(wanting(b"q\n{let beta;use alpha;}"), LET, USE, BLOCK)
    decoded = run.decode("Block", Environment.of([Binding("alpha", "Var")]), Place(b"q\n"))
    assert decoded.text == "{let beta;use alpha;}"


def test_siblings_do_not_see_each_others_names():
    """`alpha` is declared in the first block only; the second can't use it, whatever the model wants."""
    two = fragment("Two", "root ::= @one@ @other@", regions={"one": "Block", "other": "Block"})
    run, _ = executor(wanting(b"q\n{let alpha;use alpha;}{let beta;use alpha;}"), LET, USE, BLOCK, two)
    decoded = run.decode("Two", Environment.of([]), Place(b"q\n"))
    assert decoded.text == "{let alpha;use alpha;}{let beta;use beta;}"


def test_what_a_region_declares_is_gone_after_it():
    late = fragment("Late", "root ::= @block@ @use@", regions={"block": "Block", "use": "Use"})
    run, _ = executor(UniformModel(VOCABULARY), LET, USE, BLOCK, late)
    with pytest.raises(EmptyQueryError):
        run.decode("Late", Environment.of([]), Place(b"q\n"))


def test_an_empty_query_is_told_before_anything_is_sampled():
    model = UniformModel(VOCABULARY)
    run, _ = executor(model, USE)
    with pytest.raises(EmptyQueryError):
        run.decode("Use", Environment.of([]), Place(b"q\n"))
    assert model.calls == 0


def test_with_the_users_leave_an_open_name_is_written_and_marked():
    run, events = executor(wanting(b"q\nuse gamma;"), USE, allow_base=True)
    decoded = run.decode("Use", Environment.of([]), Place(b"q\n"))
    assert (decoded.text, decoded.guaranteed, decoded.rung) == ("use gamma;", False, Rung.BASE)
    assert Fallback("Use", Rung.GAMMA, Rung.BASE) in events


def nested(depth):
    """A chain of `depth` calls below the outermost fragment."""
    leaf = fragment(f"S{depth}", 'root ::= "x"')
    return [
        fragment(f"S{level}", 'root ::= "(" @in@ ")"', regions={"in": f"S{level + 1}"})
        for level in range(depth)
    ] + [leaf]


def test_calls_nest_32_deep_and_no_deeper():
    run, events = executor(UniformModel(VOCABULARY), *nested(32))
    assert run.decode("S0", Environment.of([]), Place(b"q\n")).text == "(" * 32 + "x" + ")" * 32
    assert max(event.depth for event in events if isinstance(event, HoleEntered)) == 32
    run, _ = executor(UniformModel(VOCABULARY), *nested(33))
    with pytest.raises(DepthError, match="32"):
        run.decode("S0", Environment.of([]), Place(b"q\n"))


def test_calls_that_come_back_to_themselves_are_refused():
    one = fragment("One", 'root ::= "a" @two@', regions={"two": "Two"})
    two = fragment("Two", 'root ::= "b" @one@ | "c"', regions={"one": "One"})
    run, _ = executor(UniformModel(VOCABULARY), one, two)
    with pytest.raises(DepthError, match="One → Two → One"):
        run.decode("One", Environment.of([]), Place(b"q\n"))


def test_a_later_region_stands_between_fixed_text_on_both_sides():
    """FROM is decoded first, so SELECT sees the alias that stands after it."""
    source = fragment("From", 'root ::= "users " %new%', declares=["new"])
    choice = fragment("Select", "root ::= %old%", refers=["old"])
    query = fragment(
        "Query",
        'root ::= "SELECT " @what@ " FROM " @source@',
        regions={"what": RegionCall("Select", order=1), "source": RegionCall("From", order=0)},
    )
    run, events = executor(wanting(b"users beta", b" FROM "), source, choice, query)
    run.policies["From"] = Policy((Rung.BASE,))
    decoded = run.decode("Query", Environment.of([]), Place(b"q\n"))
    assert decoded.text == "SELECT beta FROM users beta"
    assert [event.sort for event in events if isinstance(event, HoleEntered)] == ["From", "Select"]


def test_the_model_chooses_between_clauses_and_how_many():
    many = fragment("Many", 'root ::= @one@ (";" @one@)* | "-"', regions={"one": "Item"})
    item = fragment("Item", "root ::= %old%", refers=["old"])
    gamma = Environment.of([Binding(name, "Var") for name in ("alpha", "beta")])
    for wanted in ("alpha", "beta;alpha", "alpha;alpha;beta", "-"):
        run, _ = executor(wanting(b"q\n" + wanted.encode() + b"."), many, item)
        assert run.decode("Many", gamma, Place(b"q\n", b".")).text == wanted


def test_a_region_ends_where_its_parents_text_goes_on():
    """The model would go on with names forever; the parent's ` FROM` ends the list, an end token can't."""
    column = fragment("Columns", 'root ::= %old% ("," %old%)*', refers=["old"])
    query = fragment("Query", 'root ::= "SELECT " @what@ " FROM users"', regions={"what": "Columns"})
    gamma = Environment.of([Binding(name, "Var") for name in ("alpha", "beta")])
    run, _ = executor(wanting(b"q\nSELECT alpha,beta FROM users"), column, query)
    assert run.decode("Query", gamma, Place(b"q\n")).text == "SELECT alpha,beta FROM users"


def test_no_sampling_writes_a_name_that_is_not_there():
    gamma = Environment.of([Binding(name, "Var") for name in ("alpha", "beta", "alphabet")])
    for seed in range(40):
        run, _ = executor(UniformModel(VOCABULARY), USE, sampling=Sampling(1.5, seed=seed))
        text = run.decode("Use", gamma, Place(b"q\n")).text
        assert text in {"use alpha;", "use beta;", "use alphabet;"}


def test_refused_names_give_way_to_the_next_likely_one():
    slot = fragment("Var", "root ::= %old%", refers=["old"])
    gamma = Environment.of([Binding(name, "Var") for name in ("alpha", "beta", "gamma")])
    run, _ = executor(wanting(b"q\nalpha"), slot)
    assert run.decode("Var", gamma, Place(b"q\n", b";")).text == "alpha"
    assert run.decode("Var", gamma, Place(b"q\n", b";"), accepts=lambda text: text == "gamma").text == "gamma"
    with pytest.raises(Stranded, match="withheld"):
        run.decode("Var", gamma, Place(b"q\n", b";"), accepts=lambda _: False)


def test_a_pinned_declaration_gets_its_name_without_a_model():
    model = UniformModel(VOCABULARY)
    declaration = fragment("Decl", "root ::= %new%", declares=["new"])
    run, _ = executor(model, declaration)
    decoded = run.decode("Decl", Environment.of([]), Place(b"q\n", b" INT"), pin="total")
    assert (decoded.text, decoded.rung, decoded.guaranteed) == ("total", Rung.PIN, True)
    assert model.calls == 0


def test_free_bits_count_choices_and_not_forced_text():
    slot = fragment("Var", "root ::= %old%", refers=["old"])
    run, _ = executor(UniformModel(VOCABULARY), slot)
    one = run.decode("Var", Environment.of([Binding("alpha", "Var")]), Place(b"q\n", b";"))
    four = run.decode(
        "Var", Environment.of([Binding(f"v{at}", "Var") for at in range(4)]), Place(b"q\n", b";")
    )
    assert one.ledger.free_bits == 0
    assert four.ledger.free_bits == 2


def test_a_hole_that_its_budget_can_not_hold_is_stranded():
    long = fragment("Long", 'root ::= "' + "ab" * 40 + '" | "' + "cd" * 40 + '"')
    run, _ = executor(UniformModel(VOCABULARY), long, budget=10)
    with pytest.raises(Stranded, match="budget is 10"):
        run.decode("Long", Environment.of([]), Place(b"q\n"))
