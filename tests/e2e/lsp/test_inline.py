"""Text at the cursor, through a real server with the embedded model."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio
from editor import Editor, capabilities, failure
from lsprotocol import types

SCHEMA = """CREATE TABLE customer (customer_no INTEGER PRIMARY KEY, full_name TEXT, mail_addr TEXT);
CREATE TABLE purchase (purchase_no INTEGER PRIMARY KEY, customer_no INTEGER, placed_at TEXT);
"""
OPTIONS = {
    "trusted": True,
    "debounce": 20,
    "speculate": False,
    "inline": {"milliseconds": 60_000, "asked-milliseconds": 600_000},
}
"""Machines are slow at times."""


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def patient(tmp_path_factory):
    """An editor with a server that takes its time."""
    above = tmp_path_factory.getbasetemp()
    editor = Editor(above)
    await editor.start(capabilities=capabilities(), options=OPTIONS, folders=[above])
    yield editor
    await editor.stop()


@pytest.fixture
def opened(patient, tmp_path):
    """Open a document behind the schema: `await opened("SELECT ")` gives the editor."""

    async def opens(text):
        editor = patient.elsewhere(tmp_path)
        await editor.open("a.sql", SCHEMA + text)
        return editor

    return opens


async def inline(editor, before=None, *, asked=False, chosen=None):
    """The items right behind a text of the document, or at its end."""
    kinds = types.InlineCompletionTriggerKind
    context = types.InlineCompletionContext(kinds.Invoked if asked else kinds.Automatic, chosen)
    position = editor.position("a.sql", before or editor.text("a.sql"))
    params = types.InlineCompletionParams(context, editor.identifier("a.sql"), position)
    return await editor.client.text_document_inline_completion_async(params)


async def texts(editor, before=None, **said):
    return [item.insert_text for item in await inline(editor, before, **said)]


async def test_it_is_told_that_text_is_offered(share):
    editor = await share()
    assert editor.result.capabilities.inline_completion_provider is not None


async def test_somebody_who_types_is_offered_one_line_and_no_ghost(opened):
    editor = await opened("SELECT full_name FROM customer WHERE ")
    items = await inline(editor)
    assert len(items) == 1
    here = editor.position("a.sql", editor.text("a.sql"))
    assert items[0].range == types.Range(here, here)
    assert "\n" not in items[0].insert_text.strip()
    editor.type("a.sql", "", items[0].insert_text)
    assert await editor.diagnostics("a.sql") == []


async def test_who_asks_is_offered_alternatives(opened):
    editor = await opened("SELECT full_name FROM customer ORDER BY ")
    found = await texts(editor, asked=True)
    assert 1 < len(found) <= 3
    assert len(set(found)) == len(found)


async def test_who_types_what_is_offered_is_offered_its_rest(opened):
    editor = await opened("SELECT full_name FROM customer WHERE ")
    (offered,) = await texts(editor)
    for size in range(1, min(len(offered), 5)):
        editor.type("a.sql", "", offered[size - 1])
        assert await texts(editor) == [offered[size:]]


async def test_a_name_that_is_begun_is_written_on(opened):
    editor = await opened("SELECT full_name FROM customer WHERE customer_")
    (offered,) = await texts(editor)
    assert offered.startswith("no")


async def test_nothing_is_offered_to_who_deletes(opened):
    editor = await opened("SELECT full_name FROM customer WHERE fu")
    editor.type("a.sql", "WHERE fu", "WHERE ")
    assert await texts(editor) == []
    assert await texts(editor, asked=True) != []


async def test_nothing_is_offered_in_comments_and_strings(opened):
    editor = await opened("SELECT 'all ' -- the \nFROM customer;")
    assert await texts(editor, "'all", asked=True) == []
    assert await texts(editor, "the", asked=True) == []


async def test_text_between_others_is_offered_to_who_asks(opened):
    editor = await opened("SELECT  FROM purchase;")
    assert await texts(editor, "SELECT ") == []
    found = await texts(editor, "SELECT ", asked=True)
    assert found
    for text in found:
        assert "FROM" not in text
        assert "full_name" not in text


async def test_behind_a_statement_the_next_one_begins_a_line(opened):
    editor = await opened("SELECT full_name FROM customer;")
    (offered,) = await texts(editor)
    assert offered.startswith("\n")
    assert len(offered.strip()) > 1


async def test_what_is_chosen_in_a_list_is_gone_on_with(opened):
    editor = await opened("SELECT full_name FROM customer WHERE cust")
    chosen = types.SelectedCompletionInfo(editor.range("a.sql", "cust", "WHERE "), "customer_no")
    items = await inline(editor, chosen=chosen)
    assert [item.range for item in items] == [chosen.range]
    assert items[0].insert_text.startswith("customer_no")
    assert len(items[0].insert_text) > len("customer_no")


async def test_what_is_asked_later_takes_the_place(opened):
    editor = await opened("SELECT ")
    first = asyncio.create_task(texts(editor))
    editor.type("a.sql", "", "full_name FROM customer WHERE ")
    second = asyncio.create_task(texts(editor))
    assert await first == []
    assert len(await second) == 1


async def test_a_document_that_is_not_open_is_offered_nothing(share):
    editor = await share()
    params = types.InlineCompletionParams(
        types.InlineCompletionContext(types.InlineCompletionTriggerKind.Invoked),
        types.TextDocumentIdentifier("file:///nowhere.sql"),
        types.Position(3, 0),
    )
    assert await editor.client.text_document_inline_completion_async(params) == []


async def test_without_a_model_nothing_is_offered_and_no_error_told(connect):
    editor = await connect(options={"model": "nowhere.gguf"})
    await editor.open("a.sql", f"{SCHEMA}SELECT ")
    for _ in range(2):
        assert await texts(editor) == []
    assert await texts(editor, asked=True) == []


async def complete(editor, name="a.sql"):
    place = editor.position(name, editor.text(name))
    params = {
        "textDocument": {"uri": editor.uri(name)},
        "position": {"line": place.line, "character": place.character},
    }
    return await editor.client.protocol.send_request_async("gproj/complete", params)


async def test_a_client_of_ours_sees_the_text_grow(opened):
    editor = await opened("SELECT full_name FROM customer WHERE customer_no = ")
    told = len(editor.streams)
    answer = await complete(editor)
    streams = editor.streams[told:]
    assert [streams[0]["kind"], streams[-1]["kind"]] == ["begin", "end"]
    assert streams[0]["range"].start == streams[0]["range"].end, "it says where"
    grown = [each["text"] for each in streams if each["kind"] == "text"]
    assert grown
    assert answer.items
    assert answer.reason == ""


async def test_a_client_of_ours_is_told_why_there_is_nothing(opened, connect):
    editor = await opened("-- who ")
    answer = await complete(editor)
    assert (list(answer.items), answer.reason) == ([], "no text is wanted here")
    editor = await connect(options={"model": "nowhere.gguf"})
    await editor.open("a.sql", f"{SCHEMA}SELECT ")
    assert "nowhere.gguf" in str(await failure(complete(editor)))
