"""Bytes inside, positions outside."""

from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.text import LineIndex, Offsets, Position, Range, Span, decode, encode

TEXTS = st.text(st.sampled_from("ab \n\r\té漢😀\x00\ud800\udc80"), max_size=40)


def test_an_editor_counts_a_smiley_twice_in_utf16_and_four_times_in_utf8():
    lines = LineIndex("😀x\né".encode())
    assert lines.position(4, "utf-16") == Position(0, 2)
    assert lines.position(4, "utf-32") == Position(0, 1)
    assert lines.position(4, "utf-8") == Position(0, 4)
    assert lines.range(Span(6, 8)) == Range(Position(1, 0), Position(1, 1))


def test_people_count_lines_and_characters_from_one():
    assert LineIndex("é\n漢x".encode()).place(6) == "2:2"


def test_every_line_break_of_the_protocol_ends_a_line():
    lines = LineIndex(b"a\r\nb\rc\nd")
    assert [lines.line_span(line) for line in range(lines.lines)] == [
        Span(0, 1),
        Span(3, 4),
        Span(5, 6),
        Span(7, 8),
    ]


def test_places_outside_the_text_are_clamped():
    lines = LineIndex(b"ab")
    assert lines.position(99) == Position(0, 2)
    assert lines.position(-1) == Position(0, 0)
    assert lines.offset(Position(7, 7)) == 2
    assert lines.offset(Position(0, 99), "utf-8") == 2


def test_spans_touch_a_cursor_at_either_edge():
    span = Span(2, 4)
    assert [span.touches(at) for at in (1, 2, 4, 5)] == [False, True, True, False]
    assert span.contains(Span(3, 4))
    assert not span.contains(Span(3, 5))
    assert span.shift(3) == Span(5, 7)
    assert len(span) == 2


def test_bytes_that_are_no_utf8_come_back_as_they_were():
    assert encode(decode(b"a\xff\xc3")) == b"a\xff\xc3"


def test_a_lone_surrogate_from_json_is_as_long_as_its_replacement():
    assert encode("a\ud800b") == "a�b".encode()


@given(TEXTS)
def test_offsets_and_positions_are_inverse_at_characters(text):
    data = encode(text)
    lines, offsets = LineIndex(data), Offsets(text)
    for char in range(len(text) + 1):
        byte = offsets.byte(char)
        assert offsets.char(byte) == char
        if text[char - 1 : char + 1] == "\r\n":
            continue  # between the halves of one line break there is no position
        for encoding in ("utf-8", "utf-16", "utf-32"):
            assert lines.offset(lines.position(byte, encoding), encoding) == byte


@given(TEXTS)
def test_offsets_count_as_encoding_does(text):
    offsets = Offsets(text)
    assert [offsets.byte(char) for char in range(len(text) + 1)] == [
        len(encode(text[:char])) for char in range(len(text) + 1)
    ]
    assert offsets.span(0, len(text)) == Span(0, len(encode(text)))
