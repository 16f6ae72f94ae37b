"""`python -m gproj_lsp` is `gproj-lsp`."""

import sys
from contextlib import suppress
from pathlib import Path

# Python looks for modules in the current folder first, and that may be anybody's workspace: its code is never run.
with suppress(OSError):  # a current folder that is gone holds no code
    if sys.path and Path(sys.path[0] or ".").resolve() == Path.cwd():
        del sys.path[0]

from gproj_lsp.cli import main

main()
