"""Text at the cursor, through a real server with the embedded model."""

from __future__ import annotations

from lsprotocol import types

SCHEMA = """CREATE TABLE customer (customer_no INTEGER PRIMARY KEY, full_name TEXT, mail_addr TEXT);
CREATE TABLE purchase (purchase_no INTEGER PRIMARY KEY, customer_no INTEGER, placed_at TEXT);
"""


async def inline(editor, name, before, *, asked=True, chosen=None):
    kind = types.InlineCompletionTriggerKind
    context = types.InlineCompletionContext(kind.Invoked if asked else kind.Automatic, chosen)
    position = editor.position(name, before)
    params = types.InlineCompletionParams(context, editor.identifier(name), position)
    return await editor.client.text_document_inline_completion_async(params)


async def test_text_is_offered_where_somebody_asks(share):
    editor = await share()
    text = f"{SCHEMA}SELECT full_name FROM customer WHERE "
    await editor.open("a.sql", text)
    found = await inline(editor, "a.sql", text)
    assert 1 <= len(found) <= 3
