"""What is XGrammar's own."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from engines_on_trial import SMALL, accepts, engine

from gproj_lsp.decode.engines import make_engine
from gproj_lsp.errors import EngineError
from gproj_lsp.gbnf import Grammar, Names, parse


def test_torch_is_loaded_by_who_chose_this_engine_only():
    code = (
        "import sys, gproj_lsp.decode.engines as e; e.make_engine('xgrammar'); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_its_absence_is_told_with_what_mends_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(EngineError) as caught:
        make_engine("xgrammar").compile(parse("root ::= [a-z]"), SMALL)
    assert 'pip install "gproj-lsp[xgrammar]"' in str(caught.value)


def test_characters_before_hexadecimal_digits_are_not_read_together():
    """XGrammar reads `\\x2Da` as one character; no text printed for it says that."""
    matcher = engine("xgrammar").compile(parse(r'root ::= [\x2Da] "\x7Fa" .'), SMALL)
    assert accepts(matcher, "-\x7fa😀")
    assert accepts(matcher, "a\x7fa\n")
    assert not accepts(matcher, "\u02da\x7fax")


def test_six_thousand_names_take_no_minutes():
    """Flat they took 143 s; factored they do not."""
    names = Names(tuple(f"column_{number}_of_table_{number % 97}" for number in range(6_000)))
    matcher_of = engine("xgrammar")
    began = time.monotonic()
    matcher = matcher_of.compile(Grammar({"root": names}), SMALL)
    assert accepts(matcher, "column_5999_of_table_82")
    assert time.monotonic() - began < 30
