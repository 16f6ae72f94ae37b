"""How what goes wrong is answered."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from gproj_lsp.errors import Cancelled, InputError, ModelError
from gproj_lsp.lsp.failures import answer_of
from gproj_lsp.lsp.worker import Superseded


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Superseded("later"), types.LSPErrorCodes.ContentModified),
        (Cancelled("stop"), types.LSPErrorCodes.RequestCancelled),
        (InputError("no hole here"), types.LSPErrorCodes.RequestFailed),
        (ModelError("no model"), types.LSPErrorCodes.RequestFailed),
        (ZeroDivisionError("1/0"), types.ErrorCodes.InternalError),
    ],
)
def test_each_failure_has_its_code(error, code):
    found = answer_of(error, "textDocument/hover")
    assert isinstance(found, JsonRpcException)
    assert found.code == code


def test_what_is_an_answer_already_stays_one():
    error = JsonRpcInvalidParams()
    assert answer_of(error, "x") is error


def test_only_what_nobody_expected_is_logged_with_its_place(caplog):
    answer_of(InputError("no hole here"), "x")
    assert not caplog.records
    answer_of(ZeroDivisionError("1/0"), "textDocument/hover")
    assert "textDocument/hover" in caplog.text
    assert caplog.records[0].exc_info
