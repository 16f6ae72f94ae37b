"""A server process behind the thin client of the benches, for tests that send a lot or send what no editor would."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path

from program import HOME

from gproj_lsp.bench.client import Client, RequestError

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "workspaceEdit": {"documentChanges": True},
        "applyEdit": True,
        "diagnostics": {"refreshSupport": True},
    },
    "window": {"showDocument": {"support": True}},
    "textDocument": {
        "diagnostic": {},
        "completion": {"completionItem": {}},
        "definition": {"linkSupport": True},
        "semanticTokens": {
            "requests": {"full": {"delta": True}, "range": True},
            "tokenTypes": [],
            "tokenModifiers": [],
            "formats": ["relative"],
        },
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor"]}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
    "experimental": {"gproj": {"stream": True, "status": True}},
}


@contextmanager
def server(folder: Path, state: Path, log: Path, **options):
    """A server that is initialized for a folder; what it writes to stderr is in `log` afterwards."""
    environment = {"PYTHONPATH": HOME, "XDG_STATE_HOME": str(state), "XDG_CACHE_HOME": str(state)}
    with log.open("wb") as errors:
        client = Client([sys.executable, "-m", "gproj_lsp", "serve"], environment, errors)
        try:
            client.request(
                "initialize",
                {
                    "processId": None,
                    "rootUri": folder.as_uri(),
                    "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
                    "capabilities": CAPABILITIES,
                    "initializationOptions": {"trusted": True, "debounce": 10, **options},
                },
            )
            client.notify("initialized", {})
            yield client
        finally:
            client.close()


def resident(client: Client, what: str = "VmRSS") -> float:
    """MiB of memory that the server's process holds; `RssAnon` leaves out what it shares with files, such as a model."""
    for line in Path(f"/proc/{client.process}/status").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("the system does not say")


def open_document(client: Client, uri: str, text: str, version: int = 1) -> None:
    """Open a document."""
    item = {"uri": uri, "languageId": "sql", "version": version, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": item})


def pulled(client: Client, uri: str) -> list[dict]:
    """The diagnostics of a document now; asked again where a change was in between."""
    while True:
        try:
            return client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"]
        except RequestError as error:
            if error.code not in {-32801, -32802}:  # ContentModified, ServerCancelled
                raise
