"""`gproj-lsp check-surface` and `gate`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gproj_lsp import check_surface as checks
from gproj_lsp.check_surface import Check
from gproj_lsp.cli.console import out, progress
from gproj_lsp.cli.wiring import shipped_facts
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.errors import InputError, SurfaceError
from gproj_lsp.fragment import Fragment
from gproj_lsp.report.terminal import counted, printable
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import Surface, load

__all__ = ["check_surface", "gate"]

_FILE = "surface.toml"


def check_surface(folder: Path) -> int:
    """Check a surface; write what fails, and how much was checked.

    Raises:
        SurfaceError: Its data is not valid, so that nothing else could be checked.
    """
    _require(folder)
    with progress(f"checking {folder}"):
        report = checks.check_surface(folder, checks.accepts_by(make_engine()), brought=shipped_facts)
    for check in report.checks:
        if check.kind == "toml" and check.failures:
            raise SurfaceError(check.failures[0].message, place=check.failures[0].place)
    return _tell(str(folder), report.checks)


def gate(fragments: Sequence[Path]) -> int:
    """Gate fragment files; write what fails.

    Raises:
        SurfaceError: A fragment or its surface is not valid.
    """
    accepts = checks.accepts_by(make_engine())
    surfaces: dict[Path, Surface] = {}
    done: list[Check] = []
    with progress("gating") as shown:
        for path in fragments:
            shown.update(f"gating {path}")
            folder = _require(path.parent.parent)
            surface = surfaces.setdefault(folder, load(folder))
            for fragment in _inside(surface, path):
                failures = checks.gate(fragment, surface, resolver_of(surface), accepts)
                done.append(Check("fragment", fragment.anchor, failures))
    return _tell(", ".join(map(str, fragments)), done)


def _require(folder: Path) -> Path:
    if not (folder / _FILE).is_file():
        raise InputError(f"there is no {_FILE} here", place=str(folder), mend="give a surface's folder")
    return folder


def _inside(surface: Surface, path: Path) -> Iterator[Fragment]:
    found = [
        each
        for each in surface.fragments.values()
        if Path(each.place.partition(":")[0]).resolve() == path.resolve()
    ]
    if not found:
        raise InputError("is no fragment of its surface", place=str(path))
    yield from found


def _tell(what: str, done: Iterable[Check]) -> int:
    done = tuple(done)
    for check in done:
        for failure in check.failures:
            out(printable(str(failure)))
    failed = sum(bool(check.failures) for check in done)
    kinds = dict.fromkeys(check.kind for check in done)
    counts = ", ".join(counted(sum(check.kind == kind for check in done), _NOUNS[kind]) for kind in kinds)
    out(f"{what}: {counts}: {f'{failed} failed' if failed else 'all passed'}")
    return 1 if failed else 0


_NOUNS = {"toml": "data file", "query": "query file", "fragment": "fragment", "test": "test"}
