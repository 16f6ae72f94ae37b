"""The folders that the user trusts, in a file of the user's own."""

from __future__ import annotations

import pytest

from gproj_lsp.lsp.trust import TrustStore


@pytest.fixture
def store(tmp_path):
    return TrustStore(tmp_path / "state" / "trusted.json")


def test_nothing_is_trusted_at_first(store, tmp_path):
    assert not store.holds(tmp_path)


def test_a_folder_covers_what_is_in_it_and_nothing_beside_it(store, tmp_path):
    store.add(tmp_path / "work")
    assert store.holds(tmp_path / "work")
    assert store.holds(tmp_path / "work" / "deep" / "deeper")
    assert not store.holds(tmp_path / "work2")
    assert not store.holds(tmp_path)


def test_a_link_is_where_it_leads(store, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "link").symlink_to(tmp_path / "other")
    store.add(tmp_path / "work")
    assert not store.holds(tmp_path / "work" / "link")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"trusted": 3}', '{"trusted": [1, null]}', "\x00"])
def test_a_damaged_file_trusts_nothing_and_is_replaced(tmp_path, text):
    path = tmp_path / "trusted.json"
    path.write_text(text)
    store = TrustStore(path)
    assert not store.holds(tmp_path)
    store.add(tmp_path)
    assert TrustStore(path).holds(tmp_path)
