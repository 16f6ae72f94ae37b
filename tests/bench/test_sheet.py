"""A sheet reads as a table and as JSON, with the same figures."""

import json

from gproj_lsp.bench.sheet import Sheet

SHEET = Sheet(
    "Speed", ("arm", "names", "ratio"), (("fixed", 10, 0.98765), ("changed", 3000, None)), ("Medians of 7.",)
)


def test_as_a_table():
    assert str(SHEET).splitlines() == [
        "Speed",
        "",
        "arm      names  ratio",
        "-------  -----  -----",
        "fixed       10  0.988",
        "changed   3000      -",
        "",
        "Medians of 7.",
    ]


def test_as_json():
    assert json.loads(SHEET.to_json()) == {
        "title": "Speed",
        "rows": [
            {"arm": "fixed", "names": 10, "ratio": 0.98765},
            {"arm": "changed", "names": 3000, "ratio": None},
        ],
        "notes": ["Medians of 7."],
    }
