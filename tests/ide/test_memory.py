"""What an analyser keeps, and that it keeps no more."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from toy_resolver import ToyResolver

from gproj_lsp.environment import Binding, Origin
from gproj_lsp.facts import Facts
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.memory import Recent

WORLD = Facts((Binding("users", "Table", origin=Origin("database", "shop.db")),), frozenset({"Table"}))


def names(analysis):
    return [each.name for each in analysis.diagnostics]


def test_what_was_not_asked_for_longest_is_forgotten_first():
    recent = Recent(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1
    recent.put("c", 3)
    assert [recent.get(key) for key in "abc"] == [1, None, 3]
    assert len(recent) == 2


def test_what_weighs_more_leaves_less_room():
    recent = Recent(10, weight=len)
    recent.put("aaaa", 1)
    recent.put("bbbb", 2)
    recent.put("cccc", 3)
    assert [recent.get(key) for key in ("aaaa", "bbbb", "cccc")] == [None, 2, 3]
    recent.put("bbbb", 4)
    recent.forget("cccc")
    recent.put("dddd", 5)
    assert [recent.get(key) for key in ("bbbb", "dddd")] == [4, 5]
    recent.put("e" * 20, 6)
    assert (recent.get("e" * 20), len(recent)) == (6, 1)


def test_what_is_forgotten_on_purpose_is_gone():
    recent = Recent(2)
    recent.put("a", 1)
    recent.forget("a")
    recent.forget("b")
    assert recent.get("a") is None


def test_each_document_has_its_own_last_state(toy):
    resolver = ToyResolver()
    analyzer = Analyzer(toy, resolver, WORLD)
    first, second = "make a; use a; use b;", "use users; use c;"
    for _ in range(3):
        assert names(analyzer.analyse(first, document="one")) == ["b"]
        assert names(analyzer.analyse(second, document="two")) == ["c"]
    edited = analyzer.analyse(first + " use d;", document="one")
    assert names(edited) == ["b", "d"]
    assert edited.statements[0] is analyzer.analyse(first, document="one").statements[0]


def test_a_text_may_come_after_another(toy):
    analyzer = Analyzer(toy, ToyResolver(), WORLD)
    before = analyzer.analyse("make a;", document="one")
    assert names(analyzer.analyse("use a; use b;", document="two", after=before)) == ["b"]
    again = analyzer.analyse("make b;", document="one")
    assert names(analyzer.analyse("use a; use b;", document="two", after=again)) == ["a"]
    assert names(analyzer.analyse("use a; use b;", document="two")) == ["a", "b"]


def test_many_threads_get_what_one_would(toy):
    texts = [f"make a{n}; use a{n}; use users; use ghost{n % 3};" for n in range(30)]
    alone = [names(Analyzer(toy, ToyResolver(), WORLD).analyse(text)) for text in texts]
    analyzer = Analyzer(toy, ToyResolver(), WORLD)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: names(analyzer.analyse(text, document=text[:6])), texts * 5))
    assert together == alone * 5
