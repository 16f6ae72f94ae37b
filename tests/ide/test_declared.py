"""Where a text itself declares a name."""

from __future__ import annotations

import pytest

from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.declared import declaration_before
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

TEXT = 'CREATE TABLE "ö" (a INT, "b c" INT);\nDROP TABLE "ö";\nCREATE TABLE "ö" (a INT);\nSELECT 1;'

END = len(TEXT.encode())


@pytest.fixture(scope="module")
def declared():
    surface = shipped()["sql"]
    analysis = Analyzer(surface, resolver_of(surface)).analyse(TEXT)

    def at(name, sort, offset=END):
        span = declaration_before(analysis, name, sort, offset)
        return (span.start, TEXT.encode()[span.start : span.end].decode()) if span else None

    return at


def test_the_nearest_declaration_before_the_place_counts(declared):
    assert declared('"ö"', "Table") == (TEXT.encode().rindex('"ö"'.encode()), '"ö"')
    assert declared("ö", "Table", TEXT.encode().index(b"DROP")) == (
        TEXT.encode().index('"ö"'.encode()),
        '"ö"',
    )


def test_a_column_may_be_written_with_its_table(declared):
    assert declared('"ö"."b c"', "Column") == (TEXT.encode().index(b'"b c"'), '"b c"')


def test_what_nothing_declares_has_no_place(declared):
    assert declared("users", "Table") is None
    assert declared("ö", "Column") is None
