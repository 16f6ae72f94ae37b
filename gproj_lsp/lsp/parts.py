"""What the server is put together of; which adapters there are, whoever starts it decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gproj_lsp.decode.trace import Listener
from gproj_lsp.settings import Settings
from gproj_lsp.surface import Surface
from gproj_lsp.workspace import Workspace

if TYPE_CHECKING:  # what decodes is imported when it is first wanted
    from gproj_lsp.decode.complete import Completer
    from gproj_lsp.decode.fill import Filler, Writer

__all__ = ["Parts"]


@dataclass(frozen=True)
class Parts:
    """The hands of the server.

    Attributes:
        surfaces: The languages by name.
        overrides: Settings from the command line (`key=value`), over all others.
        workspace: A workspace from its settings, with every provider.
        bare: The same without any source: what can be said while sources are read.
        writer: Who fills holes as settings ask: a model, loaded, or a server. Takes seconds; raises `ModelError`.
        filler: A filler over one.
        completer: A completer over one; raises `ModelError` where that is a server.
        models: What the setting `model` can say without anything being fetched.
        trust: Where the folders that the user trusts are remembered.
    """

    surfaces: Mapping[str, Surface]
    overrides: tuple[str, ...]
    workspace: Callable[[Settings], Workspace]
    bare: Callable[[Settings], Workspace]
    writer: Callable[[Settings], Writer]
    filler: Callable[[Settings, Surface, Writer, Listener], Filler]
    completer: Callable[[Settings, Surface, Writer], Completer]
    models: Callable[[], tuple[str, ...]]
    trust: Path
