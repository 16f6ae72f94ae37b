"""Oracles: the real tools that judge what names exist. For evaluation and tests only; nothing at run time imports them."""
