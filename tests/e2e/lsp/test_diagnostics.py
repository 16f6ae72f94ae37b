"""Diagnostics as editors get them: published or pulled, in every position encoding, from every kind of source."""

from __future__ import annotations

import pytest
from lsprotocol import types

SCHEMA = "CREATE TABLE users (id INT, name TEXT);\nCREATE TABLE orders (id INT, user_id INT);\n"


def ghosts(found):
    return [each for each in found if each.code == "ghost-reference"]


def has_ghosts(found):
    return bool(ghosts(found))


@pytest.fixture
def work(tmp_path):
    """A workspace with its schema in a file."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\n')
    return folder


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("pull", [False, True], ids=["published", "pulled"])
async def test_a_ghost_is_told_at_its_name(share, work, encoding, pull):
    editor = await share(encoding=encoding, pull=pull)
    await editor.open("a.sql", "SELECT '😀 ö', u.nmae\r\nFROM users u;\r\n")
    (found,) = await editor.diagnostics("a.sql", has_ghosts)
    assert editor.encoding == encoding
    assert editor.at("a.sql", found.range) == "nmae"
    assert found.severity == types.DiagnosticSeverity.Error
    assert found.source == "gproj"
    assert "name" in found.message


async def test_it_says_where_the_nearest_name_is_declared(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT 1 FROM usrs;")
    (found,) = await editor.diagnostics("a.sql", has_ghosts)
    (related,) = found.related_information
    assert related.location.uri == editor.uri("schema.sql")
    assert related.location.range.start.line == 0
    assert "users" in related.message


async def test_it_says_where_the_text_itself_declares_the_nearest_name(share, work):
    editor = await share()
    await editor.open(
        "a.sql", 'CREATE TABLE "ö😀" (a INT);\nCREATE TABLE things (a INT);\nSELECT 1 FROM thngs;'
    )
    (found,) = await editor.diagnostics("a.sql", has_ghosts)
    (related,) = found.related_information
    assert related.location.uri == editor.uri("a.sql")
    assert related.location.range == editor.range("a.sql", "things")


async def test_a_client_that_takes_no_related_information_gets_none(share, work):
    editor = await share(related=False)
    await editor.open("a.sql", "SELECT 1 FROM usrs;")
    (found,) = await editor.diagnostics("a.sql", has_ghosts)
    assert found.related_information is None


async def test_the_word_under_the_cursor_is_left_alone_until_the_file_is_saved(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT name FROM users;\nSELECT 1;\n")
    editor.type("a.sql", "name", "nmae")
    assert await editor.diagnostics("a.sql") == []
    editor.save("a.sql")
    (found,) = await editor.diagnostics("a.sql", has_ghosts)
    assert editor.at("a.sql", found.range) == "nmae"


async def test_whole_texts_are_compared_to_find_where_somebody_types(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT name FROM users;\nSELECT 1 FROM usrs;\n")
    editor.replace("a.sql", "SELECT nmae FROM users;\nSELECT 1 FROM usrs;\n")
    found = await editor.diagnostics("a.sql", has_ghosts)
    assert [editor.at("a.sql", each.range) for each in found] == ["usrs"]


async def test_holes_are_hints_that_tell_what_fits(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT ?? FROM users;")
    (hole,) = await editor.diagnostics("a.sql", lambda found: found and "2 candidates" in found[0].message)
    assert (hole.code, hole.severity) == ("hole", types.DiagnosticSeverity.Hint)
    assert editor.at("a.sql", hole.range) == "??"
    assert hole.message == "Column: 2 candidates: id, name"


async def test_a_check_can_be_told_otherwise_or_not_at_all(connect, work):
    editor = await connect(options={"checks": {"ghost-reference": "warning", "hole": "off"}})
    await editor.open("a.sql", "SELECT ??, nmae FROM users;")
    (found,) = await editor.diagnostics("a.sql", has_ghosts)
    assert found.severity == types.DiagnosticSeverity.Warning


async def test_a_comment_silences_a_line(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT nmae FROM users; -- gproj: ignore\nSELECT naem FROM users;\n")
    found = await editor.diagnostics("a.sql", has_ghosts)
    assert [editor.at("a.sql", each.range) for each in found] == ["naem"]


async def test_what_did_not_change_is_not_pulled_twice(share, work):
    editor = await share(pull=True)
    await editor.open("a.sql", "SELECT nmae FROM users;")
    await editor.diagnostics("a.sql", has_ghosts)
    params = types.DocumentDiagnosticParams(editor.identifier("a.sql"))
    first = await editor.client.text_document_diagnostic_async(params)
    params.previous_result_id = first.result_id
    again = await editor.client.text_document_diagnostic_async(params)
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
    editor.type("a.sql", "", "SELECT 1 FROM usrs;\nSELECT 1;")
    assert await editor.pull("a.sql", first.result_id)
    assert not [each for each in editor.published if each.uri == editor.uri("a.sql")]


async def test_a_client_that_asks_is_told_to_ask_again_when_a_save_settles_a_word(share, work):
    editor = await share(pull=True)
    await editor.open("a.sql", "SELECT name FROM users;\nSELECT nmae FROM users;\n")
    await editor.diagnostics("a.sql", has_ghosts)
    editor.type("a.sql", "SELECT name", "SELECT naem")
    assert len(ghosts(await editor.pull("a.sql"))) == 1
    before = editor.client.diagnostic_refresh_count
    editor.save("a.sql")
    assert len(await editor.diagnostics("a.sql", lambda found: len(ghosts(found)) == 2)) == 2
    assert editor.client.diagnostic_refresh_count == before + 1


async def test_a_client_that_can_not_be_told_to_ask_again_waits_for_the_sources(share, work):
    editor = await share(pull=True, refresh=False)
    assert ghosts(await editor.open("a.sql", "SELECT nmae FROM users;"))


async def test_closing_takes_back_what_was_told(share, work):
    editor = await share()
    await editor.open("a.sql", "SELECT nmae FROM users;")
    await editor.diagnostics("a.sql", has_ghosts)
    uri = editor.uri("a.sql")
    editor.close("a.sql")
    await editor._until(lambda: _last(editor, uri), lambda last: not last.diagnostics)


async def _last(editor, uri):
    return [each for each in editor.published if each.uri == uri][-1]


async def test_files_that_are_left_out_are_not_looked_at(share, work):
    (work / "gproj.toml").write_text('exclude = ["old/*"]\n[surfaces.sql]\nddl = "schema.sql"\n')
    editor = await share()
    assert await editor.open("old/a.sql", "SELECT nmae FROM users;") == []
    status = await editor.status("excluded")
    assert status["cause"] == "exclude: old/*"


async def test_a_file_that_is_too_large_is_said_to_be(share):
    editor = await share()
    line = "SELECT 1 FROM nowhere;\n"
    assert await editor.open("a.sql", line * (12_000_000 // len(line))) == []
    status = await editor.status("excluded", editor.uri("a.sql"))
    assert "more than the limit" in status["cause"]
    assert await editor.open("b.sql", "SELECT ?? FROM t;")


async def test_cells_of_a_notebook_know_what_cells_before_them_declare(share):
    editor = await share()
    notebook = editor.uri("book.ipynb")
    texts = ["CREATE TABLE t (a INT);", "SELECT b FROM t;"]
    cells = [f"{notebook.replace('file:', 'vscode-notebook-cell:')}#{number}" for number in range(2)]
    kind = types.NotebookCellKind.Code
    editor.documents |= {cell: (1, text) for cell, text in zip(cells, texts, strict=True)}
    editor.client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(
                notebook, "jupyter-notebook", 1, [types.NotebookCell(kind, c) for c in cells]
            ),
            [types.TextDocumentItem(cell, "sql", 1, text) for cell, text in zip(cells, texts, strict=True)],
        )
    )
    (found,) = await editor.diagnostics(cells[1], has_ghosts)
    assert editor.at(cells[1], found.range) == "b"
