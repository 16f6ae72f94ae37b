"""The model that decodes: loaded when it is first wanted, on the decoding thread, and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gproj_lsp.decode.trace import Event, Listener
from gproj_lsp.lsp.parts import Parts
from gproj_lsp.settings import KEYS, Settings, Value
from gproj_lsp.surface import Surface

if TYPE_CHECKING:
    from gproj_lsp.decode.complete import Completer
    from gproj_lsp.decode.fill import Filler, Writer

__all__ = ["Models"]

_Wanted = tuple[str, str, float, float, float, bool]
_WRITER = tuple(key for key in KEYS if key == "model" or key.startswith("remote."))
"""The settings that decide who fills holes."""


@dataclass
class _Relay:
    """Hands events to whoever listens now; a filler outlives the request that it was made for."""

    told: Listener

    def __call__(self, event: Event) -> None:
        self.told(event)


@dataclass
class Models:
    """One model at a time, and the fillers over it. Everything here belongs to the decoding thread.

    Attributes:
        parts: Who loads.
        loading: Called on the thread when a model begins to load, with its setting; what it gives is called at the end, with
            why it could not be loaded, or empty.
    """

    parts: Parts
    loading: Callable[[str], Callable[[str], None]]
    _asked: tuple[Value, ...] = ()
    _writer: Writer | None = None
    _fillers: dict[tuple[str, _Wanted], tuple[Filler, _Relay]] = field(default_factory=dict)
    _completers: dict[tuple[str, _Wanted], Completer] = field(default_factory=dict)

    def writer(self, settings: Settings) -> Writer:
        """Who fills holes as settings ask: a model with what it was shown, or a server.

        Raises:
            ModelError: It is absent or can't be loaded.
        """
        asked = tuple(settings.values[key] for key in _WRITER)
        if self._writer is None or self._asked != asked:
            from gproj_lsp.decode.models.exchange import shown_model  # noqa: PLC0415  (only once there is a model)

            self.close()
            done = self.loading(shown_model(settings.text("model")))
            problem = "it could not be loaded"
            try:
                self._writer = self.parts.writer(settings)
                self._asked, problem = asked, ""
            except Exception as error:
                problem = str(error)
                raise
            finally:
                done(problem)
        return self._writer

    def filler(self, settings: Settings, surface: Surface, told: Listener) -> Filler:
        """A filler; the same one for the same wishes, so that what it compiled is kept.

        Args:
            settings: What the user asked for.
            surface: The language.
            told: Gets the events from now on.

        Raises:
            ModelError: The model is absent or can't be loaded.
            EngineError: The mask engine is absent.
        """
        writer = self.writer(settings)
        key = (surface.name, _wanted(settings))
        if key not in self._fillers:
            relay = _Relay(told)
            self._fillers[key] = (self.parts.filler(settings, surface, writer, relay), relay)
        filler, relay = self._fillers[key]
        relay.told = told
        return filler

    def completer(self, settings: Settings, surface: Surface) -> Completer:
        """What writes on from cursors; the same one for the same wishes, so that what it compiled is kept.

        Args:
            settings: What the user asked for.
            surface: The language.

        Raises:
            ModelError: The model is absent, can't be loaded, or is on a server.
            EngineError: The mask engine is absent.
            InputError: The surface does not say what is written at a cursor.
        """
        writer = self.writer(settings)
        key = (surface.name, _wanted(settings))
        if key not in self._completers:
            self._completers[key] = self.parts.completer(settings, surface, writer)
        return self._completers[key]

    @property
    def warm(self) -> bool:
        """Whether a model is loaded."""
        return self._writer is not None

    def close(self) -> None:
        """Free the model."""
        from gproj_lsp.decode.context import Context  # noqa: PLC0415  (only once there may be a model)

        self._fillers.clear()
        self._completers.clear()
        writer, self._writer, self._asked = self._writer, None, ()
        if isinstance(writer, Context):
            writer.model.close()


def _wanted(settings: Settings) -> _Wanted:
    return (
        settings.text("engine"),
        settings.text("model"),
        settings.number("fill.temperature"),
        settings.number("fill.top-p"),
        settings.number("fill.seed"),
        settings.flag("fill.allow-base"),
    )
