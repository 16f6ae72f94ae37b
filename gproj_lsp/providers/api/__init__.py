"""API facts: what libraries declare, read from snapshots that are made once and kept.

Reading (`snapshots`) runs nothing. Making one may, and only when a user asks for it: `importing` starts a Python that imports
the package (`probe` is what runs there); `static` reads its source instead, and sees less. `difference` compares the two.
"""
