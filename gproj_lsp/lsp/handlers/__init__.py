"""One request or one family of notifications a module; each has ``register(server)`` (see `gproj_lsp.lsp`)."""
