"""Where text is cut into tokens before and after a hole."""

import pytest

from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.decode.models.fake import word_vocabulary
from gproj_lsp.decode.prompt import seam, window


@pytest.fixture(scope="module")
def vocabulary():
    from gproj_lsp.decode.models.native import load_vocabulary

    return load_vocabulary(embedded_path())


@pytest.mark.parametrize(
    "left",
    ["SELECT ", "SELECT u.", "SELECT na", "-- é\nSELECT count(", "x", "", "  ", "SELECT\n\n  ", "名前"],
)
@pytest.mark.parametrize("following", ["name", "_id", "é", ", b"])
def test_tokens_before_a_seam_do_not_depend_on_what_follows(vocabulary, left, following):
    cut = seam(vocabulary, left.encode())
    assert vocabulary.decode(cut.ids) + cut.tail == left.encode()
    whole = vocabulary.encode((left + following).encode())
    assert tuple(whole[: len(cut.ids)]) == cut.ids


def test_a_seam_never_cuts_a_character():
    cut = seam(word_vocabulary(), "é".encode())
    assert cut.tail.decode()


def test_a_begin_token_stands_first():
    plain = word_vocabulary()
    beginning = type(plain)(plain.name, plain.tokens, plain.end, 7, None, plain.encode)
    assert seam(beginning, b"a b").ids[0] == 7


@pytest.mark.parametrize(
    ("right", "least", "expected"),
    [
        (b" FROM users WHERE", 1, b" FROM"),
        (b" FROM users WHERE", 8, b" FROM users"),
        (b"\nFROM x", 1, b"\nFROM"),
        (b";", 1, b";"),
        (b"", 4, b""),
        (b", b", 1, b","),
        (b"abc", 9, b"abc"),
    ],
)
def test_a_window_ends_before_a_blank(right, least, expected):
    assert window(right, least) == expected
