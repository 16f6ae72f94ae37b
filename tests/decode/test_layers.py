"""Several grammars over one text: what all of them admit, and nothing where they have no text in common."""

from __future__ import annotations

import numpy as np
import pytest

from gproj_lsp.decode.base import mask_words
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.layers import Layers, admitted
from gproj_lsp.decode.models.fake import word_vocabulary
from gproj_lsp.decode.sampling import count
from gproj_lsp.gbnf import parse

VOCABULARY = word_vocabulary(["abc", "abd", "ab"])


def matcher(rule):
    return make_engine().compile(parse(f"root ::= {rule}"), VOCABULARY)


def layers(*rules):
    return Layers([matcher(rule) for rule in rules])


@pytest.mark.parametrize(
    ("rules", "forced"),
    [
        (('"abc"', "[a-z]{3}"), b"abc"),
        (('"abc"', '"abd"'), b"ab"),
        (('"abc"', '"xyz"'), b""),
        (('"abcd"', '"ab" [a-c]'), b"abc"),
        (('"abc" | "abd"', '"abd"'), b"abd"),
    ],
)
def test_what_one_forces_all_force_as_far_as_they_admit_it(rules, forced):
    assert layers(*rules).forced() == forced


def test_where_nothing_is_left_the_mask_says_so():
    both = layers('"abc"', '"abd"')
    assert both.accept_bytes(both.forced())
    mask = np.zeros(mask_words(VOCABULARY), dtype=np.int32)
    both.mask(mask)
    assert not count(mask)
    assert not both.is_complete()


@pytest.mark.parametrize(("text", "length"), [(b"abc", 3), (b"abx", 2), (b"x", 0), (b"", 0), (b"abcd", 3)])
def test_a_matcher_is_asked_how_far_it_admits_a_text_and_stays_as_it_was(text, length):
    asked = matcher('"abc"')
    assert admitted(asked, text) == length
    assert asked.accept_bytes(b"abc")
