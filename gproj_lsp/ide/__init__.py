"""The façade that the command line and the editors see: a text in, plain values in bytes and labels out.

`Analyzer` analyses texts, `Analysis` is what is known of one. What an editor asks about an analysis has a module of its own
here, one noun each. Nothing here knows of any protocol, and nothing reads or writes a file.
"""

from gproj_lsp.ghosts import Diagnostic
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.analyzer import Analyzer

__all__ = ["Analysis", "Analyzer", "Diagnostic"]
