"""Edits applied as the LSP says, whatever the text holds; where somebody types is the end of the last one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from gproj_lsp.lsp.convert import position_of
from gproj_lsp.lsp.documents import Document, Documents
from gproj_lsp.text import LineIndex, encode

TEXTS = st.text(st.sampled_from("ab ö😀\n\r\u2028\f"), max_size=20)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


def document(text, **others):
    return Document("file:///a.sql", 1, "sql", encode(text), **others)


@given(TEXTS, TEXTS, ENCODINGS, st.data())
def test_a_change_of_a_range_is_a_change_of_its_text(text, new, encoding, data):
    """Whatever breaks no line for the LSP (U+2028, a form feed) breaks none here."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    lines = LineIndex(encode(text))
    ends = [position_of(lines, len(encode(text[:at])), encoding) for at in (start, end)]
    back = [lines.offset(lines.position(len(encode(text[:at])), encoding), encoding) for at in (start, end)]
    change = types.TextDocumentContentChangePartial(types.Range(*ends), new)
    edited = document(text).edited([change], 2, encoding)
    expected = encode(text)[: back[0]] + encode(new) + encode(text)[back[1] :]
    assert (edited.data, edited.version, edited.cursor) == (expected, 2, back[0] + len(encode(new)))


@given(TEXTS, TEXTS)
def test_a_whole_text_tells_by_itself_what_changed(old, new):
    edited = document(old).edited([types.TextDocumentContentChangeWholeDocument(new)], 2, "utf-16")
    assert edited.text == new
    at = edited.cursor
    assert 0 <= at <= len(edited.data)
    tail = edited.data[at:]
    assert encode(old).endswith(tail)


def test_of_a_word_that_grew_its_end_is_where_somebody_types():
    change = types.TextDocumentContentChangeWholeDocument("SELECT name FROM t")
    assert document("SELECT na FROM t").edited([change], 2, "utf-16").cursor == len("SELECT name")


def test_it_is_known_whether_text_was_only_taken_away():
    def shrinks(new, *, start=1, end=2):
        span = types.Range(types.Position(0, start), types.Position(0, end))
        part = types.TextDocumentContentChangePartial(span, new)
        whole = types.TextDocumentContentChangeWholeDocument("abc"[:start] + new + "abc"[end:])
        told = {document("abc").edited([change], 2, "utf-16").shrunk for change in (part, whole)}
        assert len(told) == 1
        return told.pop()

    assert shrinks("")
    assert not shrinks("xy")
    assert shrinks("b", end=3)
    assert not shrinks("x", end=3)
    assert not shrinks("x", end=1)
    assert not shrinks("", end=1)


def test_lone_surrogates_are_as_long_as_before():
    change = types.TextDocumentContentChangePartial(
        types.Range(types.Position(0, 1), types.Position(0, 1)), "x"
    )
    assert document("\ud800b").edited([change], 2, "utf-16").text == "\ufffdxb"


def test_a_saved_document_is_typed_in_by_nobody():
    typed = document("a", cursor=1)
    assert typed.settled().cursor is None
    assert typed.settled().text == "a"


def test_the_cell_before_a_cell_is_the_last_in_its_language():
    documents = Documents()
    for uri, language in (("a", "sql"), ("b", "python"), ("c", "sql")):
        documents.put(Document(uri, 1, language, b"", notebook="book"))
    documents.order("book", ["a", "b", "c"])
    assert documents.before(documents.get("c")).uri == "a"
    assert documents.before(documents.get("a")) is None
    documents.order("book", [])
    assert documents.before(documents.get("c")) is None
