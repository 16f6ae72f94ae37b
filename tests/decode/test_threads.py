"""Statements filled by a server side by side, as many at once as there are threads."""

from __future__ import annotations

import threading

import pytest

from gproj_lsp.decode.abreast import Abreast
from gproj_lsp.decode.base import HoleText
from gproj_lsp.decode.completion import shortest
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.fill import Filler
from gproj_lsp.decode.threads import LockedEngine, Threads
from gproj_lsp.errors import Cancelled, ModelError
from gproj_lsp.gbnf import parse
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of

SHOP = "CREATE TABLE users (id INT, name TEXT, email TEXT);\n"
WIDTH = 4


class ObedientFiller:
    """Writes the shortest text of each grammar; tells how many were asked of it at once at most."""

    name = "http://somewhere/v1"
    capacity = 4096

    def __init__(self, waits=None):
        self.most = self._now = 0
        self._lock = threading.Lock()
        self._waits = waits

    def write(self, task, stop=None):
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            if self._waits:
                self._waits(stop)
            return HoleText(shortest(parse(task.gbnf)), 1)
        finally:
            with self._lock:
                self._now -= 1


@pytest.fixture
def analyzer(sql):
    return Analyzer(sql, resolver_of(sql), settings={"dialect": "sqlite"})


def abreast(sql, filler, width=WIDTH):
    return Abreast(sql, Threads(filler, width), LockedEngine(make_engine()))


def test_as_many_are_under_way_as_there_are_threads(sql, analyzer):
    together = threading.Barrier(WIDTH)
    filler = ObedientFiller(lambda _stop: together.wait(30))
    text = SHOP + "SELECT ?? FROM users;\n" * (2 * WIDTH)
    result = abreast(sql, filler).fill(text, analyzer.analyse)
    assert filler.most == WIDTH
    assert len(result.holes) == 2 * WIDTH


def test_what_comes_of_it_is_what_comes_of_one_after_the_other(sql, analyzer):
    text = SHOP + "".join(f"SELECT {at}, ??, u.?? FROM users u WHERE ?? > {at};\n" for at in range(30))
    alone = Filler(sql, ObedientFiller(), make_engine()).fill(text, analyzer.analyse)
    for _ in range(3):
        assert abreast(sql, ObedientFiller(), 8).fill(text, analyzer.analyse).text == alone.text


def test_a_statement_whose_gamma_another_one_changed_is_filled_again(sql, analyzer):
    text = "CREATE TABLE t ({shop:ColDecl} INT, b INT);\nSELECT ?? FROM t;\n"
    result = abreast(sql, ObedientFiller()).fill(text, analyzer.analyse)
    assert [hole.text for hole in result.holes] == ["shop", "b"]
    assert "shop" in result.holes[1].candidates


def test_a_server_that_fails_leaves_holes_open_and_says_why(sql, analyzer):
    count = iter(range(100))

    def fails(_stop):
        if next(count) == 1:
            raise ModelError("the server is busy or broken (503)", place="http://somewhere/v1")

    text = SHOP + "SELECT ?? FROM users;\n" * 3
    result = abreast(sql, ObedientFiller(fails), 1).fill(text, analyzer.analyse)
    assert len(result.holes) == 2
    assert [hole.reason for hole in result.incomplete] == [
        "http://somewhere/v1: the server is busy or broken (503)"
    ]


def test_cancelling_reaches_all(sql, analyzer):
    def waits(stop):
        while not stop():
            threading.Event().wait(0.01)
        raise Cancelled("decoding was cancelled")

    filler = ObedientFiller(waits)
    with pytest.raises(Cancelled):
        abreast(sql, filler).fill(
            SHOP + "SELECT ?? FROM users;\n" * 6, analyzer.analyse, stop=lambda: filler.most == WIDTH
        )


def test_whoever_is_interrupted_waits_for_nobody():
    def waits(filler):
        return filler.write(None)

    def hangs(stop):
        while not stop():
            threading.Event().wait(0.01)
        raise Cancelled("decoding was cancelled")

    def done(_count):
        raise KeyboardInterrupt

    jobs = [lambda _: None, *[waits] * 20]
    with pytest.raises(KeyboardInterrupt):
        Threads(ObedientFiller(hangs), 2).run(jobs, done)
