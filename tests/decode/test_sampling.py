"""Only admitted tokens take part in a choice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.decode.sampling import Sampler, Sampling, admits, admitted, count
from gproj_lsp.errors import InputError, ModelError

SIZE = 100


def mask_of(tokens):
    bits = np.zeros(128, dtype=bool)
    bits[list(tokens)] = True
    return np.packbits(bits, bitorder="little").view(np.int32)


TOKENS = st.sets(st.integers(0, SIZE - 1), min_size=1)


@given(TOKENS)
def test_a_mask_is_a_set(tokens):
    mask = mask_of(tokens)
    assert count(mask) == len(tokens)
    assert set(admitted(mask)) == tokens
    assert {token for token in range(SIZE) if admits(mask, token)} == tokens


@given(TOKENS, st.integers(0, 1000), st.sampled_from([0.0, 0.3, 1.5]), st.sampled_from([0.1, 0.9, 1.0]))
def test_no_temperature_reaches_a_token_that_is_not_admitted(tokens, seed, temperature, top_p):
    logits = np.random.default_rng(seed).normal(scale=20, size=SIZE).astype(np.float32)
    assert Sampler(Sampling(temperature, top_p, seed)).choose(logits, mask_of(tokens)) in tokens


@given(TOKENS, st.integers(0, 1000))
def test_greedy_takes_the_likeliest_admitted_token(tokens, seed):
    logits = np.random.default_rng(seed).normal(size=SIZE).astype(np.float32)
    assert Sampler().choose(logits, mask_of(tokens)) == max(tokens, key=logits.__getitem__)


def test_a_wide_mask_is_gathered_like_a_narrow_one():
    wide = mask_of(range(0, 128, 2))
    mask = np.tile(wide, 40)
    assert list(admitted(mask)) == list(range(0, 128 * 40, 2))


def test_a_seed_repeats_its_choices():
    mask, logits = mask_of(range(SIZE)), np.zeros(SIZE, dtype=np.float32)
    one, other = (Sampler(Sampling(1.0, seed=7)) for _ in range(2))
    assert [one.choose(logits, mask) for _ in range(20)] == [other.choose(logits, mask) for _ in range(20)]


def test_samples_follow_the_model_among_what_is_admitted():
    logits = np.full(SIZE, 50.0, dtype=np.float32)
    logits[[3, 5]] = [np.log(0.8), np.log(0.2)]
    sampler = Sampler(Sampling(1.0, seed=1))
    drawn = [sampler.choose(logits, mask_of([3, 5])) for _ in range(2000)]
    assert drawn.count(3) / len(drawn) == pytest.approx(0.8, abs=0.04)


def test_top_p_keeps_the_smallest_likely_set():
    logits = np.log(np.array([0.6, 0.3, 0.1] + [1e-9] * (SIZE - 3))).astype(np.float32)
    sampler = Sampler(Sampling(1.0, top_p=0.55, seed=1))
    assert {sampler.choose(logits, mask_of(range(SIZE))) for _ in range(50)} == {0}


@pytest.mark.parametrize(
    "numbers", [{"temperature": -1.0}, {"temperature": float("nan")}, {"top_p": 0.0}, {"top_p": 1.1}]
)
def test_numbers_out_of_range_are_refused(numbers):
    with pytest.raises(InputError):
        Sampling(**numbers)


def test_a_model_without_numbers_is_an_error():
    with pytest.raises(ModelError):
        Sampler().choose(np.full(SIZE, np.nan, dtype=np.float32), mask_of([1, 2]))


def test_a_first_choice_may_pass_over_the_likeliest():
    logits = np.arange(SIZE, dtype=np.float32)
    sampler = Sampler(skip=2)
    assert [sampler.choose(logits, mask_of([3, 5, 8, 9])) for _ in range(2)] == [5, 9]
