"""Language models behind the protocols of `gproj_lsp.decode.base`."""
