"""Text that is written without asking the model has exactly one continuation: nothing else is in the language there."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from engines_on_trial import GENERAL, SMALL, engine
from hypothesis import given, settings
from hypothesis import strategies as st
from random_grammars import random_grammar
from reference_recogniser import accepts, viable

from gproj_lsp.decode.base import mask_words
from gproj_lsp.decode.sampling import admitted
from gproj_lsp.gbnf import Grammar, sample

NEXT = [bytes([byte]) for byte in b"abcx \xc3\xa9\x80"]
"""What may come next in these grammars: letters, a letter that only negations admit, and parts of characters."""


def forced_spans(name: str, grammar: Grammar, rng: Random):
    """Every span that an engine forces along a random string of the language, with the text before it."""
    text = sample(grammar, rng, steps=15)[:24].encode()
    matcher = engine(name).compile(grammar, SMALL)
    for at in range(len(text) + 1):
        if forced := matcher.forced():
            yield text[:at], forced
        if at < len(text) and not matcher.accept_bytes(text[at : at + 1]):
            return


@pytest.mark.parametrize(
    "name", [name for name in GENERAL if name != "llama"]
)  # llama.cpp's sampler forces nothing
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_within_a_forced_span_one_byte_can_follow_and_no_text_ends(name, seed):
    rng = Random(seed)
    grammar = random_grammar(rng)
    for before, forced in forced_spans(name, grammar, rng):
        for at in range(len(forced)):
            here = before + forced[:at]
            assert not accepts(grammar, here)
            assert [byte for byte in NEXT if viable(grammar, here + byte)] == [forced[at : at + 1]]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_an_exact_engine_admits_nothing_beside_what_another_forces(seed):
    """The masks of the published system's engine leave no other way than the text that the default engine forces."""
    rng = Random(seed)
    grammar = random_grammar(rng)
    mask = np.zeros(mask_words(SMALL), dtype=np.int32)
    for before, forced in forced_spans("llguidance", grammar, rng):
        exact = engine("xgrammar").compile(grammar, SMALL)
        assert exact.accept_bytes(before)
        for at in range(len(forced)):
            exact.mask(mask)
            rest = forced[at:]
            ways = [SMALL.tokens[token] for token in admitted(mask)]
            assert ways
            assert all(way and (way.startswith(rest) or rest.startswith(way)) for way in ways)
            assert exact.accept_bytes(rest[:1])
