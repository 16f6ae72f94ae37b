"""Completion as editors get it: what replaces what, in which order, and whether that is all."""

from __future__ import annotations

import pytest
from lsprotocol import types

SCHEMA = """\
CREATE TABLE users (id INT, name TEXT, "e-mail" TEXT);
CREATE TABLE orders (id INT, user_id INT);
"""


@pytest.fixture
def work(tmp_path):
    """A workspace with its schema in a file."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "gproj.toml").write_text('[surfaces.sql]\nddl = "schema.sql"\ndialect = "sqlite"\n')
    return folder


async def opened(start, text, **able):
    """An editor whose document's world is read."""
    editor = await start(**able)
    await editor.open("a.sql", "SELECT nosuch FROM users;")
    await editor.diagnostics("a.sql", bool)
    editor.replace("a.sql", text)
    return editor


async def complete(editor, before):
    """The completions right behind the first `before`."""
    params = types.CompletionParams(editor.identifier("a.sql"), editor.position("a.sql", before))
    return await editor.client.text_document_completion_async(params)


def labels(found):
    return [each.label for each in sorted(found.items, key=lambda item: item.sort_text)]


def taken(editor, found, label):
    """The document after an item was taken, as a client does it."""
    item = next(each for each in found.items if each.label == label)
    if item.text_edit is not None:
        return editor.edit(editor.text("a.sql"), [item.text_edit])
    edit = types.TextEdit(found.item_defaults.edit_range, item.text_edit_text or item.label)
    return editor.edit(editor.text("a.sql"), [edit])


@pytest.mark.parametrize(
    ("encoding", "ranges"), [("utf-8", True), ("utf-16", True), ("utf-16", False), ("utf-32", False)]
)
async def test_a_name_replaces_the_word_under_the_cursor(share, work, encoding, ranges):
    editor = await opened(
        share, "SELECT '😀 ö', u.nmae\r\nFROM users u;\r\n", encoding=encoding, ranges=ranges
    )
    found = await complete(editor, "u.nm")
    assert labels(found) == ["id", "name", '"e-mail"']
    assert not found.is_incomplete
    assert taken(editor, found, "name") == "SELECT '😀 ö', u.name\r\nFROM users u;\r\n"
    assert taken(editor, found, '"e-mail"') == "SELECT '😀 ö', u.\"e-mail\"\r\nFROM users u;\r\n"


async def test_a_name_replaces_the_hole(share, work):
    editor = await opened(share, 'SELECT {:Column "the id"} FROM orders;')
    found = await complete(editor, "{:Col")
    assert labels(found) == ["id", "user_id"]
    assert {item.filter_text for item in found.items} == {'{:Column "the id"}'}
    assert taken(editor, found, "user_id") == "SELECT user_id FROM orders;"


async def test_what_is_in_scope_comes_first_and_tells_what_it_is(share, work):
    editor = await opened(share, "SELECT  FROM users u JOIN orders o ON o.user_id = u.id;")
    found = await complete(editor, "SELECT ")
    assert labels(found)[:4] == ["u.id", "name", '"e-mail"', "o.id"]
    assert labels(found)[-2:] == ["u", "o"]
    assert found.is_incomplete  # functions come when a letter of theirs is typed
    name = next(item for item in found.items if item.label == "name")
    assert name.kind == types.CompletionItemKind.Field
    assert name.detail == "Column · TEXT · users"
    assert name.label_details.detail == " TEXT"
    assert name.documentation.startswith("ddl schema.sql:1, read ")


async def test_tables_are_named_where_a_relation_is_wanted(share, work):
    editor = await opened(share, "WITH recent AS (SELECT 1 AS x) SELECT * FROM ")
    found = await complete(editor, "* FROM ")
    assert labels(found) == ["recent", "users", "orders"]
    assert found.items[1].kind == types.CompletionItemKind.Struct


async def test_nothing_is_offered_in_comments_strings_and_numbers(share, work):
    editor = await opened(share, "SELECT 1, 'na', name FROM users; -- na\n/* na */ SELECT 2;\n")
    for before in ("-- na", "'na", "/* na", "SELECT 1"):
        assert await complete(editor, before) is None


async def test_a_quoted_name_is_matched_with_its_quote(share, work):
    editor = await opened(share, 'SELECT "e-" FROM users;', details=False)
    found = await complete(editor, '"e-')
    mail = next(item for item in found.items if item.label == '"e-mail"')
    assert mail.filter_text == '"e-mail'
    assert mail.label_details is None
    assert taken(editor, found, '"e-mail"') == 'SELECT "e-mail" FROM users;'


async def test_more_names_than_can_be_shown_are_narrowed_by_what_is_typed(share, work):
    (work / "schema.sql").write_text("".join(f"CREATE TABLE t{n} (c{n} INT);\n" for n in range(400)))
    editor = await share()
    await editor.open("a.sql", "SELECT nosuch FROM t1;")
    await editor.diagnostics("a.sql", bool)
    editor.replace("a.sql", "SELECT * FROM t39;")
    few = await complete(editor, "FROM t")
    assert few.is_incomplete
    found = await complete(editor, "FROM t39")
    assert labels(found)[0] == "t39"
    assert set(labels(found)[1:11]) == {f"t39{digit}" for digit in range(10)}


@pytest.mark.slow
async def test_a_warm_model_orders_the_names_of_this_very_version(connect, work):
    editor = await opened(connect, "SELECT id, ?? FROM users;")
    assert labels(await complete(editor, "id, ?")) == ["id", "name", '"e-mail"']
    argument = {"uri": editor.uri("a.sql"), "scope": "hole"}
    await editor.client.workspace_execute_command_async(types.ExecuteCommandParams("gproj.fill", [argument]))

    async def ranked():
        return labels(await complete(editor, "?"))

    await editor._until(ranked, lambda found: found == ["name", "id", '"e-mail"'])
    editor.type("a.sql", "id, ", "id,  ")
    assert await ranked() == ["id", "name", '"e-mail"']
