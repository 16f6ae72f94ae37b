"""Names in the 489 reference queries of Spider's development set, against the databases they are for."""

from __future__ import annotations

import pytest

from gproj_lsp.resolve import Verdict

pytestmark = pytest.mark.slow

ABSENT = "zqx_absent"


def test_no_reference_query_is_doubted(tasks, schema_of):
    references = [
        reference
        for task in tasks
        for reference in schema_of(task["db_id"]).resolve(task["query"]).references
    ]
    unknown = sum(reference.verdict is Verdict.UNKNOWN for reference in references)
    assert not [each for each in references if each.verdict in (Verdict.GHOST, Verdict.AMBIGUOUS)]
    assert len(references) > 4000
    assert unknown <= len(references) // 100


def test_each_reference_renamed_is_found(tasks, schema_of):
    missed = []
    count = 0
    for task in tasks:
        schema = schema_of(task["db_id"])
        data = task["query"].encode()
        for reference in schema.resolve(task["query"]).references:
            span = reference.span
            renamed = (data[: span.start] + ABSENT.encode() + data[span.end :]).decode()
            count += 1
            if not any(
                each.verdict is Verdict.GHOST and each.span.touches(span.start)
                for each in schema.resolve(renamed).references
            ):
                missed.append(renamed)
    assert len(missed) <= count // 100, missed[:5]


def test_no_ghost_shows_while_a_query_is_typed(tasks, schema_of):
    for task in tasks[::4]:
        schema = schema_of(task["db_id"])
        for end in range(1, len(task["query"])):
            typed = task["query"][:end]
            shown = [
                each.name
                for each in schema.resolve(typed, complete=False).references
                if each.verdict in (Verdict.GHOST, Verdict.AMBIGUOUS)
            ]
            assert not shown, typed
