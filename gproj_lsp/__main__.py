"""`python -m gproj_lsp` is `gproj-lsp`."""

from gproj_lsp.cli import main

main()
