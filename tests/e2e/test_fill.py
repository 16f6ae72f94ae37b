"""Holes of real documents, filled by the real embedded model under Γ as the real analysis gives it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import ENGINES, make_engine
from gproj_lsp.decode.fill import Filler, Wishes
from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.decode.models.fake import UniformModel
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.decode.trace import Declared, EmptyQuery, Fallback, HoleEntered, Text
from gproj_lsp.environment import Binding, Environment
from gproj_lsp.errors import Cancelled, EngineError, InputError, ModelError
from gproj_lsp.fragment import Rung
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.resolvers.sql.names import spell

try:
    embedded_path()
except ModelError as error:
    pytest.skip(str(error), allow_module_level=True)

PAPER = """\
SELECT {:ColRef} FROM t0;
CREATE TABLE t1 ({c:ColDecl} INT);
SELECT {:ColRef} FROM t1;
"""
SHOP = """\
CREATE TABLE users (id INT, name TEXT, email TEXT);
CREATE TABLE orders (id INT, user_id INT, total REAL);
"""


@pytest.fixture(scope="module")
def context():
    from gproj_lsp.decode.models.llama import LlamaModel

    model = LlamaModel(embedded_path(), capacity=2048)
    yield Context(model)
    model.close()


@pytest.fixture(scope="module")
def analyzer(sql):
    return Analyzer(sql, resolver_of(sql), settings={"dialect": "sqlite"})


@pytest.fixture
def fill(sql, context, analyzer):
    def run(text, *, model=None, told=None, only=None, stop=None, **wishes):
        events = []
        filler = Filler(
            sql,
            Context(model) if model else context,
            make_engine(),
            Wishes(**wishes),
            told or events.append,
        )
        result = filler.fill(text, analyzer.analyse, only, stop)
        return result, events

    return run


def test_the_papers_template_falls_back_extends_gamma_and_tightens_again(fill):
    result, events = fill(PAPER, allow_base=True, budget=24)
    first, declaration, last = result.holes
    assert (first.rung, first.guaranteed) == (Rung.BASE, False)
    assert any(isinstance(event, Fallback) and event.taken is Rung.BASE for event in events)
    assert (declaration.text, declaration.guaranteed) == ("c", True)
    assert [event.binding.name for event in events if isinstance(event, Declared)] == ["c"]
    assert (last.text, last.candidates, last.rung, last.guaranteed) == ("c", ("c",), Rung.CTX, True)
    assert result.text == PAPER.replace("{:ColRef}", first.text, 1).replace("{c:ColDecl}", "c").replace(
        "{:ColRef}", "c"
    )


def test_without_leave_the_papers_first_hole_is_an_empty_query(fill):
    result, events = fill(PAPER)
    assert [hole.mark for hole in result.empty] == ["{:ColRef}"]
    assert result.empty[0].span.start == PAPER.index("{")
    assert result.text.startswith("SELECT {:ColRef} FROM t0;")
    assert result.text.endswith("SELECT c FROM t1;\n")
    assert [event.error.sort for event in events if isinstance(event, EmptyQuery)] == ["Column"]


def test_from_is_filled_before_select(fill):
    result, events = fill(SHOP + "-- what was paid in all\nSELECT sum(??) FROM {:Table};\n")
    entered = [event.sort for event in events if isinstance(event, HoleEntered)]
    assert entered == ["Table", "Column"]
    column, table = result.holes
    assert table.text in {"users", "orders"}
    assert column.text in {"users": {"id", "name", "email"}, "orders": {"id", "user_id", "total"}}[table.text]


def test_what_follows_a_hole_counts(fill):
    """`email` and `total` belong to different tables: a table that makes the rest a ghost is never taken."""
    for column, table in (("email", "users"), ("total", "orders")):
        result, _ = fill(f"{SHOP}SELECT {column} FROM ??;\n")
        assert [hole.text for hole in result.holes] == [table]


def test_a_filled_document_has_no_ghost_and_holes_keep_their_places(fill, analyzer):
    text = (
        SHOP
        + 'SELECT u.??, o.{:Column "what was paid"} FROM users u JOIN orders o ON o.?? = u.?? ORDER BY ??;\n'
    )
    result, _ = fill(text)
    assert not result.incomplete
    assert not result.empty
    assert not analyzer.analyse(result.text).diagnostics
    rebuilt, at = "", 0
    for hole in result.holes:
        rebuilt += text[at : hole.span.start] + hole.text
        at = hole.span.end
    assert rebuilt + text[at:] == result.text
    assert all(hole.guaranteed and hole.rung is Rung.CTX for hole in result.holes)


def test_a_declared_table_can_be_named_at_once(fill):
    result, _ = fill("CREATE TABLE {shop:TableDecl} (a INT);\nSELECT ?? FROM ??;\n")
    assert [hole.text for hole in result.holes] == ["shop", "a", "shop"]


def test_one_hole_can_be_filled_alone(fill):
    result, _ = fill(SHOP + "SELECT ??, ?? FROM users;\n", only=[1])
    assert len(result.holes) == 1
    assert result.text.count("??") == 1
    assert result.text.index("??") < result.text.index(result.holes[0].text, result.text.index("SELECT"))


def test_a_hole_that_is_not_there_is_told(fill):
    with pytest.raises(InputError, match="no hole 3"):
        fill(SHOP + "SELECT ?? FROM users;\n", only=[2])


def test_the_second_hole_of_a_file_is_quick(fill, context):
    """At most four model steps to its first text, because what was read before it is kept."""
    steps, start = [], [0, True]

    def told(event):
        if isinstance(event, HoleEntered):
            start[:] = [context.calls, False]
        elif isinstance(event, Text) and not start[1]:
            steps.append(context.calls - start[0])
            start[1] = True

    fill(SHOP + "SELECT ?? FROM users;\nSELECT ?? FROM orders;\nSELECT ?? FROM users;\n", told=told)
    assert len(steps) == 3
    assert max(steps[1:]) <= 4


def test_ranking_gives_shares_that_sum_up(sql, context, analyzer):
    text = SHOP + "SELECT ?? FROM users;\n"
    filler = Filler(sql, context, make_engine())
    found = filler.rank(text, analyzer.analyse, text.index("??"))
    assert {each.text for each in found.ranking.candidates} == {"id", "name", "email"}
    assert sum(
        each.probability for each in found.ranking.candidates
    ) + found.ranking.remaining == pytest.approx(1)
    with pytest.raises(InputError, match="no hole"):
        filler.rank(text, analyzer.analyse, 0)


def test_cancelling_fills_nothing(fill):
    with pytest.raises(Cancelled):
        fill(SHOP + "SELECT ?? FROM users;\n", stop=lambda: True)


ADVERSARIAL = (
    "id",
    "id_2",
    "id_20",
    "select",
    "a|b",
    "x) OR (1",
    'say "hi"',
    "it's",
    "two words",
    "line\nbreak",
    "tab\there",
    "naïve",
    "名前",
    "🦆",
    "back\\slash",
    "%s",
    "--c",
    "w" * 256,
    "w" * 255,
    "[x]",
    "`y`",
    "MiXeD",
    "1st",
    "$",
)


@pytest.mark.parametrize("engine", ["llguidance", "xgrammar", "llama", "trie"])
@pytest.mark.parametrize("count", [200, pytest.param(2000, marks=pytest.mark.slow)])
def test_no_name_however_odd_lets_a_ghost_through(sql, context, engine, count):
    """At temperature 1.5 each fill is exactly a declared name, quoted for the dialect.

    The few fills of the fast suite are drawn by a model that prefers nothing, and fewer still where a mask takes long; the many
    are the embedded model's. The engine itself is asked, not the candidate trie that stands before it in a program.
    """
    from gproj_lsp.decode.executor import Executor, Place
    from gproj_lsp.policy import Policy

    spelled = [spell(name, "sqlite") for name in ADVERSARIAL]
    gamma = Environment.of(
        Binding(name, "Column", spelling=text) for name, text in zip(ADVERSARIAL, spelled, strict=True)
    )
    try:
        filled = set()
        wishes = Wishes(sampling=Sampling(1.5, seed=5), budget=200)
        drawn = context if count >= 1000 else Context(UniformModel(context.vocabulary))
        run = Executor(drawn, ENGINES[engine](), sql.fragments, {"Column": Policy((Rung.GAMMA,))}, wishes)
        for _ in range(24 if engine == "llama" and count < 1000 else count):
            decoded = run.decode("Column", gamma, Place(b"SELECT ", b" FROM t;"))
            assert decoded.text in spelled
            filled.add(decoded.text)
    except EngineError as error:
        if "not installed" in error.message:
            pytest.skip(str(error))
        raise
    assert len(filled) > 3


def test_the_uniform_model_is_held_to_the_same_names(fill, context):
    for seed in range(10):
        result, _ = fill(
            SHOP + "SELECT ?? FROM users;\n",
            model=UniformModel(context.vocabulary),
            sampling=Sampling(1.5, seed=seed),
        )
        assert result.holes[0].text in {"id", "name", "email"}


CODE_MODEL = Path(os.environ.get("GPROJ_CODE_MODEL", "code-model.gguf"))


@pytest.mark.skipif(
    not CODE_MODEL.exists(), reason="GPROJ_CODE_MODEL names no model with fill-in-the-middle tokens"
)
def test_a_model_with_fill_in_the_middle_fills_too(fill):
    from gproj_lsp.decode.models.llama import LlamaModel

    model = LlamaModel(CODE_MODEL, capacity=2048)
    assert model.vocabulary.fim is not None
    try:
        result, _ = fill(SHOP + "-- the e-mail address of each user\nSELECT ?? FROM users;\n", model=model)
    finally:
        model.close()
    assert result.holes[0].text == "email"
