"""Capabilities and preferences as values; what is wrong is told and has no effect."""

from __future__ import annotations

from collections import namedtuple

import pytest
from lsprotocol import types

from gproj_lsp.lsp.options import Client, Preferences, plain, preferences


def offering(*encodings):
    return types.ClientCapabilities(general=types.GeneralClientCapabilities(position_encodings=encodings))


def test_a_client_that_says_nothing_can_nothing():
    assert Client.of(types.ClientCapabilities()) == Client()


@pytest.mark.parametrize(
    ("offered", "taken"),
    [((), "utf-16"), (("utf-8", "utf-16"), "utf-8"), (("utf-32",), "utf-32"), (("ebcdic", "utf-8"), "utf-8")],
)
def test_the_first_encoding_that_is_known_is_taken(offered, taken):
    assert Client.of(offering(*offered)).encoding == taken


def test_preferences_are_taken_and_the_rest_are_settings():
    found, problems = preferences({"trusted": True, "debounce": 5, "engine": "llama", "fill": {"seed": 1}})
    assert (found.trusted, found.debounce, problems) == (True, 5, ())
    assert found.settings == {"engine": "llama", "fill": {"seed": 1}}


@pytest.mark.parametrize(
    "wrong", [{"debounce": -1}, {"debounce": True}, {"trusted": "yes"}, {"speculate": 1}]
)
def test_a_wrong_value_is_told_and_the_old_one_holds(wrong):
    old = Preferences(trusted=True, debounce=7, speculate=False)
    found, problems = preferences(wrong, old)
    assert (found, len(problems)) == (old, 1)
    assert next(iter(wrong)) in problems[0]


@pytest.mark.parametrize("wrong", ["text", 3, ["list"], True])
def test_what_is_no_object_has_no_effect(wrong):
    found, problems = preferences(wrong)
    assert (found, len(problems)) == (Preferences(), 1)


def test_objects_that_were_made_of_json_are_plain_again():
    made = namedtuple("Object", ["a", "b"])(namedtuple("Object", ["c"])(1), [2])  # noqa: PYI024  (as pygls makes them)
    assert plain(made) == {"a": {"c": 1}, "b": [2]}
