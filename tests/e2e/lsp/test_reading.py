"""What editors ask about names: hover, definition, references, highlights, symbols, colours, Γ and its grammar."""

from __future__ import annotations

import pytest
from editor import failure
from lsprotocol import types

SCHEMA = """\
-- ö 😀
CREATE TABLE users (
  id INT,
  name TEXT
);
CREATE TABLE orders (id INT, user_id INT);
"""
QUERY = "SELECT '😀 ö', u.name\r\nFROM users u\r\nWHERE u.id > 1;\r\nSELECT id FROM orders;\r\n"


@pytest.fixture
def work(tmp_path):
    """A workspace with its schema in a file."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\n')
    return folder


async def opened(start, text=QUERY, name="a.sql", **able):
    """An editor whose document's world is read."""
    editor = await start(**able)
    await editor.open(name, "SELECT nosuch FROM users;")
    await editor.diagnostics(name, bool)
    editor.replace(name, text)
    return editor


async def hover(editor, name, before):
    params = types.HoverParams(editor.identifier(name), editor.position(name, before))
    return await editor.client.text_document_hover_async(params)


async def definition(editor, name, before):
    params = types.DefinitionParams(editor.identifier(name), editor.position(name, before))
    return await editor.client.text_document_definition_async(params)


async def references(editor, name, before, *, declaration=True):
    context = types.ReferenceContext(declaration)
    params = types.ReferenceParams(context, editor.identifier(name), editor.position(name, before))
    return await editor.client.text_document_references_async(params)


async def test_a_hover_says_what_a_name_means_and_where_that_is_known_from(share, work):
    editor = await opened(share)
    found = await hover(editor, "a.sql", "u.na")
    assert editor.at("a.sql", found.range) == "name"
    told = found.contents.value
    assert told.startswith("`name` (`Column`)")
    assert "- type: `TEXT`" in told
    assert "- table: `users`" in told
    assert "- declared: `ddl schema.sql:4, read " in told
    assert found.contents.kind == types.MarkupKind.Markdown


async def test_a_hover_says_what_fits_a_hole_what_is_nearest_to_a_ghost_and_else_nothing(share, work):
    editor = await opened(share, "SELECT nmae FROM users; SELECT ?? FROM users; SELECT 1; -- users\n")
    found = await hover(editor, "a.sql", "SELECT ?")
    assert editor.at("a.sql", found.range) == "??"
    told = found.contents.value
    assert "hole: Column" in told
    assert "- rung: `ctx`" in told
    assert "- 2 candidates: `id, name`" in told
    assert 'slot-column ::= "id" | "name"' in told
    told = (await hover(editor, "a.sql", "nm")).contents.value
    assert "does not exist" in told
    assert "- nearest: `name" in told
    assert await hover(editor, "a.sql", "SELECT 1") is None
    assert await hover(editor, "a.sql", "-- us") is None
    assert await definition(editor, "a.sql", "-- us") is None


async def test_names_of_a_hostile_schema_are_no_markup(share, work):
    name = "`](http://evil)<img src=x>` # *x*"
    (work / "schema.sql").write_text(f'CREATE TABLE users (id INT, "{name}" TEXT);\n')
    editor = await opened(share, f'SELECT "{name}" FROM users;')
    told = (await hover(editor, "a.sql", 'SELECT "`')).contents.value
    assert told.startswith(f"`` {name} `` (`Column`)")


async def test_a_definition_is_found_through_the_alias_in_the_file_that_declares_it(share, work):
    editor = await opened(share)
    (link,) = await definition(editor, "a.sql", "u.na")
    assert link.target_uri == editor.uri("schema.sql")
    assert editor.at("a.sql", link.origin_selection_range) == "name"
    assert (link.target_range.start.line, link.target_range.start.character) == (3, 2)
    assert link.target_range.end.character == 6
    (alias,) = await definition(editor, "a.sql", "WHERE u")
    assert alias.target_uri == editor.uri("a.sql")
    assert alias.target_range == editor.range("a.sql", "u", after="users ")


async def test_a_definition_follows_a_source_that_is_open_and_changed(share, work):
    editor = await opened(share)
    await editor.open("schema.sql", SCHEMA)
    editor.type("schema.sql", "  name", "    name")
    (link,) = await definition(editor, "a.sql", "u.na")
    assert editor.at("schema.sql", link.target_range) == "name"


async def test_references_are_found_in_every_open_text(share, work):
    editor = await opened(share)
    await editor.open("b.sql", "SELECT name FROM users;")
    found = await references(editor, "a.sql", "u.na")
    places = [(each.uri, each.range) for each in found]
    assert (editor.uri("a.sql"), editor.range("a.sql", "name")) in places
    assert (editor.uri("b.sql"), editor.range("b.sql", "name")) in places
    assert (editor.uri("schema.sql"), types.Range(types.Position(3, 2), types.Position(3, 6))) in places
    others = await references(editor, "a.sql", "u.na", declaration=False)
    assert editor.uri("schema.sql") not in [each.uri for each in others]


async def test_highlights_tell_where_a_name_is_declared(share, work):
    editor = await opened(share)
    params = types.DocumentHighlightParams(editor.identifier("a.sql"), editor.range("a.sql", "u.id").start)
    found = await editor.client.text_document_document_highlight_async(params)
    assert [(editor.at("a.sql", each.range), each.kind) for each in found] == [
        ("u", types.DocumentHighlightKind.Read),
        ("u", types.DocumentHighlightKind.Write),
        ("u", types.DocumentHighlightKind.Read),
    ]


async def test_symbols_are_a_tree(share, work):
    editor = await opened(share, "CREATE TABLE t (a INT);\nWITH c AS (SELECT a FROM t) SELECT a FROM c;\n")
    params = types.DocumentSymbolParams(editor.identifier("a.sql"))
    table, common = await editor.client.text_document_document_symbol_async(params)
    assert (table.name, table.kind, [each.name for each in table.children]) == (
        "t",
        types.SymbolKind.Struct,
        ["a"],
    )
    assert editor.at("a.sql", table.range) == "CREATE TABLE t (a INT)"
    assert editor.at("a.sql", table.selection_range) == "t"
    assert (common.name, common.detail) == ("c", "cte")


def decoded(editor, name, data, legend):
    """Each token's text, type and modifiers."""
    line = character = 0
    for at in range(0, len(data), 5):
        down, right, width, kind, modifiers = data[at : at + 5]
        line, character = line + down, right if down else character + right
        place = types.Range(types.Position(line, character), types.Position(line, character + width))
        said = [word for bit, word in enumerate(legend.token_modifiers) if modifiers >> bit & 1]
        yield editor.at(name, place), legend.token_types[kind], said


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_names_are_told_in_the_places_of_every_encoding(share, work, encoding):
    editor = await opened(share, encoding=encoding)
    hovered = await hover(editor, "a.sql", "u.na")
    assert editor.at("a.sql", hovered.range) == "name"
    (link,) = await definition(editor, "a.sql", "u.na")
    assert editor.at("a.sql", link.origin_selection_range) == "name"
    assert editor.recoloured  # what is declared was read after the document was opened
    legend = editor.result.capabilities.semantic_tokens_provider.legend
    params = types.SemanticTokensParams(editor.identifier("a.sql"))
    found = await editor.client.text_document_semantic_tokens_full_async(params)
    assert list(decoded(editor, "a.sql", found.data, legend)) == [
        ("u", "variable", []),
        ("name", "property", []),
        ("users", "struct", []),
        ("u", "variable", ["declaration"]),
        ("u", "variable", []),
        ("id", "property", []),
        ("id", "property", []),
        ("orders", "struct", []),
    ]


async def test_only_what_changed_or_is_seen_is_coloured_anew(share, work):
    editor = await opened(share)
    whole = types.SemanticTokensParams(editor.identifier("a.sql"))
    first = await editor.client.text_document_semantic_tokens_full_async(whole)
    editor.type("a.sql", "u.name", "u.id, u.name")
    since = types.SemanticTokensDeltaParams(editor.identifier("a.sql"), first.result_id)
    delta = await editor.client.text_document_semantic_tokens_full_delta_async(since)
    data = list(first.data)
    for edit in delta.edits:
        data[edit.start : edit.start + edit.delete_count] = edit.data
    again = await editor.client.text_document_semantic_tokens_full_async(whole)
    assert data == list(again.data)
    assert sum(len(edit.data) for edit in delta.edits) < len(data) / 2
    params = types.SemanticTokensRangeParams(
        editor.identifier("a.sql"), editor.range("a.sql", "SELECT id FROM orders")
    )
    part = await editor.client.text_document_semantic_tokens_range_async(params)
    legend = editor.result.capabilities.semantic_tokens_provider.legend
    assert [text for text, *_ in decoded(editor, "a.sql", part.data, legend)] == ["id", "orders"]
    stale = await editor.client.text_document_semantic_tokens_full_delta_async(since)
    assert list(stale.data) == data


async def command(editor, name, *arguments):
    params = types.ExecuteCommandParams(name, list(arguments))
    return await editor.client.workspace_execute_command_async(params)


def told(result):
    return result if isinstance(result, dict) else result._asdict()


def here(editor, before):
    at = editor.position("a.sql", before)
    return {"uri": editor.uri("a.sql"), "position": {"line": at.line, "character": at.character}}


async def test_gamma_and_the_grammar_at_a_place_can_be_shown(share, work):
    editor = await opened(share, "SELECT u.id FROM users u; SELECT ?? FROM users;")
    found = told(await command(editor, "gproj.showEnvironment", here(editor, "u.")))
    assert found["sort"] == "Column"
    names = [told(each)["name"] for each in found["bindings"]]
    assert {"users", "orders", "name", "user_id"} <= set(names)
    assert "- `users` `Table` `ddl schema.sql:2" in found["markdown"]
    found = told(await command(editor, "gproj.showGrammar", here(editor, "SELECT ?")))
    assert (found["sort"], found["rung"], found["candidates"]) == ("Column", "ctx", 2)
    assert '"id" | "name"' in found["grammar"]
    assert "```gbnf\n" in found["markdown"]
    error = await failure(command(editor, "gproj.showGrammar", {"uri": editor.uri("nosuch.sql")}))
    assert error.code == types.LSPErrorCodes.RequestFailed
    assert "no such document" in error.message


async def test_a_client_that_can_do_less_gets_plain_answers(share, work):
    editor = await opened(share, f"CREATE TABLE t (a INT);\n{QUERY}", markdown=False, links=False, tree=False)
    found = await hover(editor, "a.sql", "u.na")
    assert found.contents.kind == types.MarkupKind.PlainText
    assert found.contents.value.startswith("name (Column)\n  type: TEXT\n")
    (place,) = await definition(editor, "a.sql", "u.na")
    assert place.uri == editor.uri("schema.sql")
    assert place.range.start == types.Position(3, 2)
    params = types.DocumentSymbolParams(editor.identifier("a.sql"))
    table, column = await editor.client.text_document_document_symbol_async(params)
    assert (column.name, column.container_name) == ("a", table.name)


async def test_a_definition_is_found_in_a_cell_before(share):
    editor = await share()
    notebook = editor.uri("book.ipynb")
    texts = ["CREATE TABLE t (ö INT, a INT);", "SELECT a FROM t;"]
    cells = [f"{notebook.replace('file:', 'vscode-notebook-cell:')}#{number}" for number in range(2)]
    editor.documents |= {cell: (1, text) for cell, text in zip(cells, texts, strict=True)}
    kind = types.NotebookCellKind.Code
    book = types.NotebookDocument(
        notebook, "jupyter-notebook", 1, [types.NotebookCell(kind, cell) for cell in cells]
    )
    items = [types.TextDocumentItem(cell, "sql", 1, text) for cell, text in zip(cells, texts, strict=True)]
    editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(book, items))
    (link,) = await definition(editor, cells[1], "SELECT a")
    assert link.target_uri == cells[0]
    assert editor.at(cells[0], link.target_range) == "a"
    told = (await hover(editor, cells[1], "SELECT a")).contents.value
    assert "- declared: `before this text`" in told
