"""Decode-time grammars for editors and scripts: ghost references found, typed holes filled."""

__version__ = "0.1.0"
