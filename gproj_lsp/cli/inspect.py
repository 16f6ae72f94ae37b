"""`gproj-lsp gamma` and `grammar`: what the analyser knows at a place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from gproj_lsp.cli.console import out, progress
from gproj_lsp.cli.opened import hole_at, open_document
from gproj_lsp.cli.place import offset_of
from gproj_lsp.decode.nearby import Nearby
from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import EmptyQueryError, InputError
from gproj_lsp.fragment import Rung, grammar_text
from gproj_lsp.holes import pinned
from gproj_lsp.policy import Policy, choose
from gproj_lsp.report.machine import dump
from gproj_lsp.report.terminal import counted, printable

__all__ = ["binding_json", "bindings_text", "gamma", "grammar"]

_BUILTIN = "builtin"


def gamma(
    file: Path,
    at: str | None,
    *,
    json: bool,
    everything: bool,
    stdin_filename: str | None,
    overrides: Iterable[str],
) -> int:
    """Write Γ at a place to stdout."""
    with progress(f"reading {file}"):
        opened = open_document(str(file), stdin_filename, overrides)
        end = len(opened.analysis.lines.data)
        offset = end if at is None else offset_of(opened.document, opened.analysis.lines, at)
        environment = opened.analysis.environment_at(offset)
        bindings = list(environment)
    if json:
        value = {
            "bindings": [binding_json(binding) for binding in bindings],
            "frames": len(environment.frames),
        }
        out(dump(value))
    else:
        out(bindings_text(bindings, everything=everything))
    return 0


def grammar(
    file: Path, at: str, *, rung: str | None, stdin_filename: str | None, overrides: Iterable[str]
) -> int:
    """Write G[Γ] of the hole at a place to stdout, as `fill` would decode it."""
    opened = open_document(str(file), stdin_filename, overrides)
    hole = hole_at(opened, at)
    place = f"{opened.document.label}:{opened.analysis.lines.place(hole.span.start)}"
    fragment = opened.surface.fragments.get(hole.sort)
    if fragment is None:
        known = ", ".join(sorted(opened.surface.fragments))
        what = f"no fragment writes a {hole.sort}" if hole.sort else "the sort of this hole can't be told"
        raise InputError(what, place=place, mend=f"name one, as in {{:Sort}}: {known}")
    policy = Policy((_rung(rung),)) if rung else opened.surface.sorts[hole.sort].policy
    try:
        choice = choose(
            fragment,
            Nearby(opened.surface).environment(hole.environment),
            policy,
            region=hole.region,
            allow_base=not rung and opened.workspace.settings.flag("fill.allow-base"),
            pin="" if rung else pinned(hole, opened.surface),
            hole=hole.mark.text,
        )
    except EmptyQueryError as error:
        error.place = place
        raise
    out(grammar_text(choice.instance).rstrip("\n"))
    return 0


def _rung(name: str) -> Rung:
    rungs = {rung.name.lower(): rung for rung in (Rung.CTX, Rung.GAMMA, Rung.BASE)}
    if name in rungs:
        return rungs[name]
    raise InputError(f'there is no rung "{name}"', place="--rung", mend=f"known: {', '.join(rungs)}")


def binding_json(binding: Binding) -> dict[str, object]:
    """A binding as `gamma --json` documents it."""
    return {
        "name": binding.name,
        "sort": binding.sort,
        "owner": binding.owner,
        "spelling": binding.spelling,
        "attrs": dict(binding.attrs),
        "origin": {"provider": binding.origin.provider, "place": binding.origin.place},
    }


def bindings_text(bindings: Sequence[Binding], *, everything: bool) -> str:
    """A table of bindings in Γ's order; the language's own names are counted unless everything is asked for."""
    shown = [binding for binding in bindings if everything or binding.origin.provider != _BUILTIN]
    rows = [
        (_spelled(binding), binding.sort, _attributes(binding), told(binding.origin)) for binding in shown
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
    hidden = Counter(binding.sort for binding in bindings if binding.origin.provider == _BUILTIN)
    if hidden and not everything:
        lines.append(
            f"and built in: {', '.join(counted(number, sort) for sort, number in hidden.items())} (--all lists them)"
        )
    return "\n".join(line.rstrip() for line in lines) or "Γ is empty"


def told(origin: Origin) -> str:
    """Where a name comes from, in a few words."""
    return printable(f"{origin.provider} {origin.place}".strip())


def _spelled(binding: Binding) -> str:
    return printable(f"{binding.owner}.{binding.name}" if binding.owner else binding.name)


def _attributes(binding: Binding) -> str:
    known = (f"{name}={text}" for name, text in binding.attrs.items() if name != "table")
    return printable(" ".join(known))
