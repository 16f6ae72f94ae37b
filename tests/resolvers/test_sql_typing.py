"""Spider's 489 reference queries as they are typed, and with each name missing."""

from __future__ import annotations

import pytest

from gproj_lsp.resolve import Verdict

pytestmark = pytest.mark.slow

OFFERED = ("Column", "Table", "Alias")


def test_no_keystroke_shows_what_the_finished_query_lacks(tasks, schema_of):
    shown = []
    for task in tasks:
        schema = schema_of(task["db_id"])
        for end in range(1, len(task["query"])):
            typed = task["query"][:end]
            shown += [
                (typed, each.name)
                for each in schema.resolve(typed, complete=False).references
                if each.verdict in (Verdict.GHOST, Verdict.AMBIGUOUS)
            ]
    assert not shown


def test_each_name_left_out_is_offered_in_its_place(tasks, schema_of):
    missed = []
    count = 0
    for task in tasks:
        schema = schema_of(task["db_id"])
        data = task["query"].encode()
        whole = schema.resolve(task["query"])
        for each in whole.references:
            if each.verdict is not Verdict.DECLARED or each.sort not in OFFERED:
                continue
            count += 1
            start = each.span.start
            without = (data[:start] + data[each.span.end :]).decode()
            resolution = schema.resolve(without)
            expectation = resolution.expectation_at(start)
            offered = {
                binding.spelling.rpartition(".")[2].lower()
                for frame in resolution.frames_at(start)
                for binding in frame.bindings.values()
                if binding.sort == each.sort
            }
            if expectation != whole.expectation_at(start) or each.name.lower() not in offered:
                missed.append((without, each.name))
    assert count > 3800
    assert len(missed) <= count // 200, missed[:5]
