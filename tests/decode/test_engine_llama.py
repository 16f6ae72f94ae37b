"""What is llama.cpp's own: it goes forward by whole tokens, and would crash or hang on what is refused here."""

from __future__ import annotations

import pytest
from engines_on_trial import SMALL, accepts, admitted, engine, real_vocabulary

from gproj_lsp.errors import EngineError, ModelError
from gproj_lsp.gbnf import Grammar, Names, parse


def test_a_vocabulary_that_llama_does_not_know_is_an_error():
    with pytest.raises(ModelError, match="not a llama"):
        engine("llama").compile(parse('root ::= "a"'), SMALL)


def test_nul_is_refused_since_it_can_not_be_matched():
    with pytest.raises(EngineError, match="NUL"):
        engine("llama").compile(Grammar({"root": Names(("a\0b",))}), real_vocabulary())


@pytest.mark.parametrize(
    "text", ['root ::= ("a"*)*', 'root ::= x+\nx ::= "a"?', 'root ::= (("a" | "")+ | "b"){2,}']
)
def test_endless_repetitions_are_refused(text: str):
    with pytest.raises(EngineError, match="may be empty"):
        engine("llama").compile(parse(text), real_vocabulary())


def test_control_tokens_are_no_text():
    """llama.cpp matches a control token by its name, `<|im_start|>`; we do not admit it."""
    tokens = real_vocabulary()
    matcher = engine("llama").compile(parse("root ::= [^x]*"), tokens)
    found = admitted(matcher, tokens)
    assert all(tokens.tokens[i] for i in found - tokens.end)


def test_text_is_matched_whichever_tokens_spell_it():
    matcher = engine("llama").compile(parse('root ::= "SELECT " [a-zé]+'), real_vocabulary())
    for cut in range(1, len("SELECT naïvé".encode())):
        text = "SELECT navé".encode()
        trial = matcher.fork()
        assert trial.accept_bytes(text[:cut]) or not text[:cut]
        assert trial.accept_bytes(text[cut:])
        trial.rollback(2)
        assert accepts(trial, "SELECT é")
