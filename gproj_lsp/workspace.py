"""A workspace: its settings, the surfaces that read its files, and what the world says to each.

Adapters (providers, resolvers) are handed in; which there are is decided where the program is put together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from time import time

from gproj_lsp.errors import InputError, ProviderError, SurfaceError
from gproj_lsp.facts import NOTHING, Facts, Provider, Request
from gproj_lsp.history import History
from gproj_lsp.ide import Analyzer, Diagnostic
from gproj_lsp.resolve import Resolver
from gproj_lsp.settings import Settings, nearest
from gproj_lsp.surface import Surface, surface_for

__all__ = ["Reading", "Workspace", "brought", "sources_of", "walk"]

_SKIPPED = frozenset({"node_modules", "__pycache__", "target", "dist", "build", "site-packages"})


@dataclass(frozen=True)
class Reading:
    """What one provider gave.

    Attributes:
        provider: Its name.
        facts: What it found; nothing where it failed.
        error: Why it failed, or None.
    """

    provider: str
    facts: Facts = NOTHING
    error: ProviderError | None = None


class Workspace:
    """One folder with its settings; keeps an analyser for each surface in use.

    Args:
        settings: What the user asked for.
        surfaces: The surfaces by name.
        providers: Every provider there is, by name; a surface says which it uses.
        resolver_of: Finds a surface's resolver.
    """

    def __init__(
        self,
        settings: Settings,
        surfaces: Mapping[str, Surface],
        providers: Mapping[str, Provider],
        resolver_of: Callable[[Surface], Resolver],
    ) -> None:
        self.settings = settings
        self._surfaces = surfaces
        self._providers = providers
        self._resolver_of = resolver_of
        self._readings: dict[str, tuple[Reading, ...]] = {}
        self._analyzers: dict[str, Analyzer] = {}
        self._histories: dict[str, dict[str, History]] = {}
        self._staged: dict[tuple[str, str, int], Analyzer] = {}

    def surface_of(self, path: Path, language: str = "", text: str = "") -> Surface | None:
        """The surface whose file patterns the path fits, or None.

        Args:
            path: The file.
            language: An editor's language id, which decides where it is known.
            text: What it holds, by which surfaces that read files of the same name are told apart.
        """
        return surface_for(path, self._surfaces.values(), language, text)

    def require_surface(self, path: Path, label: str, text: str = "") -> Surface:
        """The surface that reads the file.

        Args:
            path: The file.
            label: What messages call it.
            text: What it holds.

        Raises:
            InputError: None does.
        """
        found = self.surface_of(path, text=text)
        if found is not None:
            return found
        patterns = sorted(pattern for surface in self._surfaces.values() for pattern in surface.patterns)
        raise InputError(
            "no surface reads this kind of file", place=label, mend=f"known: {', '.join(patterns)}"
        )

    def surface(self, name: str) -> Surface:
        """The surface called `name`.

        Raises:
            InputError: There is none.
        """
        if name in self._surfaces:
            return self._surfaces[name]
        close = nearest(name, self._surfaces)
        mend = f"did you mean {close}?" if close else f"known: {', '.join(sorted(self._surfaces))}"
        raise InputError(f'unknown surface "{name}"', mend=mend)

    def readings(self, surface: Surface) -> tuple[Reading, ...]:
        """What each configured provider says, read once, in the surface's order of precedence."""
        if surface.name not in self._readings:
            self._readings[surface.name] = tuple(self._read(surface))
        return self._readings[surface.name]

    def analyzer(self, surface: Surface, path: Path | None = None, *, strict: bool = True) -> Analyzer:
        """The analyser of a surface's files; its caches live as long as the workspace.

        Args:
            surface: Whose.
            path: Which file it is for. One that is itself a source, such as a migration, is read on top of those before it.
            strict: Whether every source must be read. If not, one that fails leaves open what there is besides what others say.

        Raises:
            ProviderError: A configured source could not be read.
        """
        if surface.name not in self._analyzers:
            readings = self.readings(surface)
            failed = [reading.error for reading in readings if reading.error is not None]
            if failed and strict:
                raise failed[0]
            facts = [reading.facts for reading in readings]
            self._analyzers[surface.name] = self._build(surface, _left_open(facts) if failed else facts)
        before = self._before(surface, path) if path is not None else None
        return self._analyzers[surface.name] if before is None else before

    def reads(self, surface: Surface, path: Path) -> bool:
        """Whether a file is one of those that say what the surface's other files may name."""
        histories = self._histories.get(surface.name, {}).values()
        return any(history.index(path) is not None for history in histories)

    def problems(self, surface: Surface) -> tuple[str, ...]:
        """What providers could not read although they went on, once each."""
        told = (
            problem
            for reading in self.readings(surface)
            for problem in (*reading.facts.problems, *([str(reading.error)] if reading.error else []))
        )
        return tuple(dict.fromkeys(told))

    def told(self, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Findings as the settings `checks.*` want them told; without those that are off."""
        said = ((each, self.settings.text(f"checks.{each.code}")) for each in findings)
        return tuple(replace(each, severity=severity) for each, severity in said if severity != "off")

    def fingerprint(self, surface: Surface) -> tuple[str | None, ...]:
        """What the sources of a surface are now, cheap to compute: if it is the same, so is what they say."""
        return tuple(
            self._fingerprint(surface, name) for name in surface.providers if name in self._providers
        )

    def sourceless(self, surface: Surface) -> bool:
        """Whether nothing is configured that tells what the world declares."""
        said = self._set_for(surface)
        return not any(said.get(name) for name in sources_of(surface))

    def forget(self) -> None:
        """Read the world anew on next use."""
        self._readings.clear()
        self._analyzers.clear()
        self._histories.clear()
        self._staged.clear()

    def _build(self, surface: Surface, facts: Sequence[Facts]) -> Analyzer:
        return Analyzer(surface, self._resolver_of(surface), facts, self._said(surface, facts))

    def _before(self, surface: Surface, path: Path) -> Analyzer | None:
        """The analyser of a file that is itself a source; None for any other."""
        for provider, history in self._histories.get(surface.name, {}).items():
            index = history.index(path)
            if index is not None:
                key = (surface.name, provider, index)
                if key not in self._staged:
                    self._staged[key] = self._stage(surface, history, index)
                return self._staged[key]
        return None

    def _stage(self, surface: Surface, history: History, index: int) -> Analyzer:
        facts = [reading.facts for reading in self.readings(surface)]
        start = history.before(index, facts, surface)
        return Analyzer(surface, self._resolver_of(surface), start, self._said(surface, facts))

    def _said(self, surface: Surface, facts: Iterable[Facts]) -> dict[str, str]:
        """The settings that resolution sees: the user's, then what sources say of themselves (a database its dialect)."""
        said = {key: text for key, text in self._set_for(surface).items() if isinstance(text, str)}
        for found in facts:
            for key, text in found.details.items():
                if key in surface.settings:
                    said.setdefault(key, text)
        return said

    def _read(self, surface: Surface) -> Iterator[Reading]:
        """Read every provider; those that had sources read for them read again if others told the dialect since."""
        names = [name for name in surface.providers if name in self._providers]
        said = self._said(surface, ())
        first = {name: self._ask(surface, name, said) for name in names}
        grown = self._said(surface, (reading.facts for reading, _ in first.values()))
        for name in names:
            reading, interpreted = first[name]
            yield self._ask(surface, name, grown)[0] if interpreted and grown != said else reading

    def _ask(self, surface: Surface, name: str, said: Mapping[str, str]) -> tuple[Reading, bool]:
        interpreted = False

        def declared(sources: Sequence[tuple[str, str]]) -> Facts:
            nonlocal interpreted
            interpreted = True
            reader = Analyzer(surface, self._resolver_of(surface), NOTHING, said)
            stage = reader.stages(sources, time())
            labels = tuple(label for _, label in sources)
            self._histories.setdefault(surface.name, {})[name] = History(self.settings.root, labels, stage)
            return stage(len(sources))

        asked = self._request(surface, declared)
        provider = self._providers[name]
        try:
            if provider.fingerprint(asked) is None:
                return Reading(name), interpreted
            return Reading(name, provider.read(asked)), interpreted
        except ProviderError as error:
            return Reading(name, error=error), interpreted

    def _fingerprint(self, surface: Surface, name: str) -> str | None:
        try:
            return self._providers[name].fingerprint(self._request(surface, lambda _: NOTHING))
        except ProviderError as error:
            return str(error)

    def _set_for(self, surface: Surface) -> Mapping[str, str | tuple[str, ...]]:
        """What is set for a surface: by the user for it, else for the one that it stands on; and what it brings itself."""
        below = self._surfaces.get(surface.base)
        said = {} if below is None else dict(self._set_for(below))
        said |= self.settings.surface(surface.name)
        for key, brought in surface.brings.items():
            before = said.get(key, ())
            listed = (before,) if isinstance(before, str) else before
            said[key] = (*listed, *(each for each in brought if each not in listed))
        return said

    def _request(self, surface: Surface, declared: Callable[[Sequence[tuple[str, str]]], Facts]) -> Request:
        return Request(
            self.settings.root,
            self._set_for(surface),
            declared,
            surface=surface.name,
            patterns=surface.patterns,
            shelf=surface.root / "facts",
        )


def brought(surface: Surface, providers: Mapping[str, Provider]) -> tuple[Facts, ...]:
    """The facts that a surface brings, as they are where nobody sets anything.

    Args:
        surface: The surface.
        providers: Every provider there is, by name.

    Raises:
        SurfaceError: They can't be read.
    """

    def nobody(_: Surface) -> Resolver:
        raise SurfaceError("a surface brings facts, and no text of its language", place=str(surface.root))

    here = Workspace(Settings(surface.root), {surface.name: surface}, providers, nobody)
    readings = here.readings(surface) if surface.brings else ()
    for each in readings:
        if each.error is not None:
            raise SurfaceError(each.error.message, place=each.error.place, mend=each.error.mend)
    return tuple(each.facts for each in readings)


def _left_open(facts: Iterable[Facts]) -> list[Facts]:
    """Facts beside which there may be others: of none is everything known."""
    return [replace(each, closed=frozenset(), partial=True) for each in facts]


def sources_of(surface: Surface) -> tuple[str, ...]:
    """The settings of a surface that name a source of facts."""
    return tuple(name for name in surface.providers if name in surface.settings)


def walk(folder: Path, wanted: Callable[[Path], bool], exclude: Iterable[str] = ()) -> Iterator[Path]:
    """The wanted files under a folder, in order of their paths; hidden and generated folders are left out.

    Args:
        folder: Where to look; links to folders are not followed.
        wanted: Which files to give.
        exclude: Globs over the path relative to `folder`, or over a name alone.
    """
    globs = tuple(exclude)
    pending = [folder]
    while pending:
        here = pending.pop()
        try:
            entries = sorted(here.iterdir())
        except OSError:
            continue
        folders = []
        for entry in entries:
            inside = entry.relative_to(folder).as_posix()
            if any(fnmatch(inside, glob) or fnmatch(entry.name, glob) for glob in globs):
                continue
            if entry.is_dir():
                if not entry.is_symlink() and not entry.name.startswith(".") and entry.name not in _SKIPPED:
                    folders.append(entry)
            elif entry.is_file() and wanted(entry):  # what is no file (a pipe, a dangling link) may never end
                yield entry
        pending.extend(reversed(folders))
