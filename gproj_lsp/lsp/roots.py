"""The folders behind open documents: their settings, and what the world says there, read in the background.

Until its sources are read a folder answers from what the texts themselves declare; while they are read anew, from what they
said last. A `World` is a value: reading gives another one.
"""

from __future__ import annotations

from asyncio import Event
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from types import MappingProxyType

from gproj_lsp.errors import GprojError
from gproj_lsp.ide import Analyzer
from gproj_lsp.ide.offers import Offers
from gproj_lsp.lsp.parts import Parts
from gproj_lsp.settings import Settings, find_root, load
from gproj_lsp.surface import Surface
from gproj_lsp.workspace import Workspace

__all__ = ["Root", "World", "open_world", "read_world", "root_of"]


@dataclass(frozen=True, eq=False)
class World:
    """A folder's settings and what the world says there.

    Attributes:
        settings: What holds.
        workspace: All of it; only surfaces in `read` are asked there.
        bare: The same without sources.
        read: What the sources of each surface were when they were read, by its name.
        problems: What of the sources could not be read.
        problem: Why settings could not be used as they are written, or empty.
    """

    settings: Settings
    workspace: Workspace
    bare: Workspace
    read: Mapping[str, tuple[str | None, ...]] = field(default_factory=lambda: MappingProxyType({}))
    problems: tuple[str, ...] = ()
    problem: str = ""
    _offers: dict[str, Offers] = field(default_factory=dict)

    def surface_of(self, path: Path, language: str, text: str = "") -> Surface | None:
        """The surface that reads a document, if there is one."""
        return self.bare.surface_of(path, language, text)

    def analyzer(self, surface: Surface, path: Path | None) -> Analyzer:
        """The analyser of a document; may take long the first time, so it is asked on a thread."""
        if surface.name in self.read or self.workspace.sourceless(surface):
            return self.workspace.analyzer(surface, path, strict=False)
        return self.bare.analyzer(surface)

    def offers(self, surface: Surface) -> Offers:
        """What may stand in holes of a surface."""
        return self._offers.setdefault(surface.name, Offers(surface))

    def excluded(self, path: Path) -> str:
        """The glob in `exclude` that a file fits, or empty."""
        root = self.settings.root
        inside = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        globs = self.settings.texts("exclude")
        return next((each for each in globs if fnmatch(inside, each) or fnmatch(path.name, each)), "")

    def fresh(self, surface: Surface) -> bool:
        """Whether the sources are still what was read; looks at files, so it is asked on a thread."""
        return self.read.get(surface.name) == self.workspace.fingerprint(surface)


class Root:
    """One folder.

    Attributes:
        folder: Where it is.
        world: What holds there now.
        used: The surfaces of documents that were opened in it.
        reading: Whether sources are being read.
        again: Whether they must be read once more after that.
        settled: Set while none are read.
        generation: Another one whenever `world` is.
    """

    def __init__(self, folder: Path, world: World) -> None:
        self.folder = folder
        self.world = world
        self.used: dict[str, Surface] = {}
        self.reading = False
        self.again = False
        self.settled = Event()
        self.settled.set()
        self.generation = 0

    def put(self, world: World) -> None:
        """Let another world hold."""
        self.world = world
        self.generation += 1


def root_of(path: Path | None, folders: tuple[Path, ...]) -> Path:
    """The folder whose settings hold for a document: that of the nearest gproj.toml, else the open folder it lies in.

    Args:
        path: The document; None if it is in no file.
        folders: The folders that are open in the editor.
    """
    if path is None:
        return folders[0] if folders else Path.home()
    found = find_root(path.parent)
    if found is not None:
        return found
    around = [folder for folder in folders if path.is_relative_to(folder)]
    return max(around, key=lambda folder: len(folder.parts), default=path.parent)


def open_world(folder: Path, parts: Parts, editor: Mapping[str, object], *, trusted: bool) -> World:
    """A folder's settings, nothing read yet. Settings that are not valid are told, and the defaults hold.

    Args:
        folder: The folder.
        parts: How workspaces are made.
        editor: The editor's settings.
        trusted: Whether what its gproj.toml says may lead anywhere.
    """
    kinds = {name: surface.settings for name, surface in parts.surfaces.items()}
    problem = ""
    try:
        settings = load(folder, kinds, editor=editor, overrides=parts.overrides, trusted=trusted)
    except GprojError as error:
        problem = str(error)
        settings = Settings(folder)
    return World(settings, parts.workspace(settings), parts.bare(settings), problem=problem)


def read_world(
    folder: Path, parts: Parts, editor: Mapping[str, object], used: Mapping[str, Surface], *, trusted: bool
) -> World:
    """A folder's settings, and its sources read for the surfaces in use. Takes as long as the sources do.

    Args:
        folder: The folder.
        parts: How workspaces are made.
        editor: The editor's settings.
        used: Whose sources are wanted.
        trusted: As for `open_world`.
    """
    world = open_world(folder, parts, editor, trusted=trusted)
    workspace = world.workspace
    read: dict[str, tuple[str | None, ...]] = {}
    problems: list[str] = []
    for name, surface in used.items():
        read[name] = workspace.fingerprint(surface)
        workspace.analyzer(surface, strict=False)
        problems += workspace.problems(surface)
    return replace(world, read=MappingProxyType(read), problems=tuple(dict.fromkeys(problems)))
