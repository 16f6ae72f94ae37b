"""Laws of Python's names: nothing raises, what a hole is offered is no ghost, and tokens are Python's own."""

from __future__ import annotations

import io
import keyword
import tokenize
from pathlib import Path
from textwrap import indent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gproj_lsp.environment import Query
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import Verdict, resolver_of
from gproj_lsp.surface import shipped
from gproj_lsp.syntax import TokenKind, lexer_of

SURFACE = shipped()["python"]
ANALYZER = Analyzer(SURFACE, resolver_of(SURFACE))
NAMES = ("a", "b", "c", "d")
name = st.sampled_from(NAMES)

PIECES = st.sampled_from(
    [*keyword.kwlist, *NAMES, *"()[]{}:,.=+*@|~;'\"\\#", "\n", "\n    ", "??", '"""', "f'{", ":=", " "]
)


@settings(max_examples=50)
@given(st.lists(PIECES, max_size=40).map(" ".join) | st.text(max_size=40))
def test_no_text_raises(text):
    analysis = ANALYZER.analyse(text)
    for offset in range(0, len(analysis.source.data) + 1, 3):
        analysis.environment_at(offset)
        analysis.expectation_at(offset)


simple = st.one_of(
    st.builds("{} = {}".format, name, name),
    st.builds("{} += 1".format, name),
    st.builds("del {}".format, name),
    st.builds("print({}, [{} for {} in {}])".format, name, name, name, name),
    st.builds("import {}".format, name),
    st.builds("{} = lambda {}: {}".format, name, name, name),
    st.builds("global {}".format, name),
    st.builds("print({} := 1)".format, name),
    st.builds("{}: int".format, name),
    st.just("print(??)"),
)


def block(header, body):
    return f"{header}\n{indent(body, '    ')}"


def compound(inner):
    body = st.lists(inner, min_size=1, max_size=3).map("\n".join)
    return st.one_of(
        st.builds("def {}({}):".format, name, name).flatmap(
            lambda head: body.map(lambda text: block(head, text))
        ),
        st.builds("class {}:".format, name).flatmap(lambda head: body.map(lambda text: block(head, text))),
        st.builds("for {} in {}:".format, name, name).flatmap(
            lambda head: body.map(lambda text: block(head, text))
        ),
        st.builds("if {}:".format, name).flatmap(lambda head: body.map(lambda text: block(head, text))),
        st.builds(
            lambda one, other, bound: f"{block('try:', one)}\n{block(f'except E as {bound}:', other)}",
            body,
            body,
            name,
        ),
    )


program = st.lists(st.recursive(simple, compound, max_leaves=6), min_size=1, max_size=4).map("\n".join)


@settings(max_examples=50)
@given(program.filter(lambda text: "??" in text))
def test_what_a_hole_is_offered_is_no_ghost(text):
    for hole in ANALYZER.analyse(text).holes:
        offered = {binding.spelling for binding in hole.environment.names(Query.of("Name"))}
        data = text.encode()
        for written in (*NAMES, "E"):
            filled = (data[: hole.span.start] + written.encode() + data[hole.span.end :]).decode()
            found = ANALYZER.analyse(filled).reference_at(hole.span.start)
            assert found is not None
            if found[0].start == hole.span.start and written in offered:
                assert found[1].verdict is not Verdict.GHOST, (text, written)
            elif found[1].verdict is Verdict.DECLARED and found[0].start == hole.span.start:
                assert written in offered, (text, written)


@settings(max_examples=50)
@given(program)
def test_what_is_declared_once_and_read_after_it_is_never_a_ghost(text):
    names = {each.name for each in ANALYZER.analyse(f"E = a = b = c = d = 1\n{text}").diagnostics}
    deleted = {word for line in text.splitlines() if "del " in line for word in line.split()}
    # A function's own binding, a class's or a deletion may hide it; a plain module has neither.
    if not any(word in text for word in ("def ", "class ", "lambda", "except", "for ")):
        assert names <= deleted


MODULES = (
    "argparse",
    "tokenize",
    "typing",
    "string",
    "inspect",
    "dataclasses",
    "fractions",
    "re/_parser",
    "json/decoder",
)


@pytest.mark.parametrize("module", MODULES)
def test_comments_and_strings_are_where_python_has_them(module):
    path = Path(io.__file__).parent / f"{module}.py"
    if not path.exists():
        pytest.skip(f"this Python has no {module}")
    text = path.read_text("utf-8")
    theirs = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    ]
    tokens = lexer_of(SURFACE).statement(text).tokens
    ours = [token.text for token in tokens if token.kind is TokenKind.COMMENT]
    assert ours == theirs
    assert not [token for token in tokens if token.kind is TokenKind.HOLE]
