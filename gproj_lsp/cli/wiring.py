"""Which adapters there are, and how a workspace gets them. Nothing else names a concrete provider, engine or model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gproj_lsp.facts import Facts, Provider, Request
from gproj_lsp.resolve import resolver_of
from gproj_lsp.settings import Settings, find_root, load
from gproj_lsp.surface import Surface, shipped
from gproj_lsp.workspace import Workspace, brought

if TYPE_CHECKING:
    from gproj_lsp.decode.abreast import Abreast
    from gproj_lsp.decode.base import BatchModel, HoleFiller, LanguageModel
    from gproj_lsp.decode.complete import Completer
    from gproj_lsp.decode.context import Context
    from gproj_lsp.decode.fill import Filler, Wishes, Writer
    from gproj_lsp.decode.lanes import Crew
    from gproj_lsp.decode.trace import Listener
    from gproj_lsp.lsp.parts import Parts

__all__ = [
    "PROVIDERS",
    "Workspaces",
    "lsp_parts",
    "models_at_hand",
    "open_abreast",
    "open_batch",
    "open_completer",
    "open_crew",
    "open_filler",
    "open_model",
    "open_sketch_writer",
    "open_writer",
    "shipped_facts",
]

PROVIDERS: Mapping[str, str] = {
    "api": "gproj_lsp.providers.api.snapshots:ApiSnapshots",
    "ddl": "gproj_lsp.providers.files:DdlFiles",
    "snapshot": "gproj_lsp.providers.snapshot:Snapshot",
    "database": "gproj_lsp.providers.database:Database",
}
"""Every provider by the name that surfaces give it, as `module:class`."""

_HOSTS = "GPROJ_REMOTE_HOSTS"
"""The environment variable that names the hosts to which text may go because a settings file says so."""

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


def shipped_facts(surface: Surface) -> tuple[Facts, ...]:
    """The facts that a surface brings.

    Raises:
        SurfaceError: They can't be read.
    """
    return brought(surface, _providers())


def lsp_parts(overrides: Iterable[str], trust: Path) -> Parts:
    """What the language server is put together of.

    Args:
        overrides: `key=value`, as after `-c`.
        trust: Where the folders that the user trusts are remembered.
    """
    from gproj_lsp.lsp.parts import Parts

    surfaces = shipped()
    return Parts(
        surfaces,
        tuple(overrides),
        workspace=lambda settings: Workspace(settings, surfaces, _providers(), resolver_of),
        bare=lambda settings: Workspace(settings, surfaces, {}, resolver_of),
        writer=open_writer,
        filler=lambda settings, surface, writer, told: open_filler(
            settings, surface, writer=writer, told=told
        ),
        completer=_completer_over,
        models=models_at_hand,
        trust=trust,
    )


def _completer_over(settings: Settings, surface: Surface, writer: Writer) -> Completer:
    """See `Parts.completer`."""
    from gproj_lsp.decode.context import Context

    return open_completer(settings, surface, context=writer if isinstance(writer, Context) else None)


def models_at_hand() -> tuple[str, ...]:
    """What the setting `model` can say without anything being fetched: the embedded one, if installed, and those pulled."""
    from gproj_lsp.decode.models import catalogue
    from gproj_lsp.errors import ModelError

    names = [str(path) for path in catalogue.pulled()]
    try:
        catalogue.embedded_path()
    except ModelError:
        return tuple(names)
    return (catalogue.EMBEDDED.name, *names)


def _fallback(folder: Path) -> Path:
    here = Path.cwd()
    return here if folder.is_relative_to(here) else folder


def open_filler(
    settings: Settings,
    surface: Surface,
    *,
    model: LanguageModel | None = None,
    writer: Writer | None = None,
    told: Listener | None = None,
) -> Filler:
    """A filler with the model and the engine that the settings ask for.

    Args:
        settings: What the user asked for.
        surface: The language.
        model: A model that is already loaded.
        writer: One with what it was shown, or who fills holes elsewhere.
        told: Gets the events.

    Raises:
        ModelError: The model is absent or can't be loaded.
    """
    from gproj_lsp.decode.context import Context
    from gproj_lsp.decode.engines import make_engine
    from gproj_lsp.decode.fill import Filler
    from gproj_lsp.decode.trace import silent

    wishes = _wishes(settings)
    who = writer or (Context(model) if model else open_writer(settings))
    # Nothing is decoded here where holes are filled elsewhere: the default engine checks what comes back.
    engine = make_engine(settings.text("engine")) if isinstance(who, Context) else make_engine()
    return Filler(surface, who, engine, wishes, told or silent)


def open_abreast(
    settings: Settings, surface: Surface, width: int, done: Callable[[int], None] = lambda _: None
) -> Abreast:
    """What fills several statements at once with the model and the engine that the settings ask for.

    Args:
        settings: What the user asked for.
        surface: The language.
        width: How many statements at once.
        done: Told how many statements are filled.

    Raises:
        ModelError: The model is absent or can't be loaded, or can't be shown several texts at once.
    """
    from gproj_lsp.decode.abreast import Abreast
    from gproj_lsp.decode.engines import make_engine
    from gproj_lsp.decode.lanes import Lanes
    from gproj_lsp.decode.threads import LockedEngine, Threads

    if _is_remote(settings):
        threads = Threads(_open_remote(settings), width)
        return Abreast(surface, threads, LockedEngine(make_engine()), _wishes(settings), done)
    lanes = Lanes(open_batch(settings, width))
    return Abreast(surface, lanes, make_engine(settings.text("engine")), _wishes(settings), done)


def _wishes(settings: Settings) -> Wishes:
    from gproj_lsp.decode.fill import Wishes
    from gproj_lsp.decode.sampling import Sampling

    sampling = Sampling(
        settings.number("fill.temperature"), settings.number("fill.top-p"), int(settings.number("fill.seed"))
    )
    return Wishes(sampling, allow_base=settings.flag("fill.allow-base"))


def open_completer(
    settings: Settings,
    surface: Surface,
    *,
    context: Context | None = None,
    told: Listener | None = None,
) -> Completer:
    """A completer with the model and the engine that the settings ask for.

    Args:
        settings: What the user asked for.
        surface: The language.
        context: A model that is already loaded, with what it was shown.
        told: Gets the events.

    Raises:
        InputError: The surface does not say what is written at a cursor.
        ModelError: The model is absent, can't be loaded, or is on a server.
    """
    from gproj_lsp.decode.complete import Completer, Wanted
    from gproj_lsp.decode.context import Context
    from gproj_lsp.decode.engines import make_engine
    from gproj_lsp.decode.sampling import Sampling
    from gproj_lsp.decode.trace import silent

    sampling = Sampling(
        settings.number("fill.temperature"), settings.number("fill.top-p"), int(settings.number("fill.seed"))
    )
    milliseconds = settings.number("complete.milliseconds")
    wanted = Wanted(
        sampling,
        budget=int(settings.number("complete.tokens")),
        seconds=milliseconds / 1000 if milliseconds else None,
    )
    engine = make_engine(settings.text("engine"))
    return Completer(surface, context or Context(open_model(settings)), engine, wanted, told or silent)


def open_sketch_writer(settings: Settings) -> Writer | None:
    """Who writes sketches, where that is not the model that realises them.

    Raises:
        ModelError: The model or the server's key is absent, or the user did not allow that text goes to the server.
    """
    return (
        open_writer(settings.having("model", "complete.sketch")) if settings.text("complete.sketch") else None
    )


def open_writer(settings: Settings) -> Writer:
    """Who fills holes: the model that the settings ask for, loaded, or a server.

    Raises:
        ModelError: The model or the server's key is absent, or the user did not allow that text goes to the server.
    """
    from gproj_lsp.decode.context import Context

    return _open_remote(settings) if _is_remote(settings) else Context(open_model(settings))


def open_batch(settings: Settings, sequences: int, *, threads: int | None = None) -> BatchModel:
    """The model that the settings ask for, loaded for several texts at once.

    Args:
        settings: What the user asked for.
        sequences: How many texts.
        threads: CPU threads; by default as many as pay.

    Raises:
        ModelError: It is absent or can't be loaded, or does not run in llama.cpp on this machine.
    """
    from gproj_lsp.decode.models.catalogue import locate, runs_in_transformers
    from gproj_lsp.decode.models.llama_batch import load_batch
    from gproj_lsp.errors import ModelError

    if _is_remote(settings) or runs_in_transformers(settings.text("model")):
        mend = "use a GGUF file for it, as in -c model=embedded"
        raise ModelError("only models of llama.cpp are shown several texts at once", mend=mend)
    return load_batch(
        locate(settings.text("model"), root=settings.root), sequences=sequences, threads=threads
    )


def open_crew(settings: Settings, width: int) -> Crew:
    """The model that the settings ask for, loaded to decode so many texts at once.

    Raises:
        ModelError: It is absent or can't be loaded, or can't be shown several texts at once.
    """
    from gproj_lsp.decode.lanes import Alone, Lanes

    return Lanes(open_batch(settings, width)) if width > 1 else Alone(open_model(settings))


def open_model(settings: Settings) -> LanguageModel:
    """The model that the settings ask for, loaded.

    Raises:
        ModelError: It is absent or can't be loaded, or is on a server, which gives texts and no probabilities.
    """
    from gproj_lsp.decode.models.catalogue import locate, runs_in_transformers
    from gproj_lsp.errors import ModelError

    if _is_remote(settings):
        mend = "use a model on this machine for it, as in -c model=embedded"
        raise ModelError("a remote model fills holes, and can do nothing else", mend=mend)
    path = locate(settings.text("model"), root=settings.root)
    if runs_in_transformers(settings.text("model")):
        from gproj_lsp.decode.models.hf import open_hf

        return open_hf(path)
    from gproj_lsp.decode.models.llama import LlamaModel

    return LlamaModel(path)


def _is_remote(settings: Settings) -> bool:
    return settings.text("model").partition("://")[0].lower() in ("http", "https")


def _open_remote(settings: Settings) -> HoleFiller:
    from gproj_lsp.decode.models.exchange import address
    from gproj_lsp.decode.models.remote import RemoteFiller
    from gproj_lsp.errors import ModelError

    to = address(settings.text("model"))
    allowed = {host.strip() for host in os.environ.get(_HOSTS, "").split(",")}
    if "model" in settings.filed and not to.local and to.host not in allowed:
        said = f"the workspace wants text sent to {to.host}, and you did not allow it"
        mend = f"export {_HOSTS}={to.host}, or say -c model=… yourself"
        raise ModelError(said, place=settings.place, mend=mend)
    return RemoteFiller(
        settings.text("model"),
        key=_key(settings),
        model=settings.text("remote.model"),
        server=settings.text("remote.server"),
        seconds=settings.number("remote.timeout"),
        capacity=int(settings.number("remote.context")),
    )


def _key(settings: Settings) -> str:
    """The server's key. A name that leads nowhere is not repeated: it may be a key that was written in the wrong place."""
    from gproj_lsp.errors import ModelError

    name = settings.text("remote.key")
    key = os.environ.get(name, "").strip() if name else ""
    if name and not key:
        said = "the environment variable that remote.key names is not set"
        mend = "export it; remote.key is a variable's name, never the key itself"
        raise ModelError(said, place=settings.place, mend=mend)
    return key
