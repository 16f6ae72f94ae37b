"""How the server is, as `gproj/status` tells it: what is missing, why, and the command that mends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

__all__ = ["READY", "Board", "State", "Status"]


class State(str, Enum):
    """What can be said of a model, a folder or a document."""

    READY = "ready"
    LOADING = "loading"
    NO_MODEL = "noModel"
    STALE = "schemaStale"
    UNTRUSTED = "untrusted"
    EXCLUDED = "excluded"
    FAILED = "failed"


@dataclass(frozen=True)
class Status:
    """The state of one thing.

    Attributes:
        state: What it is.
        cause: Why, as a user should see it; no secrets.
        command: The command that mends it, or empty.
    """

    state: State
    cause: str = ""
    command: str = ""


READY = Status(State.READY)


class Board:
    """The state of everything by its URI (a folder, a document; the model has none); tells what changes, once.

    Args:
        tell: Gets the URI and its new status.
    """

    def __init__(self, tell: Callable[[str, Status], None]) -> None:
        self._tell = tell
        self._known: dict[str, Status] = {}

    def get(self, uri: str) -> Status:
        """The status of a thing; ready where nothing was said."""
        return self._known.get(uri, READY)

    def put(self, uri: str, status: Status) -> None:
        """Say how a thing is."""
        if self._known.get(uri) != status:
            self._known[uri] = status
            self._tell(uri, status)

    def forget(self, uri: str) -> None:
        """Say nothing more of a thing that is gone."""
        self._known.pop(uri, None)
