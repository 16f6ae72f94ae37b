"""Which adapters there are, and how a workspace gets them. Nothing else names a concrete provider, engine or model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gproj_lsp.facts import Facts, Provider, Request
from gproj_lsp.resolve import resolver_of
from gproj_lsp.settings import Settings, find_root, load
from gproj_lsp.surface import Surface, shipped
from gproj_lsp.workspace import Workspace

if TYPE_CHECKING:
    from gproj_lsp.decode.base import LanguageModel
    from gproj_lsp.decode.context import Context
    from gproj_lsp.decode.fill import Filler
    from gproj_lsp.decode.trace import Listener
    from gproj_lsp.lsp.parts import Parts

__all__ = ["PROVIDERS", "Workspaces", "lsp_parts", "open_filler", "open_model"]

PROVIDERS: Mapping[str, str] = {
    "ddl": "gproj_lsp.providers.files:DdlFiles",
    "snapshot": "gproj_lsp.providers.snapshot:Snapshot",
    "database": "gproj_lsp.providers.database:Database",
}
"""Every provider by the name that surfaces give it, as `module:class`."""

_KEPT = frozenset({"database"})
"""Those whose answers are kept: a server may be out of reach next time."""


class LazyProvider:
    """A provider that is imported only when its setting is there: database drivers are slow to import.

    Args:
        name: The provider's, and of its setting.
        target: `module:class`.
        kept: Whether its answers are kept on disk.
    """

    def __init__(self, name: str, target: str, *, kept: bool) -> None:
        self.name = name
        self._target = target
        self._kept = kept

    def fingerprint(self, request: Request) -> str | None:
        """See `Provider`."""
        return self._real().fingerprint(request) if request.settings.get(self.name) else None

    def read(self, request: Request) -> Facts:
        """See `Provider`."""
        return self._real().read(request)

    def _real(self) -> Provider:
        module, _, name = self._target.partition(":")
        provider = cast("Provider", getattr(import_module(module), name)())
        if not self._kept:
            return provider
        from gproj_lsp.providers.cache import Cached

        return Cached(provider)


class Workspaces:
    """The workspaces of the files that one command touches; files under one root share theirs.

    Args:
        overrides: `key=value`, as after `-c`.
        now: Whether only what sources say now will do, and nothing that was kept.
    """

    def __init__(self, overrides: Iterable[str] = (), *, now: bool = False) -> None:
        self._overrides = tuple(overrides)
        self._now = now
        self._surfaces = shipped()
        self._by_root: dict[Path, Workspace] = {}
        self._by_folder: dict[Path, Workspace] = {}

    def at(self, path: Path) -> Workspace:
        """The workspace that a file or folder lies in: that of the nearest gproj.toml, else of the current folder.

        Raises:
            SettingsError: Its settings are not valid.
        """
        folder = path.absolute() if path.is_dir() else path.absolute().parent
        if folder not in self._by_folder:
            self._by_folder[folder] = self._open(find_root(folder) or _fallback(folder))
        return self._by_folder[folder]

    def surfaces(self) -> tuple[Surface, ...]:
        """Every surface there is."""
        return tuple(self._surfaces.values())

    def first(self) -> Workspace | None:
        """The workspace that was opened first."""
        return next(iter(self._by_root.values()), None)

    def _open(self, root: Path) -> Workspace:
        if root not in self._by_root:
            kinds = {name: surface.settings for name, surface in self._surfaces.items()}
            settings = load(root, kinds, overrides=self._overrides)
            providers = _providers(now=self._now)
            self._by_root[root] = Workspace(settings, self._surfaces, providers, resolver_of)
        return self._by_root[root]


def _providers(*, now: bool = False) -> dict[str, LazyProvider]:
    return {
        name: LazyProvider(name, target, kept=name in _KEPT and not now) for name, target in PROVIDERS.items()
    }


def lsp_parts(overrides: Iterable[str], trust: Path) -> Parts:
    """What the language server is put together of.

    Args:
        overrides: `key=value`, as after `-c`.
        trust: Where the folders that the user trusts are remembered.
    """
    from gproj_lsp.decode.context import Context
    from gproj_lsp.lsp.parts import Parts

    surfaces = shipped()
    return Parts(
        surfaces,
        tuple(overrides),
        workspace=lambda settings: Workspace(settings, surfaces, _providers(), resolver_of),
        bare=lambda settings: Workspace(settings, surfaces, {}, resolver_of),
        model=lambda settings: Context(open_model(settings)),
        filler=lambda settings, surface, context, told: open_filler(
            settings, surface, context=context, told=told
        ),
        trust=trust,
    )


def _fallback(folder: Path) -> Path:
    here = Path.cwd()
    return here if folder.is_relative_to(here) else folder


def open_filler(
    settings: Settings,
    surface: Surface,
    *,
    model: LanguageModel | None = None,
    context: Context | None = None,
    told: Listener | None = None,
) -> Filler:
    """A filler with the model and the engine that the settings ask for.

    Args:
        settings: What the user asked for.
        surface: The language.
        model: A model that is already loaded.
        context: One with what it was shown.
        told: Gets the events.

    Raises:
        ModelError: The model is absent or can't be loaded.
    """
    from gproj_lsp.decode.context import Context as Shown
    from gproj_lsp.decode.engines import make_engine
    from gproj_lsp.decode.fill import Filler, Wishes
    from gproj_lsp.decode.sampling import Sampling
    from gproj_lsp.decode.trace import silent

    sampling = Sampling(
        settings.number("fill.temperature"), settings.number("fill.top-p"), int(settings.number("fill.seed"))
    )
    wishes = Wishes(sampling, allow_base=settings.flag("fill.allow-base"))
    shown = context or Shown(model or open_model(settings))
    return Filler(surface, shown, make_engine(settings.text("engine")), wishes, told or silent)


def open_model(settings: Settings) -> LanguageModel:
    """The model that the settings ask for, loaded.

    Raises:
        ModelError: It is absent or can't be loaded.
    """
    from gproj_lsp.decode.models.catalogue import locate
    from gproj_lsp.decode.models.llama import LlamaModel

    return LlamaModel(locate(settings.text("model"), root=settings.root))
