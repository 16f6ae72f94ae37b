"""Draws the README's picture from what the program really prints: `python docs/pictures.py`."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from gproj_lsp.cli.demo import show

TARGET = Path(__file__).parent / "demo.svg"


def main() -> None:
    """Run the demonstration into a recording console and write it as an SVG."""
    console = Console(
        record=True,
        width=160,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
    )
    show(console)
    console.save_svg(str(TARGET), title="gproj-lsp demo", unique_id="demo")


if __name__ == "__main__":
    main()
