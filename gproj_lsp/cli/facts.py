"""`gproj-lsp facts`: what the configured sources declare, shown or frozen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from gproj_lsp.cli.console import note, out, progress
from gproj_lsp.cli.inspect import binding_json, bindings_text
from gproj_lsp.cli.wiring import Workspaces
from gproj_lsp.errors import InputError
from gproj_lsp.facts import Facts
from gproj_lsp.report.machine import dump
from gproj_lsp.report.terminal import counted
from gproj_lsp.settings import shown_path
from gproj_lsp.surface import Surface
from gproj_lsp.workspace import Workspace, sources_of

__all__ = ["freeze", "show"]


def show(*, surface: str | None, json: bool, overrides: Iterable[str]) -> int:
    """Write Γ before any text: what every configured source declares, and what the language does."""
    workspaces = Workspaces(overrides)
    workspace = workspaces.at(Path.cwd())
    chosen = _surface(workspaces, workspace, surface)
    with progress("reading the configured sources"):
        environment = workspace.analyzer(chosen).start
    _tell(workspace, chosen)
    if json:
        value = {
            "bindings": [binding_json(binding) for binding in environment],
            "frames": len(environment.frames),
        }
        out(dump(value))
    else:
        out(bindings_text(list(environment), everything=False))
    return 0


def freeze(output: Path, *, surface: str | None, overrides: Iterable[str]) -> int:
    """Write a snapshot of what the configured sources declare."""
    from gproj_lsp.providers.snapshot import write

    workspaces = Workspaces(overrides, now=True)
    workspace = workspaces.at(Path.cwd())
    chosen = _surface(workspaces, workspace, surface)
    with progress("reading the configured sources"):
        workspace.analyzer(chosen)
        facts = list(_configured(workspace, chosen))
    _tell(workspace, chosen)
    if not facts:
        raise InputError("no source is configured", mend=f"set {_sources(chosen)}")
    if any(found.partial for found in facts):
        raise InputError("not written, since not everything could be read", place=shown_path(output))
    frozen = _joined(facts)
    try:
        write(output, frozen)
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror or error}", place=shown_path(output)) from error
    sorts = dict.fromkeys(binding.sort for binding in frozen.bindings)
    counts = (counted(sum(binding.sort == sort for binding in frozen.bindings), sort) for sort in sorts)
    note(f"{shown_path(output)}: {', '.join(counts)}")
    return 0


def _surface(workspaces: Workspaces, workspace: Workspace, name: str | None) -> Surface:
    if name is not None:
        return workspace.surface(name)
    configured = [surface for surface in workspaces.surfaces() if workspace.settings.surface(surface.name)]
    if len(configured) == 1:
        return configured[0]
    if configured:
        names = ", ".join(surface.name for surface in configured)
        raise InputError(f"sources are configured for {names}", mend="choose one with --surface")
    known = "; ".join(_sources(surface) for surface in workspaces.surfaces())
    raise InputError("no source is configured", mend=f"set {known}")


def _sources(surface: Surface) -> str:
    return ", ".join(f"surfaces.{surface.name}.{name}" for name in sources_of(surface))


def _configured(workspace: Workspace, surface: Surface) -> Iterator[Facts]:
    for reading in workspace.readings(surface):
        if reading.facts.bindings or reading.facts.closed:
            yield reading.facts


def _joined(facts: Iterable[Facts]) -> Facts:
    """Everything in one value, the first of equal names; a sort stays closed where any source closes it."""
    facts = tuple(facts)
    bindings = {binding.key: binding for found in reversed(facts) for binding in found.bindings}
    details = {key: text for found in reversed(facts) for key, text in found.details.items()}
    return Facts(
        tuple(bindings.values()),
        frozenset().union(*(found.closed for found in facts)),
        details=details,
    )


def _tell(workspace: Workspace, surface: Surface) -> None:
    for problem in workspace.problems(surface):
        note(problem)
