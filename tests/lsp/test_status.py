"""What is said of how things are: once, and only when it changes."""

from __future__ import annotations

from gproj_lsp.lsp.status import READY, Board, State, Status

LOADING = Status(State.LOADING)


def test_a_change_is_told_once():
    told = []
    board = Board(lambda uri, status: told.append((uri, status)))
    for status in (LOADING, LOADING, READY, READY, LOADING):
        board.put("a", status)
    board.put("b", LOADING)
    assert told == [("a", LOADING), ("a", READY), ("a", LOADING), ("b", LOADING)]


def test_what_is_gone_is_ready_when_it_comes_again():
    board = Board(lambda *_: None)
    board.put("a", LOADING)
    board.forget("a")
    assert board.get("a") is READY
