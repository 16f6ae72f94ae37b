"""How many steps of the model somebody waits for who types one more character: counted, whatever the machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gproj_lsp.cli.demo import FOLDER
from gproj_lsp.cli.wiring import Workspaces, open_completer
from gproj_lsp.decode.models.catalogue import embedded_path
from gproj_lsp.decode.trace import Text
from gproj_lsp.errors import ModelError
from gproj_lsp.ide.reading import Reading

try:
    embedded_path()
except ModelError as error:
    pytest.skip(str(error), allow_module_level=True)

STEPS = 4
TYPED = "-- Who joined last?\nSELECT full_name FROM customer ORDER BY joined_on"


@pytest.fixture(scope="module")
def writes():
    """The calls of the model until the first text shows, at the end of a document."""
    workspace = Workspaces().at(FOLDER)
    surface = workspace.surface("sql")
    analyzer = workspace.analyzer(surface)
    completer = open_completer(workspace.settings, surface)
    wanted = replace(completer.desk.wanted, partial=True, one_line=True, budget=4)

    def steps(text):
        calls = []
        context = completer.desk.context
        before = context.calls

        def told(event):
            if isinstance(event, Text) and event.data:
                calls.append(context.calls - before)

        reading = Reading(analyzer, analyzer.analyse(text, len(text)))
        completer.wishing(wanted, told).complete(text, len(text), reading)
        return calls[0] if calls else 0

    return steps


def test_one_more_character_costs_few_steps_until_the_first_text(writes):
    writes(TYPED[:40])
    found = [writes(TYPED[:end]) for end in range(41, len(TYPED), 3)]
    assert any(found)
    assert max(found) <= STEPS
