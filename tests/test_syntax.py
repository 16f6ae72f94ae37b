"""Statements, tokens and holes of a buffer, and its parses."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gproj_lsp.errors import SurfaceError
from gproj_lsp.surface import shipped
from gproj_lsp.syntax import HoleMark, Region, TokenKind, grammar_of, lexer_of, regions, split
from gproj_lsp.text import Span, encode

SQL = shipped()["sql"]
DIALECTS = ("", "sqlite", "postgres", "mysql", "duckdb")


def statements(text, dialect=""):
    return [statement.text for statement, _ in split(text, lexer_of(SQL, dialect)).placed()]


def statement(text, dialect=""):
    return lexer_of(SQL, dialect).statement(text)


def holes(text, dialect=""):
    return [mark.text for mark in statement(text, dialect).holes]


class TestSplitting:
    """What ends a statement, and what only looks like it."""

    @pytest.mark.parametrize(
        ("dialect", "one"),
        [
            ("", "SELECT ';'"),
            ("", "SELECT 'it''s;'"),
            ("", 'SELECT ";"'),
            ("", "SELECT 1 /* ; */ + 1"),
            ("", "SELECT 1 -- ;\n + 1"),
            ("", "SELECT $$ ; $$"),
            ("", "SELECT $a$ ; $$ ; $a$"),
            ("postgres", r"SELECT E'\';'"),
            ("postgres", "SELECT 1 /* a /* b */ ; */"),
            ("mysql", r"SELECT '\';'"),
            ("mysql", 'SELECT "\\";"'),
            ("mysql", "SELECT `;`"),
            ("mysql", "SELECT 1 # ;\n + 1"),
            ("sqlite", "SELECT [;]"),
            ("sqlite", "SELECT `;`"),
            ("", "SELECT {{ a ; b }}"),
            ("", "SELECT {% if ; %} 1 {% endif %}"),
            ("sqlite", "CREATE TRIGGER t AFTER INSERT ON u BEGIN UPDATE u SET a = 1; DELETE FROM v; END"),
            ("sqlite", "CREATE TEMP TRIGGER t AFTER INSERT ON u BEGIN SELECT CASE WHEN 1 THEN 2 END; END"),
            ("postgres", "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END"),
            ("postgres", "CREATE FUNCTION f() RETURNS int AS 'SELECT 1; SELECT 2' LANGUAGE sql"),
            ("postgres", "CREATE RULE r AS ON INSERT TO t DO ALSO (SELECT 1; SELECT 2)"),
            (
                "mysql",
                "CREATE PROCEDURE p() BEGIN IF a THEN SELECT 1; END IF; CASE a WHEN 1 THEN BEGIN END; END CASE; END",
            ),
        ],
    )
    def test_one_statement(self, dialect, one):
        assert statements(f"{one}; SELECT 2;", dialect) == [one, "SELECT 2"]

    @pytest.mark.parametrize(
        ("dialect", "text", "expected"),
        [
            ("", "BEGIN; SELECT 1; END;", ["BEGIN", "SELECT 1", "END"]),
            ("", ";; ;SELECT 1;;", ["SELECT 1"]),
            ("", "SELECT 1", ["SELECT 1"]),
            ("", "-- nothing\n", []),
            ("", "", []),
            ("", "/* why */ SELECT 1 /* so */;", ["SELECT 1 /* so */"]),
            ("postgres", "CREATE TRIGGER t AFTER INSERT ON u EXECUTE FUNCTION f(); SELECT 1", [
                "CREATE TRIGGER t AFTER INSERT ON u EXECUTE FUNCTION f()", "SELECT 1"]),
            ("postgres", "\\d users\nSELECT 1;\n\\echo ;\nSELECT 2", ["\\d users", "SELECT 1", "\\echo ;", "SELECT 2"]),
            ("postgres", "SELECT 1 \\gset x_\nSELECT 2 \\; SELECT 3\\g\n", ["SELECT 1 ", "SELECT 2 ", "SELECT 3"]),
            ("postgres", "SELECT 1\n\\set x 1\n+ 2;", ["SELECT 1\n\\set x 1\n+ 2"]),
            ("postgres", "COPY t FROM stdin;\n1;2\nit's\n\\.\nSELECT 1;", ["COPY t FROM stdin", "SELECT 1"]),
            ("postgres", "COPY t FROM stdin;\nSELECT 1;", ["COPY t FROM stdin", "SELECT 1"]),
            ("postgres", "\\copy t from stdin\n1;2\n\\.\nSELECT 1", ["\\copy t from stdin", "SELECT 1"]),
            ("mysql", "DELIMITER //\nCREATE PROCEDURE p() SELECT 1; //\nDELIMITER ;\nSELECT 2; SELECT 3;", [
                "CREATE PROCEDURE p() SELECT 1; ", "SELECT 2", "SELECT 3"]),
            ("mysql", "DELIMITER $$\nSELECT ';' $$\nSELECT 2$$", ["SELECT ';' ", "SELECT 2"]),
        ],
    )  # fmt: skip
    def test_statements(self, dialect, text, expected):
        assert statements(text, dialect) == expected

    def test_only_a_separator_completes_a_statement(self):
        source = split("SELECT 1; SELECT 2", lexer_of(SQL))
        assert [each.complete for each, _ in source.placed()] == [True, False]

    def test_a_place_finds_its_statement(self):
        source = split("SELECT 1;\n\nSELECT é; ", lexer_of(SQL))
        assert [source.span(index) for index in range(2)] == [Span(0, 8), Span(11, 20)]
        assert [source.at(offset) for offset in (0, 8, 9, 10, 11, 20, 21, 99)] == [
            0,
            0,
            None,
            None,
            1,
            1,
            None,
            None,
        ]
        assert [source.before(offset) for offset in (0, 1, 9, 11, 12, 99)] == [0, 1, 1, 1, 2, 2]

    def test_equal_statements_are_one_value(self):
        source = split("SELECT 1; SELECT 1;", lexer_of(SQL))
        one, other = (each for each, _ in source.placed())
        assert one is other


PARTS = st.sampled_from(
    [
        "SELECT a", " ", "\n", ";", "'", '"', "$$", "$t$", "--", "/*", "*/", "BEGIN", "END", "CASE", "CREATE TRIGGER t ",
        "COPY t FROM stdin", "\\.\n", "\\.", "\\g", "\\d x\n", "DELIMITER //\n", "DELIMITER ;\n", "//", "??", "{:Column}",
        "{{", "}}", ":x", "é", "😀", "\x00", "\udc80", "(", ")", "[", "]", "`", "#", "E'", "\\", "\r\n", "$",
    ]
)  # fmt: skip
TEXTS = st.lists(PARTS, max_size=30).map("".join)


def assembled(source):
    """The buffer, put together again from its pieces and its rest."""
    data, at, parts = source.data, 0, []
    for piece, (each, start) in zip(source.pieces, source.placed(), strict=True):
        parts += (data[at : at + piece.lead], each.data, data[start + len(each.data) : at + piece.size])
        at += piece.size
    return b"".join([*parts, data[at:]])


class TestLaws:
    """What holds of any text in any dialect."""

    @given(TEXTS, st.sampled_from(DIALECTS))
    def test_statements_and_gaps_make_up_the_text(self, text, dialect):
        source = split(text, lexer_of(SQL, dialect))
        assert assembled(source) == encode(text)

    @given(TEXTS, st.sampled_from(DIALECTS))
    def test_tokens_tile_a_statement(self, text, dialect):
        for each, _ in split(text, lexer_of(SQL, dialect)).placed():
            at = 0
            for token in each.tokens:
                assert token.span.start >= at
                assert not each.data[at : token.span.start].strip(b" \t\r\n\f\v\x1c\x1d\x1e\x1f\xc2\x85\xa0")
                assert each.data[token.span.start : token.span.end] == encode(token.text)
                at = token.span.end

    @given(TEXTS, st.sampled_from(DIALECTS))
    def test_what_parsers_see_is_as_long_as_the_source(self, text, dialect):
        for each, _ in split(text, lexer_of(SQL, dialect)).placed():
            assert len(encode(each.filled)) == len(each.data)

    @settings(max_examples=300)
    @given(TEXTS, TEXTS, TEXTS, TEXTS, st.sampled_from(DIALECTS))
    @example("COPY t FROM stdin;", "", "SELECT a;", "\\.\n", "postgres")
    @example("DELIMITER //\nSELECT a;//", ";", "//", ";", "mysql")
    def test_cutting_again_after_an_edit_is_cutting_anew(self, head, old, new, tail, dialect):
        lexer = lexer_of(SQL, dialect)
        before = split(head + old + tail, lexer)
        assert split(head + new + tail, lexer, before).pieces == split(head + new + tail, lexer).pieces


class TestHoles:
    """Where a mark is a hole."""

    def test_a_hole_says_its_sort_its_label_and_what_is_wanted(self):
        one = statement('SELECT ??, {:Column}, {c:ColDecl}, {:Column "the buyer\'s e-mail"}')
        assert one.holes == (
            HoleMark(Span(7, 9), "??"),
            HoleMark(Span(11, 20), "{:Column}", "Column"),
            HoleMark(Span(22, 33), "{c:ColDecl}", "ColDecl", "c"),
            HoleMark(Span(35, 65), '{:Column "the buyer\'s e-mail"}', "Column", "", "the buyer's e-mail"),
        )

    @pytest.mark.parametrize(
        "text",
        [
            "'??'",
            '"??"',
            "-- ??",
            "/* {:Column} */",
            "$$ ?? $$",
            "{{ ?? }}",
            "'{:Column}'",
            "{column:x}",
            "???",
        ],
    )
    def test_no_hole(self, text):
        assert holes(f"SELECT {text}") == []

    @pytest.mark.parametrize(
        ("dialect", "text", "expected"),
        [
            ("postgres", "SELECT a FROM t WHERE b ?? 'key'", 0),
            ("postgres", "SELECT a FROM t WHERE (b) ?? $1", 0),
            ("postgres", "SELECT a FROM t WHERE b ?? c", 0),
            ("postgres", "SELECT ?? FROM t", 1),
            ("postgres", "SELECT a FROM ?? WHERE b", 1),
            ("postgres", "SELECT a FROM t WHERE ?? = 'key'", 1),
            ("postgres", "SELECT t.?? FROM t ORDER BY ??", 2),
            ("postgres", "SELECT f(??, ??)", 2),
            ("sqlite", "SELECT a ?? 'b'", 1),
        ],
    )
    def test_a_mark_between_operands_is_the_operator_where_the_dialect_has_it(self, dialect, text, expected):
        assert len(holes(text, dialect)) == expected

    def test_a_struct_is_no_hole_where_the_dialect_has_structs(self):
        assert holes("SELECT {a:B}, {a:Column}, {:TableRef}", "duckdb") == ["{a:Column}", "{:TableRef}"]
        assert holes("SELECT {a:B}", "postgres") == ["{a:B}"]

    def test_placeholders_fit_their_sort_and_their_length(self):
        assert (
            statement("SELECT ??, {:Column} FROM {t:Table}").filled == "SELECT __, c________ FROM t________"
        )

    def test_templates_are_neutral(self):
        one = statement("{{ config(x='é') }}\nSELECT {{ a }} {% if b %} FROM {{ ref('é') }}")
        assert one.filled == f"{' ' * 20}\nSELECT {'_' * 7} {' ' * 10} FROM {'_' * 15}"

    def test_parameters_are_opaque_and_casts_are_not(self):
        one = statement("SELECT a::int, :b, $1, ?2 FROM t \\x", "postgres")
        assert [one.data[span.start : span.end].decode() for span in one.opaque] == [":b", "$1", "?2", "\\x"]
        assert one.filled == "SELECT a::int, :b, $1, ?2 FROM t   "


class TestBadInput:
    """Nothing is slow, deep or fatal."""

    @pytest.mark.parametrize("dialect", DIALECTS)
    @pytest.mark.parametrize(
        "part", ["(", "{{", "'", "$a", "$$", "??", "\\", "/*", "CASE ", ";", "a;", "--", "{:A ", "U&'", "\x00", "\n", " "]
    )  # fmt: skip
    def test_many_of_the_same(self, part, dialect):
        text = "CREATE TRIGGER t BEGIN " * (part == "CASE ") + part * 10_000
        started = time.perf_counter()
        source = split(text, lexer_of(SQL, dialect))
        for each, _ in list(source.placed())[:20]:
            assert len(encode(each.filled)) == len(each.data)
        assert time.perf_counter() - started < 5  # linear takes a fraction of it, quadratic much more

    def test_megabytes_split_in_seconds(self):
        line = "SELECT a.b, c FROM t a JOIN u ON a.id = u.id WHERE x = 'y' AND z > 10; -- hi\n"
        started = time.perf_counter()
        assert len(split(line * 25_000, lexer_of(SQL)).pieces) == 25_000
        assert time.perf_counter() - started < 8  # 2 MB take about 0.7 s on an idle core


class TestParsing:
    """tree-sitter's side."""

    def test_a_statement_with_holes_parses(self):
        tree = grammar_of(SQL).tree(statement("SELECT u.?? FROM {:Table} u WHERE {:Column} = 1"))
        assert not tree.root_node.has_error

    def test_captures_come_with_places_and_settings(self, toy):
        grammar = grammar_of(toy)
        one = lexer_of(toy).statement("CREATE TABLE é (a int)")
        match = next(each for each in grammar.matches(one, "locals") if each.settings)
        assert [(capture.name, capture.text, capture.span) for capture in match.captures] == [
            ("local.definition.Table", "é", Span(13, 15))
        ]
        assert match.settings == {"definition.scope": "global"}

    def test_a_query_that_does_not_compile_is_named_with_its_line(self, toy_root, toy):
        (toy_root / "broken.scm").write_text("(statement)\n(nonsense) @x\n")
        with pytest.raises(SurfaceError, match="nonsense") as caught:
            grammar_of(toy).check("broken")
        assert caught.value.place == f"{toy_root / 'broken.scm'}:2"

    def test_a_language_that_is_not_installed_is_named(self, toy):
        from gproj_lsp.syntax import Grammar

        with pytest.raises(SurfaceError, match="tree_sitter_nothing can't be loaded"):
            Grammar("tree_sitter_nothing", toy.root)

    def test_a_plain_file_is_one_region(self, toy):
        assert regions("SELECT é", toy) == (Region("toy", Span(0, 9)),)


def test_kinds_of_tokens():
    one = statement("SELECT \"a\", 'b', 1.5e3, x -- c\n + ?? :p")
    assert [token.kind for token in one.tokens] == [
        TokenKind.WORD, TokenKind.QUOTED, TokenKind.PUNCTUATION, TokenKind.STRING, TokenKind.PUNCTUATION,
        TokenKind.NUMBER, TokenKind.PUNCTUATION, TokenKind.WORD, TokenKind.COMMENT, TokenKind.PUNCTUATION,
        TokenKind.HOLE, TokenKind.OPAQUE,
    ]  # fmt: skip
    assert "-- c" not in [token.text for token in one.code]
