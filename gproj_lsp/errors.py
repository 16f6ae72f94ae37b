"""Every error this package raises on purpose.

::

    GprojError                  message, place, mend
    ├── InputError              a file, a position or an option the user gave
    │   ├── SettingsError       gproj.toml, `-c key=value`
    │   └── SurfaceError        grammars/<surface>/
    │       └── GrammarError    a fragment's GBNF
    ├── ProviderError           a database, DDL file or snapshot that could not be read
    │   └── UnreachableError    one that is there and did not answer: locked, too slow, no connection
    ├── ModelError              a model that could not be loaded or run
    │   └── CacheFullError      its context has no room for all that is decoded at once
    ├── EngineError             a mask engine that is absent or refused a grammar
    ├── EmptyQueryError         a slot without candidates: a diagnosis, raised before any token is sampled
    ├── DepthError              grammar calls nested deeper than the limit
    └── Cancelled               the caller's stop flag was set

The command line prints `place: message` and the mend on one line and exits with 2.
"""

from __future__ import annotations

__all__ = [
    "CacheFullError",
    "Cancelled",
    "DepthError",
    "EmptyQueryError",
    "EngineError",
    "GprojError",
    "GrammarError",
    "InputError",
    "ModelError",
    "ProviderError",
    "SettingsError",
    "SurfaceError",
    "UnreachableError",
]


class GprojError(Exception):
    """What went wrong, where, and what mends it.

    Attributes:
        message: One sentence without a trailing full stop.
        place: `path`, `path:line` or `path:line:column` (1-based), or empty.
        mend: What the user can do, or empty.
    """

    def __init__(self, message: str, *, place: str = "", mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.mend = mend

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        mend = f" ({self.mend})" if self.mend else ""
        return f"{place}{self.message}{mend}"


class InputError(GprojError):
    """A file, a position or an option that can't be used."""


class SettingsError(InputError):
    """A settings file or `-c` override that is not valid."""


class SurfaceError(InputError):
    """A surface folder that is not valid."""


class GrammarError(SurfaceError):
    """GBNF that does not parse, or names a rule that is not there."""


class ProviderError(GprojError):
    """A source of facts that could not be read; analysis goes on with *unknown*."""


class UnreachableError(ProviderError):
    """A source that did not answer this time; what it said last may stand in."""


class ModelError(GprojError):
    """A model that could not be loaded or run."""


class CacheFullError(ModelError):
    """A model's context that has no room for all the texts that are decoded at once."""


class EngineError(GprojError):
    """A mask engine that is absent or refused a grammar."""


class EmptyQueryError(GprojError):
    """A slot's query found no candidate in Γ (paper, section 4.2).

    Attributes:
        sort: The sort the hole expects.
        hole: How the hole reads in the source, such as `{:Column}`.
        declared: Names of that sort that Γ does hold, unfiltered; tells a wrong filter from an empty world.
    """

    def __init__(self, sort: str, *, hole: str = "", declared: tuple[str, ...] = (), place: str = "") -> None:
        shown = ", ".join(declared[:5]) or "none"
        super().__init__(f"no {sort} can stand at {hole or 'this hole'}; declared: {shown}", place=place)
        self.sort = sort
        self.hole = hole
        self.declared = declared


class DepthError(GprojError):
    """Grammar calls nested deeper than the limit (32), or a cycle among them."""


class Cancelled(GprojError):  # noqa: N818  (it is control flow, as asyncio.CancelledError)
    """The caller set the stop flag; nothing was changed."""
