"""Whole statements in every engine: the composite grammar of a shipped surface, judged by the reference recogniser."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from engines_on_trial import GENERAL, SMALL, accepts, engine, vocabulary_for
from reference_recogniser import accepts as denotes
from reference_recogniser import viable

from gproj_lsp.decode.engines.lark import lark_text
from gproj_lsp.environment import Environment
from gproj_lsp.expansion import Keywords, Letters, Path, expand
from gproj_lsp.facts import facts_from_table
from gproj_lsp.fragment import Rung
from gproj_lsp.gbnf import Derivations, Grammar
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

GAMMAS: dict[str, dict[str, list[str]]] = {
    "ordinary names": {"users": ["id", "name"], "orders": ["id", "user_id", "total"]},
    "names that begin like keywords and like each other": {
        "from_table": ["id", "id_2", "selected", "asc_order"],
        "order_by": ["in_stock", "is_null", "or", "id_"],
    },
    "quoted names": {"odd table": ["first name", 'a"b', "select", "É"], "t": ["x.y", "a,b", "1st"]},
}


@cache
def environment(gamma: str) -> Environment:
    sql = shipped()["sql"]
    tables = {name: {"columns": columns} for name, columns in GAMMAS[gamma].items()}
    facts = facts_from_table(sql, {"Table": tables})
    return Analyzer(sql, resolver_of(sql), facts, {"dialect": "sqlite"}).start


def late(path: Path) -> Rung:
    """Names that fit where a WHERE of the outermost scope begins."""
    return Rung.CTX if path == ("Where",) else Rung.GAMMA


@cache
def grammar_of(gamma: str, letters: Letters | None = None) -> Grammar:
    return expand("Statement", shipped()["sql"].fragments, environment(gamma), late, letters=letters)


def near(text: str, rng: Random) -> str:
    """The text with a slip: something doubled, lost or swapped."""
    at = rng.randrange(len(text))
    slips = (text[at + 1 :], text[at] + text[at:], rng.choice("ae_ ,('\"") + text[at + 1 :])
    return text[:at] + rng.choice(slips)


SLOW = [name if name == "llguidance" else pytest.param(name, marks=pytest.mark.slow) for name in GENERAL]
"""XGrammar takes long to compile what is recursive, llama.cpp to match it: `pytest -m slow`."""


@pytest.mark.parametrize("name", SLOW)
@pytest.mark.parametrize("gamma", GAMMAS)
def test_statements_are_read_as_the_grammar_says(name: str, gamma: str):
    """Derived texts and texts one slip away: accepted, and viable to each place, exactly as the reference recogniser says."""
    rng, grammar = Random(3), grammar_of(gamma)
    matcher = engine(name).compile(grammar, vocabulary_for(name))
    derivations, number = Derivations(grammar), 60 if name == "llguidance" else 15
    drawn = [derivations.sample(rng, steps=rng.choice((30, 60))) for _ in range(number)]
    words = [text for text in drawn if len(text) < 90]
    inside = 0
    for text in [each for word in words for each in (word, near(word, rng), near(word, rng))]:
        expected = denotes(grammar, text)
        assert accepts(matcher, text) == expected, text
        assert matcher.fork().accept_bytes(text.encode()) == viable(grammar, text), text
        inside += expected
    assert inside >= len(words)


@pytest.mark.parametrize("letters", [None, Letters(Keywords.ANY, lambda _: True)], ids=["exact", "any case"])
@pytest.mark.parametrize("gamma", ["ordinary names", "names that begin like keywords and like each other"])
def test_ordinary_schemas_are_read_by_lexemes(gamma: str, letters: Letters | None):
    """Letter by letter it would be as exact, and slow."""
    text = lark_text(grammar_of(gamma, letters))
    assert any(line.startswith("T") for line in text.splitlines())


def test_a_changed_environment_costs_no_new_analysis():
    """What was worked out of the grammar is found again, whatever the names are."""
    from gproj_lsp.decode.engines import lark

    one, two = (grammar_of(gamma) for gamma in list(GAMMAS)[:2])
    engine("llguidance").compile(one, SMALL)
    before = lark._skeleton.cache_info().misses
    engine("llguidance").compile(two, SMALL)
    assert lark._skeleton.cache_info().misses == before
